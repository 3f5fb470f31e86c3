#!/bin/sh
# However tests/all.sh divides the tests, its parts are all of them, each once, and their sizes differ by at most one test.
. "$SOURCE/tests/self/lib.sh"
export BUILD
all=$(ctest --test-dir "$BUILD" -N | sed -n 's/^Total Tests: //p')
n=3
numbers= least=$all most=0
for k in $(seq $n); do
    part=$(sh "$SOURCE/tests/all.sh" "$k/$n" list) count=$(printf '%s\n' "$part" | wc -l)
    numbers="$numbers
$part"
    [ "$count" -ge "$least" ] || least=$count
    [ "$count" -le "$most" ] || most=$count
done
once=$(printf '%s\n' "$numbers" | grep -c .) different=$(printf '%s\n' "$numbers" | grep . | sort -u | wc -l)
[ "$once $different" = "$all $all" ] || bad "$n parts hold $once tests, $different different ones; there are $all"
[ $((most - least)) -le 1 ] || bad "of $n parts one has $least tests, another $most"
passed=$((passed + 1))

# The most expensive are dealt out first, whichever way CMake quotes a test's name; a tree without tests is an error.
small=$BUILD/self/shards
rm -rf "$small" && mkdir -p "$small"
for name in a b c d; do echo "add_test($name true)"; done >"$small/CTestTestfile.cmake"
echo 'set_tests_properties("b" PROPERTIES  LABELS "more" COST "9" TIMEOUT "1")
set_tests_properties([=[d]=] PROPERTIES  COST "8")' >>"$small/CTestTestfile.cmake"
expect 0 '^2$' env BUILD="$small" sh "$SOURCE/tests/all.sh" 1/2 list
absent '^4$'
expect 0 '^4$' env BUILD="$small" sh "$SOURCE/tests/all.sh" 1/1 list
[ "$(printf '%s\n' "$output" | sort -n | tr -d '\n')" = 1234 ] || bad "one part holds other tests than all: $output"
: >"$small/CTestTestfile.cmake"
expect 1 '^all.sh: .*shards has no test for part 1/2$' env BUILD="$small" sh "$SOURCE/tests/all.sh" 1/2 list

# A part in which a test fails ends as CTest does and reports that; nothing is repeated until it passes.
mkdir -p "$small/tree/tests" "$small/tree/build-test" "$small/bin"
cp "$SOURCE/tests/all.sh" "$small/tree/tests/"
printf '#!/bin/sh\n' >"$small/bin/cmake" && chmod +x "$small/bin/cmake"
printf 'add_test(good true)\nadd_test(bad sh -c "[ -e tried ] || { : >tried; exit 1; }")\n' >"$small/tree/build-test/CTestTestfile.cmake"
expect 8 '^part 1/1 .*: 2 tests, .* exit 8$' env PATH="$small/bin:$PATH" sh "$small/tree/tests/all.sh"
expect 0 '^part 1/1 .*: 2 tests, .* exit 0$' env PATH="$small/bin:$PATH" sh "$small/tree/tests/all.sh"

for part in 0/3 4/3 3 1/ /2 1/2/3 a/b; do
    expect 2 "^all.sh: the part is '$part'; expected K/N" sh "$SOURCE/tests/all.sh" "$part"
done
finish

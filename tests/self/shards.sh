#!/bin/sh
# However tests/all.sh cuts the tests, its parts are all of them, each once, and none is longer than another by more than one test.
# The tree under test is one that its preset `test` has built; another is not looked at.
. "$SOURCE/tests/self/lib.sh"
[ "$BUILD" = "$SOURCE/build-test" ] || { echo "skipped: tests/all.sh runs the tests of build-test"; exit 77; }
all=$(ctest --test-dir "$BUILD" -N | sed -n 's/^Total Tests: //p')
for n in 1 3; do
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
done
for part in 0/3 4/3 3 1/ /2 1/2/3 a/b; do
    expect 2 "^all.sh: the part is '$part'; expected K/N" sh "$SOURCE/tests/all.sh" "$part"
done
finish

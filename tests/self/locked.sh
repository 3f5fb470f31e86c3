#!/bin/sh
# Builds in one folder run one at a time: two runners at once, and a CTest test with them. Here CMake is a script that
# takes a second and prints when it begins and ends.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/locked
rm -rf "$scratch" && mkdir -p "$scratch/build"
command -v flock >/dev/null || { echo "skipped: no flock"; exit 77; }
cd "$scratch" || exit 1
cat >cmake <<'EOS'
#!/bin/sh
echo begin >>log
sleep 1
echo end >>log
exit 1
EOS
chmod +x cmake

# The runner with its own build folder and CMake: "$scratch" is in course.tsv, whose name is changed in the program.
own=$BUILD/course.lck
sed "s|^build	.*|build	$scratch/build|; s|^cmake	.*|cmake	$scratch/cmake|" "$BUILD/course.tsv" >"$own"
LC_ALL=C sed 's|/course\.tsv|/course.lck|g' "$BUILD/workbook" >workbook && chmod +x workbook

# in_turn WHAT: each that began ended before the next began.
in_turn() {
    if [ "$(tr '\n' ' ' <log)" = "begin end begin end " ]; then
        passed=$((passed + 1))
    else
        bad "$1: two built at once"
        cat log
    fi
    rm -f log
}
build() { ./workbook profile 1/5 --n 1 >words 2>&1; }
build & build
wait $!
in_turn "two runners"
build & flock "$scratch/build/build.lock" ./cmake
wait $!
in_turn "a runner and CTest"
# Guilty: without the lock both have begun before one ends.
./cmake & ./cmake
wait $!
[ "$(head -2 log | tr '\n' ' ')" = "begin begin " ] || bad "the test cannot tell two builds at once"
# Every CTest test that builds in this folder takes the lock.
find "$BUILD" -name CTestTestfile.cmake -exec grep -h '^ *add_test' {} + | grep -E -- "\"(--build|-C)\" \"$BUILD\"" >tests
[ "$(wc -l <tests)" -gt 80 ] || bad "only $(wc -l <tests) tests build"
grep -v "\"$BUILD/build.lock\"" tests && bad "these tests build without the lock"
rm -f "$own"
finish

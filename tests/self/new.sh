#!/bin/sh
# The scripts of tests/new add a chapter and a step that work: in a copy of the tree, with a machine and judges that are built.
. "$SOURCE/tests/self/lib.sh"
needs_solutions
tree=$BUILD/self/trees/new
rm -rf "$tree" && mkdir -p "$tree"
cd "$SOURCE" || exit 1
for name in CMakeLists.txt CMakePresets.json CHANGELOG.md CONTRIBUTING.md LICENSE README.md .clang-format [0-9]*/ common docs solutions tests; do
    cp -r "$name" "$tree/"
done
cd "$tree" || exit 1
export BUILD="$tree/build-test"
last=$(ls -d [0-9]*-*/ | tail -1)
chapter=$(printf '%02d-doubling' $(($(expr "$last" : '0*\([0-9]*\)') + 1)))
tests='^('$chapter'\.|self\.((wrong|right|hints|docs|order|starter|names)\.?.*\.?doubling|drift|style|words|names|manifest|rooms\.headers|docs\.chapters$))'

# passes WHAT: all tests of the new chapter and those of the tree that it concerns.
passes() {
    cmake "$BUILD" >/dev/null
    ctest --test-dir "$BUILD" -j 2 -R "$tests" -E '[.]all$|starter|hardware|more' -FA 'self.(unit|solutions|submissions)' \
        --output-on-failure >"$tree/log" 2>&1 || {
        bad "$1"
        sed 's/^/    /' "$tree/log" | tail -60
    }
    grep -q "$chapter.01-first.lesson .*Passed" "$tree/log" || bad "$1: the lesson of its first step was not graded"
}

cmake --preset test -G "$(BUILD=${tree%/self/trees/new} cached CMAKE_GENERATOR)" -DWORKBOOK_PREBUILT="${tree%/self/trees/new}" \
    -DWORKBOOK_NVCC="$NVCC" -DWORKBOOK_GPU=off >"$tree/log" 2>&1 || bad "the copy does not configure: $(tail -5 "$tree/log")"
sh tests/new/chapter.sh doubling 'twice as much' >"$tree/log" 2>&1 || bad "no chapter: $(tail -5 "$tree/log")"
passes "a chapter as chapter.sh writes it"

# A second step: first its solution, from the one before, then what follows from it.
sh tests/new/step.sh $chapter/02-by-four >"$tree/log" 2>&1 || bad "no solution of a second step: $(tail -5 "$tree/log")"
grep -q 'step 2: by four' solutions/$chapter/02-by-four.cu || bad "the solution does not name its step: $(head -1 solutions/$chapter/02-by-four.cu)"
[ ! -e $chapter/02-by-four.cu ] || bad "there is a starter before there is a solution"
sh tests/new/step.sh $chapter/02-by-four >"$tree/log" 2>&1 || bad "no second step: $(tail -5 "$tree/log")"
grep -q "^| .$chapter. | 2 |" README.md || bad "README.md does not count two steps: $(grep doubling README.md)"
grep -q '^from 01-first' tests/submissions/$chapter/02-by-four.wrong || bad "the step before is no wrong submission"
ctest --test-dir "$BUILD" -R "^$chapter.02-by-four" >"$tree/log" 2>&1 || bad "the second step does not pass: $(tail -5 "$tree/log")"
sh tests/new/bounds.sh $chapter/02-by-four 4096 >"$tree/log" 2>&1 || bad "no bounds: $(cat "$tree/log")"
grep -q '^at n = 4096 .*step before' "$tree/log" || bad "bounds.sh prints no table: $(cat "$tree/log")"

# Guilty: what is there, what has no name, what is no chapter.
expect 1 '03-histogram/ has this number' sh tests/new/chapter.sh 03-again 'a number that is taken'
expect 1 'common/scan is there' sh tests/new/chapter.sh scan 'a topic that is taken'
expect 1 "usage: .* $(printf '%02d' $((${chapter%%-*} + 1)))-doubling" sh tests/new/chapter.sh halving
expect 1 '99-nothing is no chapter' sh tests/new/step.sh 99-nothing/01-first
expect 1 '03-none is no step' sh tests/new/bounds.sh "$chapter/03-none"
finish

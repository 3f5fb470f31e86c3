#!/bin/sh
# The scripts of tests/new add a chapter and a step that work: in a copy of the tree, with a built machine and judges.
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

cmake --preset test -G "$(BUILD=${tree%/self/trees/new} cached CMAKE_GENERATOR)" -DWORKBOOK_PREBUILT="${tree%/self/trees/new}" \
    -DWORKBOOK_NVCC="$NVCC" -DWORKBOOK_GPU=off >"$tree/log" 2>&1 || bad "the copy does not configure: $(tail -5 "$tree/log")"
DRAFTS=yes sh tests/new/chapter.sh doubling 'twice as much' >"$tree/log" 2>&1 || bad "no chapter: $(tail -5 "$tree/log")"
sed -i 's/N 65536$/N 65536 ARCH 80/' $chapter/CMakeLists.txt

# A second step: first its solution, from the one before, then what follows from it, and once it has bounds its submissions. Its
# lesson is blocks of twice the size.
second=$chapter/02-by-four
sh tests/new/step.sh $second >"$tree/log" 2>&1 || bad "no solution of a second step: $(tail -5 "$tree/log")"
grep -q 'step 2: by four' solutions/$second.cu || bad "the solution does not name its step: $(head -1 solutions/$second.cu)"
[ ! -e $second.cu ] || bad "there is a starter before there is a solution"
sed -i 's/BLOCK 256/BLOCK 512/; /^\/\/ Passes when/,/^\/\/ global/c// Passes when few blocks are enough: blocks <= n/512 + 1.' solutions/$second.cu
sed -i "/^# launches/i# blocks                   02: one for 512 values" $chapter/CMakeLists.txt
printf '\n## 02-by-four\n? never written\nDoes each thread store its value?\n' >>$chapter/hints.txt
sed -i 's/= 2 \*/= 3 */' solutions/$second.cu
expect 1 'by-four.cu is not right' sh tests/new/step.sh $second
sed -i 's/= 3 \*/= 2 */' solutions/$second.cu
expect 0 'bounds are not its own yet' sh tests/new/step.sh $second
grep -q 'N 65536 ARCH 80$' $chapter/CMakeLists.txt || bad "no architecture: $(cat $chapter/CMakeLists.txt)"
[ ! -e tests/submissions/$second.wrong ] || bad "there are drafts before there are bounds"
sed -i '/(02-by-four/,$s/LESSON.*/LESSON "blocks <= n\/512 + 1")/' $chapter/CMakeLists.txt
sh tests/new/step.sh $second >"$tree/log" 2>&1 || bad "no second step: $(tail -5 "$tree/log")"
grep -q "^| .$chapter. | 2 |" README.md || bad "README.md does not count two steps: $(grep doubling README.md)"
for draft in 'previous-step: lesson 4' 'half-the-block: lesson 4' 'no-if-i-n: result 3'; do
    grep -q "^=== $draft" tests/submissions/$second.wrong || bad "no draft $draft: $(cat tests/submissions/$second.wrong)"
done
sh tests/new/check.sh $chapter >"$tree/log" 2>&1 || bad "the new chapter fails: $(tail -60 "$tree/log")"
grep -q 'checks: [1-9].* passed, 0 failed' "$tree/log" || bad "no hint was checked"
expect 0 '09-cascading has .* lines' sh tests/new/step.sh 01-reduction/10-next
for step in 01-first 02-by-four; do
    grep -q "$chapter.$step.lesson .*Passed" "$tree/log" || bad "the lesson of $step was not graded"
done
expect 0 '^blocks  *16  *8 .*blocks <= ' sh tests/new/bounds.sh $second 4096

# Guilty: a chapter that exists already, one without a name, and a folder that is not a chapter.
expect 1 '03-histogram/ has this number' sh tests/new/chapter.sh 03-again 'a number that is taken'
expect 1 'common/scan already exists' sh tests/new/chapter.sh scan 'a topic that is taken'
expect 1 "usage: .* $(printf '%02d' $((${chapter%%-*} + 1)))-doubling" sh tests/new/chapter.sh halving
expect 1 '99-nothing is not a chapter' sh tests/new/step.sh 99-nothing/01-first
for script in bounds drafts check; do
    expect 1 '03-none is not a step' sh tests/new/$script.sh "$chapter/03-none"
done
sed -i 's/BLOCK 512/BLOCK undeclared/' solutions/$second.cu
expect 1 'undeclared.* is undefined' sh tests/new/step.sh $second
finish

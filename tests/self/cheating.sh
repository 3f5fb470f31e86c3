#!/bin/sh
# In the hand-out: edits of the harness, the sizes, the expectations or the markers are found by the runner and by CTest,
# and what was only moved outside the TODO is reported.
. "$SOURCE/tests/self/lib.sh"
[ -d "$SOURCE/solutions" ] || { echo "no solutions: nothing to hand in"; finish; }
hand_out cheating
step=01-reduction/05-sequential
file=$tree/$step.cu

# edited FILE SED PATTERN: with this edit, the step is refused and some line matches.
edited() {
    cp "$tree/$1" "$tree/$1.keep"
    sed -i "$2" "$tree/$1"
    cmp -s "$tree/$1" "$tree/$1.keep" && bad "the edit changes nothing: $2"
    expect 2 "$3" "$workbook" run 1/5
    expect 2 "$3" "$workbook" part 1/5 result
    mv "$tree/$1.keep" "$tree/$1"
}

cp "$SOURCE/solutions/$step.cu" "$file"
expect 0 'lesson' "$workbook" run 1/5
absent 'altered'
edited common/drivers/reduction_driver.h 's/static const int SIZES\[\] = .*/static const int SIZES[] = {1};/' \
    'refused: common/drivers/reduction_driver.h is not what was handed out (hash .*); it is part of the grader: take it from'
edited common/harness/answers.h 's/wrong++ == 0/0/' 'refused: common/harness/answers.h is not what was handed out'
edited common/device/rows.h 's/corner turning/corner tuning/' 'refused: common/device/rows.h is not what was handed out'
edited common/simt/simt.h 's/bank conflicts/conflicts/' 'refused: common/simt/simt.h is not what'
edited 01-reduction/CMakeLists.txt 's/"shared_excess == 0"/"shared_excess <= n"/' 'refused: 01-reduction/CMakeLists.txt is not what'
edited common/handout.manifest '/harness.h/d' 'refused: common/harness.h was not handed out'
edited "$step.cu" 's/^#define BLOCK 256/#include "\/dev\/null"\n&/' "refused: $step.cu: it includes /dev/null, which is neither"
mkdir -p "$BUILD/self/include" && echo '#define MINE' >"$BUILD/self/include/mine.h" # in such a folder, but nobody installed it
if chown 4321 "$BUILD/self/include/mine.h" 2>/dev/null ||
    ! [ -O "$(readlink -f "$NVCC")" ]; then
    edited "$step.cu" "s|^#define BLOCK 256|#include \"$BUILD/self/include/mine.h\"\n&|" 'mine.h, which is neither'
fi
edited 02-scan/CMakeLists.txt 's/"launches == 1"//' 'refused: 02-scan/CMakeLists.txt is not what' # any chapter's
mv "$tree/common/handout.manifest" "$tree/common/manifest.keep"
expect 2 'refused: common/handout.manifest is missing' "$workbook" run 1/5
mv "$tree/common/manifest.keep" "$tree/common/handout.manifest"
expect 8 '01-reduction.05-sequential.result (Failed)' sh -c "sed -i 's/wrong++ == 0/0/' '$tree/common/harness/answers.h' &&
    ctest --test-dir '$tree/build' -R '01-reduction.05'"
cp "$SOURCE/common/harness/answers.h" "$tree/common/harness/answers.h"

# Nothing is built for a file that is refused anyway: not even what the changed header would need.
rm "$tree/build/graded/$step"
edited common/harness/answers.h 's/wrong++ == 0/0/' 'refused: common/harness/answers.h'
[ ! -e "$tree/build/graded/$step" ] || bad "a program is built in spite of a changed header"

# A header that was not handed out could take the place of one of the system's: -I common is searched first.
for added in common/stdio.h common/sys/resource.h common/algorithm; do
    mkdir -p "$(dirname "$tree/$added")" && echo "#include_next <${added#common/}>" >"$tree/$added"
    expect 2 "refused: $added was not handed out; remove it" "$workbook" run 1/5
    rm "$tree/$added"
done
rmdir "$tree/common/sys"

# A refusal is called one: it is no wrong answer that the checks could explain.
cp "$SOURCE/$step.cu" "$tree/$step.cu" && sed -i 's/^#define BLOCK 256.*/&\n#include "\/dev\/null"/' "$tree/$step.cu"
expect 2 'result: refused; the line above says why' "$workbook" run 1/5
absent 'checks find\|every check'

# What editors on Windows write, a mark before the first line and another end of line, is no difference.
if [ -d "$SOURCE/solutions" ]; then
    printf '\357\273\277' >"$tree/$step.cu"
    sed 's/$/\r/' "$SOURCE/solutions/$step.cu" >>"$tree/$step.cu"
    expect 0 'lesson: the counters show' "$workbook" run 1/5
    absent 'altered'
fi

# Outside the TODO a kernel may be written in another way: that is reported, and refused in a strict course only.
sed -i 's/^#define BLOCK 256/#define BLOCK 128/' "$file"
expect 0 "altered: $step.cu:11: differs from what was handed out, outside the TODO" "$workbook" run 1/5
echo "$output" | grep -q '  handed out  #define BLOCK 256' || bad "what was handed out is not said"
echo "$output" | grep -q '  here        #define BLOCK 128' || bad "what is there is not said"
own_course "$tree" 's/^strict.*/strict\t1/'
expect 2 "refused: $step.cu:11: differs from what was handed out" "$workbook.own" run 1/5

# Innocent: comments and blanks; the markers are missed.
cp "$SOURCE/solutions/$step.cu" "$file"
sed -i 's/threads per block/threads   of a block/; s/^    int tid = /    int  tid  =  /' "$file"
expect 0 'lesson' "$workbook" run 1/5
absent 'altered'
sed -i '/END TODO/d' "$file"
expect 0 "altered: $step.cu" "$workbook" run 1/5
cp "$SOURCE/$step.cu" "$file"

# The limits, in words. exec is what every part runs through.
expect 2 'not by the harness.s verdict' "$workbook" exec true
expect 1 'stopped after 1 s' "$workbook" exec --time 1 sleep 5
expect 1 'KiB of output' "$workbook" exec yes
expect 1 'tried to start a process' "$workbook" exec sh -c 'true & wait'
expect 1 'change a file' "$workbook" exec sh -c 'exec 3>/tmp/warpbook-was-here'
expect 3 '.*' "$workbook" exec sh -c 'exit 3'
finish

#!/bin/sh
# In the hand-out: the runner and CTest find edits of the harness, the sizes, the expectations or the markers, and report
# changes outside the TODO. A stub replaces the judge, which would pass them all, and one the compiler, except in cases about
# the headers that it reads.
. "$SOURCE/tests/self/lib.sh"
hand_out_step cheating
stub_judge

fresh() {
    cp "$solution" "$file"
    stub_compiler
}

# edited FILE SED PATTERN: with this edit, the step is refused and some line matches. The file keeps its time, so that nothing
# is configured again.
edited() {
    cp -p "$tree/$1" "$tree/$1.keep"
    sed -i "$2" "$tree/$1"
    cmp -s "$tree/$1" "$tree/$1.keep" && bad "the edit changes nothing: $2"
    expect 2 "$3" "$workbook" run 1/5
    expect 2 "$3" "$workbook" part 1/5 result
    mv "$tree/$1.keep" "$tree/$1"
}

case_innocent() {
    expect 0 'lesson' "$workbook" run 1/5
    absent 'altered'
}
case_headers() {
    edited common/reduction/driver.h 's/static const int SIZES\[\] = .*/static const int SIZES[] = {1};/' \
        'refused: common/reduction/driver.h is not what was handed out (hash .*); it is part of the grader: take it from'
    edited common/harness/answers.h 's/wrong++ == 0/0/' 'refused: common/harness/answers.h is not what was handed out'
    edited common/device/tridiagonal_equations.h 's/Corner turning/Corner tuning/' \
        'refused: common/device/tridiagonal_equations.h is not what was handed out'
    edited common/simt/simt.h 's/bank conflicts/conflicts/' 'refused: common/simt/simt.h is not what'
}
case_course_tables() {
    edited 01-reduction/CMakeLists.txt 's/"shared_excess == 0"/"shared_excess <= n"/' 'refused: 01-reduction/CMakeLists.txt is not what'
    edited 02-scan/CMakeLists.txt 's/"launches == 1"//' 'refused: 02-scan/CMakeLists.txt is not what' # any chapter's
}
case_manifest() {
    edited common/handout.manifest '/harness.h/d' 'refused: common/harness.h was not handed out'
    mv "$tree/common/handout.manifest" "$tree/common/manifest.keep"
    expect 2 'refused: common/handout.manifest is missing' "$workbook" run 1/5
    mv "$tree/common/manifest.keep" "$tree/common/handout.manifest"
}
case_included_files() {
    real_compiler
    edited "$step.cu" 's/^#define BLOCK 256/#include "\/dev\/null"\n&/' "refused: $step.cu: it includes /dev/null, which is neither"
    mkdir -p "$BUILD/self/include" && echo '#define MINE' >"$BUILD/self/include/mine.h" # not installed
    if chown 4321 "$BUILD/self/include/mine.h" 2>/dev/null ||
        ! [ -O "$(readlink -f "$NVCC")" ]; then
        edited "$step.cu" "s|^#define BLOCK 256|#include \"$BUILD/self/include/mine.h\"\n&|" 'mine.h, which is neither'
    fi
}
case_ctest() {
    real_compiler
    sed -i 's/wrong++ == 0/0/' "$tree/common/harness/answers.h"
    expect 8 '01-reduction.05-sequential.result (Failed)' ctest --test-dir "$tree/build" -R '01-reduction.05'
    cp "$SOURCE/common/harness/answers.h" "$tree/common/harness/answers.h"
}

# Nothing is built for a file that is refused anyway, including what the changed header would need.
case_refused_unbuilt() {
    real_compiler
    expect 0 'lesson' "$workbook" run 1/5
    rm "$tree/build/graded/$step"
    edited common/harness/answers.h 's/wrong++ == 0/0/' 'refused: common/harness/answers.h'
    [ ! -e "$tree/build/graded/$step" ] || bad "a program is built in spite of a changed header"
}

# A header that was not handed out could replace one of the system's: -I common is searched first.
case_added_headers() {
    for added in common/stdio.h common/sys/resource.h common/algorithm; do
        mkdir -p "$(dirname "$tree/$added")" && echo "#include_next <${added#common/}>" >"$tree/$added"
        expect 2 "refused: $added was not handed out; remove it" "$workbook" run 1/5
        rm "$tree/$added"
    done
    rmdir "$tree/common/sys"
}

# A refusal is reported as one: it is not a wrong answer that the checks could explain.
case_words() {
    real_compiler
    sed 's/^#define BLOCK 256/#include "\/dev\/null"\n&/' "$solution" >"$file" # compiled by case_included_files, and kept
    expect 2 'result: refused; the line above says why' "$workbook" run 1/5
    absent 'checks find\|every check'
}

# Marks of editors on Windows, before the first line and at line ends, are not a difference.
case_windows() {
    printf '\357\273\277' >"$file"
    sed 's/$/\r/' "$solution" >>"$file"
    expect 0 'lesson: the counters show' "$workbook" run 1/5
    absent 'altered'
}

# Outside the TODO a kernel may be written differently: that is reported, and refused only in a strict course.
case_altered() {
    sed -i 's/^#define BLOCK 256/#define BLOCK 128/' "$file"
    expect 0 "altered: $step.cu:11: differs from what was handed out, outside the TODO" "$workbook" run 1/5
    line '  handed out  #define BLOCK 256'
    line '  here        #define BLOCK 128'
    own_course "$tree" 's/^strict.*/strict\t1/'
    expect 2 "refused: $step.cu:11: differs from what was handed out" "$workbook.own" run 1/5
}

# Innocent: comments and blanks; missing markers are reported.
case_comments_and_markers() {
    sed -i 's/threads per block/threads   of a block/; s/^    int tid = /    int  tid  =  /' "$file"
    expect 0 'lesson' "$workbook" run 1/5
    absent 'altered'
    sed -i '/END TODO/d' "$file"
    expect 0 "altered: $step.cu" "$workbook" run 1/5
}

# The messages about limits. Every part runs through exec.
case_limits() {
    expect 2 'not by the harness.s verdict' "$workbook" exec true
    expect 1 'stopped after 1 s' "$workbook" exec --time 1 sleep 5
    expect 1 'KiB of output' "$workbook" exec yes
    expect 1 'tried to start a process' "$workbook" exec sh -c 'true & wait'
    expect 1 'change a file' "$workbook" exec sh -c 'exec 3>/tmp/warpbook-was-here'
    expect 3 '.*' "$workbook" exec sh -c 'exit 3'
}

cases innocent headers course_tables manifest included_files ctest refused_unbuilt added_headers words windows altered \
    comments_and_markers limits
finish

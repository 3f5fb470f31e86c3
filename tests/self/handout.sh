#!/bin/sh
# handout.sh [scratch]: a hand-out, as `workbook handout` writes it, greets, configures and is graded at once: the first
# ctest builds what is missing, and every unfinished starter fails. scratch: the SIMT machine is built there, too, as on a
# student's computer.
. "$SOURCE/tests/self/lib.sh"
from_scratch=${1:-}
tree=$BUILD/self/trees/handout${1:+-$1}
prebuilt=$BUILD
[ "${1:-}" != scratch ] && [ -z "$(cached WORKBOOK_SANITIZE)" ] || prebuilt=
steps() { ls "$SOURCE"/$1/*.cu | wc -l; }
rm -rf "$tree" && mkdir -p "$BUILD/self/trees"
expect 0 " files, $(steps '[0-9]*') steps, no solutions\$" "$BUILD/workbook" handout "$tree"

part= # of each step: all
if [ -z "$from_scratch" ]; then # the compilers' properties found by CMake are those of the build under test
    mkdir -p "$tree/build/CMakeFiles" && cp -r "$BUILD"/CMakeFiles/[0-9]*.[0-9]* "$tree/build/CMakeFiles/"
    set -- -DCMAKE_PLATFORM_INFO_INITIALIZED=1
    part=.*result
else
    set --
fi
expect 0 'ctest grades the starters' \
    cmake -S "$tree" -B "$tree/build" -G "$GENERATOR" -DWORKBOOK_SELF_TESTS=OFF -DWORKBOOK_GPU=off \
    -DWORKBOOK_NVCC="$NVCC" -DWORKBOOK_PREBUILT="$prebuilt" "$@"

fresh() {
    cd "$tree" || exit 1
    rm -f 01-reduction/*.bak build/progress.tsv
    cp "$SOURCE/01-reduction/05-sequential.cu" 01-reduction/
}

# A syntax error in one starter fails only that exercise.
case_first_ctest() {
    if [ -z "$from_scratch" ]; then
        echo 'int main(' >>01-reduction/05-sequential.cu
        expect 8 '05-sequential.build (Failed)' ctest --test-dir "$tree/build" -R '01-reduction.0[56]' -j 2
        ended 1 Passed
        ended 4 Failed
        ended 3 'Not Run'
    else
        expect 8 'tests failed' ctest --test-dir "$tree/build" -R '01-reduction.0[56]' -j 2
        ended 2 Passed
        ended 6 Failed
        ended 0 'Not Run'
    fi
    expect 0 '01-reduction.05-sequential.lesson' ctest --test-dir "$tree/build" -N -R 01-reduction
    echo "$output" | grep -q "Total Tests: $((4 * $(steps 01-reduction)))" || bad "not four tests for every step"
}
# The workflow for a course: its commands, as in docs/course-ci.yml, grade the hand-out and leave marks.
command_of() {
    sed -n "/- name: $1\$/{n;s/^ *run: //p;}" "$SOURCE/docs/course-ci.yml"
}
case_course_ci() {
    expect 0 'no GPU' sh -c "$(command_of Configure) -DWORKBOOK_NVCC=$NVCC"
    CHAPTERS="^01-reduction.05$part" expect 8 '05-sequential.result .*Failed' sh -c "$(command_of Grade)"
    grep -q '<testcase name="01-reduction.05-sequential.result".*status="fail"' build/marks.xml || bad "no marks"
}
# Its first output: what was found, where to begin, and no ladder of starters. Links in its pages resolve.
case_first_words() {
    expect 0 '^ok .*toolkit ' cmake --build --preset start
    echo "$output" | grep -q '^Edit: *00-basics/01-whole-program.cu:[1-9]' || bad "it does not say where to begin"
    absent 'not done\|warp instr'
    expect 2 '^BAD .*temporary' env TMPDIR=/nowhere cmake --build --preset start
    echo "$output" | grep -q '^Edit: ' || bad "what doctor finds hides where to begin"
    expect 0 '' sh "$SOURCE/tests/docs/links.sh" README.md docs/*.md
}
# A solved step passes, and reset restores its starter.
case_solved_and_reset() {
    cp "$SOURCE/solutions/01-reduction/05-sequential.cu" 01-reduction/
    expect 0 'tests passed' ctest --test-dir build -R "01-reduction.05$part"
    expect 0 'as it was handed out; yours is kept' build/workbook reset 1/5
    cmp -s 01-reduction/05-sequential.cu "$SOURCE/01-reduction/05-sequential.cu" || bad "reset did not bring it back"
}
# Presets and options for the complete tree: one message that says so.
case_presets_of_the_whole_tree() {
    for preset in test gpu asan tsan; do
        expect 1 'Here: cmake --workflow --preset start' cmake --preset $preset -B "$tree/build-$preset" \
            -DWORKBOOK_NVCC="$NVCC" -DWORKBOOK_GPU=off
        absent 'Call Stack'
        rm -rf "$tree/build-$preset"
    done
}
cases first_ctest course_ci first_words solved_and_reset presets_of_the_whole_tree
finish

#!/bin/sh
# A hand-out, the tree without solutions/, configures straight away and is graded: what the first ctest finds unbuilt it
# builds (the SIMT machine too), and every unfinished starter fails. Leaves the tree for the tests after it.
. "$SOURCE/tests/self/lib.sh"
tree=$BUILD/self/handout
rm -rf "$tree" && mkdir -p "$tree"
(cd "$SOURCE" && tar -cf - --exclude=./.git --exclude='./build*' --exclude=./solutions .) | tar -xf - -C "$tree"

expect 0 'ctest grades the starters' \
    cmake -S "$tree" -B "$tree/build" -G "$GENERATOR" -DWORKBOOK_SELF_TESTS=OFF -DWORKBOOK_GPU=off \
    -DWORKBOOK_NVCC="$NVCC"
expect 8 'tests failed' ctest --test-dir "$tree/build" -R '01-reduction.0[56]' -j 2
ended 2 Passed
ended 6 Failed
ended 0 'Not Run'

# The workflow for a course: its commands, as they stand in docs/course-ci.yml, grade the hand-out and leave marks.
command_of() {
    sed -n "/- name: $1\$/{n;s/^ *run: //p;}" "$SOURCE/docs/course-ci.yml"
}
cd "$tree" || exit 1
expect 0 'no GPU' sh -c "$(command_of Configure) -DWORKBOOK_NVCC=$NVCC"
CHAPTERS='^01-reduction.05' expect 8 '05-sequential.result .*Failed' sh -c "$(command_of Grade)"
grep -q '<testcase name="01-reduction.05-sequential.result".*status="fail"' build/marks.xml || bad "no marks"

expect 1 'this tree has no solutions' \
    cmake -S "$tree" -B "$tree/build-solutions" -DWORKBOOK_GRADE=solutions -DWORKBOOK_NVCC="$NVCC"
absent 'Call Stack'
finish

#!/bin/sh
# In the hand-out: a syntax error in one starter fails only this one, while a solved step passes.
. "$SOURCE/tests/self/lib.sh"
hand_out syntax-error
broken=$tree/01-reduction/05-sequential.cu
solved=$tree/01-reduction/06-first-add.cu
cp "$broken" "$broken.keep" && cp "$solved" "$solved.keep"

echo 'int main(' >>"$broken"
cp "$SOURCE/solutions/01-reduction/06-first-add.cu" "$solved"
expect 8 '05-sequential.build (Failed)' ctest --test-dir "$tree/build" -R '01-reduction.0[56]' -j 2
ended 4 Passed
ended 1 Failed
ended 3 'Not Run'

mv "$broken.keep" "$broken" && mv "$solved.keep" "$solved"
touch "$broken" "$solved"
expect 8 'tests failed' ctest --test-dir "$tree/build" -R '01-reduction.05'
ended 1 Passed
ended 3 Failed
finish

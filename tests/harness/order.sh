#!/bin/sh
# The result's run in order leaves cases to the one in random order only where a grader makes both: graded, and in no
# order of the user's. Each run of a case counts as one in `right in N runs`.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/order
rm -rf "$scratch" && mkdir -p "$scratch"
step=01-reduction/06-first-add
driver=$(awk -F '\t' -v step="$step" '$1 "/" $2 == step { print $6 }' "$BUILD/course.tsv")

# runs NAME VARIABLE=VALUE...: sets $runs to the number of runs under these variables.
runs() {
    name=$1
    shift
    expect 0 'right in [0-9]* runs' env SIMT_CHECK=none SIMT_THREADS=1 "$@" "$BUILD/judges/${driver%% *}" --submission \
        "$BUILD/graded/solutions/$step" --driver "${driver#* }" --check 9>"$scratch/record"
    runs=$(echo "$output" | sed -n 's/.*right in \([0-9]*\) runs.*/\1/p')
    echo "$name: $runs"
}
runs 'by hand'
whole=$runs
runs 'graded, in order' WORKBOOK_RECORD=9:77
[ "$runs" = $((whole - 1)) ] || bad "a graded run in order has $runs cases, one by hand $whole: only the larger size differs"
runs 'graded, in random order' WORKBOOK_RECORD=9:77 SIMT_SCHEDULE=random:1
[ "$runs" = $((whole - 1)) ] || bad "a run in random order has $runs cases, one by hand $whole: only the far size differs"
runs 'graded, in an order of the user' WORKBOOK_RECORD=9:77 SIMT_SCHEDULE=reverse
[ "$runs" = "$whole" ] || bad "a run in reverse has $runs cases, one by hand $whole"
finish

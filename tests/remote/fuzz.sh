#!/bin/sh
# fuzz.sh PROGRAM SEEDS: corrupted messages from a submission never crash or hang the judge. PROGRAM: a submission whose
# messages pass through fuzz.c.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/fuzz
mkdir -p "$scratch"
seed=0 right=0 refused=0 ended=0
while [ $seed -lt "$2" ]; do
    seed=$((seed + 1))
    LANG=$seed SIMT_TIMEOUT=1 "$BUILD/workbook" exec --time 20 --step 1/5 "$1" --n 33 --check >"$scratch/said" 2>&1
    status=$?
    case $status in
    0) right=$((right + 1)) ;; # no message was changed, or none that matters
    2) refused=$((refused + 1)) ;;
    *) ended=$((ended + 1)) ;;
    esac
    if grep -q 'ended by signal\|stopped after' "$scratch/said"; then
        cat "$scratch/said"
        bad "seed $seed: the judge crashed or hung"
    fi
done
echo "$right right, $refused refused, $ended ended otherwise"
[ $refused -gt 0 ] && [ $ended -gt 0 ] || bad 'the messages were not garbled'
finish

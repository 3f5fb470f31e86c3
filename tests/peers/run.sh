#!/bin/sh
# Runs peers at a small size:
#
#     sh run.sh PROGRAM=N...
#
# Each must end with 0 and record at least one row, and each row a time above zero for ours and for the peer. A peer that
# fails does not stop the others. If a peer is skipped, for want of a GPU, the exit status is 77, never 0.
set -u
record=$(mktemp)
trap 'rm -f "$record"' EXIT

# judge_record: "right", or what is wrong with the record.
judge_record() {
    tr ',{}' '\n\n\n' <"$record" | awk '
        /"case":/ { rows++ }
        /"(peer_)?ms":/ { times++; if (!($2 ~ /^[0-9.]+$/ && $2 > 0)) { print "a time is " $2; wrong = 1; exit } }
        END {
            if (!wrong) print !rows ? "no row is recorded" : times != 2 * rows ? times " times in " rows " rows" : "right"
        }'
}

failed=0 skipped=0
for run; do
    program=${run%=*} n=${run##*=}
    name=${program##*/}
    : >"$record"
    output=$("$program" --n "$n" --json "$record" 2>&1)
    status=$?
    verdict=$(judge_record)
    if [ "$status" = 77 ]; then
        skipped=$((skipped + 1))
        reason=$(echo "$output" | grep -m 1 skipped)
    elif [ "$status" != 0 ] || [ "$verdict" != right ]; then
        failed=$((failed + 1))
        echo "$output"
        echo "FAILED: $name --n $n: exit status $status, $verdict"
    else
        echo "$name --n $n: $(grep -o '"case"' "$record" | wc -l) rows"
    fi
done
[ "$failed" = 0 ] || exit 1
[ "$skipped" = 0 ] || { echo "$skipped of $# peers: $reason"; exit 77; }

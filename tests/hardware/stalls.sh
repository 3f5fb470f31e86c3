#!/bin/sh
# Records what the warps of each step wait for, by Nsight Compute, for comparison with the estimate's stall reasons:
#
#     sh tests/hardware/stalls.sh FILE [SECONDS]
#
# writes FILE: step, n, and for each reason the percentage of all clocks of warps, summed over the kernels of the
# counted run. n is the largest up to 2^20 in h200-estimates.csv. SECONDS after the start, no further step begins.
# Needs nvcc and ncu.
set -u
reasons="long_scoreboard short_scoreboard wait barrier membar branch_resolving mio_throttle lg_throttle
    math_pipe_throttle not_selected selected no_instruction drain sleeping tex_throttle dispatch_stall imc_miss misc"

if [ "$1" = --row ]; then # PROGRAM STEP N END: a step's row
    [ -x "$2" ] && [ "$(date +%s)" -lt "$5" ] || exit 0
    metrics=smsp__inst_issued.sum
    for reason in $reasons; do
        metrics=$metrics,smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
    done
    # Clocks of warps in a kernel: the ratio times the instructions issued.
    timeout 60 ncu --profile-from-start off --clock-control none --csv --metrics "$metrics" "$2" --check --n "$4" 2>/dev/null |
        grep '^"[0-9]' | sed 's/^"//; s/"$//; s/","/\t/g' |
        awk -F '\t' -v step="$3" -v n="$4" -v reasons="$reasons" '
            { gsub(",", "", $NF); value[$1, $(NF - 2)] = $NF }
            $(NF - 2) == "smsp__inst_issued.sum" { issued[$1] = $NF }
            END {
                count = split(reasons, reason, /[ \n]+/)
                for (i = 1; i <= count; i++)
                    for (kernel in issued) {
                        name = "smsp__average_warps_issue_stalled_" reason[i] "_per_issue_active.ratio"
                        part = value[kernel, name] * issued[kernel]
                        clocks[i] += part
                        all += part
                    }
                if (!all) exit
                row = step "," n
                for (i = 1; i <= count; i++) row = row sprintf(",%.1f", 100 * clocks[i] / all)
                print row
            }'
    exit
fi

. "${0%/*}/tools.sh"
. "${0%/*}/steps.sh"
need nvidia-smi nvcc ncu
file=$1 end=$(($(date +%s) + ${2:-86400}))
work=$(mktemp -d)
list_steps | awk '$2 <= 1048576 { if (!($1 in most)) order[++count] = $1; if ($2 > most[$1]) most[$1] = $2 }
    END { for (i = 1; i <= count; i++) print order[i], most[order[i]] }' > "$work/steps"
build_steps "$work/steps" "$work/bin"
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(date -u +%Y-%m-%d), Nsight Compute: stalls.sh"
    echo "step,n,$(echo $reasons | tr ' ' ,)"
    # ncu takes long to start, and queues for the card itself
    sed 's,\([^ ]*\) \(.*\),\1 \1 \2,; s,/,.,' "$work/steps" |
        xargs -P 8 -L 1 sh -c 'sh "$0" --row "$1/$3" "$4" "$5" "$2"' "$0" "$work/bin" "$end" | sort
} > "$file"
rm -r "$work"

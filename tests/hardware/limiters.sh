#!/bin/sh
# Records which parts of the GPU Nsight Compute finds busy in each step's counted run, for comparison with the estimate:
#
#     sh tests/hardware/limiters.sh FILE [SECONDS]
#
# writes FILE: step, n, microseconds of its kernels, and how busy device memory, the L2 cache, L1 and shared memory, the
# issue of instructions and the arithmetic units were, in percent of the card's peak, weighted by the kernels' times. n
# is the largest up to 2^20 in h200-estimates.csv. SECONDS after the start, no further step begins. Needs nvcc and ncu.
set -u
. "${0%/*}/tools.sh"

if [ "$1" = --row ]; then # PROGRAM STEP N END: a step's row
    [ -x "$2" ] && [ "$(date +%s)" -lt "$5" ] || exit 0
    timeout 60 ncu --profile-from-start off --clock-control none --csv --metrics "$(busy_metrics)" "$2" --check --n "$4" 2>/dev/null |
        grep '^"[0-9]' | sed 's/^"//; s/"$//; s/","/\t/g' |
        awk -F '\t' -v step="$3" -v n="$4" '
            { gsub(",", "", $NF); value[$1, $(NF - 2)] = $NF; unit = $(NF - 1) }
            $(NF - 2) ~ /^gpu__time/ {
                time[$1] = $NF * (unit == "ns" ? 1e-3 : unit == "ms" ? 1e3 : unit == "s" ? 1e6 : 1)
                all += time[$1]
            }
            END {
                if (!all) exit
                count = split("dram lts l1tex smsp sm", part, " ")
                row = sprintf("%s,%d,%.1f", step, n, all)
                for (i = 1; i <= count; i++) {
                    sum = 0
                    for (key in value) {
                        split(key, at, SUBSEP)
                        if (index(at[2], part[i] "__") == 1) sum += value[key] * time[at[1]]
                    }
                    row = row sprintf(",%.1f", sum / all)
                }
                print row
            }'
    exit
fi

. "${0%/*}/steps.sh"
record_steps "$1" "step,n,us,memory,l2,l1,issue,arithmetic" 4 "${2:-86400}"

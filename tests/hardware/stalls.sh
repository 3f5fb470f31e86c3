#!/bin/sh
# Records what the warps of each step wait for, by Nsight Compute, for comparison with the estimate's stall reasons:
#
#     sh tests/hardware/stalls.sh FILE [SECONDS]            with a GPU: writes FILE
#     sh tests/hardware/stalls.sh --estimate SOLUTIONS FILE     anywhere: adds the estimate's reason to rows without one
#     sh tests/hardware/stalls.sh --compare FILE SHARE          prints a row for each step, and how many agree
#
# FILE has step, n, and for each reason the percentage of all clocks of warps, summed over the kernels of the counted
# run; then the estimate's reason with the most clocks. n is the largest up to 2^20 in h200-estimates.csv. SECONDS after
# the start, no further step begins. SOLUTIONS is the folder with the chapters' programs. --compare fails if fewer than
# SHARE percent of the steps have the same reason first. Needs nvcc and ncu for the first, nothing for the others.
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
                print row ","
            }'
    exit
fi

# The estimate's reason with the most clocks, of its lines for each kernel, weighted by the kernels' times.
estimated_reason() {
    awk '
        / x .* limited by / { us = $4 * ($5 == "ms" ? 1000 : $5 == "s" ? 1e6 : 1); next }
        $2 == "%" && ($4 == "%" || $3 == "-") { # "-" where latency does not limit the kernel
            i = $3 == "-" ? 4 : 5
            reason = $i
            while (++i <= NF && $i !~ /:[0-9]+$/ && $i != "all") reason = reason " " $i
            clocks[reason] += $1 * us
        }
        END {
            for (reason in clocks)
                if (clocks[reason] > most) { most = clocks[reason]; first = reason }
            print first
        }'
}

case $1 in
--estimate)
    programs=$2 file=$3
    work=$(mktemp -d)
    while IFS= read -r row; do
        case $row in
        '#'* | step,*) echo "$row" ;;
        *,) # no estimate yet
            step=${row%%,*} n=${row#*,} && n=${n%%,*}
            echo "$row$(SIMT_ESTIMATE=h200,lines SIMT_CHECK=none "$programs/$step" --check --n "$n" 2>&1 | estimated_reason)"
            ;;
        *) echo "$row" ;;
        esac
    done <"$file" >"$work/rows"
    cat "$work/rows" >"$file"
    rm -r "$work"
    exit
    ;;
--compare)
    awk -F, -v share="$3" '
        BEGIN { same["lg throttle"] = "mio throttle" }
        /^#/ { next }
        $1 == "step" { for (i = 3; i < NF; i++) { name[i] = $i; gsub("_", " ", name[i]) } next }
        $NF == "" { next }
        {
            split("", clocks); first = ""
            for (i = 3; i < NF; i++)
                if (name[i] !~ /^(selected|no instruction|drain|sleeping|tex throttle|dispatch stall|imc miss|misc)$/)
                    clocks[name[i] in same ? same[name[i]] : name[i]] += $i
            for (reason in clocks)
                if (first == "" || clocks[reason] > clocks[first]) first = reason
            agrees = first == tolower($NF)
            all++; agree += agrees
            printf "%s%-42s %9d  %-18s %3.0f %%  %s\n", agrees ? "   " : "no ", $1, $2, first, clocks[first], $NF
        }
        END {
            printf "in %d of %d steps the estimate and Nsight Compute have the same reason first\n", agree, all
            exit !all || 100 * agree < share * all
        }' "$2"
    exit
    ;;
esac

. "${0%/*}/tools.sh"
. "${0%/*}/steps.sh"
record_steps "$1" "step,n,$(echo $reasons | tr ' ' ,),estimated" 8 "${2:-86400}"

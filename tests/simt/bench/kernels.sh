#!/bin/sh
# The SIMT machine's speed on eleven kernels (kernels.cu): everything off, all checks and counters, and counters with an
# estimate of the time on a GPU (SIMT_ESTIMATE), compared with counters alone.
#
#     sh tests/simt/bench/kernels.sh BUILD [BEFORE]
#
# BUILD, BEFORE: build trees that hold common/simt/libsimt.a. CPU seconds on one host thread, the best of ROUNDS runs
# (default 5); the runs of the two builds alternate, so that a busy computer slows both. With BEFORE two columns show
# BUILD's speedup.
set -eu
. "$(dirname "$0")/compile.sh"

compile now kernels.cu "$1/common/simt/libsimt.a"
compile before kernels.cu "${2:-$1}/common/simt/libsimt.a"
export SIMT_THREADS=1
measure() { # which program: a line "which off|all|counted|estimated kernel seconds rate" for every kernel
    SIMT_CHECK=none SIMT_COUNT=0 "$work/$1" 3 | sed "s/^/$1 off /" >> "$work/times"
    "$work/$1" 2 | sed "s/^/$1 all /" >> "$work/times"
    SIMT_CHECK=none "$work/$1" 2 | sed "s/^/$1 counted /" >> "$work/times"
    SIMT_CHECK=none SIMT_ESTIMATE=h200 "$work/$1" 2 2> "$work/report" | sed "s/^/$1 estimated /" >> "$work/times"
}
for round in $(seq "${ROUNDS:-5}"); do
    measure now
    if [ $# -gt 1 ]; then measure before; fi
done
awk -v compare=$(($# > 1)) '
    !(($1, $2, $3) in best) || $4 < best[$1, $2, $3] { best[$1, $2, $3] = $4; rate[$1, $2, $3] = $5 }
    !($3 in seen) { seen[$3] = 1; names[n++] = $3 }
    END {
        printf "%-9s %9s %9s %9s %9s %8s", "kernel", "off, s", "10^9/s", "all, s", "10^9/s", "all/off"
        printf " %12s %10s", "estimated, s", "/ counted"
        print compare ? "  times as fast: off, all, estimated" : ""
        for (i = 0; i < n; i++) {
            k = names[i]; off = best["now", "off", k]; all = best["now", "all", k]
            printf "%-9s %9.5f %9.3f %9.5f %9.3f %8.1f", k, off, rate["now", "off", k], all, rate["now", "all", k], all / off
            estimated = best["now", "estimated", k]
            printf " %12.5f %10.1f", estimated, estimated / best["now", "counted", k]
            if (compare)
                printf "%17.2f %7.2f %7.2f", best["before", "off", k] / off, best["before", "all", k] / all,
                    best["before", "estimated", k] / estimated
            print ""
        }
    }' "$work/times"

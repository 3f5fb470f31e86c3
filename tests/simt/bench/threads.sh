#!/bin/sh
# How the SIMT machine's speed grows with the computer's cores: the 256-thread block sum on 1, 2, 4, ... host threads,
# compared with as many concurrent single-threaded processes, which shared cores or a busy computer slow down, too.
#
#     sh tests/simt/bench/threads.sh BUILD [CORES]      (BUILD: a build tree; it must hold common/simt/libsimt.a)
#
# Needs nvcc. Times of one launch are the host's, in milliseconds, the best of several; run it on an idle computer.
# CORES: default all.
set -eu
. "$(dirname "$0")/compile.sh"
library=$1/common/simt/libsimt.a
cores=${2:-$(nproc)}
compile sum blocksum.cu "$library"

# On k threads; then the mean of k processes.
measure() { # how k n
    launches=$(($3 > 20 ? 8 : 60))
    together=$(env $1 SIMT_THREADS="$2" "$work/sum" "$launches" "$3")
    for i in $(seq "$2"); do
        env $1 SIMT_THREADS=1 "$work/sum" "$launches" "$3" > "$work/one.$i" &
    done
    wait
    awk -v k="$2" -v t="$together" '{ sum += $1 } END { print t, sum / k }' "$work"/one.*
    rm -f "$work"/one.*
}
report() { # title how n
    echo "$1, n = 2^$3"
    k=1
    while [ "$k" -le "$cores" ]; do
        set -- "$1" "$2" "$3" $(measure "$2" "$k" "$3")
        [ "$k" = 1 ] && one=$4
        awk -v k="$k" -v t="$4" -v one="$one" -v each="$5" 'BEGIN {
            printf "  %2d threads %8.3f ms, %5.2f times as fast as one; %2d processes do %5.2f times as much as one\n",
                k, t, one / t, k, k * one / each }'
        k=$((2 * k))
    done
}
off="SIMT_CHECK=none SIMT_COUNT=0"
report "everything off" "$off" 20
report "everything off" "$off" 23
report "all checks" SIMT_SEED=1 20

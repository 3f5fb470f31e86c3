#!/bin/sh
# The SIMT machine's speed: the 256-thread sequential block sum, n = 2^20, compared with Oclgrind and POCL (if
# installed), and the rate of two loops on one core, in one run on this computer.
#
#     sh tests/simt/bench/bench.sh BUILD      (BUILD: a build tree; it must hold common/simt/libsimt.a)
#
# Needs nvcc; for the peers OpenCL headers and a loader, `oclgrind`, POCL. Times are the host's, in milliseconds, the
# best of several; run it on an idle computer.
set -eu
. "$(dirname "$0")/compile.sh"
library=$1/common/simt/libsimt.a

compile simt blocksum.cu "$library"
compile loops loops.cu "$library"
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
off() { env SIMT_CHECK=none SIMT_COUNT=0 "$@"; }
all=$("$work/simt" 40)
plain=$(off "$work/simt" 40)
one=$(off env SIMT_THREADS=1 "$work/simt" 40)
two=$(off env SIMT_THREADS=2 "$work/simt" 40)
echo "SIMT machine, all checks and counters   $all ms"
echo "SIMT machine, everything off            $plain ms; on two host threads $(ratio "$one" "$two") times as fast as on one"
echo "10^9 lane-instructions per second on one core, all checks and counters, then everything off:"
SIMT_THREADS=1 "$work/loops" 60 | sed 's/^/    /'
off env SIMT_THREADS=1 "$work/loops" 60 | sed 's/^/    /'

if ! cc -O2 "$here/blocksum_opencl.c" -o "$work/cl" -lOpenCL 2> /dev/null; then
    echo "no OpenCL here: Oclgrind and POCL left out"
    exit 0
fi
if command -v oclgrind > /dev/null; then
    races=$(oclgrind --data-races "$work/cl" 1)
    echo "Oclgrind --data-races                   $races ms, $(ratio "$races" "$all") times as long as with all checks"
fi
if pocl=$("$work/cl" 40 2> /dev/null); then
    echo "OpenCL's first platform (POCL)          $pocl ms"
    echo "    everything off runs at $(ratio "$pocl" "$plain") of its speed"
fi

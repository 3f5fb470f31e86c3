#!/bin/sh
# The SIMT machine's speed beside Oclgrind and POCL (where installed): the 256-thread sequential block sum, n = 2^20, in
# one run on this computer.
#
#     sh tests/simt/bench/bench.sh BUILD      (BUILD: a build tree; it must hold common/simt/libsimt.a)
#
# Needs nvcc; for the peers OpenCL headers and a loader, `oclgrind`, POCL. Times are the host's, in milliseconds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$1/common/simt/libsimt.a
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}

"$nvcc" -arch=compute_75 -code=compute_75 -lineinfo -no-compress -cudart none -O2 -c "$here/blocksum.cu" -o "$work/b.o"
c++ "$work/b.o" "$library" -lpthread -lm -ldl -o "$work/simt"
all=$("$work/simt")
plain=$(SIMT_CHECK=none SIMT_COUNT=0 "$work/simt")
echo "SIMT machine, all checks and counters   $all ms"
echo "SIMT machine, everything off            $plain ms"

if ! cc -O2 "$here/blocksum_opencl.c" -o "$work/cl" -lOpenCL 2> /dev/null; then
    echo "no OpenCL here: Oclgrind and POCL left out"
    exit 0
fi
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
if command -v oclgrind > /dev/null; then
    races=$(oclgrind --data-races "$work/cl" 1)
    echo "Oclgrind --data-races                   $races ms, $(ratio "$races" "$all") times as long as with all checks"
fi
if pocl=$("$work/cl" 5 2> /dev/null); then
    echo "OpenCL's first platform (POCL)          $pocl ms; everything off runs at $(ratio "$pocl" "$plain") of its speed"
fi

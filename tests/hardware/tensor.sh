#!/bin/sh
# Records the results of tensor-core instructions on a GPU (compute capability 9.0):
#
#     sh tests/hardware/tensor.sh FILE
#
# builds tensor.cu, runs it and writes its lines to FILE. Needs nvcc and nvidia-smi on PATH.
set -eu
. "${0%/*}/tools.sh"
need nvcc nvidia-smi
file=$1
work=$(mktemp -d)
nvcc -O2 -arch=sm_90 tests/hardware/tensor.cu -o "$work/tensor"
"$work/tensor" > "$work/lines"
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%Y-%m-%d): tensor.sh. form | the hash of the results of each class; see tensor.cu."
    cat "$work/lines"
} > "$file"
rm -r "$work"

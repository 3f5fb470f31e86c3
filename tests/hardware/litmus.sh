#!/bin/sh
# Records on a GPU which outcomes litmus tests have there:
#
#     sh tests/hardware/litmus.sh FILE
#
# builds tests/simt/programs/litmus.cu, runs it and writes to FILE a row for each outcome: test,outcome,times. Needs nvcc on
# PATH, and a GPU.
set -eu
. "${0%/*}/tools.sh"
need nvcc nvidia-smi
file=$1
work=$(mktemp -d)
nvcc -O3 -std=c++17 -arch=native tests/simt/programs/litmus.cu -o "$work/litmus"
"$work/litmus" record > "$work/rows"
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%Y-%m-%d): litmus.sh"
    cat "$work/rows"
} > "$file"
rm -r "$work"

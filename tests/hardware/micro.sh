#!/bin/sh
# Records on a GPU what its memories cost:
#
#     sh tests/hardware/micro.sh FILE
#
# builds micro.cu, runs it and writes its rows to FILE: what,bytes,value,unit. Needs nvcc and nvidia-smi on PATH.
set -eu
. "${0%/*}/tools.sh"
need nvcc nvidia-smi
file=$1
work=$(mktemp -d)
nvcc -O3 -arch=native tests/hardware/micro.cu -o "$work/micro"
"$work/micro" > "$work/rows"
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%Y-%m-%d): micro.sh"
    cat "$work/rows"
} > "$file"
rm -r "$work"

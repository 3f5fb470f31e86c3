#!/bin/sh
# Records the cost of page-locked memory on the host, and the rates of copies from and to it:
#
#     sh tests/hardware/locked.sh FILE
#
# builds locked.cu, runs it and writes its rows, what,bytes,value,unit. Needs nvcc and nvidia-smi on PATH.
set -eu
. "${0%/*}/tools.sh"
need nvcc nvidia-smi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -arch=native tests/hardware/locked.cu -o "$work/locked"
"$work/locked" >"$work/rows"
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%Y-%m-%d): locked.sh"
    cat "$work/rows"
} >"$1"

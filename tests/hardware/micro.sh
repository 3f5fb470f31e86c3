#!/bin/sh
# Records the cost of a GPU's memories, instructions, atomics, launches and copies:
#
#     sh tests/hardware/micro.sh FILE
#
# builds micro.cu and pipes.cu, runs them and writes their rows, what,bytes,value,unit: the memories' to FILE, all others to
# FILE with -pipes before its .csv. Needs nvcc and nvidia-smi on PATH.
set -eu
. "${0%/*}/tools.sh"
need nvcc nvidia-smi
file=$1
work=$(mktemp -d)
failed=0
for program in micro pipes; do
    nvcc -O3 -arch=native "tests/hardware/$program.cu" -o "$work/$program"
    "$work/$program" > "$work/$program.rows" || failed=1 # it says why, and has left rows out
done
head="# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%Y-%m-%d): micro.sh"
{ echo "$head"; cat "$work/micro.rows"; } > "$file"
{ echo "$head"; cat "$work/pipes.rows"; } > "${file%.csv}-pipes.csv"
rm -r "$work"
exit $failed

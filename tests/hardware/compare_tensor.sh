#!/bin/sh
# Compares results of tensor-core instructions on the SIMT machine with those of a GPU:
#
#     sh compare_tensor.sh PROGRAM RECORD
#
# PROGRAM is tensor.cu on the SIMT machine, RECORD what tensor.sh wrote. All lines must be equal.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" > "$work/lines"
grep -v '^#' "$2" > "$work/recorded"
if ! diff "$work/recorded" "$work/lines"; then
    echo "forms that differ: < on hardware, $2; > on the SIMT machine" >&2
    exit 1
fi
echo "$(wc -l < "$work/lines") lines, all equal"

#!/bin/sh
# Compares the SIMT machine's counts for the access patterns of one warp with Nsight Compute's:
#
#     sh compare_patterns.sh PROGRAM RECORD DIFFERENCES
#
# PROGRAM is patterns.cu on the SIMT machine, RECORD what patterns.sh wrote on a GPU. DIFFERENCES holds the rows of
# RECORD in which the two may differ, with the SIMT machine's counts; each must still differ.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SIMT_CHECK=none "$1" | awk -f "${0%/*}/patterns.awk" > "$work/counted"
grep -v -e '^#' -e '^instruction,' "$2" > "$work/recorded"
grep -v '^#' "$3" > "$work/expected"
diff "$work/recorded" "$work/counted" | sed -n 's/^> //p' > "$work/differ"
if ! diff "$work/expected" "$work/differ"; then
    echo "rows that differ from $2: < expected in $3, > seen" >&2
    exit 1
fi
echo "$(wc -l < "$work/recorded") rows, $(wc -l < "$work/differ") differ as expected"

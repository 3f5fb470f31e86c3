#!/bin/sh
# How many access patterns were recorded, and how many of them the machine counts as the hardware does, as the page says it:
#
#     sh patterns.sh PAGE RECORD DIFFERENCES
#
# PAGE is docs/counters.md; self.hardware.patterns holds the machine to RECORD and DIFFERENCES, tests/hardware/h200-patterns.*.
set -eu
# A line is a pattern, and each of its fields from the third on a mask of lanes with what was counted. One of DIFFERENCES has what
# the machine counts for a pattern of RECORD.
masks() { awk -F, '!/^#/ && !/^instruction,/ { n += NF - 2 } END { print n + 0 }' "$1"; }
differing() {
    awk -F, -v only="$1" '/^#/ { next } FNR == NR { line[$1, $2] = $0; next }
        $1 ~ only { split(line[$1, $2], recorded); for (i = 3; i <= NF; i++) n += $i != recorded[i] } END { print n + 0 }' "$2" "$3"
}
rows=$(masks "$2")
differ=$(differing . "$2" "$3")
loads=$(differing '^shared_load' "$2" "$3")
words="measured $rows combinations of instruction, .* The machine agrees on $((rows - differ))\. In $loads the hardware .* of \
$((differ - loads)) global atomics"
if ! tr '\n' ' ' <"$1" | grep -q "$words"; then
    echo "$1: $rows patterns are recorded, and the machine counts $((rows - differ)) of them as the hardware does; of the others $loads are \
loads from shared memory, $((differ - loads)) global atomics. The page says something else: $(grep -n 'combinations of' "$1")"
    exit 1
fi
echo "$rows patterns, $differ differ"

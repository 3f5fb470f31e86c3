#!/bin/sh
# How many access patterns were recorded, and how many of them the machine counts as the hardware does, as the page says it:
#
#     sh patterns.sh PAGE RECORD DIFFERENCES
#
# PAGE is docs/counters.md; self.hardware.patterns holds the machine to RECORD and DIFFERENCES, tests/hardware/h200-patterns.*.
set -eu
rows=$(grep -vc -e '^#' -e '^instruction,' "$2")
differ=$(grep -vc '^#' "$3")
loads=$(grep -c '^shared_load' "$3")
words="measured $rows combinations of instruction, .* The machine agrees on $((rows - differ))\. In $loads the hardware .* of \
$((differ - loads)) global atomics"
if ! tr '\n' ' ' <"$1" | grep -q "$words"; then
    echo "$1: $rows patterns are recorded, and the machine counts $((rows - differ)) of them as the hardware does; of the others $loads are \
loads from shared memory, $((differ - loads)) global atomics. The page says something else: $(grep -n 'combinations of' "$1")"
    exit 1
fi
echo "$rows patterns, $differ differ"

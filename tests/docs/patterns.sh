#!/bin/sh
# The number of recorded access patterns, and of those that the machine counts as the hardware does, as the page states it:
#
#     sh patterns.sh PAGE RECORD DIFFERENCES
#
# PAGE is docs/counters.md; self.hardware.patterns holds the machine to RECORD and DIFFERENCES, tests/hardware/h200-patterns.*.
set -eu
# A row has a value for each pattern: passes, ideal ones or sectors, so that a pattern of one mask has one or two values. A row
# of DIFFERENCES has the machine's count for a row of RECORD.
masks() { awk -F, '$3 == "passes" || $3 == "sectors" { n += split($4, value, " ") } END { print n + 0 }' "$1"; }
differing() {
    awk -F, -v only="$1" '/^#/ { next } FNR == NR { row[$1, $2, $3] = $4; next }
        $1 ~ only { split(row[$1, $2, $3], recorded, " "); count = split($4, value, " ")
                    for (i = 1; i <= count; i++) if (value[i] != recorded[i] && !seen[$1, $2, i]++) n++ }
        END { print n + 0 }' "$2" "$3"
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

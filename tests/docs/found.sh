#!/bin/sh
# The table of detection rates in a page, from the records of tests/hardware/sanitize.sh:
#
#     sh found.sh PAGE CSV SOURCES            compares
#     sh found.sh --write PAGE CSV SOURCES    writes the table into the page, between <!-- begin found --> and <!-- end found -->
#
# SOURCES: tests/simt/checks or tests/submissions. A row of CSV fails if its kernel or submission no longer exists, or
# if another part refuses it now. The tests self.simt.* and self.wrong.* check the others.
set -eu
. "$(dirname "$0")/page.sh"
page=$1 csv=$2 sources=$3

# Names and verdicts as in the sources: group,name,verdict.
if [ -d "$sources/01-reduction" ]; then
    for file in "$sources"/*/*.wrong; do
        step=${file#"$sources"/}
        sed -n "s|^=== \([a-z0-9-]*\): \([a-z]*\) .*|${step%.wrong},\1,\2|p" "$file"
        echo "${step%.wrong},solution,right"
    done
else
    for file in "$sources"/*.cu; do
        awk -v file="$(basename "$file" .cu)" -f "$(dirname "$0")/../hardware/kernels.awk" "$file" | sed 's/,[^,]*|.*//'
    done
fi > "$made.there"
awk -F, -v csv="$csv" '
    NR == FNR { there[$1 "," $2] = $3; next }
    FNR > 2 {
        count = split($8, names, " ")
        for (i = 1; i <= count; i++) {
            now = there[$1 "," names[i]]
            if (now == $2) continue
            printf "%s:%d: %s %s is recorded as %s, but is now %s; record it again\n", csv, FNR, $1, names[i], $2,
                now ? now : "gone"; bad = 1
        }
    }
    END { exit bad }' "$made.there" "$csv" >&2

{
    sed -n '1s/^# *\(.*\)$/\1:/p' "$csv"
    echo
    awk -F, '
        function right(verdict) { return verdict == "right" || verdict == "innocent" || verdict == "information" }
        function row(name, g) {
            printf "| %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, wrong[g], alone[g], tools[g], either[g], wrong[g],
                fine[g], reported[g], 0 }
        NR <= 2 { next }
        {
            found = $4 == 1 || $5 == 1 || $6 == 1 || $7 == 1
            count = split($8, names, " ")
            sub("/.*", "", $1)
            if (!($1 in seen)) { seen[$1] = 1; group[++groups] = $1 }
            for (k = 0; k < 2; k++) {
                g = k ? "" : $1
                if (right($2)) { fine[g] += count; reported[g] += count * found; continue }
                wrong[g] += count; alone[g] += count * ($3 != 0); tools[g] += count * found
                either[g] += count * ($3 != 0 || found)
            }
        }
        END {
            print "| | wrong | by its result alone | by compute-sanitizer | by one of both | by the workbook | right | of them reported by compute-sanitizer | by the workbook |"
            print "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
            for (i = 1; i <= groups; i++) row(group[i], group[i])
            row("all", "")
        }' "$csv"
} > "$made.found"

put_tables "$page" $write "$made" found

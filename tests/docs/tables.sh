#!/bin/sh
# Tables in a page match the workbook's output and the records:
#
#     sh tables.sh PAGE CHAPTER WORKBOOK TIMES      compares
#     sh tables.sh --write PAGE CHAPTER WORKBOOK TIMES      writes the tables into the page
#
# WORKBOOK is the runner, TIMES the recorded .times.csv, beside which h200-estimates.csv has estimates of some of them. Without
# that file the page must have no times. The tables are between <!-- begin ... --> and <!-- end ... -->.
set -eu
. "$(dirname "$0")/page.sh"
built=--built # the test's fixture builds
[ $write = compare ] || built=
page=$1 chapter=$2 workbook=$3 times=$4
[ -f "$page" ] || {
    echo "$page: is missing: the chapter's page, with <!-- begin counters $chapter --> and <!-- begin times $chapter -->" >&2
    exit 1
}

if [ ! -f "$times" ] && awk '/^<!-- begin times/ { inside = 1; next } /^<!-- end/ { inside = 0 } inside' "$page" | grep -q .; then
    echo "$page: has times, but there is no $times that they could be from" >&2
    exit 1
fi
# shellcheck disable=SC2086 # an option or none
"$workbook" ladder $built --markdown "$chapter" > "$made.counters"
if [ ! -f "$times" ]; then # not recorded yet: no table
    : > "$made.times"
else
    unit=GB/s
    case $(sed -n 2p "$times") in *gflop_per_s) unit=Gflop/s ;; esac
    sed -n '1s/^# *//p' "$times" | sed "s|\$|. Milliseconds ($unit):|"
    echo
    awk -F, -v unit="$unit" '
        /^#/ || $1 == "step" { next }
        !($2 in column) { column[$2] = ++columns; size[columns] = $2 }
        !($1 in row) { row[$1] = ++rows; name[rows] = $1 }
        { cell[$1, $2] = sprintf("%.4f (%.0f)", $3, $4) }
        { n[rows] = $2; ms[rows] = $3; rate[rows] = $4; entries++ }
        END {
            if (entries == rows) { # each step has its own size
                print "| step | n | ms | " unit " |"; print "|---|---:|---:|---:|"
                for (r = 1; r <= rows; r++) printf "| %s | %d | %.4f | %.0f |\n", name[r], n[r], ms[r], rate[r]
                exit
            }
            line = "| step |"; rule = "|---|"
            for (c = 1; c <= columns; c++) {
                line = line sprintf(unit == "GB/s" ? " n = 2^%.0f |" : " n = %.0f |", unit == "GB/s" ? log(size[c]) / log(2) : size[c])
                rule = rule "---:|"
            }
            print line; print rule
            for (r = 1; r <= rows; r++) {
                line = "| " name[r] " |"
                for (c = 1; c <= columns; c++) line = line " " cell[name[r], size[c]] " |"
                print line
            }
        }' "$times"
    estimates=$(dirname "$times")/h200-estimates.csv
    [ ! -f "$estimates" ] || awk -F, -v chapter="$chapter" '
        /^#/ || index($1, chapter "/") != 1 { next }
        !($1 in row) { row[$1] = ++rows }
        { r = row[$1]; name[r] = substr($1, length(chapter) + 2); n[r] = $2; ms[r] = $3; us[r] = $4; limit[r] = $5 }
        END {
            if (!rows) exit
            print "\n[Estimated](estimate.md) without a GPU, each step at the largest size that was, beside the time that was measured:\n"
            print "| step | n | measured, ms | estimated, ms | limited by |"; print "|---|---:|---:|---:|---|"
            for (r = 1; r <= rows; r++)
                printf "| %s | %d | %.4f | ~%.4f | %s |\n", name[r], n[r], ms[r], us[r], limit[r]
        }' "$estimates"
    [ ! -f "$estimates" ] || awk -F, -v chapter="$chapter" -f "$(dirname "$0")/parts.awk" "$estimates"
fi > "$made.times"

put_tables "$page" $write "$made" counters times

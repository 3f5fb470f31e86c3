#!/bin/sh
# A page's table of what page-locked memory costs matches locked.sh's record; sizes are its columns:
#
#     sh locked.sh PAGE CSV              compares
#     sh locked.sh --write PAGE CSV      writes the table into the page
#
# The table is between <!-- begin locked --> and <!-- end locked -->. Without a record there is no table.
set -eu
. "$(dirname "$0")/page.sh"
page=$1 csv=$2
if [ -f "$csv" ]; then
    echo
    sed -n '1s/^# \(.*\): locked.sh$/Measured by `tests\/hardware\/locked.cu`: \1./p' "$csv"
    echo
    awk -F, '
        /^#/ || $1 == "what" { next }
        !($2 in column) { column[$2] = ++columns; bytes[columns] = $2 }
        !($1 in row) { row[$1] = ++rows; what[rows] = $1 }
        { value[row[$1], column[$2]] = $3 " " $4 }
        END {
            line = "| measured |"
            rule = "|---|"
            for (c = 1; c <= columns; c++) {
                line = line " " (bytes[c] >= 1048576 ? bytes[c] / 1048576 " MB" : bytes[c] / 1024 " KB") " |"
                rule = rule "---:|"
            }
            print line "\n" rule
            for (r = 1; r <= rows; r++) {
                line = "| " what[r] " |"
                for (c = 1; c <= columns; c++)
                    line = line " " value[r, c] " |"
                print line
            }
        }' "$csv"
    echo
fi >"$made.locked"
put_tables "$page" $write "$made" locked

#!/bin/sh
# A page's table of measured latencies and rates matches micro.sh's record:
#
#     sh micro.sh PAGE CSV              compares
#     sh micro.sh --write PAGE CSV      writes the table into the page
#
# The table is between <!-- begin micro --> and <!-- end micro -->. Without a record there is no table.
set -eu
. "$(dirname "$0")/page.sh"
page=$1 csv=$2
if [ -f "$csv" ]; then
    sed -n '1s/^# \(.*\): micro.sh$/Measured by `tests\/hardware\/micro.cu`: \1./p' "$csv"
    echo
    awk -F, '
        /^#/ || $1 == "what" { next }
        { size = $2 >= 1048576 ? $2 / 1048576 " MB" : $2 >= 1024 ? $2 / 1024 " KB" : $2 > 0 ? $2 " bytes" : "" }
        !begun++ { print "| measured | on | value |"; print "|---|---:|---:|" }
        { printf "| %s | %s | %s %s |\n", $1, size, $3, $4 }' "$csv"
fi > "$made.micro"
put_tables "$page" $write "$made" micro

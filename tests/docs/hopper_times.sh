#!/bin/sh
# The table of times in docs/10-hopper.md matches what tests/peers/hopper.cu and the step's --bench printed on cards:
#
#     sh hopper_times.sh PAGE CSV              compares
#     sh hopper_times.sh --write PAGE CSV      writes the table into the page
#
# The table is between <!-- begin hopper-times --> and <!-- end hopper-times -->.
set -eu
. "$(dirname "$0")/page.sh"
page=$1 csv=$2
awk -F, '
    !begun++ { print "| step | case | card | ms | GB/s | peer | its GB/s | share |"; print "|---|---|---|---:|---:|---|---:|---:|" }
    /^H[0-9]/ { printf "| %s | %s | %s | %s | %s | %s | %s | %.2f |\n", $2, $3, $1, $4, $5, $6, $8, $5 / $8 }' "$csv" >"$made.hopper-times"
put_tables "$page" $write "$made" hopper-times

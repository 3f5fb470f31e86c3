#!/bin/sh
# The table of times in docs/10-hopper.md matches what tests/peers/hopper.cu and the step's --bench printed on an H100:
#
#     sh hopper_times.sh PAGE CSV              compares
#     sh hopper_times.sh --write PAGE CSV      writes the table into the page
#
# The table is between <!-- begin h100-hopper --> and <!-- end h100-hopper -->.
set -eu
. "$(dirname "$0")/page.sh"
page=$1 csv=$2
awk -F, '
    !begun++ { print "| step | case | ms | GB/s | peer | its GB/s | share |"; print "|---|---|---:|---:|---|---:|---:|" }
    /^[0-9]/ { printf "| %s | %s | %s | %s | %s | %s | %.2f |\n", $1, $2, $3, $4, $5, $7, $4 / $7 }' "$csv" >"$made.h100-hopper"
put_tables "$page" $write "$made" h100-hopper

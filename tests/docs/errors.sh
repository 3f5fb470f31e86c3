#!/bin/sh
# A page's table of the estimate's errors matches the record of estimates:
#
#     sh errors.sh [--write] PAGE ESTIMATE.SH
#
# The table is between <!-- begin errors --> and <!-- end errors -->.
set -eu
. "$(dirname "$0")/page.sh"
sh "$2" - recorded | awk '
    BEGIN { print "| chapter | rows | Kendall'\''s tau of the order | median error | largest |"; print "|---|---:|---:|---:|---:|" }
    /^chapter / { print "| " $2 " | " $4 " | " $6 " | " $8 " | " $10 " |" }
    /^all / { split($0, part, "; "); split(part[1], f, /[ ,:]+/)
        print "| all | " f[2] " | | " f[5] " | " f[11] "; " f[6] " % within " f[9] " |"
        print "\nIn the metrics that simulators publish: " part[2] "." }' >"$made.errors"
put_tables "$1" $write "$made" errors

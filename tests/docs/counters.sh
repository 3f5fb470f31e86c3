#!/bin/sh
# Every counter of the machine has a row in the table of counters, and a test that names it:
#
#     sh counters.sh SIMT_H PAGE TESTS...
#
# SIMT_H is simt.h, whose SIMT_COUNTERS lists them. PAGE is docs/counters.md, in whose first column ... matches any
# part of a name. TESTS are the sources in which each counter must occur. The output names each missing counter and
# where it belongs.
set -eu
header=$1 page=$2
shift 2
bad=0
names=$(sed -n '/define SIMT_COUNTERS/,/^$/s/^ *X(\([a-z_]*\),.*/\1/p' "$header")
[ -n "$names" ] || { echo "$header: no list SIMT_COUNTERS"; exit 1; }
# One pattern per line: "global_store_..." as "global_store_.*".
patterns=$(sed -n 's/^| \([a-z_.,+ ]*\) |.*/\1/p' "$page" | tr ',+' '\n\n' | sed 's/ //g; s/\.\.\./.*/g' | grep .)
for name in $names; do
    echo "$name" | grep -qx -e "$patterns" || {
        echo "$page: the table of counters has no row for $name: | $name | what is counted | Nsight Compute's metric, or nothing |"
        bad=1
    }
    grep -qw -- "$name" "$@" || { echo "no test of $name: add what it must count to tests/simt/test_counters.c"; bad=1; }
done
exit $bad

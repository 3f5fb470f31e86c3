#!/bin/sh
# The table of the runs that grade a program, in docs/grading.md, matches the judge's. Usage: trials.sh WORKBOOK PAGE [write].
workbook=$1 page=$2 what=$3
again="sh $0 $workbook $page write"
. "$(dirname "$0")/page.sh"
"$workbook" judge --trials >"$made.trials" || exit 1
put_tables "$page" "$what" "$made" trials

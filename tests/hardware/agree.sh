#!/bin/sh
# Compares the estimate's limit of each step (h200-estimates.csv) with the parts that Nsight Compute found busy
# (h200-limiters.csv):
#
#     sh tests/hardware/agree.sh
#     sh tests/hardware/agree.sh ESTIMATES LIMITERS     other records of these forms
#
# prints a row for each step: n, the busiest part of the card and its percentage, and the estimate's limit. "no"
# precedes the limit if some part was busy for 60 % or more and the limit is another one. Then prints how many of those
# steps agree. A part within 5 percent of the busiest counts as the busiest.
estimates=$(realpath "${1:-${0%/*}/h200-estimates.csv}") limiters=$(realpath "${2:-${0%/*}/h200-limiters.csv}")
awk -F, '
    /^#/ || $1 == "step" { next }
    NR == FNR { words[$1, $2] = $5; next }
    BEGIN { split("memory l2 l1 issue arithmetic", part, " ")
        is["memory bandwidth"] = "memory"; is["L2 bandwidth"] = "l2"; is["L1 and shared memory"] = "l1"
        is["load and store units"] = "l1"; is["instruction issue"] = "issue"
        is["integer arithmetic"] = is["arithmetic in single precision"] = is["special functions"] = "arithmetic" }
    { most = 0; right = 0
      for (i = 4; i <= NF; i++) if ($i + 0 > most) { most = $i + 0; busy = part[i - 3] }
      for (i = 4; i <= NF; i++) right += $i + 5 >= most && is[words[$1, $2]] == part[i - 3]
      clear += most >= 60; agree += most >= 60 && right
      mark = most >= 60 && !right ? "no " : "   "
      printf "%s%-38s %8d  %-10s %4.0f %%  %s\n", mark, $1, $2, busy, most, words[$1, $2] }
    END { printf "of %d steps a part was busy for 60 %% or more; of these the estimate names it in %d\n", clear, agree }
' "$estimates" "$limiters"

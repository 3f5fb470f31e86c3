#!/bin/sh
# Compares the estimate with the times of kernels that were not used to build it (unseen.cu):
#
#     sh tests/hardware/unseen.sh record FILE           # on a machine with a GPU: their times, name,us
#     [GPU=FILE] sh tests/hardware/unseen.sh PROGRAM TIMES MEDIAN NINETY PAIRS
#
# PROGRAM is unseen.cu, linked to the SIMT machine; TIMES a record. Prints a row for each kernel: measured us, estimated
# us, their ratio, what limits it. Then prints the median error, the error that 90 % of the rows do not exceed, and the
# share of pairs whose order is right. A pair is two variants of one algorithm (their names begin with the same word)
# whose times differ by 3 % or more. Fails if the errors exceed MEDIAN or NINETY, or the share is below PAIRS.
set -u
here=${0%/*}
. "${0%/*}/tools.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$1" = record ]; then
    need nvcc nvidia-smi
    nvcc -O3 -arch=native -I "${0%/*}/../../common" "${0%/*}/unseen.cu" -o "$work/unseen" || exit
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%Y-%m-%d): unseen.sh" >"$work/rows"
    echo "name,us" >>"$work/rows"
    "$work/unseen" >>"$work/rows" || exit
    cp "$work/rows" "$2"
    exit
fi
program=$1 times=$2
SIMT_CHECK=none SIMT_ESTIMATE=${GPU:-h200} "$program" >"$work/estimates" 2>"$work/said" || {
    cat "$work/said"
    exit 1
}
awk -F, -v median="$3" -v ninety="$4" -v pairs="$5" "$(cat "$here/errors.awk")"'
    NR == FNR { if (NF == 2) measured[$1] = $2; next }
    { us = $2; limit = $3
      if (!measured[$1]) { print "MISSED: no time of " $1; failed = 1; next }
      ratio = us / measured[$1]; error[++n] = ratio > 1 ? ratio : 1 / ratio
      error_add(measured[$1], us, word($1), $1)
      printf "%-18s %9.1f %9.1f %6.2f  %s\n", $1, measured[$1], us, ratio, limit }
    function word(s) { sub(/-.*/, "", s); return s }
    END {
        error_pairs()
        for (i = 2; i <= n; i++) { kept = error[i]; for (j = i - 1; j > 0 && error[j] > kept; j--) error[j + 1] = error[j]; error[j + 1] = kept }
        m = error[int((n + 1) / 2)]; most = error[int(0.9 * n + 0.999)]
        printf "%d kernels: median error %.2f, 90 %% within %.2f, largest %.2f; %d of %d pairs in the right order; %s\n",
            n, m, most, error[n], error_right, error_all, error_text()
        exit failed || !n || !error_all || m > median || most > ninety || error_right < pairs * error_all }' "$times" "$work/estimates"

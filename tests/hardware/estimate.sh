#!/bin/sh
# Compares the estimate with recorded times:
#
#     [GPU=FILE] [TIMES=FILE] sh tests/hardware/estimate.sh BUILD MOST [CHAPTER...]
#     sh tests/hardware/estimate.sh BUILD limits|more [CHAPTER...]
#     sh tests/hardware/estimate.sh BUILD record > tests/hardware/h200-estimates.csv
#     sh tests/hardware/estimate.sh - recorded
#
# runs the solutions of BUILD (graded/solutions, with their judges) at the recorded sizes up to --n MOST, and prints a
# row for each: step, n, measured us, estimated us, their ratio, and what limits it. Then, for each chapter, the
# agreement of the steps' order (Kendall's tau, without steps that differ by less than 3 %), and the median and the
# largest error. With "limits" it takes the chapters, sizes and bounds of the usual test from estimate.limits, with
# "more" those that take longer. It fails if a chapter misses a bound, if a row's parts do not sum to the whole, or if a
# row differs from h200-estimates.csv, the source of tables, sentences and plots in the pages. "record" writes that
# file, for all chapters of estimate.limits. TIMES: another card's, as times.sh writes them; with MEDIAN only the median
# of all rows is bounded, by that. "recorded" prints the file's rows in the usual form, and runs nothing. A line "leave
# CHAPTER/STEP WHY" in estimate.limits skips a step. No number of the estimate is fitted to these times: see
# docs/estimate.md.
set -u
build=$1 most=$2
shift 2
json=$(mktemp)
trap 'rm -f "$json" "$json.out"' EXIT
here=${0%/*}
limits=/dev/null held=
case $most in
limits | more) limits=$here/estimate.limits held=$most ;;
record) limits=$here/estimate.limits held='[a-z]*' ;;
esac
[ $# -gt 0 ] || [ "$limits" = /dev/null ] || set -- $(sed -n "s/^\([0-9][^ ]*\) .* $held\$/\1/p" "$limits" | sort -u)
[ $# -gt 0 ] || set -- $(cd "$here" && ls [0-9]*.times.csv | sed 's/\.times\.csv//')

# estimate CHAPTER STEP N: "us PARTS limit", or nothing. PARTS: us of each of SIMT_PARTS, in their order.
estimate() {
    driver=$(awk -F '\t' -v c="$1" -v s="$2" '$1 == c && $2 == s { print $6 }' "$build/course.tsv")
    [ -n "$driver" ] || return
    header=${driver%% *}
    words=${driver#* }
    map=
    [ "$header" != gather ] || map="--width 1024 --height 1024" # as on a GPU
    : > "$json"
    # shellcheck disable=SC2086
    SIMT_CHECK=none SIMT_ESTIMATE=${GPU:-h200} timeout 600 "$build/judges/$header" \
        --submission "$build/graded/solutions/$1/$2" --driver "$words" --bench --n "$3" $map --json "$json" > "$json.out" 2>&1
    sed -n 's/.*"estimated_ms": \([0-9.]*\).*"limited_by": "\([^"]*\)".*"parts_us": {\([^}]*\)}.*/\1, \3, \2/p' "$json" |
        awk -F ', ' '{ line = 1000 * $1; for (i = 2; i < NF; i++) { sub(/.*: /, "", $i); line = line " " $i } print line, $NF }'
}

# recorded_times CHAPTER: lines STEP,N,MS,...
recorded_times() {
    if [ -n "${TIMES:-}" ]; then
        sed -n "s,^$1/,,p" "$TIMES"
    else
        grep -v '^[#st]' "$here/$1.times.csv"
    fi
}

rows() {
    if [ "$most" = recorded ]; then
        awk -F, '!/^#/ && NF == 11 && $1 != "step" { print $1, $2, $3, 1000 * $4, $6, $7, $8, $9, $10, $11, $5 }' \
            "$here/h200-estimates.csv"
        return
    fi
    for chapter in "$@"; do
        sizes=$(sed -n "s/^$chapter \([0-9,]*\) .* $held\$/,\1,/p" "$limits" | tr -d '\n')
        recorded_times "$chapter" | while IFS=, read -r step n ms rest; do
            grep -q "^leave $chapter/$step " "$limits" && continue
            case $sizes in
            '') [ "$n" -le "$most" ] || continue ;;
            *,$n,*) ;;
            *) continue ;;
            esac
            got=$(estimate "$chapter" "$step" "$n")
            [ -n "$got" ] && echo "$chapter/$step $n $ms ${got%% *} ${got#* }"
        done
    done
}

if [ "$most" = record ]; then
    echo "# Estimates of the SIMT machine for an H200, no times: tests/hardware/estimate.sh BUILD record"
    echo "step,n,recorded_ms,estimated_ms,limited_by,memory_us,shared_us,instructions_us,latency_us,atomics_us,launches_us"
    rows "$@" | awk '{ limit = $11; for (i = 12; i <= NF; i++) limit = limit " " $i
        printf "%s,%d,%s,%.6f,%s,%s,%s,%s,%s,%s,%s\n", $1, $2, $3, $4 / 1000, limit, $5, $6, $7, $8, $9, $10 }'
    exit
fi
record=/dev/null
[ "$limits" = /dev/null ] || [ -n "${GPU:-}" ] || record=$here/h200-estimates.csv
median=${MEDIAN:-0}
rows "$@" | awk -v asked=" $* " -v limits="$limits" -v held="$held" -v record="$record" -v median="$median" "$(cat "$here/errors.awk")"'
    BEGIN {
        while ((getline line < limits) > 0)
            if (split(line, f, " ") == 6 && line !~ /^#/ && f[6] == held && index(asked, " " f[1] " ")) bound[f[1]] = f[3] " " f[4] " " f[5]
        while ((getline line < record) > 0)
            if (split(line, f, ",") == 11) { recorded[f[1] " " f[2]] = 1000 * f[4]; words[f[1] " " f[2]] = f[5] } }
    # Whether the row equals that of h200-estimates.csv. A few sectors more or fewer stay in a cache, depending on the
    # addresses.
    function compare(row, us, limit,    r) {
        r = recorded[row] > 0 ? us / recorded[row] : 0
        if (record != "/dev/null" && (r < 0.93 || r > 1.07 || (words[row] != limit && (r < 0.99 || r > 1.01)))) {
            failed = 1
            print "STALE: " row " is " recorded[row] " us, limited by " words[row] ", in " record "; record it again" } }
    function hold(chapter, t, middle, most,    f) {
        if (!(chapter in bound) || median) return
        split(bound[chapter], f, " ")
        if (t < f[1] || middle > f[2] || most > f[3]) {
            failed = 1
            print "MISSED: " chapter " must have tau " f[1] ", median " f[2] ", largest " f[3] }
    }
    { measured = $3 * 1000; ratio = $4 / measured
      limit = $11; for (i = 12; i <= NF; i++) limit = limit " " $i
      printf "%-40s %9d %11.1f %11.1f %7.2f  %s\n", $1, $2, measured, $4, ratio, limit
      compare($1 " " $2, $4, limit)
      parts = $5 + $6 + $7 + $8 + $9 + $10
      if (parts < 0.99 * $4 - 0.05 || parts > 1.01 * $4 + 0.05) {
          failed = 1
          print "PARTS: " $1 " " $2 ": they add up to " parts " us" }
      chapter = substr($1, 1, index($1, "/") - 1)
      error_add(measured, $4)
      rows++; error[rows] = ratio > 1 ? ratio : 1 / ratio
      if (!(chapter in seen)) { order[++chapters] = chapter; seen[chapter] = 1 }
      list[chapter] = list[chapter] " " rows
      key[rows] = chapter " " $2; x[rows] = measured; y[rows] = $4 }
    function quantile(indices, q,    parts, k, i, j, kept) {
        k = split(indices, parts, " ")
        for (i = 1; i <= k; i++) sorted[i] = error[parts[i]]
        for (i = 2; i <= k; i++) { kept = sorted[i]; for (j = i - 1; j > 0 && sorted[j] > kept; j--) sorted[j + 1] = sorted[j]; sorted[j + 1] = kept }
        i = int(q * k + 0.999999); return sorted[i < 1 ? 1 : i] }
    function tau(indices,    parts, k, i, j, a, b) {
        k = split(indices, parts, " "); right = wrong = 0
        for (i = 1; i <= k; i++) for (j = i + 1; j <= k; j++) {
            a = parts[i]; b = parts[j]
            if (key[a] != key[b] || (x[a] < 1.03 * x[b] && x[b] < 1.03 * x[a])) continue
            if ((x[a] - x[b]) * (y[a] - y[b]) > 0) right++; else wrong++ }
        return right + wrong ? (right - wrong) / (right + wrong) : 1 }
    END {
        for (c = 1; c <= chapters; c++) {
            all = all list[order[c]]
            t = tau(list[order[c]]); middle = quantile(list[order[c]], 0.5); largest = quantile(list[order[c]], 1)
            printf "chapter %-22s rows %3d tau %5.2f median %.2f largest %.2f\n", order[c], split(list[order[c]], each, " "), t, middle, largest
            hold(order[c], t, middle, largest) }
        printf "all %d rows: median %.2f, 95 %% within %.2f, largest %.2f; %s\n", rows, quantile(all, 0.5), quantile(all, 0.95), quantile(all, 1), error_text()
        if (median && (!rows || quantile(all, 0.5) > median)) { failed = 1; print "MISSED: all rows must have median " median }
        for (c in bound) if (!median && !(c in seen)) { failed = 1; print "MISSED: nothing of " c " was estimated" }
        exit failed }'

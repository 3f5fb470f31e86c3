#!/bin/sh
# From the command to the page: `workbook xray STEP --solution` for each step, its program built before. Prints seconds of CPU
# time and the size of the page, then the longest and the largest. Fails if a page takes 5 s of CPU time or has 5 MB.
#
#     sh tests/self/bench/xray_time.sh BUILD [STEP...]      (BUILD: a build folder with solutions; STEP: 04-sort/03-radix-split)
set -eu
source=$(cd "$(dirname "$0")/../../.." && pwd)
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- $(cd "$source/solutions" && ls [0-9]*/*.cu | sed 's/\.cu$//')

for step; do
    "$build/workbook" xray "$step" --solution --no-open -o "$work/page.html" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
    # `times` of a separate shell: its children's user and system seconds, as 0m1.23s
    cpu=$(sh -c '"$1" xray "$2" --solution --no-open -o "$3" >/dev/null 2>&1; times' sh "$build/workbook" "$step" "$work/page.html")
    cut=$(grep -c 'came after the limit was reached' "$work/page.html" || true)
    echo "$cpu" | sed -n 2p | awk -v step="$step" -v size="$(wc -c <"$work/page.html")" -v cut="$cut" '
        function seconds(text) { split(text, part, /[ms]/); return 60 * part[1] + part[2] }
        { printf "%-40s %5.2f s of CPU, %4d kB%s\n", step, seconds($1) + seconds($2), size / 1000, (cut > 0 ? ", cut" : "") }'
done | tee "$work/times"
awk '{ if ($2 > cpu) { cpu = $2; slow = $1 } if ($6 > size) { size = $6; large = $1 } cut += / cut$/; steps++ }
    END { printf "%d steps: at most %.2f s of CPU (%s) and %d kB (%s); %d pages are cut\n", steps, cpu, slow, size, large, cut
          exit !(steps > 0 && cpu < 5 && size < 5000) }' "$work/times"

#!/bin/sh
# From save to verdict: saves the reference solution of each step in a hand-out and times `workbook run STEP`: build and
# judge. Prints wall and CPU seconds per step, then the median and the longest. Times are reported, never graded.
#
#     sh tests/self/bench/verdict_time.sh FOLDER [STEP...]      (FOLDER: receives the hand-out; STEP: 04-sort/03-radix-split)
#
# Needs a tree with solutions, and an otherwise idle computer.
set -eu
source=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
tree=$folder/tree
rm -rf "$tree" "$folder/times"
mkdir -p "$tree"
(cd "$source" && cp -R CHANGELOG.md CMakeLists.txt CMakePresets.json LICENSE common docs [0-9]* "$tree")
(cd "$tree" && cmake --preset default -DWORKBOOK_GPU=off && cmake --build build --target workbook simt) >"$folder/log"
[ $# -gt 0 ] || set -- $(cd "$source/solutions" && ls [0-9]*/*.cu | sed 's/\.cu$//')

for step; do
    cp "$source/solutions/$step.cu" "$tree/$step.cu"
    # `times` of a separate shell: its children's user and system seconds, as 0m1.23s
    began=$(date +%s.%N)
    cpu=$(sh -c '"$1" run "$2" >"$3" 2>&1; echo $?; times' sh "$tree/build/workbook" "$step" "$folder/said")
    ended=$(date +%s.%N)
    echo "$cpu" | sed -n 1p | grep -qx 0 || { echo "$step does not pass:"; cat "$folder/said"; exit 1; }
    echo "$cpu" | sed -n 3p | awk -v step="$step" -v from="$began" -v to="$ended" '
        function seconds(text) { split(text, part, /[ms]/); return 60 * part[1] + part[2] }
        { printf "%-40s %6.2f s, %6.2f s of CPU\n", step, to - from, seconds($1) + seconds($2) }'
done | tee "$folder/times"
! grep 'does not pass' "$folder/times" >/dev/null
sort -k2n "$folder/times" | awk '{ wall[NR] = $2; cpu[NR] = $4; name[NR] = $1 }
    END { printf "%d steps: median %.2f s, longest %.2f s (%s)\n", NR, wall[int((NR + 1) / 2)], wall[NR], name[NR] }'
sort -k4n "$folder/times" | awk '{ cpu[NR] = $4; name[NR] = $1 }
    END { printf "of CPU: median %.2f s, longest %.2f s (%s)\n", cpu[int((NR + 1) / 2)], cpu[NR], name[NR] }'

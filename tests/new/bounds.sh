#!/bin/sh
# Counts a step's solution, its right submissions, and the solution of the step before handed in for it, all at the step's N, and
# prints the counters that tell them apart: there a bound may stand.
#
#     sh tests/new/bounds.sh NN-topic/SS-step [N]
#
# A line: a counter, its value for the step before, for the solution, and from least to most for the right submissions;
# then a bound half-way, in ratio, between the step before and the nearest program that should pass, as a number or a
# multiple of n. A bound states the lesson, not the way: think of what another right program would count.
#
# Environment: BUILD, as for step.sh.
set -eu
cd "$(dirname "$0")/../.."
. tests/new/lib.sh
path=${1:-}
build=$(cd "${BUILD:-build-test}" && pwd)
line=$(step_line "$build/course.tsv" "$path")
[ -n "$line" ] || refuse "$path is not a step of $build: sh tests/new/step.sh $path makes it one"
n=${2:-$(echo "$line" | cut -f 3)}
chapter=${path%/*} step=${path#*/}
before=$(ls "solutions/$chapter" | sed 's/\.cu$//' | awk -v step="$step" '$0 < step' | tail -1)
work=$build/self/bounds/$path
rm -rf "$work" && mkdir -p "$work"
cp "solutions/$path.cu" "$work/$chapter.$step.solution.cu"
[ -z "$before" ] || cp "solutions/$chapter/$before.cu" "$work/$chapter.$step.before.cu"
quietly cmake --build "$build" --target workbook "$chapter" || refuse "it does not build: see above"
[ ! -f "tests/submissions/$path.right" ] || "$build/workbook" judge --write "$work" "$path.right"
export SOURCE="$PWD" BUILD="$build" work
[ -f "$(sed -n 's/^library	//p' "$build/course.tsv")" ] || quietly cmake --build "$build" --target served
for source in "$work"/*.cu; do
    program=$(basename "${source%.cu}")
    sh tests/soak/build.sh "$program"
    # Its own bounds may be missed: the counts are written in any case.
    "$build/workbook" exec --step "$path" "$work/$program" --check --n "$n" --json "$work/$program.json" >"$work/$program.said" 2>&1 || true
    [ -s "$work/$program.json" ] && grep -q '"verdict": "right"' "$work/$program.json" || {
        echo "${program##*.} is not right at n = $n:"
        head -5 "$work/$program.said" | sed 's/^/    /'
        rm -f "$work/$program.json"
    }
done
[ -f "$work/$chapter.$step.solution.json" ] || refuse "The solution must be right first."
for json in "$work"/*.json; do
    name=${json%.json}
    tr ',{' '\n\n' <"$json" | sed -nE "s/^ *\"([a-z_]+)\": ([0-9]+)}*\$/${name##*.} \1 \2/p"
done | awk -v n="$n" -f tests/new/bounds.awk

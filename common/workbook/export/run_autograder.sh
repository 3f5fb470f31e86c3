#!/bin/sh
# Gradescope runs this for each submission, in a copy of the image. It grades one step after another, in the order of
# due.txt, and writes results.json after each: if the time runs out, the steps graded so far count.
root=${AUTOGRADER:-/autograder}
workbook=$root/source/warpbook/build/workbook
results=$root/results/results.json
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

mkdir -p "$root/results" "$work/class"
cp -RP "$root/submission" "$work/class/submission"
printf 'id\nsubmission\n' >"$work/roster.csv"
echo '{"score": 0, "output": "The submission was not graded: the grader did not finish its first step."}' >"$results"

while IFS= read -r line || [ -n "$line" ]; do
    printf '%s\n' "$line" >>"$work/due.txt"
    case $line in '' | '#'* | due* | late*) continue ;; esac
    "$workbook" grade "$work/class" --roster "$work/roster.csv" --assignment "$work/due.txt" --out "$work/grades" --jobs 1 --resume
    "$workbook" export "$work/grades" --to gradescope --student submission -o "$work/results.json" &&
        mv "$work/results.json" "$results"
done <"$root/source/due.txt"

#!/bin/sh
# Drafts a step's submissions: edits lines of its TODO, hands in the step before, grades all of them, and writes each into the file
# of its verdict: SS-step.wrong, .right and, with the hint that a student gets, .mistakes.
#
#     sh tests/new/drafts.sh NN-topic/SS-step
#
# An edit leaves out a line, or makes < of a condition <=; another halves BLOCK. A file that exists stays as it is. Rename the
# drafts, and replace the dull ones with mistakes that students make.
#
# Environment: BUILD, as for step.sh.
set -eu
cd "$(dirname "$0")/../.."
. tests/new/lib.sh
path=${1:-}
build=$(cd "${BUILD:-build-test}" && pwd)
[ -n "$(step_line "$build/course.tsv" "$path")" ] || refuse "$path is not a step of $build: sh tests/new/step.sh $path makes it one"
chapter=${path%/*} step=${path#*/}
submissions=tests/submissions/$path
work=$build/self/drafts/$path
if [ -f "$submissions.wrong" ] && [ -f "$submissions.right" ] && [ -f "$submissions.mistakes" ]; then
    exit 0 # nothing would be written
fi
before=$(ls "solutions/$chapter" | sed 's/\.cu$//' | awk -v step="$step" '$0 < step' | tail -1)
# spread N: N of the paragraphs of standard input, evenly; at most five wrong ones are kept, and each takes seconds to grade.
spread() {
    awk -v RS= -v most="$1" '{ text[NR] = $0 }
        END { for (i = part = 0; i < NR; i++) if (int(i * most / NR) >= part) { print text[i + 1] "\n"; part = int(i * most / NR) + 1 } }'
}
rm -rf "$work" && mkdir -p "$work/class" "tests/submissions/$chapter"
trap 'rm -f "$submissions.draft"' EXIT
{
    [ -z "$before" ] || printf '=== previous-step: right 0\nfrom %s\n\n' "$before"
    awk -f tests/new/drafts.awk "solutions/$path.cu" "solutions/$path.cu" | spread 14
} >"$submissions.draft"
cp "$submissions.draft" "$work/draft"
"$build/workbook" judge --write "$work" "$path.draft" >"$work/log" 2>&1 || refuse "$(cat "$work/log")"
for name in $(sed -n 's/^=== \(.*\): .*/\1/p' "$work/draft"); do
    mkdir -p "$work/class/$name/$chapter"
    mv "$work/$chapter.$step.$name.cu" "$work/class/$name/$path.cu"
done
"$build/workbook" grade "$work/class" --seed 1 --out "$work/grades" >"$work/table" 2>&1 || true

# A line for each: its name, its verdict, the first line of its hint.
sed -n "s|^\"\(.*\)\",$chapter,$step,\([0-3]\),3,\([a-z ]*\),.*|\1 \2 \3|p" "$work/grades/grades.csv" | while read -r name points state; do
    case $state in wrong) code=2 ;; unsafe) code=3 ;; "lesson missed") code=4 ;; *) code=0 ;; esac
    case $points$code in 0[23]) part=result ;; 1[23]) part=safety ;; 24) part=lesson ;; 30) part=right ;; *) continue ;; esac
    echo "$name $part $code $([ $part = right ] || "$build/workbook" hint "$path" --said "$work/grades/logs/$name/$path.log" | head -1)"
done >"$work/verdicts"

# kind wrong: the first five drafts that are refused. kind right: half the block, if it passes; other edits that pass are not
# shown, since an edit may be wrong in a way that no run shows.
kind() {
    awk -v right="$([ "$1" = right ] && echo 1 || echo 0)" '
        FNR == NR { verdict[$1] = $2 " " $3; next }
        /^=== / {
            name = substr($2, 1, length($2) - 1)
            shown = name in verdict && n < 5 && (name == "half-the-block" || !right)
            shown = shown && (verdict[name] == "right 0") == right
            n += shown
            if (shown) print $1, $2, verdict[name]
            next
        }
        shown' "$work/verdicts" "$work/draft"
}
# once KIND: writes the file of this kind from standard input, unless it exists or has no submission.
once() {
    text=$(cat)
    [ -z "$text" ] || [ -f "$submissions.$1" ] || echo "$text" | write "$submissions.$1"
}
kind wrong | once wrong
kind right | once right
grep -o '^=== [a-z0-9-]*' "$submissions.wrong" | while read -r _ name; do
    awk -v name="$name" '$1 == name && NF > 3 { $1 = "=== " $1 ":"; print }' "$work/verdicts"
done | grep -v '=== previous-step' | head -3 | once mistakes

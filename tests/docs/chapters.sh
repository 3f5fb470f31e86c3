#!/bin/sh
# Every chapter and step of the course stands where readers look for it:
#
#     sh chapters.sh COURSE TREE
#
# COURSE is course.tsv, which the configuration writes. For each chapter: its page, and its rows in the lists of README.md
# (with the number of its steps) and docs/README.md. For each step: a section in its chapter's hints, and in its header
# comment each bound of its lesson. The opening comment of the course table explains every counter that a bound is on.
# Each line that is printed names the file, what it lacks and what to put there.
set -eu
course=$1 tree=$2
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# lacks FILE WHAT: counts it.
lacks() {
    echo "$1: $2"
    bad=1
}

tab=$(printf '\t')

# bounded CHAPTER: the counters that its bounds are on, those left of the sign.
bounded() {
    grep "^$1$tab" "$course" | cut -f7- | tr "$tab" '\n' | sed 's/[<>=].*//' | grep -o '[a-z][a-z_]*' | sort -u
}

for chapter in $(grep -o "^[0-9][0-9]-[^$tab]*" "$course" | sort -u); do
    steps=$(grep "^$chapter$tab" "$course" | cut -f2)
    count=$(echo "$steps" | wc -l)
    [ -f "$tree/docs/$chapter.md" ] ||
        lacks "docs/$chapter.md" "is missing: the chapter's page, with <!-- begin counters $chapter --> for its table"
    grep -q "^| \`$chapter\` | $count | \[.*\](docs/$chapter.md) |" "$tree/README.md" ||
        lacks README.md "the list of chapters lacks this row: | \`$chapter\` | $count | [...](docs/$chapter.md) |"
    grep -q "^| \[.*\]($chapter.md) |" "$tree/docs/README.md" ||
        lacks docs/README.md "the list of chapters lacks this row: | [...]($chapter.md) | ... |"
    for step in $steps; do
        comment=$(awk '!/^\/\// { exit } { sub("^//", ""); print }' "$tree/$chapter/$step.cu" 2>/dev/null | tr -d ' \n')
        grep "^$chapter$tab$step$tab" "$course" | cut -f5,7- | tr "$tab" '\n' | { read -r count; head -n "$count"; } >"$work/lesson"
        while read -r bound; do
            bare=$(echo "$bound" | tr -d ' ')
            case $comment in
            *"$bare"*) ;;
            *) lacks "$chapter/$step.cu" "its header comment does not name this bound of its lesson: $bound" ;;
            esac
        done <"$work/lesson"
        grep -q "^## $step\$" "$tree/$chapter/hints.txt" 2>/dev/null ||
            lacks "$chapter/hints.txt" "no hints for $step: a line '## $step', and below it one paragraph for each hint"
    done
    awk '!/^#/ { exit } { print }' "$tree/$chapter/CMakeLists.txt" >"$work/opening" 2>/dev/null || :
    for counter in $(bounded "$chapter"); do
        grep -q -w "$counter" "$work/opening" ||
            lacks "$chapter/CMakeLists.txt" "its opening comment does not explain the bounds on $counter"
    done
done
exit $bad

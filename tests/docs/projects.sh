#!/bin/sh
# The table of docs/projects.md: the counted run of each project and its bounds, from common/projects/projects.txt. Each project
# also has a section, with its figure, its header and the declaration of its function, and its chapter's page shows the commands.
# Usage: projects.sh ROOT PAGE [write].
root=$1 page=$2 what=${3:-compare}
again="sh $0 $root $page write"
. "$(dirname "$0")/page.sh"

awk '
    BEGIN { print "| project | counted with | level | must show | why |\n|---|---|---:|---|---|" }
    /^## / { split($2, part, "-"); place = (part[1] + 0) " " $3; gsub("-", " ", place) }
    /^counted: / { arguments = substr($0, 10) }
    /^bound: / {
        split(substr($0, 8), field, " [|] ")
        print "| " place " | " (place != "" ? "`" arguments "`" : "") " | " field[1] " | `" field[2] "` | " field[3] " |"
        place = ""
    }' "$root/common/projects/projects.txt" >"$made.bounds" || exit 1
[ "$(grep -c '' "$made.bounds")" -gt 10 ] || exit 1
sed -n 's/^## \([0-9]*\)-[a-z-]* \(.*\)/\1 \2/p' "$root/common/projects/projects.txt" | while read -r chapter name; do
    header=common/projects/$(echo "$name" | tr - _).h
    for needed in "^## ${chapter#0} " "(figures/projects/$name.svg)" "($(echo "../$header" | sed 's/[.]/[.]/g'))"; do
        grep -q "$needed" "$page" || echo "$page: project $name: nothing matches $needed"
    done
    # The chapter's page leads to it, and to the other ways to practise.
    for word in predict hunt drill project; do
        grep -q "^build/workbook $word .*#" "$root/docs/$chapter"-*.md || echo "$root/docs/$chapter: does not show workbook $word"
    done
    # The page's declaration matches the header's.
    sed -n '/^void .*);$/p' "$root/$header" | grep -vxF -f "$page" | sed "s,^,$page: does not have ,"
done >"$made.missing"
cat "$made.missing" >&2
[ ! -s "$made.missing" ] && put_tables "$page" "$what" "$made" bounds

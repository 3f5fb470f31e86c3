#!/bin/sh
# Every class of findings has a section on the page, with all of its parts, and every section has a class:
#
#     sh findings.sh PAGE TOPICS.C
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

sed -n 's/^    {"\([a-z-]*\)", .*/\1/p' "$2" | sort -u >"$work/classes"
sed -n 's/^## //p' "$1" | sort >"$work/sections"
[ "$(wc -l <"$work/classes")" -gt 30 ] || { echo "$2: where are the classes?"; exit 1; }
comm -23 "$work/classes" "$work/sections" | sed "s|^|$1: no section on |" >"$work/wrong"
comm -13 "$work/classes" "$work/sections" | sed "s|\$| has a section, and $2 does not name it|" >>"$work/wrong"
uniq -d "$work/sections" | sed 's|$| has two sections|' >>"$work/wrong"
awk -v page="$1" '
    function judge(i) {
        for (i = 1; section != "" && i <= 4; i++)
            if (!has[i])
                print page ": " section " lacks " part[i]
        split("", has)
    }
    BEGIN { part[1] = "an example"; part[2] = "Repair:"; part[3] = "On a GPU:"; part[4] = "In the course:" }
    /^## / { judge(); section = substr($0, 4) }
    /^```cuda/ { has[1] = 1 }
    /^Repair: / { has[2] = 1 }
    /^On a GPU: / { has[3] = 1 }
    /^In the course: / { has[4] = 1 }
    END { judge() }' "$1" >>"$work/wrong"
cat "$work/wrong"
[ ! -s "$work/wrong" ]

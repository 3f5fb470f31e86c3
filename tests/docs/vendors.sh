#!/bin/sh
# The tables of docs/vendors.md match what the peers printed on the cards (tests/peers/record.sh):
#
#     sh vendors.sh PAGE CSV...              compares
#     sh vendors.sh --write PAGE CSV...      writes the tables into the page
#
# The table of a topic is between <!-- begin vendors-TOPIC --> and <!-- end vendors-TOPIC -->, the list of the cards
# between <!-- begin vendors --> and <!-- end vendors -->. A paragraph that begins with a link to vendors.md#TOPIC, in a
# page of the same folder, names only times and ratios of that table.
set -eu
. "$(dirname "$0")/page.sh"
page=$1
shift
sed -n 's/^# /- /p' "$@" >"$made.vendors"
names=vendors
for topic in $(awk -F, '!/^#/ && $1 != "topic" { print $1 }' "$@" | sort -u); do
    names="$names vendors-$topic"
    awk -F, -v topic="$topic" '
        FNR == 1 {
            cards++; name[cards] = $1; sub(/^# NVIDIA /, "", name[cards]); sub(/ .*/, "", name[cards])
            if (match($0, / CUB [0-9.]+,/)) peer[cards] = substr($0, RSTART, RLENGTH - 1) # not that of the toolkit
        }
        $1 == topic {
            label = $7
            for (i = 8; i <= NF; i++) label = label "," $i
            key = label SUBSEP $2
            if (!(key in row)) { row[key] = ++rows; text[rows] = label; n[rows] = $2 }
            cell[row[key], cards] = sprintf("%s | %.2f", $3, $5)
            floor[row[key], cards] = $6 == "" ? "" : sprintf("%.2f", $6)
            used[cards] = 1
            if ($6 != "") floors[cards] = 1
        }
        END {
            head = "| work | n |"; rule = "|---|---:|"
            for (c = 1; c <= cards; c++) {
                if (!used[c]) continue
                head = head " " name[c] ", ms |" (c in peer ? peer[c] " / ours |" : " peer / ours |")
                rule = rule "---:|---:|"
                if (c in floors) { head = head " floor / ours |"; rule = rule "---:|" }
            }
            print head; print rule
            for (r = 1; r <= rows; r++) {
                line = "| " text[r] " | " n[r] " |"
                for (c = 1; c <= cards; c++)
                    if (used[c]) line = line " " ((r, c) in cell ? cell[r, c] : "|") " |" (c in floors ? " " floor[r, c] " |" : "")
                print line
            }
        }' "$@" >"$made.vendors-$topic"
done
# shellcheck disable=SC2086 # a list of names
put_tables "$page" $write "$made" $names
for chapter in "${page%/*}"/[0-9]*.md; do
    awk -v folder="$made.vendors-" '
        /^$/ { topic = "" }
        match($0, /^\[[^]]*\]\(vendors[.]md#[a-z-]*\)/) {
            topic = substr($0, RSTART, RLENGTH - 1); sub(/.*#/, "", topic)
            $0 = substr($0, RLENGTH + 1); table = ""
            while ((getline row < (folder topic)) > 0) table = table row " "
        }
        topic != "" {
            for (rest = $0; match(rest, /[0-9]+[.][0-9][0-9]+/); rest = substr(rest, RSTART + RLENGTH)) {
                figure = substr(rest, RSTART, RLENGTH)
                if (!index(table, "| " figure " ")) {
                    print FILENAME ":" FNR ": " figure " is not in the table of " topic
                    bad = 1
                }
            }
        }
        END { exit bad }' "$chapter" >&2
done

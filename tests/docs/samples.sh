#!/bin/sh
# The tables in docs/compatibility.md, from the records of tests/strangers/samples.sh, and from suites.csv beside it:
# samples.sh PAGE CSV [write]. Without `write`: fails if the page's tables differ from the record.
page=$1 csv=$2 what=$3
again="sh $0 $page $csv write"
. "$(dirname "$0")/page.sh"

{
    sed -n '1s/^# *\(.*\)$/\1:/p' "$csv"
    echo
    awk -F, -v most=160 '
        /^#/ { next }
        {
            split($1, part, "/")
            folder = part[2]
            if (!(folder in all)) name[++folders] = folder
            all[folder]++; count[folder, $2]++; total++; sum[$2]++
            if ($2 == "right" || $2 == "slow") next
            sample = part[3]
            why = $0 # the record has the first 160 characters, so the last word of a longer one may be cut
            sub(/^[^"]*"/, "", why); sub(/"[^"]*$/, "", why)
            if (length(why) >= most) sub(/ *[^ ]*$/, " ...", why)
            sub(/^simt(cc)?: (error: )?/, "", why); gsub(/\|/, "/", why)
            row[++rows] = "| " sample " | " $2 " | " why " |"
        }
        function line(name, n, right, waived, refused, elsewhere, slow, wrong) {
            printf "| %s | %d | %d | %d | %d | %d | %d | %d |\n", name, n, right, waived, refused, elsewhere, slow, wrong
        }
        END {
            print "| folder | samples | right | waived | refused by name | elsewhere | slow | wrong |"
            print "|---|---:|---:|---:|---:|---:|---:|---:|"
            for (i = 1; i <= folders; i++) {
                f = name[i]
                line(f, all[f], count[f, "right"], count[f, "waived"], count[f, "refused"], count[f, "elsewhere"],
                    count[f, "slow"], count[f, "wrong"])
            }
            line("all", total, sum["right"], sum["waived"], sum["refused"], sum["elsewhere"], sum["slow"], sum["wrong"])
            print "\n| sample | | why |\n|---|---|---|"
            for (i = 1; i <= rows; i++) print row[i]
        }' "$csv"
} >"$made.samples"
{
    sed -n '1s/^# *\(.*\)$/\1:/p' "$(dirname "$csv")/suites.csv"
    echo
    echo '| suite | programs | right |'
    echo '|---|---:|---:|'
    sed '1d; s/\([^,]*\),\([^,]*\),/| \1 | \2 | /; s/$/ |/' "$(dirname "$csv")/suites.csv"
} >"$made.suites"
put_tables "$page" "${what:-compare}" "$made" samples suites

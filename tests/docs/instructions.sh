#!/bin/sh
# The table of instructions in docs/simt.md, made from opcodes.def. Usage: instructions.sh FORMS PAGE [write]: FORMS is
# the program unit.simt.forms. Without `write`: fails if the page's table differs from the one made from opcodes.def.
forms=$1 page=$2 what=$3
again="sh $0 $forms $page write"
. "$(dirname "$0")/page.sh"

# One row for the forms of a word that have the same types; the type is the mnemonic's last word.
"$forms" mnemonics | LC_ALL=C awk '
    / \*$/ { if (!seen[$1]++) families = families (families ? ", " : "") "`" $1 "`"; next }
    {
        n = split($1, w, "."); last = n
        while (last > 1 && w[last] !~ /^(b|u|s|f|bf)[0-9]+(x2)?$/) last--
        key = w[1] "\t"
        for (i = 2; i <= n; i++) if (i != last) key = key "." w[i]
        type = last > 1 ? w[last] : ""
        if (!(key in types)) order[++count] = key
        if (index(" " types[key] " ", " " type " ") == 0) types[key] = types[key] (types[key] ? " " : "") type
    }
    END {
        for (i = 1; i <= count; i++) {
            split(order[i], k, "\t"); group = k[1] "\t" types[order[i]]
            if (!(group in forms)) row[++rows] = group
            forms[group] = forms[group] (forms[group] ? " " : "") (k[2] ? k[2] : "-")
        }
        print "| instruction | modifiers (-: none) | types |\n|---|---|---|"
        for (v = 1; v <= rows; v++) for (i = v; i <= rows; i++) { # the rows of a word together
            split(row[i], k, "\t"); split(row[v], first, "\t")
            if (k[1] != first[1] || i in printed) continue
            printed[i] = 1
            print "| `" k[1] "` | " forms[row[i]] " | " k[2] " |"
        }
        print "\nRead word by word, every modifier known or refused: " families "."
    }' >"$made.instructions" || exit 1

put_tables "$page" "$what" "$made" instructions

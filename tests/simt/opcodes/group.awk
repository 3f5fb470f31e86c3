# Joins the lines of `conform record` that have the same results, and those of a family that the assembler refuses:
#
#     ./conform record forms.txt | awk -f group.awk > h200-instructions.txt
#
# "form & form | hash of all results | the first results" replaces the first of these lines.
/^#/ { print; next }
{
    at = index($0, " | ")
    form = substr($0, 1, at - 1)
    results = family = substr($0, at)
    if (results == " | refused") { # all of one opcode and rounding, whatever its types
        family = form
        sub(/ .*/, "", family)
        sub(/(\.[a-z0-9]+)(\.[a-z0-9]+)$/, "", family)
    }
    if (family in forms) {
        forms[family] = forms[family] " & " form
    } else {
        order[++lines] = family
        forms[family] = form
        said[family] = results
    }
}
END {
    for (i = 1; i <= lines; i++) print forms[order[i]] said[order[i]]
}

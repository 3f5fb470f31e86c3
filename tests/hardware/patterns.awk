# Turns rows of patterns, instruction,offsets,mask passes ideal sectors,... into a table: instruction,mask,what,values
# has a value for each pattern of the instruction, in the order of patterns.cu. An access to global memory has sectors,
# all others have passes and ideal. "other" is the second mask of an instruction with two; it differs for each pattern.
BEGIN { FS = "," }
function put(what, value, at) {
    at = $1 "," slot "," what
    if (at in values) values[at] = values[at] " " value
    else { order[++rows] = at; values[at] = value }
}
{
    for (m = 3; m <= NF; m++) {
        split($m, part, " ")
        slot = NF == 4 && m == 4 ? "other" : part[1]
        if ($1 ~ /^global/) put("sectors", part[4])
        else { put("passes", part[2]); put("ideal", part[3]) }
    }
}
END { for (i = 1; i <= rows; i++) print order[i] "," values[order[i]] }

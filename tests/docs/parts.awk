# The parts of the estimated time of a chapter's steps: the figure, and a sentence for each step and the one before it if both
# were estimated at the same size. From h200-estimates.csv:
#
#     awk -F, -v chapter=01-reduction -f parts.awk tests/hardware/h200-estimates.csv
/^step,/ { for (p = 6; p <= NF; p++) { part[p] = $p; sub(/_us$/, "", part[p]) } }
/^#/ || index($1, chapter "/") != 1 { next }
{
    if (!($1 in row)) row[$1] = ++rows
    r = row[$1]; name[r] = substr($1, length(chapter) + 2); n[r] = $2; measured[r] = 1000 * $3; us[r] = 1000 * $4
    for (p = 6; p <= 11; p++) spent[r, p] = $p
}

# 3 significant digits, in us or ms
function time(us) {
    return us < 9.95 ? sprintf("%.1f us", us) : us < 999.5 ? sprintf("%.0f us", us) : sprintf(us < 9950 ? "%.1f ms" : "%.0f ms", us / 1000)
}

function words(p) {
    return part[p] == "memory" ? "bandwidth of memory and the L2 cache" : part[p] == "shared" ? "L1, shared and constant memory" : part[p]
}

# The parts that changed in the given direction by at least a quarter of the largest change; the largest change first.
function changes(r, sign, most,    list, p, q, best, taken) {
    list = ""
    split("", taken)
    for (q = 6; q <= 11; q++) {
        best = 0
        for (p = 6; p <= 11; p++)
            if (!(p in taken) && sign * change[p] > most / 4 && (!best || sign * change[p] > sign * change[best])) best = p
        if (!best) break
        taken[best] = 1
        list = list (list == "" ? "" : ", ") time(sign * change[best]) (sign > 0 ? " more" : " less") " for " words(best)
    }
    return list
}

function sentence(r,    p, most, ratio, was, less, more) {
    most = 0
    for (p = 6; p <= 11; p++) {
        change[p] = spent[r, p] - spent[r - 1, p]
        most = change[p] > most ? change[p] : -change[p] > most ? -change[p] : most
    }
    ratio = us[r] / us[r - 1]; was = measured[r] / measured[r - 1]
    less = changes(r, -1, most); more = changes(r, 1, most)
    printf "- `%s` takes %s `%s` (measured: %s)", name[r], as_long(ratio), name[r - 1], digits(was)
    if ((ratio > 0.97 && ratio < 1.03) && most < 0.05 * us[r]) printf "."
    else printf ": %s.", ratio < 1 ? less (less != "" && more != "" ? ", " : "") more : more (less != "" && more != "" ? ", " : "") less
    print (ratio - 1) * (was - 1) < 0 && (was < 0.97 || was > 1.03) ? " The measurement says otherwise." : ""
}

function digits(ratio) {
    return sprintf(ratio < 0.0995 || ratio >= 9.95 ? "%.2g" : "%.2f", ratio)
}

function as_long(ratio) {
    return "~" digits(ratio) (ratio < 1 ? " of the time of" : " times as long as")
}

END {
    if (!rows) exit
    print "\n![What the estimated time of each step goes to](figures/estimate/" chapter ".svg)\n"
    for (r = 2; r <= rows; r++)
        if (n[r] == n[r - 1]) {
            if (!pairs++) print "Why a step is faster or slower than the one before, as the estimate has it:\n"
            sentence(r)
        }
}

# For bounds.sh: lines PROGRAM COUNTER VALUE become a table.
$2 == "n" || $2 == "seed" || $2 == "runs" || $2 == "exit" { next }
!($2 in known) { known[$2] = ++count; counter[count] = $2 }
{ value[$1, $2] = $3 }
$1 != "before" && (!(($2) in least) || $3 < least[$2]) { least[$2] = $3 }
$1 != "before" && $3 > most[$2] { most[$2] = $3 }
{ seen[$1] = 1 }

function ratio(a, b) { return (a + 1) / (b + 1) }

# times(V): as a multiple of n, or a number.
function times(v) {
    if (v * 64 < n) return sprintf("%d", v)
    return v >= n ? sprintf("%.3g*n", v / n) : sprintf("n/%.3g", n / v)
}

END {
    printf "%-30s %14s %14s %14s %14s   %s\n", "at n = " n, "step before", "solution", "right, least", "most", "a bound between"
    for (i = 1; i <= count; i++) {
        c = counter[i]
        b = value["before", c]
        bound = ""
        if ("before" in seen) {
            if (b > most[c] && ratio(b, most[c]) >= 1.5) bound = c " <= " times(sqrt((b + 1) * (most[c] + 1)))
            if (b < least[c] && ratio(least[c], b) >= 1.5) bound = c " >= " times(sqrt((b + 1) * (least[c] + 1)))
        }
        if (bound != "" || !("before" in seen) && value["solution", c] > 0)
            printf "%-30s %14s %14s %14s %14s   %s\n", c, ("before" in seen) ? b : "-", value["solution", c], least[c], most[c], bound
        shown += bound != ""
    }
    if ("before" in seen && !shown) print "No counter tells the solution from the step before: does the lesson need another counter, or another n?"
    if (!("before" in seen)) print "No step comes before it: bound a counter that is higher in a naive program."
}

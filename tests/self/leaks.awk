# leaks.awk: finds the code of solutions' TODOs in other files:
#
#     awk -f leaks.awk SOLUTION... FILE...       SOLUTION: a path with solutions/ in it
#
# Prints FILE:LINE, and the step whose code is there. It finds any three consecutive lines, or all if a TODO has
# fewer. Blanks, comment and quote signs at a line's beginning, comments after it, and lines of little content (a
# brace, a barrier, a #pragma) do not count. A later step's starter may hold an earlier one's code, since it
# continues from there.
function plain(line) {
    sub(/^[ \t]*(\/\/|[*>#|+-]+ )/, "", line)
    sub(/\/\/.*/, "", line)
    gsub(/[ \t\r`]/, "", line)
    return line
}
function trivial(line) { return length(line) < 8 || line ~ /^(__syncthreads\(\);|}|#pragma)/ }
# The last `count` lines seen, as one key.
function tail(count,    key, i) {
    for (i = count - 1; i >= 0; i--)
        key = key "\n" recent[(seen - i) % 3]
    return key
}
function learn(count) {
    key = tail(count)
    owner[key] = owner[key] " " step
}
# Whether the current file is a later step of the same chapter.
function goes_on(step) {
    return here ~ /\.cu$/ && substr(here, 1, index(here, "/")) == substr(step, 1, index(step, "/")) && here > step
}
FNR == 1 {
    solution = FILENAME ~ /solutions\//
    seen = 0
    step = FILENAME
    sub(/.*solutions\//, "", step)
    parts = split(FILENAME, part, "/")
    here = part[parts - 1] "/" part[parts]
}
solution && /^ *\/\/ TODO:/ { inside = words = 1; seen = 0; next }
solution && /^ *\/\/ END TODO/ {
    if (seen == 1 || seen == 2)
        learn(seen)
    lines += seen
    inside = 0
}
solution && (!inside || (words && /^ *\/\//)) { next }
{
    words = 0
    line = plain($0)
    if (trivial(line))
        next
    recent[++seen % 3] = line
    if (solution && seen >= 3)
        learn(3)
    for (count = 1; !solution && count <= 3 && count <= seen; count++) {
        names = split(owner[tail(count)], name, " ")
        for (i = 1; i <= names; i++)
            if (!goes_on(name[i])) {
                print FILENAME ":" FNR ": " name[i]
                break
            }
    }
}
END { if (lines < 100) { print "only " lines + 0 " lines of solutions were read"; exit 2 } }

# What the scripts of tests/new share; they run at the top of the tree.
refuse() {
    echo "$1" >&2
    exit 1
}

# quietly COMMAND...: runs it, and prints the end of its output only if it fails: a build tool reports errors on standard output.
quietly() {
    output=$("$@" 2>&1) || {
        printf '%s\n' "$output" | tail -40 >&2
        return 1
    }
}

# insert FILE TEXT PATTERN: adds TEXT as lines of FILE after the last line that matches PATTERN, an extended
# regular expression.
insert() {
    grep -qE "$3" "$1" || refuse "$1 has no line like '$3', behind which this belongs: $2"
    text=$2 awk -v pattern="$3" '
        FNR == NR { if ($0 ~ pattern) last = FNR; next }
        { print }
        FNR == last { print ENVIRON["text"] }' "$1" "$1" >"$1.new" && mv "$1.new" "$1"
    echo "    $1"
}

# change FILE EDIT: FILE edited by sed -E.
change() {
    sed -E "$2" "$1" >"$1.new" && mv "$1.new" "$1"
    echo "    $1"
}

# write FILE: standard input as a new file.
write() {
    mkdir -p "$(dirname "$1")" && cat >"$1"
    echo "    $1"
}

# needs_workbook BUILD: the runner of this build, which is configured if it is not.
needs_workbook() {
    [ -f "$1/CMakeCache.txt" ] || cmake --preset test -B "$1" >/dev/null
    quietly cmake --build "$1" --target workbook || refuse "$1 does not build: see above"
}

# step_line FILE STEP: the line of the course table in FILE for the step CHAPTER/STEP, cut at tabs.
step_line() { awk -F '\t' -v chapter="${2%/*}" -v step="${2#*/}" '$1 == chapter && $2 == step' "$1"; }

#!/bin/sh
# Pages for maintainers name files, tests and targets of this tree, all of which must exist:
#
#     sh recipes.sh TREE BUILD PAGE...
#
# A path is a piece of code that begins with a folder or file of TREE's top level and has no placeholder (NN-topic,
# SS-step, NAME, topic, …); if it has a *, some file must match. A pattern is the argument of `-R` in a ctest command; in
# a table whose head has `ctest`, the code of the last column. Each of its alternatives must match a test of BUILD. A
# command that calls a program of build-test/ must follow one that builds it. The output names each missing item, with the
# page and the line.
set -eu
tree=$1 build=$2
shift 2
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p' >"$work/tests"
[ -s "$work/tests" ] || { echo "$build: ctest -N lists no test; configure it first"; exit 1; }
ls -A "$tree" | grep -v '^build' | sed 's/[.]/[.]/g' | paste -sd '|' >"$work/top"

# code PAGE: its lines of code and pieces of code, each as LINE<tab>TEXT.
code() {
    awk '/^ *```/ { inside = !inside; next }
        inside && sub(/\\$/, "") { whole = whole $0; next } # a command continues on the next line
        inside { print FNR "\t" whole $0; whole = ""; next }
        { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print FNR "\t" part[i] }' "$1"
}

# patterns PAGE: every pattern, each as LINE<tab>PATTERN.
patterns() {
    code "$1" | sed -n "s/^\([0-9]*\t\).*ctest .*-R '\([^']*\)'.*/\1\2/p; s/^\([0-9]*\t\).*ctest .*-R \([^' ]*\).*/\1\2/p" |
        grep -v '	…' || true
    awk '/^\|.*ctest.*\|$/ { inside = 1; next } !/^\|/ { inside = 0 }
        inside && split($0, part, "`'\''") > 1 { p = part[2]; sub(/'\''`.*/, "", p); gsub(/\\\|/, "|", p); print FNR "\t" p }' "$1"
}

# unmatched: of patterns, each as LINE<tab>PATTERN, those alternatives that match no test. "a(b|c)|d" is ab, ac and d.
unmatched() {
    awk -F '\t' -v tests="$work/tests" '
        function expand(s,  at, length_, inner, n, i) {
            if (match(s, /\([^()]*\)/)) {
                at = RSTART; length_ = RLENGTH
                n = split(substr(s, at + 1, length_ - 2), inner, "|")
                for (i = 1; i <= n; i++) expand(substr(s, 1, at - 1) inner[i] substr(s, at + length_))
            } else {
                n = split(s, inner, "|")
                for (i = 1; i <= n; i++) try(inner[i])
            }
        }
        function try(part,  i) {
            if (($1, part) in tried) return
            tried[$1, part] = 1
            for (i = 1; i <= count; i++) if (name[i] ~ part) return
            print $1 "\t" part
        }
        BEGIN { while ((getline line <tests) > 0) name[++count] = line }
        { expand($2) }'
}

# unbuilt PAGE: programs of build-test/ that a command calls before the page has built them, each as LINE<tab>TARGET.
unbuilt() {
    code "$1" | awk -F '\t' '
        { text = $2; gsub(/build-test\/self\/unit\//, "build-test/unit.", text) }
        /cmake --build build-test.* --target / {
            n = split($2, word, /[ ;]+/)
            for (i = 1; i < n && word[i] != "--target"; i++) { }
            for (i++; i <= n && word[i] !~ /^[-#&|]/; i++) built[word[i]] = 1
        }
        {
            while (match(text, /build-test\/([a-z]+\/)*(workbook|unit[.a-z]+)/)) {
                name = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                sub(/.*\//, "", name)
                if (!(name in built)) print $1 "\t" name
            }
        }'
}

paths=0 found=0
for page; do
    unbuilt "$page" >"$work/unbuilt"
    while IFS='	' read -r line target; do
        echo "$page:$line: $target is called, and no command above has built it: cmake --build build-test --target $target"
        bad=1
    done <"$work/unbuilt"
    code "$page" | awk -F '\t' -v top="^($(cat "$work/top"))(/|\$)" '{
        n = split($2, word, " ")
        for (i = 1; i <= n; i++) {
            if (word[i] !~ top || word[i] ~ /NN-|SS-|NAME|topic|…|[<>$]|^out/) continue
            sub(/[,;:.)]*$/, "", word[i])
            print $1 "\t" word[i]
        }
    }' >"$work/paths"
    patterns "$page" >"$work/patterns"
    paths=$((paths + $(wc -l <"$work/paths"))) found=$((found + $(wc -l <"$work/patterns")))
    while IFS='	' read -r line path; do
        # shellcheck disable=SC2086 # a * in it is meant
        set -- "$tree"/$path
        [ -e "$1" ] || { echo "$page:$line: there is no $path in the tree"; bad=1; }
    done <"$work/paths"
    unmatched <"$work/patterns" >"$work/unmatched"
    while IFS='	' read -r line part; do
        echo "$page:$line: ctest -R '$part' matches no test"
        bad=1
    done <"$work/unmatched"
done
echo "$paths paths, $found patterns looked at"
exit $bad

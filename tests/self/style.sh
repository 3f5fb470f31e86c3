#!/bin/sh
# The rules of style that a machine can check; people judge the rest.
. "$SOURCE/tests/self/lib.sh"
cd "$SOURCE" || exit 1
scratch=$BUILD/self/style
rm -rf "$scratch" && mkdir -p "$scratch"
style() {
    awk -v "lines=$1" -v columns=120 -v "longest=$2" -f "$SOURCE/tests/self/style.awk" $3
}
exercises=$(find [0-9]* solutions -name '*.cu' 2>/dev/null)
headers=$(find common -name '*.h' | grep -v '^common/simt/\|^common/workbook')
sources=$(find common/simt common/workbook -name '*.c' -o -name '*.h')
for chapter in $(dirname $exercises | sort -u); do
    all=$(ls "$chapter"/*.cu)
    last=$(echo "$all" | tail -1) most=120 others=100
    case $chapter in *10-hopper) most=130 others=130 ;; esac # its last steps have two mbarriers for each stage of a ring
    style $others 40 "$(echo "$all" | sed '$d')" || bad "exercises: at most $others lines, functions of 40"
    style $most 40 "$last" || bad "the last step of a chapter: at most $most lines, functions of 40"
done
# comments FILE...: comments wider than 100 columns, and single words that a wrap left alone on a line.
comments() {
    awk '
        FNR == 1 { before = "" }
        { text = $0; is = sub("^ *// *", "", text) }
        is && length > 100 { print FILENAME ":" FNR ": comment wider than 100 columns"; bad = 1 }
        is && before && length(text) < 12 && text ~ /[.,;:]$/ { print FILENAME ":" FNR ": one word of a comment on a line of its own"; bad = 1 }
        { before = is && length > 80 }
        END { exit bad }' "$@"
}
comments $exercises || bad "comments in exercises: at most 100 columns, no word left alone"
style 400 40 "$headers" || bad "headers of exercises: at most 400 lines, functions of 40"
style 800 40 "$sources" || bad "machine and runner: at most 800 lines a file, functions of 40"
# missing FILE...: files that their comments name in parentheses, "(race.h)", but that do not exist.
missing() {
    sed -n 's,^.*// *,,p' "$@" | grep -oE '[( ]([a-z0-9_]+/)*[a-z0-9_]+\.[ch]\)' | sed 's/[( )]//g' | sort -u >"$scratch/named"
    find ./common ./tests -name '*.[ch]' >"$scratch/there"
    while read -r name; do grep -q "/$name\$" "$scratch/there" || echo "$name"; done <"$scratch/named"
}
gone=$(missing $sources $headers common/remote/*.c)
[ -z "$gone" ] || bad "comments name files that do not exist: $gone"
# formatted FILE...: one call of clang-format for all of them, since a call takes 0.2 s. Ignores the columns of comments.
formatted() {
    rm -rf "$scratch/is" "$scratch/formatted" && mkdir -p "$scratch/is" "$scratch/formatted"
    cp --parents "$@" .clang-format "$scratch/is" && cp --parents "$@" .clang-format "$scratch/formatted"
    (cd "$scratch/formatted" && clang-format -i "$@" && sed -i 's, *//, //,' "$@")
    (cd "$scratch/is" && sed -i 's, *//, //,' "$@")
    (cd "$scratch" && diff -r is formatted)
}
if command -v clang-format >/dev/null; then
    # Not templates, nor what declares the names of CUB and of the toolkit as they do.
    # shellcheck disable=SC2046,SC2086 # names without blanks
    formatted $exercises $(find common tests -name '*.[ch]' -o -name '*.cu' |
        grep -v '^tests/new/\|/cub_declared/\|/lean/') ||
        bad "clang-format would change these"
    # Guilty and innocent: two blanks before a semicolon, and before a comment.
    mkdir -p "$scratch/style" && cp .clang-format "$scratch/style"
    printf 'int x;      // a\nint y;\n' >"$scratch/style/good.c"
    sed 's/;/  ;/' "$scratch/style/good.c" >"$scratch/style/bad.c"
    (scratch=$scratch/two && cd "${scratch%/*}/style" && formatted good.c) || bad "a formatted file is refused"
    (scratch=$scratch/two && cd "${scratch%/*}/style" && formatted good.c bad.c >/dev/null) && bad "an unformatted file passes"
fi

# Guilty: each rule is checked, and a clean file passes.
printf '// What it is for.\nint f(void)\n{\n    return 0;\n}\n' >"$scratch/clean.c"
style 100 40 "$scratch/clean.c" || bad "a clean file is refused"
offend() {
    style 5 2 "$scratch/bad.c" | grep -q "$1" || bad "not seen: $1"
}
printf 'int x;\n' >"$scratch/bad.c" && offend 'opens with a comment'
printf '// X (bad.h).\n' >"$scratch/bad.c" && offend 'the name of its header'
[ "$(printf '// Y (one.h). X (exec/no.h), (exec/launch.h)\n' | missing - | tr '\n' ' ')" = 'exec/no.h one.h ' ] ||
    bad "not seen: a file that does not exist"
printf '// X\n\tint x;\n' >"$scratch/bad.c" && offend 'tab'
printf '// X\nint x; \n' >"$scratch/bad.c" && offend 'space at the end'
printf '// X\nsetlocale(LC_ALL, "");\n' >"$scratch/bad.c" && offend 'LC_CTYPE'
printf '// %0130d\n' 0 >"$scratch/bad.c" && offend 'wider'
printf '// X\ns("one of "\n  "two");\n' >"$scratch/bad.c" && offend 'mid-phrase'
printf '// X\ns("one, "\n  "two `three "\n  "four`" " (five)");\n' >"$scratch/clean.c"
style 100 40 "$scratch/clean.c" || bad "a message that breaks behind a comma or inside a command is refused"
printf '//\n//\n//\n//\n//\n//\n' >"$scratch/bad.c" && offend 'longer than 5'
printf '// %0100d\n' 0 >"$scratch/bad.c" && comments "$scratch/bad.c" >/dev/null && bad "not seen: a wide comment"
printf '// %080d\n// rows.\n' 0 >"$scratch/bad.c" && comments "$scratch/bad.c" >/dev/null && bad "not seen: an orphan"
printf '// %080d\n// all rows of it.\n' 0 >"$scratch/good.c"
comments "$scratch/good.c" || bad "a short last line of several words is no orphan"
printf '// X\nint f(void)\n{\n1;\n2;\n3;\n}\n' >"$scratch/bad.c" && offend 'body of 3 lines'
finish

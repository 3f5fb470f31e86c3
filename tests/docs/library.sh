#!/bin/sh
# The steps with a library, in docs/libraries.md: the submissions `library` of tests/submissions/NN-topic/SS-step.right. Its
# comment is the text, its lines the code. Usage: library.sh ROOT PAGE [write].
root=$1 page=$2 what=$3
again="sh $0 $root $page write"
. "$(dirname "$0")/page.sh"

# step PLACE PAGE NAME FILE SOLUTION: the paragraph and the code of one. Two or more consecutive lines that the solution has
# become an ellipsis: the page is handed out, and should show what the library does.
step() {
    awk -v place="$1" -v page="$2" -v name="$3" '
        function bare(line) { gsub(/[ \t]|\/\/.*/, "", line); return line }
        function end_run() {
            if (run == 1) code = code held
            if (run > 1) { match(held, /^ */); code = code substr(held, 1, RLENGTH) "// ...\n" }
            run = 0
            held = ""
        }
        function add_line(line) {
            if (!(bare(line) in own)) end_run()
            else { run++; held = held line "\n"; return }
            code = code line "\n"
        }
        FNR == NR { own[bare($0)]; next }
        !/^[+]/ { end_run() }
        /^=== / { mine = $2 == "library:"; next }
        !mine { next }
        /^# / { text = text " " substr($0, 3); next }
        /^todo / { todos++; code = code "\n// TODO " $2 "\n"; next }
        /^@@/ { code = code "\n"; removed = 0; next }
        /^-/ { if (!removed++) { sub(/^- */, ""); code = code "// instead of " $0 "\n" } next }
        /^[+]/ { add_line(substr($0, 2)) }
        END {
            end_run()
            if (code == "") exit
            if (todos == 1) sub(/\/\/ TODO [12]/, "// the TODO", code)
            gsub(/\n\n+/, "\n\n", code)
            sub(/^\n/, "", code)
            sub(/\n+$/, "", code)
            print "**[" place "](" page ") " name ".**" text "\n\n```cuda\n" code "\n```\n"
        }' "$5" "$4"
}
# Folds paragraphs at 125 columns; code stays.
fold_text() { awk '/^```/ { code = !code } code || length($0) <= 125 { print; next }
    { line = ""; for (i = 1; i <= NF; i++) { if (length(line " " $i) > 125) { print line; line = $i } else line = line (line == "" ? "" : " ") $i }
      print line }'; }
{
    echo
    for file in "$root"/tests/submissions/[0-9][0-9]-*/*.right; do
        name=${file##*/} chapter=${file%/*}
        chapter=${chapter##*/} number=${name%%-*}
        name=${name%.right}
        step "$((1${chapter%%-*} - 100))/$((1$number - 100))" "$chapter.md" "${name#*-}" "$file" "$root/solutions/$chapter/$name.cu"
    done | fold_text
} >"$made.library" || exit 1
put_tables "$page" "$what" "$made" library

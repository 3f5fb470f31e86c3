#!/bin/sh
# The table of docs/teaching.md: for each step the first three mistakes of tests/submissions/NN-topic/SS-step.mistakes, which
# lists the most common first, what refuses each, and the question of its hint. Usage: teaching.sh ROOT PAGE [write].
root=$1 page=$2 what=$3
again="sh $0 $root $page write"
. "$(dirname "$0")/page.sh"

# rows STEP PLACE NAME: those of one step. The hint of a mistake is the one that begins with the words of its header; the
# question is its last one, or its first sentence if it asks none.
rows() {
    awk -v step="${1##*/}" -v place="$2" '
        # The last question of a hint, a short one with the sentence before it; its first sentence if it asks none.
        function question(text, n, sentence, best, before, i) {
            gsub(/[?] /, "?\n", text)
            gsub(/[.] /, ".\n", text)
            n = split(text, sentence, "\n")
            for (i = n; i > 1 && sentence[i] !~ /[?]$/; i--) ;
            best = sentence[i]
            if (i > 1 && (split(best, before, " ") < 10 || best ~ /^(And|Or) /)) best = sentence[i - 1] " " best
            gsub(/[|]/, "\\|", best)
            return best
        }
        # Consecutive mistakes share a row if the same part refuses them and the same question helps.
        function end_row() {
            if (names != "") print "| " place " | " names " | " part " | " last " |"
            if (names != "") place = ""
            names = ""
        }
        function end_hint() {
            if (text != "") hint[++hints] = text
            text = ""
        }
        FNR == 1 { end_hint(); file++ }
        file < 3 && /^## / { end_hint(); mine = file == 2 || $2 == step; next }
        file < 3 && mine && /^[?] / { next }
        file < 3 && mine {
            if ($0 == "") end_hint()
            else text = text (text == "" ? "" : " ") $0
            next
        }
        file == 3 && /^=== / && ++count <= 3 {
            name = $2; sub(/:$/, "", name);
            words = $0; sub(/^=== [^:]*: [a-z]+ [0-9]+ /, "", words)
            ask = ""
            for (i = 1; i <= hints && ask == ""; i++)
                if (index(hint[i], words) == 1) ask = question(hint[i])
            if (ask == "") { print place ": no hint begins with: " words >"/dev/stderr"; bad = 1 }
            if (ask != last || $3 != part) end_row()
            names = names (names == "" ? "" : ", ") "`" name "`"
            last = ask; part = $3
        }
        END { end_row(); exit bad }' "$(dirname "$1")/hints.txt" "$root/common/hints.txt" "$root/tests/submissions/$3.mistakes"
}
{
    echo '| step | mistake | refused by | ask |'
    echo '|---|---|---|---|'
    for file in "$root"/[0-9][0-9]-*/[0-9][0-9]-*.cu; do
        step=${file%.cu} name=${file#"$root/"}
        chapter=${name%%/*} number=${name##*/}
        number=${number%%-*}
        rows "$step" "$((1${chapter%%-*} - 100))/$((1$number - 100))" "${name%.cu}" || exit 1
    done
} >"$made.mistakes" || exit 1
[ "$(grep -o '`[a-z0-9-]*`' "$made.mistakes" | grep -c '')" -gt 200 ] || exit 1
# The mistakes that a seminar shows are there.
grep -o '`[0-9]*/[0-9]*` `[a-z0-9-]*`' "$page" | tr -d '`' | while read -r place name; do
    file=$(printf '%s/tests/submissions/%02d-*/%02d-*.mistakes' "$root" "${place%/*}" "${place#*/}")
    grep -q "^=== $name:" $file || { echo "$page: $place has no mistake $name" >&2 && exit 1; }
done || exit 1
put_tables "$page" "$what" "$made" mistakes

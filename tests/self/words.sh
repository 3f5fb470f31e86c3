#!/bin/sh
# Words that a native reader stumbles over, words.tsv, are in no text of the workbook: each line holds an extended regular
# expression of whole words, a tab, and a replacement.
. "$SOURCE/tests/self/lib.sh"
cd "$SOURCE" || exit 1
scratch=$BUILD/self/words
rm -rf "$scratch" && mkdir -p "$scratch"
tab=$(printf '\t')

# look FILE...: one line for each place that has one of the words.
look() {
    cut -f 1 tests/self/words.tsv >"$scratch/words" # one search for all of them finds the few files that have any
    grep -lIwiEf "$scratch/words" -- "$@" >"$scratch/few" || return 0
    while IFS=$tab read -r word instead; do
        # shellcheck disable=SC2046 # names without blanks
        grep -nIwiE -- "$word" $(cat "$scratch/few") /dev/null >"$scratch/places" || continue
        awk -F: -v word="$word" -v instead="$instead" '{ print $1 ":" $2 ": " word " reads badly; write: " instead }' \
            "$scratch/places"
    done <tests/self/words.tsv
}

# The tree's texts, without data and the list itself.
find [0-9]* common docs solutions tests README.md CONTRIBUTING.md CHANGELOG.md CMakeLists.txt -type f \
    ! -name '*.csv' ! -name words.tsv ! -name words.sh ! -path 'docs/figures/*.svg' 2>/dev/null >"$scratch/files"
look $(cat "$scratch/files") >"$scratch/found"
cat "$scratch/found"
[ -s "$scratch/found" ] && bad "$(wc -l <"$scratch/found") places have words of tests/self/words.tsv"

# Guilty: a word is found, whatever its case and form; innocent: it is part of another.
printf 'The bug is Mended.\nIt was told.\nn is no multiple of 32.\nA block meets 2 barriers.\n' >"$scratch/guilty"
[ "$(look "$scratch/guilty" | wc -l)" = 4 ] || bad "a banned word is not found"
printf 'He retold a recommended story of a renewed skill.\nAll threads meet at a barrier; it stands apart.\n' >"$scratch/innocent"
look "$scratch/innocent" | grep . && bad "a part of a word is taken for it"
finish

#!/bin/sh
# Every step has hints for its most common mistakes. tests/submissions/NN-topic/SS-step.mistakes holds these mistakes, in the
# format of common/workbook/judge/examples.c, and after the part that refuses each the beginning of its hint. Every aimed hint
# must belong to some mistake, and a step has at least three mistakes. The tests self.wrong.*, if SS-step.wrong has the mistake,
# and self.mistake.* show that each gets its hint.
#
#     SOURCE=. BUILD=build sh tests/self/hints.sh [01-reduction 05-sequential]
#
# With a step, its mistakes are graded as a class, and `workbook hint` shows the hint for the log.
. "$SOURCE/tests/self/lib.sh"

# headers FILE: of its mistakes: name, part, exit, words.
headers() { sed -n 's/^=== \([a-z0-9-]*\): \([a-z]* [0-9]*\) \(.*\)$/\1 \2 \3/p' "$1"; }

# aimed HINTS STEP: the first line of every aimed hint.
aimed() {
    awk -v step="$2" '/^## / { inside = $2 == step; next } first { print } { first = inside && /^\? / }' "$1"
}

# listed HINTS STEP MISTAKES
listed() {
    [ -f "$3" ] || { bad "$2 has no file of mistakes"; return; }
    headers "$3" >"$scratch/headers"
    count=$(wc -l <"$scratch/headers")
    [ "$(grep -c '^===' "$3")" = "$count" ] || bad "$3: a header is not of the form '=== name: part exit words'"
    [ "$count" -ge 3 ] || bad "$2 has $count mistakes, three are wanted"
    aimed "$1" "$2" | cut -c 1-40 >"$scratch/aimed"
    cut -d' ' -f4- "$scratch/headers" | cut -c 1-40 >"$scratch/words"
    awk -v step="$2" 'NR == FNR { words[++n] = $0; next }
        { for (i = 1; i <= n && index($0, words[i]) != 1; i++) { } if (i > n) print step ": no mistake gets the hint \047" $0 "...\047" }' \
        "$scratch/words" "$scratch/aimed" >"$scratch/missing"
    [ ! -s "$scratch/missing" ] || bad "$(cat "$scratch/missing")"
}

# graded CHAPTER STEP
graded() {
    class=$scratch/class
    "$BUILD/workbook" judge --write "$scratch" "$1/$2.mistakes" || bad "$1/$2.mistakes"
    headers "$mistakes/$1/$2.mistakes" >"$scratch/headers"
    for name in $(cut -d' ' -f1 "$scratch/headers"); do
        mkdir -p "$class/$2.$name/$1"
        mv "$scratch/$1.$2.$name.cu" "$class/$2.$name/$1/$2.cu"
    done
    "$BUILD/workbook" grade "$class" --seed 1 --out "$scratch/grades" >"$scratch/table" 2>&1
    while read -r name part exit words; do
        log=$scratch/grades/logs/$2.$name/$1/$2.log
        points=$(sed -n "s|^\"$2.$name\",$1,$2,\([0-9]\),.*|\1|p" "$scratch/grades/grades.csv")
        case $part$points in
        result0 | safety1 | lesson2) ;;
        *) bad "$2.$name: $points of 3 points, but it should fail its $part"; tail -5 "$log" ;;
        esac
        hint=$("$BUILD/workbook" hint "$1/$2" --said "$log")
        case $hint in
        "$words"*) passed=$((passed + 1)) ;;
        *) bad "$2.$name (exit $exit): the hint does not begin with '$words' but with '$(echo "$hint" | head -1)'"
            tail -12 "$log" ;;
        esac
    done <"$scratch/headers"
}

mistakes=$SOURCE/tests/submissions
scratch=$BUILD/self/hints${1:+.graded}
rm -rf "$scratch" && mkdir -p "$scratch"
if [ $# = 2 ]; then
    graded "$1" "$2"
    finish
fi
for source in "$SOURCE"/[0-9]*/*.cu; do
    step=$(basename "$source" .cu) chapter=$(basename "$(dirname "$source")")
    listed "$SOURCE/$chapter/hints.txt" "$step" "$mistakes/$chapter/$step.mistakes"
done

# Guilty: two mistakes, and a hint that belongs to neither.
printf '## 01-a\n\n? Race\nA thread reads\n\n? lost\nA word is lost\n' >"$scratch/hints.txt"
printf '=== one: safety 3 A thread\n\n=== two: result 2 Its grid\n' >"$scratch/01-a.mistakes"
listed "$scratch/hints.txt" 01-a "$scratch/01-a.mistakes" >"$scratch/said"
if grep -q 'no mistake gets the hint .A word is lost' "$scratch/said" && grep -q 'has 2 mistakes' "$scratch/said" &&
    ! grep -q 'A thread reads' "$scratch/said"; then
    failures=$((failures - 2))
else
    bad "two mistakes, and a hint that no mistake gets, pass: $(cat "$scratch/said")"
fi
finish

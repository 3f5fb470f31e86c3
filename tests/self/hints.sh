#!/bin/sh
# Every step has hints for its commonest mistakes: tests/submissions/NN-topic/SS-step.mistakes holds these mistakes, written as
# common/workbook/judge/examples.c has it, and after the test that refuses each the words with which its hint begins. They are graded as a
# class, and the hint for what was printed must be that one. Every aimed hint must be some mistake's.
#
#     SOURCE=. BUILD=build sh tests/self/hints.sh 01-reduction [05-sequential]
. "$SOURCE/tests/self/lib.sh"
chapter=$1
submissions=$SOURCE/tests/submissions
scratch=$BUILD/self/hints/$chapter${2:+.$2}
rm -rf "$scratch" && mkdir -p "$scratch/class"
class=$scratch/class

# The headers of a step's mistakes: name, part, exit, words.
headers() {
    sed -n 's/^=== \([a-z0-9-]*\): \([a-z]* [0-9]*\) \(.*\)$/\1 \2 \3/p' "$submissions/$chapter/$1.mistakes"
}

steps=${2:-$(cd "$SOURCE/$chapter" && ls ./*.cu | sed 's|^\./||; s|\.cu$||')}
for step in $steps; do
    [ -f "$submissions/$chapter/$step.mistakes" ] || { bad "$chapter/$step has no file of mistakes"; continue; }
    "$BUILD/workbook" judge --write "$scratch" "$chapter/$step.mistakes" || bad "$chapter/$step.mistakes"
    for name in $(headers "$step" | cut -d' ' -f1); do
        mkdir -p "$class/$step.$name/$chapter"
        mv "$scratch/$chapter.$step.$name.cu" "$class/$step.$name/$chapter/$step.cu"
    done
done
"$BUILD/workbook" grade "$class" --seed 1 --out "$scratch/grades" >"$scratch/table" 2>&1

for step in $steps; do
    count=0
    [ "$(grep -c '^===' "$submissions/$chapter/$step.mistakes")" = "$(headers "$step" | wc -l)" ] ||
        bad "$chapter/$step.mistakes: a header is not of the form '=== name: part exit words'"
    : >"$scratch/shown"
    while read -r name part exit words; do
        count=$((count + 1))
        log=$scratch/grades/logs/$step.$name/$chapter/$step.log
        points=$(sed -n "s|^\"$step.$name\",$chapter,$step,\([0-9]\),.*|\1|p" "$scratch/grades/grades.csv")
        case $part$points in
        result0 | safety1 | lesson2) ;;
        *) bad "$step.$name: $points of 3 points, but it should fail its $part"; tail -5 "$log" ;;
        esac
        hint=$("$BUILD/workbook" hint "$chapter/$step" --said "$log")
        echo "$hint" | head -1 >>"$scratch/shown"
        case $hint in
        "$words"*) ;;
        *) bad "$step.$name (exit $exit): the hint does not begin with '$words' but with '$(echo "$hint" | head -1)'"
            tail -12 "$log" ;;
        esac
    done <<END
$(headers "$step")
END
    [ $count -ge 3 ] || bad "$chapter/$step has $count mistakes, three are wanted"
    # The first line of every aimed hint.
    awk -v step="$step" '/^## / { inside = $2 == step; next } aimed { print substr($0, 1, 40) } { aimed = inside && /^\? / && !aimed; if (inside && /^\? /) aimed = 1; else aimed = 0 }' \
        "$SOURCE/$chapter/hints.txt" >"$scratch/aimed"
    while read -r first; do
        grep -q -F "$first" "$scratch/shown" || bad "$chapter/$step: no mistake gets the hint '$first...'"
    done <"$scratch/aimed"
done
finish

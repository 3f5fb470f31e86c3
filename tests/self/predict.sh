#!/bin/sh
# The questions of `workbook predict`: three for each step of the chapter, each about the machine's count in a run of the
# solution. Two thirds of the answers are neither 0 nor 1, and each names a section of the chapter's page:
#
#     sh predict.sh NN-topic               SOURCE and BUILD are in the environment
. "$SOURCE/tests/self/lib.sh"
chapter=$1
number=${chapter%%-*} number=${number#0}
scratch=$BUILD/self/predict/$chapter
mkdir -p "$scratch"
steps=0 plain=0 answers=0
for path in "$SOURCE/solutions/$chapter"/*.cu; do
    step=$(basename "$path" .cu)
    expect 0 '	' "$BUILD/workbook" predict "$chapter/$step" --counts
    [ "$(printf '%s\n' "$output" | wc -l)" = 3 ] || bad "$step has not three questions"
    answers=$((answers + $(printf '%s\n' "$output" | wc -l)))
    plain=$((plain + $(printf '%s\n' "$output" | cut -f 2 | grep -cx '[01]')))
    steps=$((steps + 1))
done
[ $((3 * plain)) -le "$answers" ] || bad "$plain of $answers answers are 0 or 1"
# sections FILE: those that it names and the page lacks.
sections() {
    sed -n 's/^ask: .* | //p' "$1" | sort -u | while read -r section; do
        grep -q "^## $section\(:\|\$\)" "$SOURCE/docs/$chapter.md" || echo "$section"
    done
}
[ -z "$(sections "$SOURCE/$chapter/predict.txt")" ] || bad "no section: $(sections "$SOURCE/$chapter/predict.txt")"
# Guilty: a section that does not exist, and a wrong prediction. Innocent: the counts themselves.
echo 'ask: a | b | c | 12 nothing' >"$scratch/guilty"
[ "$(sections "$scratch/guilty")" = '12 nothing' ] || bad "a missing section is not seen"
output=$("$BUILD/workbook" predict "$number/1" --counts | cut -f 2)
printf '%s\n' "$output" >"$scratch/counts"
expect 0 '3 of 3' "$BUILD/workbook" predict "$number/1" <"$scratch/counts"
expect 2 '0 of 3' sh -c 'printf "7\n-\n77777\n" | "$0" predict "$1"' "$BUILD/workbook" "$number/1"
line 'Read docs/'
finish

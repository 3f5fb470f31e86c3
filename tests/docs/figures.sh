#!/bin/sh
# The figures in docs/figures are what their scripts draw: every .svg is drawn again and compared. Skipped without Python.
. "$SOURCE/tests/self/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
scratch=$BUILD/self/figures
rm -rf "$scratch" && mkdir -p "$scratch"
export PYTHONDONTWRITEBYTECODE=1
expect 0 '' sh "$SOURCE/docs/figures/draw.sh" "$scratch"
# same FOLDER: its figures are those just drawn.
same() {
    for figure in $(cd "$1" && find . -name '*.svg'; cd "$scratch" && find . -name '*.svg'); do
        cmp -s "$1/$figure" "$scratch/$figure" || { echo "$figure"; return 1; }
    done
}
old=$(same "$SOURCE/docs/figures") || bad "docs/figures/$old is not what is drawn now: sh docs/figures/draw.sh"
# Guilty: times that were recorded since; a figure that no script draws.
tree=$BUILD/self/figures.tree
rm -rf "$tree" && mkdir -p "$tree/docs" "$tree/tests/hardware"
cp -r "$SOURCE/docs/figures" "$tree/docs"
cp "$SOURCE"/tests/hardware/*.times.csv "$SOURCE/tests/hardware/h200-estimates.csv" "$tree/tests/hardware"
sed -i '3s/[0-9.]*$/1000/' "$tree/tests/hardware/01-reduction.times.csv"
expect 0 '' sh "$tree/docs/figures/draw.sh" "$scratch"
[ "$(same "$SOURCE/docs/figures")" = ./01-reduction/times.svg ] || bad "a plot of other times is not noticed"
touch "$tree/docs/figures/01-reduction/stray.svg"
expect 0 '' sh "$SOURCE/docs/figures/draw.sh" "$scratch"
[ "$(same "$tree/docs/figures")" = ./01-reduction/stray.svg ] || bad "a figure that no script draws is not noticed"
finish

#!/bin/sh
# The figures in docs/figures match their scripts: every .svg is drawn again and compared. Skipped without Python.
. "$SOURCE/tests/self/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
scratch=$BUILD/self/figures
rm -rf "$scratch" && mkdir -p "$scratch"
export PYTHONDONTWRITEBYTECODE=1
expect 0 '' sh "$SOURCE/docs/figures/draw.sh" "$scratch"
# other FOLDER: the first of its figures that differs from the new drawing, or exists in only one of the two places.
other() {
    diff -rq "$1" "$scratch" | sed -n "s,^Only in \([^ ]*\): \(.*\),\1/\2,; s,^Files \([^ ]*\) .*,\1,; /[.]svg\$/ { s,^$1/,,; s,^$scratch/,,; p; q; }"
}
old=$(other "$SOURCE/docs/figures")
[ -z "$old" ] || bad "docs/figures/$old is not what is drawn now: sh docs/figures/draw.sh"
# Guilty: a figure that no script draws, one that is not kept, times that were recorded since.
tree=$BUILD/self/figures.tree
rm -rf "$tree" && mkdir -p "$tree/docs" "$tree/tests/hardware"
cp -r "$SOURCE/docs/figures" "$tree/docs"
touch "$tree/docs/figures/01-reduction/stray.svg"
[ "$(other "$tree/docs/figures")" = 01-reduction/stray.svg ] || bad "a figure that no script draws is not noticed"
rm "$tree/docs/figures/01-reduction/stray.svg" "$tree/docs/figures/session.svg"
[ "$(other "$tree/docs/figures")" = session.svg ] || bad "a figure that is not kept is not noticed"
cp "$SOURCE"/tests/hardware/*.times.csv "$SOURCE/tests/hardware/h200-estimates.csv" "$tree/tests/hardware"
sed -i '3s/[0-9.]*$/1000/' "$tree/tests/hardware/01-reduction.times.csv"
expect 0 '' python3 "$tree/docs/figures/times.py" "$scratch"
[ "$(other "$SOURCE/docs/figures")" = 01-reduction/times.svg ] || bad "a plot of other times is not noticed"
finish

#!/bin/sh
# The ladder: a row per step, 80 columns, narrow terminals, and the Markdown form.
. "$SOURCE/tests/self/lib.sh"
steps=$(ls "$SOURCE"/solutions/01-reduction/*.cu | wc -l)
cd /tmp || exit 1
expect 0 '05-sequential *passed' "$BUILD/workbook" ladder --built --n 4096 01-reduction
[ "$(echo "$output" | grep -c '^0[0-9]-.* passed ')" = "$steps" ] || bad "not one row for each of $steps steps"
echo "$output" | awk 'length > 80 { print "wider than 80 columns: " $0; wide = 1 } END { exit wide }' || bad "too wide"
absent ' - '
absent 'stimated'
expect 0 '^05-corner-turning *passed *512 *~0\.00[0-9]* *[0-9]*% ' "$BUILD/workbook" ladder --built --estimate 00-basics
echo "$output" | grep -q '^01-whole-program *passed *- *- *- *-$' || bad "a program that times nothing has an estimate"
COLUMNS=40
export COLUMNS
expect 0 '05-sequential *passed' "$BUILD/workbook" ladder --built --n 4096 01
echo "$output" | sed 1,3d | awk 'length > 40 { print "wider than 40 columns: " $0; wide = 1 } END { exit wide }' ||
    bad "too wide"
expect 0 '^| 05-sequential |' "$BUILD/workbook" ladder --built --markdown --n 4096 01
expect 1 '.' "$BUILD/workbook" ladder --built --n -5 01 # the programs refuse it: no row may say passed
absent 'passed'
finish

#!/bin/sh
# The ladder: a row per step, 80 columns, narrow terminals, and the Markdown form.
. "$SOURCE/tests/self/lib.sh"

# narrow HOW: of the output, no line is wider than HOW columns; a command, on a line of its own, is never broken.
narrow() {
    echo "$output" | awk -v most="$1" '
        length > most && !/^    / { print "wider than " most " columns: " $0; wide = 1 }
        END { exit wide }' || bad "too wide"
}

steps=$(ls "$SOURCE"/solutions/01-reduction/*.cu | wc -l)
cd /tmp || exit 1
expect 0 '05-sequential *passed' "$BUILD/workbook" ladder --built --n 4096 01-reduction
[ "$(echo "$output" | grep -c '^0[0-9]-.* passed ')" = "$steps" ] || bad "not one row for each of $steps steps"
narrow 80
absent ' - '
absent 'stimated'
estimated='^05-corner-turning *passed *512 *~0\.00[0-9]* *[0-9]*% '
expect 0 "$estimated" "$BUILD/workbook" ladder --built --counts --estimate 00-basics
echo "$output" | grep -q '^01-whole-program *passed *- *- *- *-$' || bad "a program that times nothing has an estimate"

# With a GPU, a stub here whose sizes are not powers of two: the time at the largest n. --counts takes no times.
scratch=$BUILD/self/ladder
mkdir -p "$scratch/solutions/00-basics"
cat >"$scratch/solutions/00-basics/03-two-dimensions.gpu" <<'END'
#!/bin/sh
while [ "$1" != --json ]; do shift; done
echo '{"verdict": "right", "times": [{"n": 1000, "ms": 0.0075, "gb_per_s": 697.2, "share_of_peak": 0.208},
    {"n": 16000, "ms": 0.8312, "gb_per_s": 1614.8, "share_of_peak": 0.482}]}' >"$2"
END
chmod +x "$scratch/solutions/00-basics/03-two-dimensions.gpu"
sed "s|^gpu	.*|gpu	90|; s|^build	.*|build	$scratch|" "$BUILD/course.tsv" >"$BUILD/course.gpu"
LC_ALL=C sed 's|/course\.tsv|/course.gpu|g' "$BUILD/workbook" >"$scratch/workbook"
chmod +x "$scratch/workbook"
expect 1 '^03-two-dimensions *passed *16000 0\.8312 *1615 *48%$' "$scratch/workbook" ladder --built 00-basics
COLUMNS=40
export COLUMNS
expect 1 '^    [^ ]*workbook ladder 00-basics$' "$scratch/workbook" ladder --built --counts 00-basics
absent 'at the largest n'
output=$(echo "$output" | sed 1,3d)
narrow 40

expect 0 '05-sequential *passed' "$BUILD/workbook" ladder --built --n 4096 01
output=$(echo "$output" | sed 1,3d)
narrow 40
expect 0 '^| 05-sequential |' "$BUILD/workbook" ladder --built --markdown --n 4096 01
expect 1 '.' "$BUILD/workbook" ladder --built --n -5 01 # the programs refuse it: no row may say passed
absent 'passed'
finish

#!/bin/sh
# A student hunts: begins, asks for all help, repairs, and solves; the list and the report show how. SOURCE and BUILD are in
# the environment.
. "$SOURCE/tests/self/lib.sh"
hand_out hunter
cd "$tree" || exit 1
mine=02-scan/hunts/mine/b.cu
expect 0 '^  2/b  After an update' build/workbook hunt
line 'build/workbook hunt 0/a. begins one'
expect 1 "there is no hunt '2/z'" build/workbook hunt 2/z

# without_six LIST CHAPTER...: the chapters of which LIST does not have six hunts.
without_six() {
    list=$1
    shift
    for chapter; do
        number=${chapter%%-*} number=${number#0}
        [ "$(printf '%s\n' "$list" | grep -c "^  $number/[a-f]  ")" = 6 ] || echo "$chapter"
    done
}
expect 0 '' build/workbook hunt
short=$(without_six "$output" [0-9]*-*)
[ -z "$short" ] || bad "chapters without six hunts: $short"
[ "$(without_six "$(printf '%s\n' "$output" | grep -v '^  2/b ')" [0-9]*-*)" = 02-scan ] || bad "a missing hunt is not seen"
expect 0 "^2/b  $mine" build/workbook hunt 2/b
cmp -s 02-scan/hunts/b.cu $mine || bad "the copy is not the program"
expect 0 'It prints PASSED' build/workbook hunt 2/b

expect 2 'workbook explain race-raw' build/workbook hunt 2/b --ask
echo "$output" | grep -q 'Race (RAW)' && bad "the lines are shown before they are asked for"
expect 2 'b.cu:[0-9]* write by thread' build/workbook hunt 2/b --ask
echo "$output" | grep -q 'what makes the other warps wait' && bad "the hint is shown before it is asked for"
expect 2 'what makes the other warps wait' build/workbook hunt 2/b --ask
line 'The hint was the last help'
echo "$output" | grep -q 'gives' && bad "more help is promised after the last"

# Guilty: an additional line, and a check that is no longer called. Innocent: the repair.
sed 1d "$SOURCE/tests/hunts/02-scan/b.patch" | patch -s $mine
cp $mine kept.cu
sed -i 's|^#define BLOCK 512|#define BLOCK 512 // threads|' $mine
expect 2 '2 lines changed, at most 1 may' build/workbook hunt 2/b
sed 's|wrong ? "WRONG" : "PASSED"|"PASSED"|' kept.cu >$mine
expect 2 'the check is not as it was handed out' build/workbook hunt 2/b
cp kept.cu $mine
expect 0 '^Found; you asked for the hint' build/workbook hunt 2/b
expect 0 '2/b .* \[found, asked for the hint\]' env COLUMNS=300 build/workbook hunt
expect 0 '' build/workbook report
grep -q '<td>2/b</td><td class="passed">found; help: the hint' build/report.html || bad "the report does not show the hunt"
finish

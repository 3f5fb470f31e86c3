#!/bin/sh
# `workbook class`: a folder of students, as the runner leaves their build trees. Guilty: mistakes, alone and shared. Innocent:
# those who have passed or not begun. It writes nothing there. SOURCE and BUILD are in the environment.
. "$SOURCE/tests/self/lib.sh"
room=$BUILD/self/live
rm -rf "$room" && mkdir -p "$room"

# student NAME BUILD STATE [SAID]: one at 1/5 who has passed 1/3 and 1/4.
student() {
    mkdir -p "$room/$1/$2/failures"
    printf 'last\t01-reduction\t05-sequential\n01-reduction.03-interleaved\tpassed\t1\t0\t0\n01-reduction.04-contiguous\tpassed\t1\t0\t0\n' \
        >"$room/$1/$2/progress.tsv"
    printf '01-reduction.05-sequential\t%s\t1\t0\t0\n' "$3" >>"$room/$1/$2/progress.tsv"
    [ -z "${4:-}" ] || printf '%b' "$4" >"$room/$1/$2/failures/01-reduction.05-sequential.txt"
}
race='simt: error: Race (RAW) in __shared__ memory: 05-sequential.cu:28\nsimt: explain: workbook explain race-raw\n'
student ada warpbook/build unsafe "$race"
student bo build unsafe "$race"
student cy . 'lesson missed' 'NOT MET  bank conflicts: 26985, must be 0\n'
student di build passed
mkdir "$room/ed"
student "$(printf 'f\033[31m')" build wrong '01-reduction/05-sequential.cu: wrong answer\n'
find "$room" | sort >"$room.before"
expect 0 '^ada  *2  1/5   unsafe .*Race (RAW) in __shared__ memory' "$BUILD/workbook" class "$room"
line '^cy  *2  1/5   lesson missed .*bank conflicts: 26985'
line '^di  *3  1/5   passed'
line '^ed  *0  not begun'
line '^  2 x 1/5 race-raw: ada, bo$'
line '^  1 x 1/5 lesson missed: cy$'
absent '1/5 passed:\|x .*di'
[ "$(printf '%s' "$output" | tr -cd '\033' | wc -c)" = 0 ] || bad "escape characters reach the terminal"
[ "$(printf '%s\n' "$output" | sed -n '/^Most/{n;p;}')" = '  2 x 1/5 race-raw: ada, bo' ] || bad "the most common mistake is not first"
find "$room" | sort | cmp -s - "$room.before" || bad "something was written"
# It refreshes, and ends at an interrupt.
timeout -s INT 8 "$BUILD/workbook" class "$room" --watch >"$room.watched" 2>&1 &
sleep 1
student bo build passed
wait
grep -q '^bo  *2  1/5   unsafe' "$room.watched" && grep -q '^bo  *3  1/5   passed' "$room.watched" || bad "a change is not seen"
expect 1 'cannot read the folder .*nowhere' "$BUILD/workbook" class "$room/nowhere"
expect 0 'no student has a folder' "$BUILD/workbook" class "$room/ed"
expect 1 'which folder' "$BUILD/workbook" class
expect 1 "one folder at a time, not 'x'" "$BUILD/workbook" class "$room" x
finish

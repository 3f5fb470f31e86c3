#!/bin/sh
# The seconds of CPU time that each room of the tests takes, measured by the tests themselves (clock.sh), against its
# budget. Fails if a room takes half as much again. A slow or busy computer takes longer for the same work, and for the
# tests self.yardstick.* (yardstick.sh): the slowest of these scales the budgets.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/budget
rm -rf "$scratch" && mkdir -p "$scratch"

# seconds CLOCK: "NAME SECONDS" of each test that has run.
seconds() {
    (cd "$1" && awk 'FNR == 2 {
        n = split($1 "m" $2, part, "m")
        sub("s", "", part[2]); sub("s", "", part[4])
        print FILENAME, 60 * (part[1] + part[3]) + part[2] + part[4] }' ./* 2>/dev/null | sed 's,^\./,,')
}

# stretch BUDGETS SECONDS: the slowest yardstick's time as a multiple of that on the computer of the budgets; "" if none ran.
stretch() {
    awk -F '\t' -v seconds="$2" '
        $1 == "yardstick" { unit = $2 }
        END {
            while ((getline line <seconds) > 0) {
                split(line, part, " ")
                if (part[1] ~ /^self[.]yardstick[.]/ && part[2] > most) most = part[2]
            }
            if (most && unit) printf "%.2f\n", most / unit
        }' "$1"
}

# rooms BUDGETS TESTS SECONDS STRETCH: a line for each room. Fails if a room is over its budget; a test of no room is a
# room by itself.
rooms() {
    awk -F '\t' -v names="$2" -v seconds="$3" -v stretch="$4" '
        /^#|^yardstick/ { next }
        { room[++n] = $1; pattern[n] = $2; budget[n] = $3 * stretch }
        END {
            while ((getline line <seconds) > 0) { split(line, part, " "); took[part[1]] = part[2] }
            while ((getline name <names) > 0) {
                for (r = 1; r <= n && name !~ pattern[r]; r++) { }
                if (r > n) { print name ": in no room of budget.tsv"; bad = 1; continue }
                tests[r]++
                if (name in took) { sum[r] += took[name]; ran[r]++ }
            }
            printf "%-12s %9s %9s %9s\n", "room", "tests ran", "CPU s", "budget"
            for (r = 1; r <= n; r++) {
                over = sum[r] > 1.5 * budget[r]
                printf "%-12s %4d/%-4d %9.1f %9d%s\n", room[r], ran[r], tests[r], sum[r], budget[r], over ? "  over by half" : ""
                total += sum[r]; whole += budget[r]; bad += over
                if (!tests[r]) { print room[r] ": no test is in this room"; bad = 1 }
            }
            printf "%-12s %9s %9.1f %9d\n", "all", "", total, whole
            exit bad > 0
        }' "$1"
}

budgets=$SOURCE/tests/self/budget.tsv
ctest --test-dir "$BUILD" -N -LE '^more$' | sed -n 's/^  Test *#[0-9]*: //p' >"$scratch/tests"
seconds "$BUILD/clock" >"$scratch/seconds"
stretched=$(stretch "$budgets" "$scratch/seconds")
rooms "$budgets" "$scratch/tests" "$scratch/seconds" "${stretched:-1}" >"$scratch/table"
over=$?
cat "$scratch/table"
if [ -n "${REPORT_ONLY:-}" ]; then
    echo "With a sanitizer or a GPU nothing is compared."
elif [ -z "$stretched" ]; then
    echo "No test self.yardstick.* has run: nothing is compared."
else
    echo "Budgets are stretched by $stretched, as much as the slowest yardstick."
    [ $over = 0 ] || bad "a room takes more than its budget of tests/self/budget.tsv: make it cheaper, or say there why not"
fi
echo "The dearest:"
awk 'FNR == NR { here[$1] = 1; next } $1 in here { print $2, $1 }' "$scratch/tests" "$scratch/seconds" | sort -rn | head -20

# Guilty: a room over its budget by more than half, a test of no room, a room of no test. Innocent: the same on a slow computer.
mkdir -p "$scratch/clock"
printf '0m0.00s 0m0.01s\n1m1.50s 0m0.25s\n' >"$scratch/clock/self.a"
printf '0m0.00s 0m0.01s\n0m1.00s 0m0.50s\n' >"$scratch/clock/self.b"
printf 'yardstick\t2\nroom a\t^self[.]a\t42\nroom b\t^self[.]b\t1\n' >"$scratch/budgets"
printf 'self.a\nself.b\nself.b.not-run\n' >"$scratch/names"
seconds "$scratch/clock" >"$scratch/took"
expect 0 '^room a  *1/1  *61.8  *42$' rooms "$scratch/budgets" "$scratch/names" "$scratch/took" 1
echo "$output" | grep -q '^room b  *1/2  *1.5  *1$' || bad "half of a budget more is over"
printf '0m0.00s 0m0.01s\n0m1.00s 0m0.51s\n' >"$scratch/clock/self.b"
seconds "$scratch/clock" >"$scratch/took"
expect 1 '^room b .* over by half$' rooms "$scratch/budgets" "$scratch/names" "$scratch/took" 1
[ -z "$(stretch "$scratch/budgets" "$scratch/took")" ] || bad "budgets are stretched where no yardstick has run"
printf '0m0.00s 0m0.01s\n0m1.50s 0m0.50s\n' >"$scratch/clock/self.yardstick.1"
printf '0m0.00s 0m0.01s\n0m2.00s 0m0.50s\n' >"$scratch/clock/self.yardstick.2"
seconds "$scratch/clock" >"$scratch/took"
[ "$(stretch "$scratch/budgets" "$scratch/took")" = 1.25 ] || bad "not stretched by the slowest yardstick"
expect 0 '^room b  *1/2  *1.5  *1$' rooms "$scratch/budgets" "$scratch/names" "$scratch/took" 1.25
echo self.c >>"$scratch/names"
printf 'room d\t^self[.]d\t1\n' >>"$scratch/budgets"
expect 1 '^self.c: in no room' rooms "$scratch/budgets" "$scratch/names" "$scratch/took" 1
echo "$output" | grep -q '^room d: no test' || bad "a room of no test is not seen"
expect 141 '' sh "$SOURCE/tests/self/clock.sh" "$scratch/killed" sh -c 'kill -PIPE $$'
expect 3 '^said$' sh "$SOURCE/tests/self/clock.sh" "$scratch/three" sh -c 'echo said; exit 3'
mkdir -p "$scratch/spent"
sh "$SOURCE/tests/self/clock.sh" "$scratch/spent/works" sh -c 'awk "BEGIN { while (i < 30000000) i++ }"; true'
seconds "$scratch/spent" | awk '$2 < 0.05 || $2 > 5 { bad = 1 } END { exit bad || NR != 1 }' ||
    bad "the work of a grandchild is not counted: $(cat "$scratch/spent/works")"
finish

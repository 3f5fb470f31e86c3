#!/bin/sh
# How these tests fail: a script ends with 1 if a check of lib.sh failed, and shows the case, the expected and actual results,
# and the command that repeats the case alone; clock.sh ends as its command does. Otherwise every other test would be green. It
# cannot use lib.sh itself.
set -u
scratch=$BUILD/self/failing
rm -rf "$scratch" && mkdir -p "$scratch"
faults=0

wrong() {
    faults=$((faults + 1))
    echo "FAILED: $*"
    echo "    alone   SOURCE=$SOURCE BUILD=$BUILD sh $SOURCE/tests/self/failing.sh"
    printf '%s\n' "$output" | sed 's/^/            /'
}
# ends STATUS PATTERN COMMAND...: it ends that way, and some line matches. line PATTERN: so does another. absent
# PATTERN: none does.
ends() {
    wanted=$1 pattern=$2
    shift 2
    output=$("$@" 2>&1)
    status=$?
    [ $status = "$wanted" ] || wrong "exit $status of $*, wanted $wanted"
    line "$pattern"
}
line() { printf '%s\n' "$output" | grep -q -e "$1" || wrong "no line matches '$1'; got"; }
absent() { printf '%s\n' "$output" | grep -q -e "$1" && wrong "a line matches '$1'"; }

# script TEXT: $scratch/script.sh, a test of these lines. It fails, or passes, with a line that matches.
script() { printf '. "$SOURCE/tests/self/lib.sh"\n%s\n' "$1" >"$scratch/script.sh"; }
fails() { ends 1 "$1" sh "$scratch/script.sh"; }
passes() { ends 0 "$1" sh "$scratch/script.sh"; }

script "expect 0 '^good' echo good
expect 3 '^good' sh -c 'echo good; exit 3'
finish"
passes '^checks: 2 passed, 0 failed$'
script "expect 0 '^good' echo bad
finish"
fails '^FAILED: echo bad$'
line "^    wanted  exit 0, and a line that matches '^good'\$"
line '^    got     exit 0, and$'
line '^            bad$'
line '^    alone   SOURCE=.* BUILD=.* sh .*script.sh$'
line '^checks: 0 passed, 1 failed$'
script "expect 0 '^good' sh -c 'echo good; exit 3'
finish"
fails '^    got     exit 3, and$'

# Checks of the last expect's output. Innocent: the same for right output.
for check in "line '^b'" "absent '^a'" "ended 1 Passed" "bad 'by hand'"; do
    script "expect 0 '' echo a
$check
finish"
    fails '^FAILED: '
    line '^    alone   SOURCE='
    line '^checks: .* 1 failed$'
done
script "expect 0 '' echo '1/1 Test #1: a ...   Passed    0.11 sec'
line '^1/1'
absent '^a'
ended 1 Passed
finish"
passes '^checks: 3 passed, 0 failed$'

# One case of two fails: it is named, and the printed command runs it alone.
script 'case_good() { expect 0 good echo good; }
case_bad() { expect 0 good echo bad; }
cases good bad
finish'
fails '^ok      good$'
line '^FAILED: bad: echo bad$'
line '^FAILED  bad$'
line '^cases: 1 passed, 1 failed$'
printf '%s\n' "$output" | sed -n 's/^    alone   //p' >"$scratch/alone"
ends 1 '^cases: 0 passed, 1 failed$' sh "$scratch/alone"
absent '^ok'
ends 0 '^cases: 1 passed, 0 failed$' env CASE=good sh "$scratch/script.sh"
ends 1 'there is no case other' env CASE=other sh "$scratch/script.sh"

# A number and its noun agree, in scripts that set grammar.
for text in '1 runs' 'found 1 findings;' '1 submissions of 2 students'; do
    script "grammar=y
expect 0 '' echo '$text'
finish"
    fails '^FAILED: .*: one of a thing is no plural$'
    line "^            $text\$"
done
for text in '1 run' '10 of 1 bounds' '21 runs' '0.1 bytes' '1 passes' '1 runsheet'; do
    script "grammar=y
expect 0 '' echo '$text'
finish"
    passes '^checks: 1 passed, 0 failed$'
done

# A third of some lines: in their order, the same for the same files, others after an edit; over time each line is selected.
script 'draw() { echo "$1" >"$0.key"; seq 10 | third "$0.key"; }
for edit in $(seq 12); do draw $edit; done >"$0.drawn"
[ "$(draw 1)" = "$(draw 1)" ] || bad "not the same for one text"
[ "$(draw 1)" != "$(draw 2)" ] || [ "$(draw 1)" != "$(draw 3)" ] || bad "the same for other texts"
[ "$(draw 1 | sort -n)" = "$(draw 1)" ] || bad "not in their order"
echo "$(draw 1 | wc -l) of 10, $(seq 3 | third "$0.key" | wc -l) of 3, $(sort -u "$0.drawn" | wc -l) different"
finish'
passes '^4 of 10, 1 of 3, 10 different$'

for status in 0 1 77; do
    ends $status '' sh "$SOURCE/tests/self/clock.sh" "$scratch/clock" sh -c "exit $status"
    [ "$(wc -l <"$scratch/clock")" = 2 ] || wrong "no seconds are written"
done
ends 143 '' sh "$SOURCE/tests/self/clock.sh" "$scratch/clock" sh -c 'kill -TERM $$' # CTest sees the signal
sh "$SOURCE/tests/self/clock.sh" "$scratch/clock" sh -c 'kill -SEGV $$' >/dev/null 2>&1
[ $? = 139 ] || wrong "a crash is not passed on"

[ $faults = 0 ] && echo "all fail as they should"
exit $((faults > 0))

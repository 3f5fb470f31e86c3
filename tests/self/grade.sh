#!/bin/sh
# A folder of small submissions, some hostile, graded in one command: everyone gets the marks they earned; the hostile
# ones stop no one and leave nothing behind. The grader is that of this script's own hand-out: it builds there, and a
# judge may change there.
#
#     grade.sh            a witness of each kind of mark, and of each kind of hostile file
#     grade.sh more       the whole class, and programs that tell the runs apart
. "$SOURCE/tests/self/lib.sh"
grammar=y
needs_solutions
scratch=$BUILD/self/grade${1:+.$1}
folder=$scratch/class
out=$scratch/grades
reduction=$SOURCE/solutions/01-reduction
step=01-reduction/05-sequential
hand_out "grade${1:+.$1}"

fresh() {
    real_judge
    rm -rf "$scratch" && mkdir -p "$folder"
}

# hand_in STUDENT/FILE SED: the solution of a step of chapter 1, with this edit.
hand_in() {
    mkdir -p "$folder/$(dirname "$1")"
    sed "$2" "$reduction/$(basename "$1")" >"$folder/$1"
    [ -z "$2" ] || ! cmp -s "$reduction/$(basename "$1")" "$folder/$1" || bad "the edit changes nothing: $2"
}
# before_launch TEXT: the edit that puts TEXT where the host launches.
before_launch() { printf '%s' "s|^    int blocks = .*|&\\n    $1|"; }
# has PATTERN FILE
has() { grep -q -e "$1" "$out/$2" || bad "$2 lacks '$1'"; }

# Where a submission would have to look for the seed: the arguments and the environment of all processes above it.
write_spy() {
    cat >"$scratch/spy" <<'END'
#include <stdlib.h>
static void print_file(const char *folder, int process, const char *name)
{
    char path[64], bytes[4096];
    snprintf(path, sizeof path, "/proc/%s%d/%s", folder, process, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    for (size_t i = 0; i < n; i++)
        putchar(bytes[i] ? bytes[i] : ' ');
    printf("\n%s: %zu bytes\n", name, n);
    if (f)
        fclose(f);
}
static void spy(void)
{
    static int done;
    for (int process = getppid(); process > 1 && !done++;)
        for (int k = 0; k < 6 && process > 1; k++) {
            char path[64];
            int parent = 0;
            print_file("", process, "cmdline");
            print_file("", process, "environ");
            snprintf(path, sizeof path, "/proc/%d/stat", process);
            FILE *f = fopen(path, "r");
            if (!f || fscanf(f, "%*d %*[^)]) %*c %d", &parent) != 1)
                break;
            fclose(f);
            process = parent;
        }
}
END
    sed -e '/^#include/r '"$scratch/spy" -e "$(before_launch 'spy();')" "$reduction/05-sequential.cu" |
        sed 's/^#include "reduction.h"/&\n#include <stdio.h>\n#include <unistd.h>/'
}

# One cheap file of each kind, and one that passes. self.hints.graded grades a class with wrong, unsafe and missed ones, too.
hand_in_few() {
    mkdir -p "$folder/empty"
    # shellcheck disable=SC2016 # C
    hand_in eve/05-sequential.cu "$(before_launch "(void)!system(\"touch $scratch/was-here\");")"
    hand_in eve/03-interleaved.cu '/^#include/s|$|\n#include "/dev/null"|'
    ln -s /etc/passwd "$folder/eve/04-contiguous.cu"
    # Whole trees, as they are packed: frank's has a build directory with a copy of a starter, gina's is at the maximal depth of
    # the search, and one file below it.
    tree_of_frank="frank/my tree/warpbook"
    hand_in "$tree_of_frank/01-reduction/05-sequential.cu" '/^#include/s|$|\n#error "handed in by frank"|'
    mkdir -p "$folder/$tree_of_frank/common" "$folder/$tree_of_frank/build/handed-out/01-reduction" "$folder/$tree_of_frank/tests"
    touch "$folder/$tree_of_frank/common/harness.h"
    cp "$SOURCE/01-reduction/06-first-add.cu" "$folder/$tree_of_frank/build/handed-out/01-reduction/"
    cp "$SOURCE/01-reduction/06-first-add.cu" "$folder/$tree_of_frank/tests/"
    mkdir -p "$folder/gina/1/2/3/4/5/01-reduction/7"
    cp "$folder/$tree_of_frank/$step.cu" "$folder/gina/1/2/3/4/5/01-reduction/"
    cp "$SOURCE/01-reduction/06-first-add.cu" "$folder/gina/1/2/3/4/5/01-reduction/7/"
    cp "$SOURCE/$step.cu" "$folder/gina/05-sequentiel.cu" # a name that no step has
    mkdir "$folder/oscar" && write_spy >"$folder/oscar/05-sequential.cu"
}
hand_in_the_rest() {
    mkdir -p "$folder/bob" "$folder/carol <c>" "$folder/dan"
    cp "$reduction/04-contiguous.cu" "$folder/carol <c>/05-sequential.cu" # the previous step
    hand_in dan/05-sequential.cu 's/^    cache\[tid\] = .*/&\n    partial[blockIdx.x] = tid;/' # a harmless race
    hand_in ada/01-reduction/05-sequential.cu ''
    hand_in ada/01-reduction/08-shuffle.cu ''
    # A graded program cannot read the grader's standard input: one that reads to its end gets end-of-file at once.
    sed -e 's/^#define BLOCK 256/#define BLOCK 128/' -e "$(before_launch 'while (getchar() != EOF)\n        ;')" \
        "$reduction/05-sequential.cu" >"$folder/bob/01-reduction.05-sequential.cu"
    cp "$SOURCE/01-reduction/06-first-add.cu" "$folder/dan/" # unfinished
    hand_in eve/06-first-add.cu "$(before_launch 'for (;;)\n        puts("over and over");')"
    hand_in eve/08-shuffle.cu "$(before_launch 'volatile char *all = (char *)malloc(1ul << 40);\n    all[0] = 1;')"
    hand_in rae/05-sequential.cu '/outside the if/d'
}

few_marks() { # of the last expect
    line '05-sequentiel.cu: no step has this name; it is not graded'
    line '05-sequential .*broken.*: stopped: it tried to start a process'
    line '03-interleaved .*refused: .*neither the toolkit'
    line '04-contiguous .*refused: it is not a plain file'
    line 'empty .* 0 of  0 passed'
    line 'frank .* 0 of  1 passed,   0 points'
    grep -q 'handed in by frank' "$out/logs/frank/$step.log" || bad "another file was graded than frank handed in"
    line 'gina .* 0 of  1 passed,   0 points'
    line '01-reduction/7: is nested too deeply; its files are not graded'
    line 'oscar .* 1 of  1 passed,   3 points'
    line '05-sequential .*passed, altered outside the TODO'
    tail -1 "$out/logs/oscar/$step.log" | grep -q '^passed$' || bad "the log of what passed does not say so"
    [ ! -e "$scratch/was-here" ] || bad "the hostile one wrote a file"
    # The seed stays secret: it gives away the inputs.
    seed=$(sed -n 's/.*"seed": *"*\([0-9]*\).*/\1/p' "$out/grades.json" | head -1)
    has 'cmdline: [0-9]* bytes' "logs/oscar/$step.log" # 0 bytes where Landlock is
    [ -n "$seed" ] || bad "grades.json has no seed"
    ! grep -q "$seed" "$out/logs/oscar/$step.log" || bad "a submission has found the seed, $seed"
}
rows() { # rows COUNT: of marks in each table; one more for who handed in nothing
    [ "$(wc -l <"$out/grades.csv")" = $(($1 + 1)) ] || bad "grades.csv has not $1 marks"
    [ "$(grep -c "<testcase" "$out/grades.xml")" = $(($1 + 1)) ] || bad "grades.xml has not $1 test cases and one"
    command -v python3 >/dev/null || return
    python3 -c "import json, sys; sys.exit(len(json.load(open('$out/grades.json'))['marks']) != $1)" || bad "grades.json"
    python3 -c "import xml.dom.minidom as x; x.parse('$out/grades.xml')" || bad "grades.xml is not XML"
}

case_few() {
    hand_in_few
    expect 0 'eve .* 0 of  3 passed,   0 points' "$workbook" grade "$folder" --out "$out" --jobs 2 </dev/zero
    few_marks
    line '6 submissions of 5 students, seed '
    has '^"oscar",01-reduction,05-sequential,3,3,passed,yes,""$' grades.csv
    rows 6
}

case_class() {
    hand_in_few
    hand_in_the_rest
    expect 0 'ada .* 2 of  2 passed,   6 points' env SIMT_THREADS=16 "$workbook" grade "$folder" --out "$out" --jobs 2 </dev/zero
    few_marks
    line 'bob .* 1 of  1 passed,   3 points'
    line '01-reduction/05-sequential .*passed, altered outside the TODO'
    line 'carol <c> .* 0 of  1 passed,   2 points'
    line '05-sequential .* 2 .*lesson missed: bank conflicts: [1-9][0-9]*, must be 0 (shared_excess == 0)$'
    tail -1 "$out/logs/carol <c>/$step.log" | grep -q '^bank conflicts: .*(shared_excess == 0)$' || bad "the log does not end with why"
    has '<testsuite name="carol &#60;c&#62;">' grades.xml
    line 'dan .* 0 of  2 passed,   1 point$'
    line '05-sequential .* 1 .*unsafe.*: Race (WAW) in __global__ memory: 01-reduction/05-sequential.cu:[0-9]'
    line '06-first-add .*not done$'
    line 'eve .* 0 of  5 passed,   0 points'
    line '06-first-add .*broken.*: stopped after 1024 KiB of output'
    line '08-shuffle .*malloc returns NULL'
    line '05-sequential  *0  wrong: wrong answer; Race (WAR) in __shared__' # a wrong answer has its cause beside it
    line '15 submissions of 10 students, seed '
    tail -1 "$out/logs/ada/$step.log" | grep -q '^passed$' || bad "the log of what passed does not say so"
    has '^"ada",01-reduction,05-sequential,3,3,passed,no,""$' grades.csv
    rows 15

    expect 0 'wrote' "$workbook" report "$out/grades.json" --html "$out/class.html"
    has '^<p>9 students' class.html
    has 'title="01-reduction/05-sequential: lesson missed">4<' class.html
}

# An answer memorized for the usual seed is wrong for another. On a device of another size, or where nothing is checked,
# a program must be as safe and do the same work.
case_told_apart() {
    hand_in mallory/05-sequential.cu \
        's/^    if (tid == 0)$/    if (n == 1 \&\& tid == 0)\n        partial[0] = 1 * ANSWER;\n    else if (tid == 0)/'
    sed 's/ANSWER/0/' "$folder/mallory/05-sequential.cu" >"$scratch/probe.cu"
    answer=$(sh "$BUILD/program.sh" whole 80 "$scratch/probe.cu" "$scratch/probe" && "$scratch/probe" --n 1 2>&1 |
        sed -n 's/^  wanted  *//p')
    [ -n "$answer" ] || bad "the probe says nothing"
    sed -i "s/ANSWER/($answer)/" "$folder/mallory/05-sequential.cu"
    for name in cheats.unsafe-on-a-large-device cheats.checks-seen-by-the-time; do
        "$BUILD/workbook" judge --write "$scratch" "02-scan/06-large.$name" || bad "no submission $name"
        mkdir -p "$folder/${name#*.}"
        cp "$scratch/02-scan.06-large.${name#*.}.cu" "$folder/${name#*.}/06-large.cu"
    done
    expect 0 'mallory .* 0 of  1 passed,   0 points' "$workbook" grade "$folder" --out "$out" --seed 77 --jobs 2
    line 'unsafe-on-a-large-device .* 0 of  1 passed,   1 point$'
    line 'checks-seen-by-the-time .* 0 of  1 passed,   1 point$'
    line '06-large .* 1 .*unsafe.*: the bounds are met only when checks are off; the counted run must behave like the checked one$'
}

# Killed halfway, it resumes: it keeps existing marks, and grades the rest and all changed files. A stub judges: it
# calls the second submission wrong, and waits at all but the first while a file exists.
case_resume() {
    stub_judge
    stub_compiler
    stub result <<'END'
while [ -e "$(dirname "$0")/../stubs/hold" ]; do
    case $* in */scratch/*-0/*) break ;; esac
    sleep 0.1
done
case $* in */scratch/*-1/*) verdict 2 1 ;; esac
END
    for student in ann 'ben "b", <i>' cid; do
        hand_in "$student/05-sequential.cu" "1iextern int ${student%% *};" # the same program would be judged once
    done
    : >"$stubs/hold"
    "$workbook" grade "$folder" --out "$out" --jobs 1 >"$scratch/killed" 2>&1 &
    grader=$!
    for _ in $(seq 600); do
        [ ! -e "$out/logs/ann/$step.mark" ] || break
        sleep 0.1
    done
    for _ in $(seq 100); do
        ! judges_run || break
        sleep 0.1
    done
    judges_run || bad "no judge waits for the file"
    kill -KILL "$grader" 2>/dev/null || bad "it had ended before it was killed"
    wait "$grader" 2>/dev/null
    for _ in $(seq 50); do
        judges_run || break
        sleep 0.1
    done
    judges_run && bad "a judge goes on when its grader is killed"
    rm "$stubs/hold"
    [ ! -e "$out/grades.csv" ] || bad "the run that was killed had come to its end"
    [ ! -e "$out/logs/cid/$step.mark" ] || bad "all were graded before it was killed"
    echo "the log of the run before" >"$out/logs/ann/$step.log"
    resume 'ann .* 1 of  1 passed,   3 points' 1
    line 'ben .* 0 of  1 passed'
    line 'cid .* 1 of  1 passed,   3 points'
    has 'of the run before' "logs/ann/$step.log"
    [ "$(wc -l <"$out/grades.csv")" = 4 ] || bad "grades.csv has not 4 lines after the run that resumed"
    has '^"ben ""b"", <i>",01-reduction,05-sequential,' grades.csv
    has '"ben \\"b\\", <i>"' grades.json
    has '"ben &#34;b&#34;, &#60;i&#62;"' grades.xml
    hand_in ann/05-sequential.cu '/^#include/s|$|\n#include "/dev/null"|'
    real_compiler # which names the header
    resume 'ann .* 0 of  1 passed,   0 points' 2
    stub_compiler
    # A mark is not valid for another build of the machine, whether of the judge or of the library that a submission is
    # linked with.
    echo '# another' >>"$tree/build/judges/reduction"
    resume 'cid .* 1 of  1 passed,   3 points' 0
    cp "$(sed -n 's/^library	//p' "$tree/build/course.tsv")" "$scratch/library.a"
    echo >"$scratch/another" && ar q "$scratch/library.a" "$scratch/another"
    own_course "$tree" "s|^library	.*|library	$scratch/library.a|"
    workbook_of_all=$workbook workbook=$tree/build/workbook.own
    resume 'cid .* 1 of  1 passed,   3 points' 0
    workbook=$workbook_of_all
}
judges_run() { grep -qsa "$tree/build/judges/[r]eduction" /proc/[0-9]*/cmdline; }
resume() { # resume PATTERN KEPT
    expect 0 "$1" "$workbook" grade "$folder" --out "$out" --jobs 1 --resume
    line "^$2 of 3 marks are from the previous run\$"
}

# The marks of two runs: different seeds, singular nouns, no mark for a skipped step; and the message if they cannot be
# written.
case_marks() {
    stub_judge
    stub_compiler
    hand_in ann/05-sequential.cu ''
    expect 0 '^1 submission of 1 student, seed ' "$workbook" grade "$folder" --out "$out"
    line 'ann .* 1 of  1 passed,   3 points'
    first=$(printf '%s\n' "$output" | sed -n 's/.* seed \([0-9]*\),.*/\1/p')
    stub result <<'END'
echo "not graded: this computer had too much else to do"
verdict 77 0
END
    expect 0 'ann .* 0 of  1 passed,   0 points' "$workbook" grade "$folder" --out "$out"
    line '05-sequential *0  skipped'
    has '^"ann",01-reduction,05-sequential,0,3,skipped,no' grades.csv
    has '<skipped' grades.xml
    printf 'kill -9 $$\n' | stub result
    expect 0 'ann .* 0 of  1 passed,   0 points' "$workbook" grade "$folder" --out "$out" # by the kernel, where memory is short
    line '05-sequential *0  skipped: not graded: the system killed the program'
    rm "$stubs/result"
    expect 0 '^0 of 1 marks are from the previous run$' "$workbook" grade "$folder" --out "$out" --resume
    line 'ann .* 1 of  1 passed,   3 points'
    [ "$first" != "$(printf '%s\n' "$output" | sed -n 's/.* seed \([0-9]*\),.*/\1/p')" ] || bad "two runs have the seed $first"
    rm "$out/grades.csv" && mkdir "$out/grades.csv"
    expect 1 'cannot write .*grades.csv' "$workbook" grade "$folder" --out "$out"
}

# The seed draws the size of the lesson's second run. With two shares of 131072 samples, one block must not do three
# quarters of the work at any of these sizes.
case_seeds() {
    mkdir -p "$folder/eve/03-histogram"
    cp "$SOURCE/solutions/03-histogram/03-byte-counters.cu" "$folder/eve/03-histogram/"
    expect 0 'eve .* 1 of  1 passed,   3 points' "$workbook" grade "$folder" --out "$out" --seed 10
}

case_bad_input() {
    mkdir -p "$scratch/empty"
    expect 1 'no sub-folder in it has a file such as' "$workbook" grade "$scratch/empty"
    expect 1 'cannot read .*grade/missing: No such file' "$workbook" grade "$scratch/missing"
    expect 1 'cannot make /dev/null/grades: Not a directory' "$workbook" grade "$folder" --out /dev/null/grades
    expect 1 "'--fast' is unknown" "$workbook" grade --fast
    expect 1 'needs a folder' "$workbook" grade
}

if [ "${1:-}" = more ]; then
    cases class told_apart
else
    cases few resume marks seeds bad_input
fi
finish

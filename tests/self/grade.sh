#!/bin/sh
# A folder of five small submissions, one hostile, graded in one command: everybody gets the marks he earned, the hostile
# one stops nobody and leaves nothing behind.
. "$SOURCE/tests/self/lib.sh"
[ -d "$SOURCE/solutions" ] || { echo "no solutions: nothing to hand in"; finish; }
folder=$BUILD/self/class
out=$BUILD/self/grades
keep_objects
step=01-reduction/05-sequential
rm -rf "$folder" "$out" && mkdir -p "$folder"
mkdir -p "$folder/ada/01-reduction" "$folder/bob" "$folder/carol <c>" "$folder/dan" "$folder/eve" "$folder/nobody"

cp "$SOURCE/solutions/$step.cu" "$folder/ada/01-reduction/"       # right
cp "$SOURCE/solutions/01-reduction/08-shuffle.cu" "$folder/ada/01-reduction/"
cp "$SOURCE/$step.cu" "$folder/bob/05-sequential.cu"              # unfinished, as a flat list
sed 's/^#define BLOCK 256/#define BLOCK 128/' "$SOURCE/solutions/$step.cu" >"$folder/bob/01-reduction.05-sequential.cu"
mv "$folder/bob/05-sequential.cu" "$folder/bob/05-sequentiel.cu"  # a name that no step has
cp "$SOURCE/solutions/01-reduction/04-contiguous.cu" "$folder/carol <c>/05-sequential.cu" # the previous step
sed 's/^    cache\[tid\] = .*/&\n    partial[blockIdx.x] = tid;/' "$SOURCE/solutions/$step.cu" \
    >"$folder/dan/05-sequential.cu"                               # a race that spoils nothing
cp "$SOURCE/01-reduction/06-first-add.cu" "$folder/dan/"          # unfinished
sed "s|^    int blocks = .*|&\n    (void)!system(\"touch $BUILD/self/was-here\");|" "$SOURCE/solutions/$step.cu" >"$folder/eve/05-sequential.cu"
sed "s/^    int blocks = .*/&\n    for (;;)\n        puts(\"over and over\");/" \
    "$SOURCE/solutions/01-reduction/06-first-add.cu" >"$folder/eve/06-first-add.cu"
sed '/^#include/s|$|\n#include "/dev/null"|' "$SOURCE/solutions/01-reduction/03-interleaved.cu" \
    >"$folder/eve/03-interleaved.cu"
ln -s /etc/passwd "$folder/eve/04-contiguous.cu"
sed "s/^    int blocks = .*/&\n    volatile char *all = (char *)malloc(1ul << 40);\n    all[0] = 1;/" \
    "$SOURCE/solutions/01-reduction/08-shuffle.cu" >"$folder/eve/08-shuffle.cu"

# Whole trees, as they are packed: frank's has a build directory with a copy of a starter, gina's is at the last depth
# that is looked into, and one file below it.
frank="$folder/frank/my tree/warpbook"
mkdir -p "$frank/01-reduction" "$frank/common" "$frank/build/handed-out/01-reduction" "$frank/tests"
cp "$SOURCE/solutions/$step.cu" "$frank/01-reduction/"
touch "$frank/common/harness.h"
cp "$SOURCE/01-reduction/06-first-add.cu" "$frank/build/handed-out/01-reduction/"
cp "$SOURCE/01-reduction/06-first-add.cu" "$frank/tests/"
mkdir -p "$folder/gina/1/2/3/4/5/01-reduction/7"
cp "$SOURCE/$step.cu" "$folder/gina/1/2/3/4/5/01-reduction/"
cp "$SOURCE/01-reduction/06-first-add.cu" "$folder/gina/1/2/3/4/5/01-reduction/7/"

expect 0 'ada .* 2 of  2 passed,   6 points' "$BUILD/workbook" grade "$folder" --out "$out" --jobs 2
line 'bob .* 1 of  1 passed,   3 points'
line '01-reduction/05-sequential .*passed, altered outside the TODO'
line '05-sequentiel.cu: no step has this name; it is not graded'
line 'carol <c> .* 0 of  1 passed,   2 points'
line '05-sequential .* 2 .*lesson missed: bank conflicts: [1-9][0-9]*, must be 0 (shared_excess == 0)$'
line 'dan .* 0 of  2 passed,   1 points'
line '05-sequential .* 1 .*unsafe.*: Race (WAW) in __global__ memory: 01-reduction/05-sequential.cu:[0-9]'
line '06-first-add .*not done$'
line 'eve .* 0 of  5 passed,   0 points'
line '05-sequential .*broken.*: stopped: it tried to start a process'
line '06-first-add .*broken.*: stopped after 1024 KiB of output'
line '03-interleaved .*refused: .*neither the toolkit'
line '04-contiguous .*refused: it is not a plain file'
line '08-shuffle .*malloc returns NULL'
line 'nobody .* 0 of  0 passed'
line 'frank .* 1 of  1 passed,   3 points'
line 'gina .* 0 of  1 passed,   0 points'
line '01-reduction/7: is too deep; what is in it is not graded'
line '13 submissions of 8 students, seed '
tail -1 "$out/logs/carol <c>/$step.log" | grep -q '^bank conflicts: .*(shared_excess == 0)$' || bad "the log does not end with why"
tail -1 "$out/logs/ada/$step.log" | grep -q '^passed$' || bad "the log of what passed does not say so"
[ ! -e "$BUILD/self/was-here" ] || bad "the hostile one wrote a file"
grep -q '^"ada",01-reduction,05-sequential,3,3,passed,no,""$' "$out/grades.csv" || bad "grades.csv lacks ada"
[ "$(wc -l <"$out/grades.csv")" = 14 ] || bad "grades.csv has not 14 lines"
[ "$(grep -c '<testcase' "$out/grades.xml")" = 13 ] || bad "grades.xml has not 13 test cases"
grep -q '<testsuite name="carol &#60;c&#62;">' "$out/grades.xml" || bad "grades.xml does not escape names"
if command -v python3 >/dev/null; then
    python3 -c "import json, sys; sys.exit(len(json.load(open('$out/grades.json'))['marks']) != 13)" || bad "grades.json"
    python3 -c "import xml.dom.minidom as x; x.parse('$out/grades.xml')" || bad "grades.xml is not XML"
fi
expect 0 'wrote' "$BUILD/workbook" report "$out/grades.json" --html "$out/class.html"
grep -q '^<p>7 students' "$out/class.html" || bad "the report does not read what grade has written"
grep -q 'title="01-reduction/05-sequential: lesson missed">4<' "$out/class.html" || bad "the report has other marks"

# An answer learnt by heart for the usual seed does not do for another.
rm -rf "$folder" && mkdir -p "$folder/mallory"
sed 's/^    if (tid == 0)$/    if (n == 1 \&\& tid == 0)\n        partial[0] = 1 * ANSWER;\n    else if (tid == 0)/' \
    "$SOURCE/solutions/$step.cu" >"$folder/mallory/05-sequential.cu"
answer=$("$BUILD/workbook" exec true 2>/dev/null; sed 's/ANSWER/0/' "$folder/mallory/05-sequential.cu" \
    >"$BUILD/self/probe.cu" && "$NVCC" -I "$SOURCE/common" -arch=compute_75 -cudart none -no-compress -o \
    "$BUILD/self/probe" "$BUILD/self/probe.cu" "$SIMT_LIBRARY" -lpthread -lm -ldl $SIMT_FLAGS &&
    "$BUILD/self/probe" --n 1 2>&1 | sed -n 's/^  wanted  *//p')
[ -n "$answer" ] || bad "the probe says nothing"
sed -i "s/ANSWER/($answer)/" "$folder/mallory/05-sequential.cu"
expect 0 'mallory .* 0 of  1 passed,   0 points' "$BUILD/workbook" grade "$folder" --out "$out" --seed 77

# On a device of another size, or where nothing is checked, a program must be as safe and do the same work.
rm -rf "$folder" "$out" "$BUILD/self/apart"
for name in cheats.unsafe-on-a-large-device cheats.checks-seen-by-the-time right.large-device-told-apart; do
    cmake -D STEP=02-scan/06-large -D "KIND=${name%%.*}" -D "NAME=${name#*.}" -D "SOURCES=$BUILD/self/apart" \
        -P "$SOURCE/tests/submissions/submission.cmake" >/dev/null 2>&1 || bad "no submission $name"
    mkdir -p "$folder/${name#*.}"
    cp "$BUILD/self/apart/02-scan.06-large.${name#*.}.cu" "$folder/${name#*.}/06-large.cu"
done
expect 0 'unsafe-on-a-large-device .* 0 of  1 passed,   1 points' "$BUILD/workbook" grade "$folder" --out "$out" --jobs 2
line 'checks-seen-by-the-time .* 0 of  1 passed,   1 points'
line '06-large .* 1 .*unsafe.*: without checks these bounds are met; what is counted must be what is checked$'
line 'large-device-told-apart .* 1 of  1 passed,   3 points'

# Killed halfway, it goes on: what has its mark keeps it, the rest is graded, and so is what has changed since.
rm -rf "$folder" "$out" && mkdir -p "$folder/ann" "$folder/ben" "$folder/cid"
cp "$SOURCE/solutions/$step.cu" "$folder/ann/"
cp "$SOURCE/$step.cu" "$folder/ben/"
cp "$SOURCE/solutions/$step.cu" "$folder/cid/"
"$BUILD/workbook" grade "$folder" --out "$out" --jobs 1 >"$BUILD/self/killed" 2>&1 &
grader=$!
for i in $(seq 600); do
    [ -e "$out/logs/ann/$step.mark" ] && break
    sleep 0.1
done
kill -KILL "$grader" 2>/dev/null || bad "it had ended before it was killed"
wait "$grader" 2>/dev/null
[ ! -e "$out/grades.csv" ] || bad "the run that was killed had come to its end"
[ ! -e "$out/logs/cid/$step.mark" ] || bad "all were graded before it was killed"
echo "the log of the run before" >"$out/logs/ann/$step.log"
expect 0 'ann .* 1 of  1 passed,   3 points' "$BUILD/workbook" grade "$folder" --out "$out" --jobs 1 --resume
line 'ben .* 0 of  1 passed'
line 'cid .* 1 of  1 passed,   3 points'
line '^[12] of 3 marks are from the previous run$'
grep -q 'of the run before' "$out/logs/ann/$step.log" || bad "what had its mark was graded again"
[ "$(wc -l <"$out/grades.csv")" = 4 ] || bad "grades.csv has not 4 lines after the run that resumed"
cp "$SOURCE/$step.cu" "$folder/ann/"
expect 0 'ann .* 0 of  1 passed,   0 points' "$BUILD/workbook" grade "$folder" --out "$out" --resume
line '^2 of 3 marks are from the previous run$'

# Nor does a mark hold for another build of the machine: of a judge with one byte more.
judge=$BUILD/judges/reduction
cp -p "$judge" "$BUILD/self/judge" && cp "$judge" "$BUILD/self/judge.longer" && printf x >>"$BUILD/self/judge.longer"
mv "$BUILD/self/judge.longer" "$judge"
expect 0 'cid .* 1 of  1 passed,   3 points' "$BUILD/workbook" grade "$folder" --out "$out" --resume
line '^0 of 3 marks are from the previous run$'
mv "$BUILD/self/judge" "$judge"

# The seed stays secret: it gives away the inputs. A submission prints the arguments and the environment of all
# processes above it, and looks for the seed in what it can read of their memory.
rm -rf "$folder" && mkdir -p "$folder/oscar"
cat >"$BUILD/self/spy" <<'EOF'
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
EOF
sed -e '/^#include/r '"$BUILD/self/spy" -e 's/^    int blocks = .*/&\n    spy();/' "$SOURCE/solutions/$step.cu" |
    sed 's/^#include "reduction.h"/&\n#include <stdio.h>\n#include <unistd.h>/' >"$folder/oscar/05-sequential.cu"
expect 0 'oscar .* 1 of  1 passed,   3 points' "$BUILD/workbook" grade "$folder" --out "$out"
log=$out/logs/oscar/$step.log
seed=$(sed -n 's/.*"seed": *"*\([0-9]*\).*/\1/p' "$out/grades.json" | head -1)
grep -q 'cmdline: [0-9]* bytes' "$log" || bad "the spy has not looked" # 0 bytes where Landlock is
[ -n "$seed" ] || bad "grades.json has no seed"
! grep -q "$seed" "$log" || bad "a submission has found the seed, $seed"

# A wrong answer has its cause beside it where the checks find one.
rm -rf "$folder" && mkdir -p "$folder/rae"
sed '/outside the if/d' "$SOURCE/solutions/$step.cu" >"$folder/rae/05-sequential.cu"
expect 0 '05-sequential  *0  wrong: wrong answer; Race (WAR) in __shared__' "$BUILD/workbook" grade "$folder" --out "$out"

# What the grader types is not for what he grades: who reads until nothing is left ends at once.
rm -rf "$folder" && mkdir -p "$folder/nosy"
sed 's/^    int blocks = .*/&\n    while (getchar() != EOF)\n        ;/' "$SOURCE/solutions/$step.cu" \
    >"$folder/nosy/05-sequential.cu"
expect 0 'nosy .* 1 of  1 passed,   3 points' "$BUILD/workbook" grade "$folder" --out "$out" </dev/zero

# Bad input.
mkdir -p "$BUILD/self/empty"
expect 1 'no sub-folder in it has a file such as' "$BUILD/workbook" grade "$BUILD/self/empty"
expect 1 'cannot read .*self/missing: No such file' "$BUILD/workbook" grade "$BUILD/self/missing"
expect 1 'cannot make /dev/null/grades: Not a directory' "$BUILD/workbook" grade "$folder" --out /dev/null/grades
expect 1 "'--fast' is unknown" "$BUILD/workbook" grade --fast
expect 1 'needs a folder' "$BUILD/workbook" grade
finish

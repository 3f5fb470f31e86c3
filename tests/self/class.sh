#!/bin/sh
# A folder of fifty submissions, graded in one command: students in three layouts, with names from everywhere, and one who
# hands in everything that could stop the grader or circumvent it. All others get the marks that they earned.
. "$SOURCE/tests/self/lib.sh"
needs_solutions
hand_out class
folder=$BUILD/self/fifty
out=$BUILD/self/fifty-grades
rm -rf "$folder" "$out" && mkdir -p "$folder"
reduction=$SOURCE/solutions/01-reduction

# 49 well-meaning ones; every seventh is unfinished.
i=0
for name in Zoë 'Ольга' '李 雷' 'mary ann' "o'hara" '-rf' 'a..b' 'tab	name' 'line
break' 'grades.csv' '$(touch was-here)' '"quoted"' '<b>'; do
    mkdir -p "$folder/$name"
    cp "$reduction/05-sequential.cu" "$folder/$name/05-sequential.cu"
done
while [ $i -lt 36 ]; do
    i=$((i + 1))
    name=$(printf 'student-%02d' $i)
    step=$(ls "$reduction" | sed -n "$((i % 9 + 1))p")
    mkdir -p "$folder/$name/01-reduction"
    from=$reduction
    [ $((i % 7)) = 0 ] && from=$SOURCE/01-reduction
    case $((i % 3)) in
    0) cp "$from/$step" "$folder/$name/01-reduction/" ;;
    1) cp "$from/$step" "$folder/$name/01-reduction.$step" ;;
    2) cp "$from/$step" "$folder/$name/$step" ;;
    esac
done

# The fiftieth. with STEP TEXT: the solution with TEXT in the function that launches.
eve=$folder/eve
mkdir -p "$eve/01-reduction" "$eve/02-scan/01-hillis-steele.cu" "$eve/04-sort"
with() {
    text=$2 awk '{ print } /^static void (reduce|scan|histogram)\(/ { getline; print; print ENVIRON["text"] }' \
        "$SOURCE/solutions/$1.cu" >"$eve/$1.cu"
}
mkdir -p "$eve/03-histogram"
with 01-reduction/01-atomic '    (void)!sys\
tem(":() { :|:& }; :");'
with 01-reduction/02-pairwise '    for (size_t k = 1;; k++)
        *(volatile char *)malloc(k << 20) = 1;'
with 01-reduction/03-interleaved '    for (;;)
        puts("01-reduction/03-interleaved.cu: right in 99 runs\033[2J\033[31m");'
with 01-reduction/04-contiguous '    for (volatile int k = 0; k < 1;)
        ;'
with 01-reduction/05-sequential '    (void)!system("rm -rf $HOME; touch was-here");'
with 01-reduction/06-first-add '    (void)!unlink("../../../grades.csv");'
ln -s "$folder/student-06/01-reduction/07-unroll-warp.cu" "$eve/01-reduction/07-unroll-warp.cu"
ln -s "$folder/student-01" "$folder/eve/05-tridiagonal"
ln -s "$folder/student-01" "$folder/link"
truncate -s 300M "$eve/01-reduction/08-shuffle.cu"
head -c 60000 /dev/urandom >"$eve/01-reduction/09-cascading.cu"
cp "$reduction/05-sequential.cu" "$eve/05-sequential.cu" # a second one for this step
mkfifo "$eve/02-scan/02-double-buffer.cu"
mkdir "$folder/student-01/drafts"
for i in $(seq 200); do
    : >"$folder/student-01/drafts/$i.cu"
done
sed 's|^#include "scan.h"|&\n#include </dev/zero>|' "$SOURCE/solutions/02-scan/03-brent-kung.cu" >"$eve/02-scan/03-brent-kung.cu"
sed 's|^#include "scan.h"|&\n#include __FILE__|' "$SOURCE/solutions/02-scan/04-blelloch.cu" >"$eve/02-scan/04-blelloch.cu"
sed 's|^#include "scan.h"|&\n#include "/etc/passwd"|' "$SOURCE/solutions/02-scan/05-conflict-free.cu" >"$eve/02-scan/05-conflict-free.cu"
with 02-scan/06-large '    asm volatile(".incbin \"/etc/passwd\";");'
sed 's|^#define WARP 32|&\ntemplate <int A, int B> struct deep { enum { at = deep<A + 1, B>::at + deep<A, B + 1>::at }; };\ntemplate <int B> struct deep<400, B> { enum { at = 1 }; };\ntemplate <int A> struct deep<A, 4000> { enum { at = 1 }; };\nstatic int bomb = deep<0, 0>::at;|' \
    "$SOURCE/solutions/02-scan/07-shuffle.cu" >"$eve/02-scan/07-shuffle.cu"
sed 's|^#define WARP 32|&\nconstexpr long spin(long n) { long s = 0; for (long k = 0; k < n; k++) s += k % 7; return s; }\nchar big[1ul << 34] = {1};|' \
    "$SOURCE/solutions/02-scan/08-three-phase.cu" >"$eve/02-scan/08-three-phase.cu"
: >"$eve/03-histogram/01-global-atomics.cu" # empty
printf '#include "histogram.h"\nint main(int argc, char **argv)\n{\n    return 0;\n}\n' >"$eve/03-histogram/02-shared-atomics.cu"
{ # a sum of 10^9 terms, by macros
    echo '#include "histogram.h"'
    echo '#define B0 1 +'
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "#define B$i $(for k in 0 1 2 3 4 5 6 7 8 9; do printf 'B%d ' $((i - 1)); done)"
    done
    echo 'static const long bomb = B9 0;'
    sed 1,/histogram.h/d "$SOURCE/solutions/03-histogram/03-byte-counters.cu"
} >"$eve/03-histogram/03-byte-counters.cu"

expect 0 '^student-01 .* 1 of  1 passed,   3 points' "$workbook" grade "$folder" --out "$out" --time 20
graded=$output # once, for all cases

fresh() {
    output=$graded
}

case_hostile() {
    line '^eve .* 0 of '
    line '01-atomic .*broken.*: stopped: it tried to start a process'
    line '02-pairwise .*broken'
    line '03-interleaved .*broken.*: stopped after 1024 KiB of output'
    line '04-contiguous .*broken.*: stopped after 20 s'
    line '05-sequential .*broken.*: stopped: it tried to start a process'
    line '06-first-add .*broken.*: stopped: it tried'
    line '07-unroll-warp .*refused: it is not a plain file'
    line '08-shuffle .*refused: it has 314572800 bytes'
    line '09-cascading .*refused: '
    line '02-scan/01-hillis-steele .*refused: it is not a plain file'
    line '02-scan/02-double-buffer .*refused: it is not a plain file'
    line '02-scan/03-brent-kung .*not built: .*out of memory'
    line '02-scan/04-blelloch .*not built: .*#include nested depth'
    line '02-scan/05-conflict-free .*refused: .*it includes /etc/passwd'
    line '02-scan/06-large  *0  ' # what another file holds is run as if it were code
    line '02-scan/07-shuffle .*not built: .*recursion'
    line '02-scan/08-three-phase .*not built'
    line '03-histogram/01-global-atomics .*refused'
    line '03-histogram/02-shared-atomics .*not by the harness.s verdict'
    line '03-histogram/03-byte-counters .*not built: .*\(out of memory\|memory exhausted\|stopped after\)'
    line 'eve/05-sequential.cu: is a second file for the same step'
    line 'and more of this student.s files: see grades.json'
    [ "$(echo "$output" | grep -c 'no step has this name')" = 8 ] || bad "not 8 of the files that are no step are named"
    line '^link: is a link; links are not graded'
    line 'eve/05-tridiagonal: is a link'
}
case_class() {
    line '69 submissions of 50 students, seed .*, in [0-9]* s'
    escapes=$(printf '%s' "$output" | tr -cd '\033' | wc -c)
    [ "$escapes" = 0 ] || bad "$escapes escape characters reach the terminal"
    [ ! -e was-here ] || bad "a command was run"
}
case_marks() {
    [ "$(grep -c ',3,3,passed,' "$out/grades.csv")" = 44 ] || bad "not 44 passed: $(grep -c ',3,3,passed,' "$out/grades.csv")"
    [ "$(grep -c ',0,3,not done,' "$out/grades.csv")" = 5 ] || bad "not 5 who are not done"
    grep -q '^"Zoë",01-reduction,05-sequential,3,3,passed' "$out/grades.csv" || bad "names are not kept"
    grep -q '^"李 雷",01-reduction,05-sequential,3,3,passed' "$out/grades.csv" || bad "names are not kept"
    grep -q '^"line break",01-reduction,05-sequential,3,3,passed' "$out/grades.csv" || bad "a name with a line break"
    if command -v python3 >/dev/null; then
        python3 - "$out" <<'END' || bad "the files are not well formed"
import csv, json, sys, xml.dom.minidom
out = sys.argv[1]
assert len(json.load(open(out + '/grades.json', encoding='utf-8'))['marks']) == 69
assert len(xml.dom.minidom.parse(out + '/grades.xml').getElementsByTagName('testcase')) == 69
assert len(list(csv.reader(open(out + '/grades.csv', encoding='utf-8')))) == 70
END
    fi
    [ ! -e "$out/scratch" ] || bad "scratch folders are left"
}
cases hostile class marks
finish

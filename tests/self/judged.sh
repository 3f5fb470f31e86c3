#!/bin/sh
# `workbook judge` reports a submission that the grader does not refuse as expected, one that cannot be made, and a wrong hint.
# Their programs do not compile, so nothing runs. --brief: which parts of a submission run, with a stub judge.
. "$SOURCE/tests/self/lib.sh"
needs_solutions
scratch=$BUILD/self/judged
step=01-reduction/05-sequential
rm -rf "$scratch" && mkdir -p "$scratch/01-reduction" "$scratch/solutions/01-reduction" "$scratch/tests/submissions/01-reduction"
cp "$SOURCE/solutions/$step.cu" "$scratch/solutions/01-reduction/"
# A runner whose tree is $scratch; the two names are equally long, since the path is in the program.
sed "s|^source	.*|source	$scratch|; s|^build	.*|build	$scratch/build|" "$BUILD/course.tsv" >"$BUILD/course.own"
mkdir -p "$scratch/build/judges" "$scratch/build/stubs"
cp "$BUILD/program.sh" "$scratch/build/"
LC_ALL=C sed 's|/course\.tsv|/course.own|g' "$BUILD/workbook" >"$scratch/workbook"
chmod +x "$scratch/workbook"
cat >"$scratch/tests/submissions/$step.wrong" <<'END'
=== as-it-should-be: build 1 identifier "other" is undefined
todo 1
+    other();
=== other-part: result 2
todo 1
+    other();
=== other-words: build 1 no such words
-    int tid = threadIdx.x;
+    int tid = other;
=== twice: result 2
-
+    other();
=== not-there: result 2
-no such line
=== strange-line: result 2
?no edit
=== another: build 1 identifier "another" is undefined
like as-it-should-be
-    other();
+    another();
=== like-itself: result 2
like like-itself
=== no-part
-    int tid = threadIdx.x;
END
cat >"$scratch/tests/submissions/$step.mistakes" <<'END'
=== as-it-should-be: build 1 Declare it

=== other-words: build 1 No such hint

=== unknown: result 2 A hint
END
printf '# Hints.\n\n## 05-sequential\n\n? is undefined\nDeclare it.\n' >"$scratch/01-reduction/hints.txt"
judge() { "$scratch/workbook" judge "$@"; }
expect 0 "^$step.wrong.as-it-should-be: build 1, as it should be$" judge $step.wrong.as-it-should-be
line '^1 submission, 0 not judged as they should be$'
expect 1 "^$step.wrong.other-part: build 1, not as it should be$" judge $step.wrong.as-it-should-be $step.wrong.other-part
line '^    wanted   result 2$'
line "^    alone    .*judge $step.wrong.other-part$"
line '^2 submissions, 1 not judged as they should be$'
expect 1 'wanted   build 1, with the words no such words' judge $step.wrong.other-words
line "^    hint     'No such hint' wanted first, got 'Declare it.'$"
expect 1 'wrong.twice: its edit is not understood, or its lines are not in the solution exactly once' judge $step.wrong $step.mistakes
line 'wrong.not-there: its edit is not understood'
line 'wrong.strange-line: its edit is not understood'
line 'wrong.like-itself: its edit is not understood'
line 'wrong.no-part: its first line is not'
line 'mistakes.unknown: it has no edit, and there is no wrong submission'
absent 'as it should be'
expect 1 'tests/submissions has no submission 01-reduction/05-sequential.wrong.not-listed' judge $step.wrong.not-listed
expect 0 '' judge --write "$scratch/written" tests/submissions/$step.mistakes.other-words
grep -q 'int tid = other;' "$scratch/written/01-reduction.05-sequential.other-words.cu" || bad "no edit of the wrong submission"
expect 0 '' judge --write "$scratch/written" $step.wrong.another
grep -qx '    another();' "$scratch/written/01-reduction.05-sequential.another.cu" || bad "no edit of the submission before"

# With --brief one submission in four runs all parts; the others run the parts that should refuse them. Eight
# programs, not compiled.
printf 'cp "$3" "$4" && echo "$4.o: $3" >"$4.d"\n' >"$scratch/build/program.sh"
cp "$SOURCE/tests/self/stub_judge.sh" "$scratch/build/judges/reduction"
chmod +x "$scratch/build/judges/reduction"
for part in result safety lesson; do
    echo "echo $part \${SIMT_SCHEDULE:-once} >>'$scratch/runs'" >"$scratch/build/stubs/$part"
done
for n in 1 2 3 4 5 6 7 8; do
    printf '=== number-%d: right 0\n-    int tid = threadIdx.x;\n+    int tid = threadIdx.x; // %d\n' $n $n
done >"$scratch/tests/submissions/$step.right"
sed 's/right 0/lesson 4/' "$scratch/tests/submissions/$step.right" >"$scratch/tests/submissions/$step.wrong"
rm "$scratch/tests/submissions/$step.mistakes"
runs() { # PATTERN: how many since the last expect
    grep -c "^$1$" "$scratch/runs"
}
all() { # KIND WHOLE_FROM WHOLE_TO PATTERN [OPTION]: of eight programs, all as they should be, that many have this run
    rm -f "$scratch/runs"
    expect 0 '^8 submissions, 0 not judged as they should be$' judge $5 $step.$1
    [ "$(runs "$4")" -ge "$2" ] && [ "$(runs "$4")" -le "$3" ] || bad "judge $5 $step.$1: $(runs "$4") runs '$4', wanted $2 to $3"
}
all right 8 8 'result once' ''
all right 1 7 'result once' --brief
[ "$(runs 'result random:1') $(runs 'safety once') $(runs 'lesson once')" = '8 8 16' ] || bad "--brief leaves out a part of a right submission"
echo 'verdict 4 1' >>"$scratch/build/stubs/lesson"
all wrong 8 8 'safety once' ''
all wrong 1 7 'safety once' --brief
[ "$(runs 'lesson once')" -ge 8 ] || bad "--brief leaves out the lesson: $(runs 'lesson once') runs"
rm "$BUILD/course.own"
finish

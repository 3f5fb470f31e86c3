#!/bin/sh
# `workbook judge`: a submission that the grader does not refuse as wanted is reported, and so is one that cannot be made. Their
# programs do not compile, so nothing runs.
. "$SOURCE/tests/self/lib.sh"
needs_solutions
scratch=$BUILD/self/judged
step=01-reduction/05-sequential
rm -rf "$scratch" && mkdir -p "$scratch/solutions/01-reduction" "$scratch/tests/submissions/01-reduction"
cp "$SOURCE/solutions/$step.cu" "$scratch/solutions/01-reduction/"
# A runner whose tree is $scratch; the two names are of one length, since the path is in the program.
sed "s|^source	.*|source	$scratch|" "$BUILD/course.tsv" >"$BUILD/course.own"
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
=== no-part
-    int tid = threadIdx.x;
END
printf '=== other-words: result 2 A hint\n\n=== unknown: result 2 A hint\n' >"$scratch/tests/submissions/$step.mistakes"
judge() { "$scratch/workbook" judge "$@"; }
expect 0 "^$step.wrong.as-it-should-be: build 1, as it should be$" judge $step.wrong.as-it-should-be
line '^1 submission, 0 not judged as they should be$'
expect 1 "^$step.wrong.other-part: build 1, not as it should be$" judge $step.wrong.as-it-should-be $step.wrong.other-part
line '^    wanted   result 2$'
line "^    alone    .*judge $step.wrong.other-part$"
line '^2 submissions, 1 not judged as they should be$'
expect 1 'wanted   build 1, with the words no such words' judge $step.wrong.other-words
expect 1 'wrong.twice: its edit is not understood, or its lines are not in the solution exactly once' judge $step.wrong $step.mistakes
line 'wrong.not-there: its edit is not understood'
line 'wrong.strange-line: its edit is not understood'
line 'wrong.no-part: its first line is not'
line 'mistakes.unknown: it has no edit, and there is no wrong submission'
absent 'as it should be'
expect 1 'tests/submissions has no submission 01-reduction/05-sequential.wrong.not-listed' judge $step.wrong.not-listed
expect 0 '' judge --write "$scratch/written" tests/submissions/$step.mistakes.other-words
grep -q 'int tid = other;' "$scratch/written/01-reduction.05-sequential.other-words.cu" || bad "no edit of the wrong submission"
rm "$BUILD/course.own"
finish

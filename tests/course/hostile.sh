#!/bin/sh
# An invented course of so many students, a tenth hostile (hostile.py). 150 are judged: each kind of hostile student is one of them. Else
# the judge is a stub: what is tested there is the intake, the compiler's includes and the tables.
#
#     hostile.sh STUDENTS PARTS
. "$SOURCE/tests/self/lib.sh"
needs_solutions
command -v python3 >/dev/null || { echo 'skipped: no python3 to invent a course (Debian: python3)' && exit 77; }
hand_out "hostile.$1"
[ "$1" = 150 ] || stub_judge
expect 0 "^$1 students" env SOURCE="$SOURCE" python3 "$SOURCE/tests/course/hostile.py" "$workbook" "$BUILD/self/hostile.$1" "$1" "$2"
printf '%s\n' "$output" | tail -1
finish

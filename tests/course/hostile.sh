#!/bin/sh
# An invented course of so many students, a tenth hostile (hostile.py). In one that is judged each kind of hostile student is there. Else
# the judge is a stub: what is tested there is the intake, the compiler's includes and the tables.
#
#     hostile.sh STUDENTS PARTS [judged]
. "$SOURCE/tests/self/lib.sh"
needs_solutions
command -v python3 >/dev/null || { echo 'skipped: no python3 to invent a course (Debian: python3)' && exit 77; }
hand_out "hostile.$1"
[ "${3:-}" = judged ] || stub_judge
expect 0 "^$1 students" env SOURCE="$SOURCE" python3 "$SOURCE/tests/course/hostile.py" "$workbook" "$BUILD/self/hostile.$1" "$@"
printf '%s\n' "$output" | tail -1
finish

#!/bin/sh
# An invented course with that many students, a tenth of them hostile (hostile.py). A judged course has each kind of hostile
# student. Otherwise a stub replaces the judge, and the tests are about the intake, the compiler's includes and the tables.
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

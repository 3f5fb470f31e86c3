#!/bin/sh
# starter.sh PROGRAM FILE: a starter fails for the right reason: it runs to its end, exits 2 and names the line of its
# open TODO.
. "$SOURCE/tests/self/lib.sh"
line=$(grep -n '^ *#define TODO_OPEN' "$2" | head -1 | cut -d: -f1)
[ -n "$line" ] || bad "$2 has no line '#define TODO_OPEN'"
chapter=$(basename "$(dirname "$2")")
expect 2 "not done: $chapter/$(basename "$2"):$line: " "$1" --check
finish

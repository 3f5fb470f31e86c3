#!/bin/sh
# No program is submitted twice: no two submissions of a step have the same edit, whatever their names and kinds. A mistake
# with a wrong submission's edit refers to that (common/workbook/judge/examples.c).
#
#     SOURCE=. BUILD=build sh tests/self/twins.sh
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/twins
rm -rf "$scratch" && mkdir -p "$scratch"

# twins FILE...: prints a line for each submission with the edit of an earlier one.
twins() {
    awk 'function end() {
            if (edit != "" && (step, edit) in first) print file ": " name " has the edit of " first[step, edit]
            else if (edit != "") first[step, edit] = name
            name = edit = ""
        }
        FNR == 1 { end(); file = step = FILENAME; sub(/\.[a-z]*$/, "", step) }
        /^=== / { end(); name = $2; sub(/:$/, "", name); next }
        name != "" && !/^#/ && !/^$/ { edit = edit $0 "\n" }
        END { end() }' "$@"
}

found=$(twins "$SOURCE"/tests/submissions/*/*.wrong "$SOURCE"/tests/submissions/*/*.right \
    "$SOURCE"/tests/submissions/*/*.cheats "$SOURCE"/tests/submissions/*/*.mistakes)
[ -z "$found" ] || bad "$found"

# Guilty: an edit under two names, in two files of a step. Innocent: that edit for another step, and a mistake without one.
printf '# A step.\n\n=== one: result 2\n-a\n+b\n\n=== other: result 2\n-a\n' >"$scratch/01-a.wrong"
printf '# A step.\n\n=== two: result 2\n# a comment\n-a\n+b\n=== one: result 2 A hint\n' >"$scratch/01-a.mistakes"
cp "$scratch/01-a.wrong" "$scratch/02-b.wrong"
found=$(twins "$scratch/01-a.wrong" "$scratch/01-a.mistakes" "$scratch/02-b.wrong")
[ "$found" = "$scratch/01-a.mistakes: two has the edit of one" ] || bad "an edit under two names is not found: '$found'"
finish

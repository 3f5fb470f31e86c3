#!/bin/sh
# Starter and solution are the same outside their TODO regions: `workbook starter` makes every starter from its
# solution, byte for byte. Every starter has a solution and the reverse.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/drift
rm -rf "$scratch" && mkdir -p "$scratch"

# same STARTER SOLUTION: whether the one is made from the other.
same() {
    "$BUILD/workbook" starter "$2" >"$scratch/made.cu" 2>"$scratch/words" && cmp -s "$1" "$scratch/made.cu"
}

count=0
for solution in "$SOURCE"/solutions/[0-9]*/*.cu; do
    starter=$SOURCE/${solution#"$SOURCE/solutions/"}
    count=$((count + 1))
    if ! same "$starter" "$solution"; then
        bad "$starter is not what workbook starter $solution makes"
        cat "$scratch/words"
        diff "$starter" "$scratch/made.cu" | head -20
    fi
done
for starter in "$SOURCE"/[0-9]*/*.cu; do
    [ -f "$SOURCE/solutions/${starter#"$SOURCE/"}" ] || bad "$starter has no solution"
done
[ "$count" -gt 0 ] || bad "no solution was found below $SOURCE/solutions"

# Guilty: every kind of drift is detected.
cat >"$scratch/solution.cu" <<'END'
int before;
// TODO: Say it.
// More words.
int code; // why
// END TODO
int after;
END
printf 'int before;\n// TODO: Say it.\n// More words.\n#define TODO_OPEN // delete this line when the TODO is done\n// END TODO\nint after;\n' >"$scratch/good.cu"
same "$scratch/good.cu" "$scratch/solution.cu" || bad "a starter that did not drift is refused"
for edit in 's/int before/int  before/' 's/after/behind/' '/END TODO/d' 's/More words/Fewer words/' '/TODO_OPEN/d' \
    's/#define TODO_OPEN.*/int code; \/\/ why/' '$d'; do
    sed "$edit" "$scratch/good.cu" >"$scratch/drifted.cu"
    same "$scratch/drifted.cu" "$scratch/solution.cu" && bad "drift is not seen: sed '$edit'"
done
sed '/END TODO/d' "$scratch/solution.cu" >"$scratch/open.cu"
expect 1 'has no `// TODO:` that' "$BUILD/workbook" starter "$scratch/open.cu"
expect 1 'cannot be read' "$BUILD/workbook" starter "$scratch/absent.cu"
finish

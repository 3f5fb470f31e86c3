#!/bin/sh
# defects.tsv, the table of classes of defects, agrees with CTest: each class has its witness in the preset `test`, and every
# test that is left to test-all belongs to a class that has one.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/defects
rm -rf "$scratch" && mkdir -p "$scratch"

# tests ARGUMENTS...: the names that ctest lists.
tests() {
    ctest --test-dir "$BUILD" -N -FA '.*' "$@" | sed -n 's/^  Test *#[0-9]*: //p'
}

# uncovered TABLE TESTS MORE: the disagreements.
uncovered() {
    awk -F '\t' -v tests="$2" -v more="$3" '
        /^#/ { next }
        NF != 4 { print "line " FNR " has " NF " columns, not 4: " $1; next }
        { class[++n] = $1; witness[n] = $2; rest[n] = $3 }
        END {
            while ((getline name <tests) > 0) for (i = 1; i <= n; i++) if (name ~ witness[i]) seen[i] = 1
            while ((getline name <more) > 0) {
                found = 0
                for (i = 1; i <= n; i++) if (rest[i] != "-" && name ~ rest[i]) { found = 1; used[i] = 1 }
                if (!found) print name ": labelled more, and no class of the table has it: which test of `test` finds its defect?"
            }
            for (i = 1; i <= n; i++) {
                if (!seen[i]) print class[i] ": no test of the preset `test` matches " witness[i]
                if (rest[i] != "-" && !used[i]) print class[i] ": no test labelled more matches " rest[i]
            }
        }' "$1"
}

table=$SOURCE/tests/self/defects.tsv
tests -LE '^more$' >"$scratch/tests"
tests -L '^more$' >"$scratch/more"
uncovered "$table" "$scratch/tests" "$scratch/more" >"$scratch/found"
[ -s "$scratch/found" ] && bad "$(cat "$scratch/found")"
awk -F '\t' '!/^#/ { n++; planted += $4 != "-" } END { print n " classes of defects, one of each planted in " planted }' "$table"

# Guilty: a class without a witness, a test that no class has, a pattern of nothing, a missing column.
printf 'a\t^self[.]a$\t-\t-\nb\t^self[.]b$\t^self[.]b[.]all$\t-\nc\t^self[.]c$\t^self[.]d$\t-\ne\t^self[.]a$\n' >"$scratch/table"
printf 'self.a\nself.b\n' >"$scratch/tests"
printf 'self.b.all\nself.x\n' >"$scratch/more"
uncovered "$scratch/table" "$scratch/tests" "$scratch/more" >"$scratch/found"
for want in 'line 4 has 2 columns' 'self.x: labelled more, and no class' 'c: no test of the preset' 'c: no test labelled more'; do
    grep -q "^$want" "$scratch/found" || bad "not seen: $want"
done
[ "$(wc -l <"$scratch/found")" = 4 ] || bad "something else is found: $(cat "$scratch/found")"
finish

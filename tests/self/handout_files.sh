#!/bin/sh
# What `workbook handout` writes: no code of a solution, and the same whatever else is in the tree. What it refuses; and
# that it leaves nothing behind if it cannot finish.
. "$SOURCE/tests/self/lib.sh"
hand_out files
scratch=$BUILD/self/handouts
step=01-reduction/05-sequential
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$scratch" || exit 1
handout() { "$BUILD/workbook" handout "$@"; }

# leaks FOLDER: code of solutions in it.
leaks() {
    find "$1" -type f -exec awk -f "$SOURCE/tests/self/leaks.awk" "$SOURCE"/solutions/*/*.cu {} + | grep .
}
expect 0 '^one and one.zip: [1-9]' handout one --zip one.zip

fresh() {
    cd "$scratch" || exit 1
    rm -rf two three four empty unpacked ./*four.zip kept found misfits
}

# The hunts are handed out, their repairs are not: no file of the hand-out is a hunt with its repair. Guilty: one that is.
# repair PATCH PROGRAM: the program with this repair. misfits lists the repairs that are missing or do not fit.
repair() {
    { [ -s "$1" ] && sed 1d "$1" | patch -s -F0 -r - -o - "$2" -; } || echo "$1" >>misfits
}
repaired() {
    for program in "$SOURCE"/[0-9]*/hunts/*.cu; do
        chapter=${program%/hunts/*}
        repair "$SOURCE/tests/hunts/${chapter##*/}/$(basename "$program" .cu).patch" "$program" | md5sum
    done
}
case_no_repairs() {
    repaired | sort >repaired.md5
    [ "$(wc -l <repaired.md5)" -ge 24 ] || bad "where are the repairs?"
    [ ! -e misfits ] || bad "these repairs are missing or do not fit: $(cat misfits)"
    repair "$SOURCE/tests/hunts/02-scan/a.patch" "$SOURCE/02-scan/hunts/b.cu" >found 2>&1
    repair none.patch "$SOURCE/02-scan/hunts/b.cu" >>found 2>&1
    [ "$(grep -c patch misfits)" = 2 ] || bad "a repair that does not fit, or a missing one, is not seen"
    found() { find "$1" -name '*.cu' -exec md5sum {} + | sed 's/ .*/  -/' | sort | comm -12 - repaired.md5 | grep .; }
    found one && bad "a repair is in the hand-out"
    [ -z "$(find one -name '*.patch')" ] || bad "a patch is in the hand-out"
    [ "$(ls one/*/hunts/*.cu | wc -l)" = "$(ls "$SOURCE"/[0-9]*/hunts/*.cu | wc -l)" ] || bad "hunts are missing"
    mkdir two
    cp "$SOURCE/02-scan/hunts/a.cu" two/
    sed 1d "$SOURCE/tests/hunts/02-scan/a.patch" | patch -s two/a.cu
    found two >/dev/null || bad "a repair is not seen"
}
case_no_solutions() {
    leaks one && bad "solutions are in the hand-out"
    for folder in solutions tests/self tests/submissions tests/peers tests/hunts tests/projects .git; do
        [ -e "one/$folder" ] && bad "$folder is handed out"
    done
    for starter in "$SOURCE"/[0-9]*/*.cu; do
        cmp -s "$starter" "one/${starter#"$SOURCE/"}" || # self.drift: each starter is made from its solution
            bad "${starter#"$SOURCE/"} is not the starter"
    done
}
# The solutions of projects are not handed out either. As in solutions of steps, their code is between TODO and END TODO,
# except for #include.
case_no_projects() {
    mkdir -p answers/solutions
    for answer in "$SOURCE"/tests/projects/*/*.cu; do
        { echo '// TODO: x'; sed '/^#include/d' "$answer"; echo '// END TODO'; } >"answers/solutions/$(echo "${answer#"$SOURCE/tests/projects/"}" | tr / .)"
    done
    found() { find "$1" -type f -exec awk -f "$SOURCE/tests/self/leaks.awk" answers/solutions/*.cu {} + | grep .; }
    found one && bad "code of a project's solution is in the hand-out"
    mkdir two
    sed -n '/^__device__ int walk_tile/,/^}/p' "$SOURCE/tests/projects/07-matmul/reference.cu" >two/page.md
    found two >/dev/null || bad "code of a project's solution is not seen"
}
# Guilty: a TODO's code is found in a page, indented and quoted, with other blanks, in an earlier step's starter, and in
# the tests. Innocent: one line of it.
planted() { # planted FILE SED: the code of step 5, edited, in this file
    cp "$1" "$scratch/kept"
    sed -n '/for (int stride/,/END TODO/p' "$SOURCE/solutions/$step.cu" | sed '$d' | sed "$2" >>"$1"
    leaks "$1" >found # only this file: case_no_solutions checks all
    mv "$scratch/kept" "$1"
    grep -q "$1:.*: $step.cu" found
}
case_planted() {
    planted one/docs/runner.md '' || bad "a solution in a page is not found"
    planted one/docs/runner.md 's/^ */> /' || bad "a solution that a page quotes is not found"
    planted one/common/scan.h 's/^ *\(.*\)/\/\/   \1 \/\/ so/; s/ = /=/g; G' || bad "a solution in a comment is not found"
    planted one/01-reduction/04-contiguous.cu '' || bad "a solution in an earlier step is not found"
    planted one/01-reduction/06-first-add.cu '' && bad "a later step may hold what an earlier one asked for"
    planted one/docs/runner.md '2,$d' && bad "one line is not a solution"
    leaks "$SOURCE/tests/submissions" >found
    grep -q "01-reduction/.*: 01-reduction/" found || bad "no solution is found in the tests"
}
# The zip file holds the same.
case_zip() {
    mkdir unpacked && (cd unpacked && cmake -E tar xf ../one.zip) && diff -r one unpacked/warpbook || bad "the zip file differs"
}
# The same again whatever else is in the tree: unfinished starters, editors' copies, builds, links, a
# history, the tests.
case_what_lies_about() {
    cp -r "$SOURCE/solutions" "$tree/solutions"
    mkdir -p "$tree/.git" "$tree/tests/submissions" "$tree/common/try" "$tree/docs/notes"
    cp "$SOURCE/solutions/$step.cu" "$tree/$step.cu"
    touch "$tree/common/try/CMakeCache.txt" "$tree/.git/config"
    for name in 01-reduction/05-sequential.cu.bak 01-reduction/.05-sequential.cu.swp 01-reduction/mine.cu docs/runner.md~ \
        'docs/#runner.md#' docs/.#runner.md common/.try.c common/try/try.c docs/notes/a.out tests/submissions/a.c notes.md; do
        echo secret >"$tree/$name"
    done
    ln -s ../solutions/$step.cu "$tree/docs/solution.md"
    expect 0 ' files, ' "$tree/build/workbook" handout two
    diff -r one two || bad "what lies about in the tree is handed out"

    # From a tree without solutions: the starters as they were handed out there.
    rm -rf "$tree/solutions"
    expect 0 ' files, ' "$tree/build/workbook" handout three
    diff -r one three || bad "the hand-out of a hand-out differs"
}
# A hand-out for which every submission would be refused is not written.
refuses() { # refuses PATTERN
    expect 1 "$1" "$tree/build/workbook" handout four --zip four.zip
    [ -z "$(find . -name '*four*' -o -name '.handout*')" ] || bad "something is left after: $1"
}
case_refused_later() {
    cp "$tree/common/scan.h" kept && echo '// changed' >>"$tree/common/scan.h"
    refuses '^workbook: common/scan.h differs from common/handout.manifest.*manifest >common/handout.manifest'
    mv kept "$tree/common/scan.h"
    mkdir -p "$tree/solutions/01-reduction" && sed 's/BLOCK 256/BLOCK 128/' "$SOURCE/solutions/$step.cu" >"$tree/solutions/$step.cu"
    refuses "^workbook: $step.cu, made from its solution, differs from common/handout.manifest"
    sed '/END TODO/d' "$SOURCE/solutions/$step.cu" >"$tree/solutions/$step.cu"
    refuses 'has no TODO that is closed'
    rm -rf "$tree/solutions"
    cp "$tree/common/handout.list" kept && echo 'docs *.pdf' >>"$tree/common/handout.list"
    refuses '^workbook: common/handout.list: no file \*.pdf is in docs; nothing was written$'
    mv kept "$tree/common/handout.list"
}
# A full disk, here a limit on a file's size: nothing is left, and a command that can finish does.
case_full_disk() {
    expect 1 'cannot write .*: File too large; nothing was written' sh -c "ulimit -f 40; '$BUILD/workbook' handout four"
    expect 1 'cannot write .*four.zip; nothing was written' sh -c "ulimit -f 900; '$BUILD/workbook' handout four --zip four.zip"
    [ -z "$(find . -name '*four*' -o -name '.handout*')" ] || bad "something is left after a full disk"
}
case_places() {
    mkdir empty
    expect 0 '^empty/: ' handout empty/
    expect 1 'exists and is not an empty folder; remove it or name another; nothing' handout one
    expect 1 'exists and is not an empty folder' handout one.zip
    expect 1 'one.zip already exists' handout --zip one.zip
    expect 1 'is inside this tree' handout "$SOURCE/here"
    expect 1 'is inside this tree' handout "$SOURCE/docs/here"
    expect 1 'current directory' handout .
    expect 1 'cannot write nowhere/here: No such file or directory; nothing was written$' handout nowhere/here
    expect 1 'cannot write one.zip/here: Not a directory' handout one.zip/here
    expect 1 'No such file or directory' handout /proc/here
    expect 1 'cannot write nowhere/x.zip: No such file' handout --zip nowhere/x.zip
    expect 1 'here does not end in .zip' handout --zip here
    expect 1 "expected a new folder, --zip FILE.zip, or both" handout
    expect 1 "one folder at a time, not 'b'" handout a b
    expect 1 "unknown option '--tar'" handout --tar a
    expect 1 "a name is missing after '--zip'" handout --zip
}
cases no_solutions no_repairs no_projects planted zip what_lies_about refused_later full_disk places
finish

#!/bin/sh
# The version is only in CMakeLists.txt: the runner shows it, and the newest entry of CHANGELOG.md matches it.
. "$SOURCE/tests/self/lib.sh"

# number ROOT: that of a tree
number() {
    sed -n 's/^project(.* VERSION \([0-9]*\.[0-9]*\.[0-9]*\) .*/\1/p' "$1/CMakeLists.txt"
}
# entry ROOT: the newest entry of its list of changes
entry() {
    sed -n 's/^## \([0-9]*\.[0-9]*\.[0-9]*\),.*/\1/p' "$1/CHANGELOG.md" | head -1
}
wanted=$(number "$SOURCE")
[ -n "$wanted" ] || bad "CMakeLists.txt has no version of three numbers"
[ "$("$BUILD/workbook" --version)" = "workbook $wanted" ] || bad "workbook --version says $("$BUILD/workbook" --version)"
[ "$(entry "$SOURCE")" = "$wanted" ] || bad "the newest entry of CHANGELOG.md is $(entry "$SOURCE"), not $wanted"

# Guilty: a number that was raised in one place only.
scratch=$BUILD/self/version
rm -rf "$scratch" && mkdir -p "$scratch"
sed 's/VERSION [0-9.]* LANG/VERSION 99.0.0 LANG/' "$SOURCE/CMakeLists.txt" >"$scratch/CMakeLists.txt"
cp "$SOURCE/CHANGELOG.md" "$scratch"
[ "$(number "$scratch")" = 99.0.0 ] && [ "$(entry "$scratch")" != 99.0.0 ] || bad "a version without its entry is not seen"
finish

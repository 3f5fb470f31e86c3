#!/bin/sh
# common/handout.manifest is current: it has the hashes of the headers, course tables and starters of this tree.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/manifest
rm -rf "$scratch" && mkdir -p "$scratch"
"$BUILD/workbook" manifest >"$scratch/now" || bad "workbook manifest fails"
[ "$(grep -c '\.cu$' "$scratch/now")" = "$(ls "$SOURCE"/[0-9]*/*.cu | wc -l)" ] || bad "not one line for every starter"
if ! diff "$SOURCE/common/handout.manifest" "$scratch/now"; then
    bad "the manifest is old: $BUILD/workbook manifest >$SOURCE/common/handout.manifest"
fi
finish

#!/bin/sh
# Grading a chapter never runs the workbook's own tests: these are all named self.* and labelled self, and nothing of
# a chapter is.
. "$SOURCE/tests/self/lib.sh"
cd "$BUILD" || exit 1
list() {
    ctest --test-dir "$BUILD" -N "$@" | sed -n 's/^  Test *#[0-9]*: //p'
}
for chapter in "$SOURCE"/[0-9]*/; do
    chapter=$(basename "$chapter")
    list -R "$chapter" | grep -v "^$chapter\." && bad "ctest -R $chapter runs these too"
    [ "$(list -R "$chapter" | wc -l)" = "$(list -L "^$chapter\$" | wc -l)" ] || bad "label and name of $chapter differ"
    [ "$(list -R "$chapter" | wc -l)" = "$((4 * $(ls "$SOURCE/$chapter"/*.cu | wc -l)))" ] ||
        bad "not four tests for every step of $chapter"
done
list -L '^self$' | grep -v '^self\.' && bad "these are labelled self and not named so"
list -R '^self\.' -LE '^self$' | grep . && bad "these are named self and not labelled so"
finish

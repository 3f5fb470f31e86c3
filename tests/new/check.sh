#!/bin/sh
# Runs the tests of a step or of a chapter, and those of the tree that such a change can break. Builds nothing else.
#
#     sh tests/new/check.sh NN-topic[/SS-step]
#
# Environment: BUILD, as for step.sh.
set -eu
cd "$(dirname "$0")/../.."
. tests/new/lib.sh
path=${1:-}
build=$(cd "${BUILD:-build-test}" && pwd)
chapter=${path%%/*}
topic=${chapter#*-}
[ -f "$chapter/CMakeLists.txt" ] || refuse "usage: sh tests/new/check.sh NN-topic[/SS-step], for example 03-histogram/07-vectorized"
quietly cmake "$build" || refuse "it does not configure: see above"
steps=$(awk -F '\t' -v chapter="$chapter" -v path="$path" '$1 == chapter && index($1 "/" $2, path) == 1 { print $2 }' "$build/course.tsv")
[ -n "$steps" ] || refuse "$path is not a step of $build: sh tests/new/step.sh $path makes it one"
one=$(echo "$steps" | paste -sd '|')
# shellcheck disable=SC2046 # names without blanks
quietly cmake --build "$build" --target workbook unit.harness.bounds "$chapter" $(for step in $steps; do echo "$chapter.$step"; done) ||
    refuse "it does not build: see above"
status=0
ctest --test-dir "$build" --output-on-failure -FA 'self[.]' -E 'hardware|[.]all$' \
    -R "^$chapter[.]($one)[.]|^self[.]((wrong|right|cheat|starter|order)[.]$topic[.]($one)([.]|$)|docs[.](chapters|links|$topic)|\
harness[.]bounds|submissions|drift|manifest|style|words|sentences|names|rooms|alone)" || status=1
for step in $steps; do
    SOURCE=$PWD BUILD=$build sh tests/self/hints.sh "$chapter" "$step" || status=1
done
exit $status

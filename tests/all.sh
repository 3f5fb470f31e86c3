#!/bin/sh
# All tests of the workbook, also those labelled more, or a part of them:
#
#     sh tests/all.sh [K/N [list]]     part K of N, by default 1/1; list: the tests' numbers in the tree BUILD
#
# builds the preset `test` and runs part K on all cores. It does not use a card, which has no memory for so many programs at a
# time: the preset `gpu` does. The parts are the same on every computer, together they are all tests, and they take about
# equally long: the tests are dealt out in turn, those with the highest cost in CTest first. Each part builds what its tests
# need. The last line says how many tests ran and how long they took.
set -eu
cd "$(dirname "$0")/.."
part=${1:-1/1} what=${2:-run}
k=0 n=${part#*/}
case $part in
*[!0-9/]* | */*/* | /* | */) ;;
*/*) k=${part%/*} ;;
esac
if [ "$k" -lt 1 ] || [ "$k" -gt "$n" ]; then
    echo "all.sh: the part is '$part'; expected K/N, such as 1/4, with K from 1 to N" >&2
    exit 2
fi
jobs=$(nproc)
build=build-test
if [ "$what" = list ]; then
    build=${BUILD:-$build}
else
    cmake --preset test -D WORKBOOK_GPU=off
    cmake --build --preset test --parallel "$jobs"
fi

# NUMBER of each test of the part, from ctest's list and from the COST that CMake wrote: [=[NAME]=], or "NAME"
# from CMake 4 on.
numbers() {
    ctest --test-dir "$build" -N >"$listed"
    find "$build" -path "$build/self" -prune -o -name CTestTestfile.cmake -exec sed -n 's/^set_tests_properties(\([^ ]*\) .* COST "\([0-9.]*\)".*/cost \1 \2/p' {} + |
        awk '$1 == "cost" { gsub(/^\[=*\[|\]=*\]$|"/, "", $2); cost[$2] = $3 }
            /^ *Test +#[0-9]+: / { sub(/^ *Test +#/, ""); sub(/:/, ""); print cost[$2] + 0, $1 }' - "$listed" |
        sort -k1,1nr -k2,2n | awk -v k="$k" -v n="$n" '{ turn = (NR - 1) % (2 * n); if (turn >= n) turn = 2 * n - 1 - turn }
            turn == k - 1 { print $2 }'
}
listed=$(mktemp) chosen=$(mktemp)
trap 'rm -f "$listed" "$chosen"' EXIT
numbers_of_part=$(numbers)
[ -n "$numbers_of_part" ] || { echo "all.sh: $build has no test for part $part" >&2 && exit 1; }
if [ "$what" = list ]; then
    echo "$numbers_of_part"
    exit
fi
echo "0,0,0,$(echo "$numbers_of_part" | paste -sd ,)" >"$chosen"
begin=$(date +%s) status=0
ctest --test-dir "$build" --output-on-failure -I "$chosen" --parallel "$jobs" || status=$?
commit=$(git rev-parse --short HEAD 2>/dev/null || echo -)
echo "part $part of commit $commit: $(echo "$numbers_of_part" | wc -l) tests, $(($(date +%s) - begin)) s on $jobs cores, exit $status"
exit $status

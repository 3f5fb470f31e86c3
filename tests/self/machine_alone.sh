#!/bin/sh
# The SIMT machine is a project of its own inside the tree: configured, built and installed from common/simt, without the workbook.
#
#     SOURCE=. BUILD=build sh tests/self/machine_alone.sh [build]
#
# Without `build` it is configured only.
. "$SOURCE/tests/self/lib.sh"
made=$BUILD/self/machine
rm -rf "$made"
cmake -S "$SOURCE/common/simt" -B "$made" -DWORKBOOK_NVCC="$NVCC" >"$made.log" 2>&1 || bad "it does not configure: $(tail -5 "$made.log")"
cmake --build "$made" --target help >"$made.log" 2>&1
for target in simt unit.simt.warp; do
    grep -q "[ .]$target\$\|^$target:" "$made.log" || bad "it has no target $target"
done
grep -q '[ .]\(workbook\|judges\|solutions\)$' "$made.log" && bad "it builds parts of the workbook: $(grep '[ .]\(workbook\|judges\|solutions\)$' "$made.log")"
ctest --test-dir "$made" -N >"$made.log" 2>&1
for name in self.simt.opcodes self.simt.checks.race.order self.simtcc.install; do
    grep -q ": $name\$" "$made.log" || bad "it has no test $name"
done
[ "${1:-}" = build ] || { finish; exit; }

cmake --build "$made" --parallel 2 >"$made.log" 2>&1 || bad "it does not build: $(tail -5 "$made.log")"
ctest --test-dir "$made" -j 2 -R '^self\.(simt\.(warp|opcodes|control|memory|checks\.race.*)|simtcc\.(install|options))$' --output-on-failure \
    >"$made.log" 2>&1 || bad "its tests fail: $(tail -20 "$made.log")"
grep -q 'self.simtcc.install .*Passed' "$made.log" || bad "what it installs was not tried"
finish

#!/bin/sh
# The SIMT machine is a separate project inside the tree: configured, built and installed from common/simt, without the
# workbook; and the workbook can use an installed one.
#
#     SOURCE=. BUILD=build sh tests/self/machine_alone.sh [build]
#
# Without `build` it is only configured, and the installed one is that of BUILD.
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

# Tests labelled smoke run after a change on either side.
ctest --test-dir "$BUILD" -N -L '^smoke$' >"$made.log" 2>&1
for count in '12 [0-9][0-9]-.*' '1 self\.machine' '1 self\.simtcc\..*'; do
    [ "$(grep -c ": ${count#* }\$" "$made.log")" = "${count%% *}" ] || bad "not ${count%% *} tests labelled smoke are called ${count#* }"
done

# A change in a chapter runs no other test of the machine.
ctest --test-dir "$BUILD" -N -LE 'machine|more|smoke' >"$made.log" 2>&1
! grep ': self\.simt' "$made.log" || bad "tests of the machine without its label: see above"

# workbook OPTION...: configures the workbook in $made.uses.
workbook() {
    cmake -S "$SOURCE" -B "$made.uses" -G "$(generator)" -DWORKBOOK_NVCC="$NVCC" -DWORKBOOK_GPU=off "$@"
}
installed() {
    prefix="$made/it is here"
    step=01-reduction.05-sequential
    rm -rf "$made.uses" && mkdir -p "$made.uses/CMakeFiles"
    cp -r "$BUILD"/CMakeFiles/[0-9]*.[0-9]* "$made.uses/CMakeFiles/" # the compilers' properties found by CMake
    keep_objects
    expect 0 '' cmake --install "$BUILD" --prefix "$prefix"
    expect 0 '' workbook -DCMAKE_PLATFORM_INFO_INITIALIZED=1 -DWORKBOOK_SIMT="$prefix"
    expect 0 '' cmake --build "$made.uses" --target judge.reduction $step
    absent simt_parts
    expect 2 'TODO is still open' "$made.uses/01-reduction/05-sequential" --check --n 1000
    # Guilty: a machine other than this tree's.
    echo >>"$prefix/include/simt/remote.h"
    expect 1 'another simt/remote.h' workbook
    echo 'set(PACKAGE_VERSION 0.0.1)' >"$prefix/lib/cmake/simt/simtConfigVersion.cmake"
    expect 1 'requested version' workbook
}
[ -n "$(cached WORKBOOK_SANITIZE)" ] || installed
[ "${1:-}" = build ] || { finish; exit; }

tested='warp opcodes control memory checks'
# shellcheck disable=SC2046 # a list
cmake --build "$made" --parallel 2 --target all $(printf 'unit.simt.%s ' $tested) simt.kernels.control simt.kernels.race \
    >"$made.log" 2>&1 || bad "it does not build: $(tail -5 "$made.log")"
ctest --test-dir "$made" -j 2 -R '^self\.(simt\.(warp|opcodes|control|memory|checks\.race.*)|simtcc\.(install|options))$' -FA self.unit --output-on-failure \
    >"$made.log" 2>&1 || bad "its tests fail: $(tail -20 "$made.log")"
grep -q 'self.simtcc.install .*Passed' "$made.log" || bad "what it installs was not tried"
finish

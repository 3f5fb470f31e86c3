#!/bin/sh
# Installs into an empty prefix, which is then moved, and builds a foreign program by simtcc, by find_package and by
# pkg-config. install.sh: simtcc, and one of the other cases. install.sh all: all of them.
. "$SOURCE/tests/simtcc/ways.sh"

# The installed files: nothing of the workbook's own.
cat >"$scratch/wanted" <<END
bin/simtcc
include/simt.h
include/simt/remote.h
include/simt/startup.h
lib/cmake/simt/simtConfig.cmake
lib/cmake/simt/simtConfigVersion.cmake
lib/cmake/simt/simtTargets-release.cmake
lib/cmake/simt/simtTargets.cmake
lib/cmake/simt/simt_add_executable.cmake
lib/libsimt.a
lib/pkgconfig/simt.pc
share/doc/simtcc/changelog.gz
share/doc/simtcc/copyright
share/doc/simtcc/simtcc.md
share/man/man1/simtcc.1.gz
share/man/man7/simt.7.gz
END
(cd "$prefix" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort) | diff "$scratch/wanted" - || bad "other files are installed"
grep -rlF -e "$BUILD" -e "$SOURCE" -e "$prefix" "$prefix" && bad "these name folders that may go away"

case_unmoved() { by_simtcc "$simtcc"; }
case_moved() { by_simtcc "$moved/bin/simtcc"; }
case_twin() {
    by_simtcc "$moved/bin/simtcc" -DNO_BARRIER
    ln -s "$moved/bin/simtcc" "$scratch/link"
    by_simtcc "$scratch/link"
}
case_pkg_config() { by_pkg_config "$moved"; }

case_cmake() {
    by_cmake "$moved" moved
    # A version: the same major one and not newer than the installed one.
    for wanted in 99.0 "${VERSION%%.*}.99"; do
        expect 1 'with requested version' cmake -S "$foreign" -B "$scratch/cmake moved" \
            "-DCMAKE_PREFIX_PATH=$moved" "-DCMAKE_CXX_COMPILER=$CXX" "-DWANTED=$wanted"
    done
    # Each mistake in a call has its own message.
    for call in 'smooth OPTIONS -O2;it needs a file' 'smooth a.cu SETTINGS THREADS=1;not of the form'; do
        mkdir -p "$scratch/call" && cat >"$scratch/call/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(call LANGUAGES CXX)
find_package(simt REQUIRED)
simt_add_executable(${call%;*})
END
        expect 1 "${call#*;}" cmake -S "$scratch/call" -B "$scratch/call/build" "-DCMAKE_PREFIX_PATH=$moved"
    done
}

moved="$scratch/moved here"
[ "${1:-}" != all ] || cases unmoved
mv "$prefix" "$moved"
some='twin cmake pkg_config'
# shellcheck disable=SC2086 # a list
[ "${1:-}" = all ] || some=$(printf '%s\n' $some | third "$script" "$SOURCE"/common/simtcc/*)
# shellcheck disable=SC2086
cases moved $some
finish

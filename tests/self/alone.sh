#!/bin/sh
# Each header under common/ compiles alone, except those listed in alone.list with the reason. A listed header that
# compiles is a failure, too.
#
# A compiled file proves the header that it includes first, and this header proves the next one. Only headers at the end of no
# such chain are compiled here: C headers by the C compiler, all others by the two commands with which nvcc reads the host's
# side of a file (`nvcc --dryrun` shows them). The first of them, the host's compiler, checks names and types as well as the
# second if the common headers are precompiled, in a quarter of the time. It does not know <<< >>>, so the two commands check
# again what it refuses.
#
# alone.sh: a third of these, selected by the headers. alone.sh all: all of them.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/alone${1:+.$1}
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$SOURCE" || exit 1

is_c() {
    case $1 in
    common/remote/serve.h | common/remote/arguments.h) return 1 ;;
    common/simt/* | common/workbook/* | common/remote/*) ;;
    *) return 1 ;;
    esac
}

c_alone() { # HEADER
    case $1 in
    common/workbook/*) set -- "$1" -I common/workbook -I common ;;
    common/simt/*) set -- "$1" -I common/simt -I "$TOOLKIT_INCLUDE" ;;
    *) set -- "$1" -I common -I common/simt -I "$TOOLKIT_INCLUDE" ;;
    esac
    case $1 in common/simt/*) ;; *) set -- "$@" -D_GNU_SOURCE ;; esac
    echo "#include \"$SOURCE/$1\"" >"$scratch/header.c"
    shift
    "$CC" -std=c11 -Wall -Wextra -Werror -fsyntax-only "$@" "$scratch/header.c"
}

# front: the commands of nvcc for header.cu up to its front end for the host: the preprocessor, then cudafe++.
echo 'int none;' >"$scratch/header.cu"
"$NVCC" --dryrun --keep --keep-dir "$scratch" -rdc=true -I "$SOURCE/common/cmake/lean" -I "$SOURCE/common" -arch=compute_80 \
    -code=compute_80 -cuda "$scratch/header.cu" -o "$scratch/header.out" 2>"$scratch/dryrun"
{
    sed -n 's/^#\$ TOP=\(.*\)/PATH="\1\/bin:$PATH"/p' "$scratch/dryrun"
    sed -n 's/^#\$ \(.* -E .*cpp4.ii.*\)/\1 \&\&/p' "$scratch/dryrun"
    sed -n 's/^#\$ \(cudafe++ .*\)/\1/p' "$scratch/dryrun"
} >"$scratch/front"
# quick: the messages of the host's compiler about header.cu. Its library declares functions constexpr that the toolkit's
# headers declare again.
echo '#include "cuda_runtime.h"' >"$scratch/first.h"
sed -n 's/^\(gcc .*\) -E \(.*\) -o .*/\1 -fsyntax-only -w -D_GLIBCXX_CONSTEXPR= \2/p' "$scratch/front" |
    sed "s|-include \"cuda_runtime.h\"|-include \"$scratch/first.h\"|" >"$scratch/quick"
sed "s/ -fsyntax-only / /; s/-x c++ /-x c++-header /; s|-include [^ ]*||; s|[^ ]*header.cu\"|\"$scratch/first.h\" -o \"$scratch/first.h.gch\"|" \
    "$scratch/quick" >"$scratch/precompile"
sh "$scratch/precompile" 2>/dev/null || rm -f "$scratch/first.h.gch"
cuda_alone() { # HEADER
    echo "#include \"$SOURCE/$1\"" >"$scratch/header.cu"
    { [ -s "$scratch/first.h.gch" ] && sh "$scratch/quick" >/dev/null 2>&1; } || sh "$scratch/front"
}
expect 0 '' sh "$scratch/front"
[ "$failures" = 0 ] || { cat "$scratch/dryrun"; echo "nvcc's front end cannot be called by itself"; exit 1; }

alone() { # HEADER
    if is_c "$1"; then c_alone "$1"; else cuda_alone "$1"; fi
}

# first FILE...: "FILE<tab>HEADER" if a file includes a header of its tree before anything else but `#pragma once`.
first() {
    awk '
        FNR == 1 { over = served = 0 }
        /^#ifdef WORKBOOK_SERVED/ { served = 1; next } # nothing here is
        served && /^#else/ { served = 0; next }
        served { next }
        over || /^ *\/\/|^ *$|^#pragma once/ { next }
        { over = 1 }
        /^#include "/ { split($0, part, "\""); print FILENAME "\t" part[2] }' "$@" |
        while IFS='	' read -r file name; do
            for folder in "${file%/*}" common common/simt common/workbook; do
                [ ! -f "$folder/$name" ] || { printf '%s\t%s\n' "$file" "$folder/$name"; break; }
            done
        done
}

# unproven EXCEPTED FILES HEADERS: those of the list HEADERS that no file of the list FILES, and no other header, proves.
unproven() {
    # shellcheck disable=SC2046 # names without blanks
    first $(cat "$2" "$3" | grep -vxFf "$1") | cut -f 2 | sort -u >"$scratch/proven"
    grep -vxFf "$scratch/proven" "$3"
    grep -xFf "$1" "$scratch/proven"
}

# check LIST HEADERS...: compiles each; LIST is as alone.list.
check() {
    list=$1
    shift
    for header; do
        excepted=$(grep "^$header " "$list")
        if alone "$header" >"$scratch/said" 2>&1; then
            [ -z "$excepted" ] || echo "$header compiles alone: strike it off ${list##*/}"
        elif [ -z "$excepted" ]; then
            echo "$header does not compile alone: $(grep -m 1 error "$scratch/said")"
        fi
    done >"$scratch/faults"
    cat "$scratch/faults"
    ! [ -s "$scratch/faults" ]
}

# Excludes lean/, which precedes the toolkit's header of this name, and editor/, which clangd reads: nothing
# includes them.
find common -name '*.h' ! -path 'common/cmake/lean/*' ! -path 'common/editor/*' | LC_ALL=C sort >"$scratch/headers"
find common/simt common/workbook common/remote [0-9]* -name '*.c' -o -name '*.cu' ! -name driver.cu >"$scratch/sources"
list=$SOURCE/tests/self/alone.list
grep -v '^#' "$list" | cut -d ' ' -f 1 >"$scratch/excepted"
grep -vxFf "$scratch/headers" "$scratch/excepted" && bad "alone.list excepts headers that are not in the tree"
unproven "$scratch/excepted" "$scratch/sources" "$scratch/headers" >"$scratch/all"
# shellcheck disable=SC2046
if [ "${1:-}" = all ]; then cat "$scratch/all"; else third $(cat "$scratch/headers") <"$scratch/all"; fi >"$scratch/look"
# shellcheck disable=SC2046
check "$list" $(cat "$scratch/look") || bad "headers of common/ compile alone, or alone.list has the reason why not"
echo "$(wc -l <"$scratch/headers") headers, $(wc -l <"$scratch/look") of $(wc -l <"$scratch/all") compiled here, $(wc -l <"$scratch/excepted") excepted"

# Guilty: a C and a CUDA header that lack an include, a listed one that compiles. Innocent: the same, with the include.
tree=$scratch/tree
mkdir -p "$tree/common/simt" "$tree/common/device" "$tree/01-one" && cd "$tree" || exit 1
SOURCE=$tree
echo 'struct row { int width; };' >common/device/row.h
echo 'static inline __device__ int width(struct row r) { return r.width + (int)threadIdx.x; }' >common/device/width.h
echo 'static inline uint32_t twice(uint32_t x) { return 2 * x; }' >common/simt/twice.h
: >none
printf '%s\n' common/device/row.h common/device/width.h common/simt/twice.h >headers
expect 1 '^common/device/width.h does not compile alone: .*"row"' check none $(cat headers)
expect 1 '^common/simt/twice.h does not compile alone: .*uint32_t' check none $(cat headers)
absent '/row.h does not'
sed -i '1i #include "row.h"' common/device/width.h
sed -i '1i #include <stdint.h>' common/simt/twice.h
expect 0 '' check none $(cat headers)
echo 'common/device/row.h has a reason' >none
expect 1 '^common/device/row.h compiles alone: strike it off none$' check none common/device/row.h
# The first include of a compiled file is not compiled again, unless it is listed.
printf '// A step.\n#include "device/width.h"\n#include "simt/twice.h"\n' >01-one/01-a.cu
echo 01-one/01-a.cu >sources
: >excepted
[ "$(unproven excepted sources headers)" = common/simt/twice.h ] || bad "other headers are left: $(unproven excepted sources headers)"
echo common/device/row.h >excepted
unproven excepted sources headers | grep -qx common/device/row.h || bad "an excepted header counts as proven"
finish

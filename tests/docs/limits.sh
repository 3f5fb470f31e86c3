#!/bin/sh
# The limits, defaults and requirements in docs/grading.md and docs/simt.md match the code.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/limits
rm -rf "$scratch" && mkdir -p "$scratch"
cmake=common/cmake/exercise.cmake limits=common/workbook/process/limits.h settings=common/simt/report/settings.c
grading=docs/grading.md simt=docs/simt.md toolkit=common/cmake/toolkit.cmake
needs="README.md CONTRIBUTING.md docs/install.md docs/simtcc.md" # pages with requirements

# value FILE BEGIN: the number after the first occurrence of these words; SHIFT: shifted right by that many bits.
value() {
    number=$(sed -n "s/.*$2 *\([0-9][0-9]* *<*<* *[0-9]*\).*/\1/p" "$1" | head -1)
    [ -n "$number" ] || { echo "$1 has no number after '$2'" >&2; number=-1; }
    echo $(($number >> ${SHIFT:-0}))
}
# row PAGE BEGIN TEXT: the table row that begins with BEGIN contains this text.
row() {
    grep -q "^| $2 |.*$3" "$1" || echo "$1: the row '$2' does not say '$3', as the code does"
}
# differs TREE: what the pages state differently.
differs() {
    cd "$1" || exit 1
    time=$(value $cmake WORKBOOK_TIMEOUT)
    gib=$(SHIFT=20 value $cmake WORKBOOK_MEMORY_KB) gpu=$(SHIFT=20 value $cmake WORKBOOK_GPU_MEMORY_KB)
    row $grading time "$time s for one run"
    row $grading waiting "$((time / 2)) of at least $time s"
    row $grading 'a crowded computer' "$((time * 10)) s for one run"
    row $grading memory "$gib GiB of data on the host, $gpu GiB for a program on a GPU.*beyond $((gib << 10)) MiB"
    row $grading 'a kernel' "Otherwise $(value $limits ENDLESS.=) s .*, $(value $limits WAITING.=) s in .run"
    row $grading output "$(SHIFT=20 value $limits OUTPUT_LIMIT.=) MiB .*after $(SHIFT=10 value $limits OUTPUT_LIMIT.=) KiB"
    compiler="$(value $limits BUILD_SECONDS.=) s, .* and $(SHIFT=20 value $limits OBJECT_LIMIT.=) MiB"
    grep -qi "the compiler has $compiler" $grading ||
        echo "$grading does not say what the compiler has"
    for page in $needs; do
        least=$(sed -n 's/^cmake_minimum_required(VERSION \([0-9]*\.[0-9]*\).*/\1/p' CMakeLists.txt)
        grep -q "CMake $least or newer" "$page" || echo "$page does not say 'CMake $least or newer'"
        [ $page = docs/simtcc.md ] || grep -q "Toolkit $(value $toolkit 'version VERSION_LESS') or newer" "$page" ||
            echo "$page does not say which toolkit is needed"
    done
    row $simt '`SIMT_TIMEOUT`' "default $(value $settings 'current.timeout ='),"
    row $simt '`SIMT_THREADS`' "cores, $(value $settings 'cores >') at most"
    row $simt '`SIMT_DEVICES`' "default $(value $settings 'current.devices =')"
    row $simt '`SIMT_MEMORY`' "host's, $(value $settings MIN_MEMORY) at least and $(value $settings MAX_MEMORY) at most"
    row $simt '`SIMT_MULTIPROCESSORS`' "default $(value $settings 'current.multiprocessors =')"
}
found=$(differs "$SOURCE" 2>&1)
[ -z "$found" ] || bad "$found"

# Innocent: a copy of the tree. Guilty: each number in the code is another.
for file in $cmake $limits $settings $grading $simt $toolkit $needs CMakeLists.txt; do
    mkdir -p "$(dirname "$scratch/tree/$file")" && cp "$SOURCE/$file" "$scratch/tree/$file"
done
[ -z "$(differs "$scratch/tree" 2>&1)" ] || bad "the tree as it is is refused"
guilty() { # FILE BEGIN: the number after BEGIN is another in this file
    sed -i "s/\($2 *\)\([0-9]\)/\19\2/" "$scratch/tree/$1"
}
guilty $cmake WORKBOOK_TIMEOUT
guilty $cmake WORKBOOK_MEMORY_KB
guilty $cmake WORKBOOK_GPU_MEMORY_KB
guilty CMakeLists.txt '^cmake_minimum_required(VERSION'
guilty $toolkit 'version VERSION_LESS'
guilty $limits ENDLESS.=
guilty $limits WAITING.=
guilty $limits OUTPUT_LIMIT.=
guilty $limits BUILD_SECONDS.=
guilty $limits OBJECT_LIMIT.=
guilty $settings 'current.timeout ='
guilty $settings 'cores >'
guilty $settings 'current.devices ='
guilty $settings MIN_MEMORY
guilty $settings 'current.multiprocessors ='
differs "$scratch/tree" >"$scratch/found" 2>&1
for want in "'time' does not say '9" "'waiting' does not say" "'a crowded computer' does not say" \
    "'memory' does not say '89 GiB .* 874 GiB" "'a kernel' does not say 'Otherwise 920 .* 98 " "'output' does not say" \
    'does not say what the compiler has' 'SIMT_TIMEOUT.* .default 960' \
    'SIMT_THREADS.* 964 at most' 'SIMT_DEVICES.* 91' 'SIMT_MEMORY.* 94 at least' 'SIMT_MULTIPROCESSORS.* 916' \
    'README.md does not say .CMake 93' 'install.md does not say which toolkit'; do
    if grep -q -e "$want" "$scratch/found"; then
        passed=$((passed + 1))
    else
        bad "another number in the code is not seen: $want; found is $(cat "$scratch/found")"
    fi
done
finish

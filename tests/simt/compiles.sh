#!/bin/sh
# Programs that are only run by hand compile and link as their scripts and docs/simt.md say: the benchmarks, and the
# recorder of conformance on a GPU. compiles.sh: a third of them, drawn by a hash of them and the machine's header.
# compiles.sh all: all of them.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/compiles${1:+.$1}
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$SOURCE/tests/simt" || exit 1
all='bench/blocksum.cu bench/kernels.cu bench/loops.cu'
# shellcheck disable=SC2086 # a list
some=$(printf '%s\n' $all | third "$SOURCE/common/simt/simt.h" $all)
[ "${1:-}" != all ] || some=$all
for source in $some; do
    expect 0 '' sh "$SOURCE/common/cmake/compile.sh" "$LEAN" "$NVCC" -arch=compute_80 -code=compute_80 -cudart none -std=c++17 \
        -I "$SOURCE/common" -I "$SOURCE/common/simt" -c "$source" -o "$scratch/$(basename "$source" .cu).o"
done
expect 0 '' cc -std=gnu11 -I "$TOOLKIT_INCLUDE" gpu.c check.c opcodes/conform.c opcodes/table.c opcodes/kernel.c -lm -ldl -o "$scratch/conform"
finish

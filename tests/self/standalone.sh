#!/bin/sh
# An exercise stands alone: by hand, with nvcc and libsimt.a, no CMake. SIMT_LIBRARY is the path of libsimt.a.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/standalone
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$SOURCE" || exit 1
expect 0 '' "$NVCC" -I common -arch=compute_75 -cudart none -no-compress -lineinfo -o "$scratch/a.out" \
    solutions/01-reduction/05-sequential.cu "$SIMT_LIBRARY" -lpthread -lm -ldl $SIMT_FLAGS
expect 0 '' "$scratch/a.out" --check
expect 0 '' "$scratch/a.out" --n 65536 --expect 'shared_excess == 0'
expect 4 'lesson not learnt' "$scratch/a.out" --n 65536 --expect 'launches == 77'
# Without the machine, as on a GPU: what only it can do is skipped, and the program says so.
expect 0 '' "$NVCC" -I common -arch=compute_75 -o "$scratch/gpu" solutions/01-reduction/05-sequential.cu
expect 77 'skipped: --large runs some blocks of each launch' "$scratch/gpu" --large
finish

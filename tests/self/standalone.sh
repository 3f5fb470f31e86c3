#!/bin/sh
# standalone.sh [all]: an exercise stands alone: by hand, with nvcc and libsimt.a, no CMake. SIMT_LIBRARY is the path of
# libsimt.a. all: every solution and the first starter of each chapter compile with their drivers, without a warning; CMake
# compiles the two separately, the starters too (self.build.starters). The starters compile with the toolkit's headers, the
# solutions with the lean one, which takes half of the time (self.compile), and the host's compiler stops after its
# warnings. Then a step whose main is the student's, and all inputs of another step.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/standalone${1:+.$1}
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$SOURCE" || exit 1
by_hand() { # SOURCE
    expect 0 '' "$NVCC" -I common -arch=compute_75 -cudart none -no-compress -lineinfo -o "$scratch/a.out" "$1" \
        "$SIMT_LIBRARY" -lpthread -lm -ldl $SIMT_FLAGS
}
if [ "${1:-}" = all ]; then
    by_hand solutions/00-basics/01-whole-program.cu # whose main is the student's
    expect 0 'right in 1 run,' "$scratch/a.out" --check --n 1000
    expect 4 'lesson not learnt' "$scratch/a.out" --n 1000 --fail 1 --expect 'launches == 77'
    by_hand solutions/01-reduction/05-sequential.cu
    expect 0 '' "$scratch/a.out" --check
    for source in [0-9]*/01-*.cu solutions/*/*.cu; do
        lean=$LEAN arch=$(awk -F '\t' -v step="${source%.cu}" 'index("/" step, "/" $1 "/" $2) { print $4 }' "$BUILD/course.tsv")
        case $source in [0-9]*) lean=- ;; esac
        set -- -Xcompiler -fsyntax-only
        grep -q '^#include "device/nested.h"' "$source" && set -- # linked with the toolkit's part of launches
        expect 0 '' sh common/cmake/compile.sh "$lean" "$NVCC" -I common -arch=compute_$arch -code=compute_$arch \
            -Xcompiler -Wall,-Wextra -Werror all-warnings "$@" -c "$source" -o "$scratch/a.o"
    done
    finish
fi
by_hand solutions/01-reduction/05-sequential.cu
expect 0 'right in [0-9]* runs, n = 1000' "$scratch/a.out" --check --n 1000
expect 0 '' "$scratch/a.out" --n 65536 --expect 'shared_excess == 0'
expect 4 'lesson not learnt' "$scratch/a.out" --n 65536 --expect 'launches == 77'
# Without the SIMT machine, as on a GPU, the program skips the options that need it, and says so.
expect 0 '' "$NVCC" -I common -arch=compute_75 -o "$scratch/gpu" solutions/01-reduction/05-sequential.cu
expect 77 'skipped: --large runs some blocks of each launch' "$scratch/gpu" --large
finish

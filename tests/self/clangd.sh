#!/bin/sh
# clangd.sh [all]: clangd finds no error in starters and solutions, the first of two chapters, or all; and finds planted
# ones. It determines by itself how a file is compiled. Skipped without clangd.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/clangd${1:+.$1}
step=01-reduction/05-sequential
command -v clangd >/dev/null || { echo "skipped: no clangd; sudo apt-get install clangd"; exit 77; }
clangd --help-hidden | grep -q check-lines || { echo "skipped: this clangd is older than 13"; exit 77; }
clangd --version | head -1

# faults FILE...: checks them, two at a time, and prints the errors. Tries features only at the words of line 1,
# which is a comment.
faults() {
    printf '%s\n' "$@" | xargs -P 2 -I FILE sh -c '
        clangd --log=info --compile-commands-dir="$0" --check=FILE --check-lines=1-1 2>&1 |
        grep -e "^E\[" -e "All checks completed" | sed "s,^,FILE: ," >"$1/$(echo FILE | tr / _)"' "$BUILD/editor" "$scratch"
    cat "$scratch"/*.cu
}
rm -rf "$scratch" && mkdir -p "$scratch"

all=${1:-}
case_clean() {
    files=
    for chapter in "$SOURCE"/[0-9]*/; do
        [ "$all" = all ] || [ "$(echo "$files" | wc -w)" -lt 4 ] || break
        name=$(basename "$chapter")
        for source in "$chapter"*.cu; do
            files="$files $source $SOURCE/solutions/$name/$(basename "$source")"
            [ "$all" = all ] || break
        done
    done
    # shellcheck disable=SC2086 # a list
    faults $files >"$scratch/words"
    clean=$(grep -c 'All checks completed, 0 errors' "$scratch/words")
    [ "$clean" = "$(echo "$files" | wc -w)" ] || { bad "clangd finds errors"; grep 'E\[' "$scratch/words" | cut -c1-300; }
}
# Guilty: what nvcc would refuse, too.
guilty() { # guilty SED PATTERN
    mkdir -p "$scratch/01-reduction"
    sed "$1" "$SOURCE/solutions/$step.cu" >"$scratch/$step.cu"
    cmp -s "$SOURCE/solutions/$step.cu" "$scratch/$step.cu" && bad "no edit: $1"
    rm -f "$scratch"/*.cu
    faults "$scratch/$step.cu" | grep -q -e "$2" || bad "clangd does not see: $1"
}
case_guilty() {
    guilty 's/cache\[tid\] = i/cache[tidd] = i/' "undeclared identifier 'tidd'"
    guilty 's/^    check_cuda(cudaGetLastError());/    __syncthreads();/' "'__syncthreads'"
    [ "$all" = all ] || return
    guilty 's/int tid = threadIdx.x;/int *tid = threadIdx.x;/' 'cannot initialize'
    guilty 's/(partial, d_in, n)/(partial, n)/' 'too few arguments'
    guilty 's/<<<blocks, BLOCK>>>//' 'not configured'
    guilty 's/^    __syncthreads();/&\n    check_cuda(cudaGetLastError());/' 'no matching function'
}
# In a student's tree, by .clangd alone.
case_student() {
    hand_out "clangd${all:+.$all}"
    cd "$tree" || exit 1
    expect 0 'All checks completed, 0 errors' clangd --check=$step.cu
    echo "$output" | grep -q 'from .*/build/editor' || { bad "not by build/editor"; echo "$output" | grep -i database; }
}
cases clean guilty student
finish

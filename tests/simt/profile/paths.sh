#!/bin/sh
# Findings name a file as it was passed to the compiler if the program runs where it was compiled, otherwise by its full
# path.
#
#     paths.sh SCRATCH LIBRARY NVCC ARGUMENT...
set -u
scratch=$1 library=$2
shift 2
rm -rf "$scratch" && mkdir -p "$scratch/real/sub dir" && ln -s real "$scratch/link" || exit 1
printf '%s\n' '#include "f.h"' '__global__ void k(int *p)' '{' '    *far(p) = 1;' '}' 'int main()' '{' \
    '    k<<<1, 1>>>((int *)8);' '    return cudaDeviceSynchronize() == 0;' '}' >"$scratch/real/sub dir/k.cu"
printf '%s\n' '__device__ inline int *far(int *p)' '{' '    return p + p[1];' '}' >"$scratch/real/sub dir/f.h"
bad=0

# expect PLACE DIRECTORY: checks the program's report there, also as SARIF.
expect() {
    said=$(cd "$2" && SIMT_REPORT="sarif:$scratch/s.sarif" "$scratch/program" 2>&1)
    case $said in
    *" at $1:3 by thread 0:"*) ;;
    *) echo "wanted $1:3 in $2, got: $said" && bad=1 ;;
    esac
    grep -q "\"uri\": \"$3\"" "$scratch/s.sarif" || { echo "wanted the uri $3 in $2, got: $(grep uri "$scratch/s.sarif")"; bad=1; }
}

# build DIRECTORY FILE COMMAND...
build() {
    directory=$1 file=$2
    shift 2
    (cd "$directory" && "$@" -cudart none -no-compress -lineinfo "$file" "$library" -lpthread -lm -ldl -o "$scratch/program") ||
        { echo "$file does not build in $directory"; bad=1; }
}
encoded=$(echo "$scratch" | sed 's/ /%20/g')

build "$scratch/real" "sub dir/k.cu" "$@"
expect "sub dir/f.h" "$scratch/real" "sub%20dir/f.h"
expect "$scratch/real/sub dir/f.h" / "file://$encoded/real/sub%20dir/f.h"
expect "f.h" "$scratch/real/sub dir" "f.h"
expect "$scratch/real/sub dir/f.h" /usr "file://$encoded/real/sub%20dir/f.h"
build "$scratch/real" "./sub dir/k.cu" "$@"
expect "./sub dir/f.h" "$scratch/real" "sub%20dir/f.h"
build "$scratch/link" "sub dir/k.cu" "$@"
expect "sub dir/f.h" "$scratch/link" "sub%20dir/f.h"
exit $bad

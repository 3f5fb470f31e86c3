# For the scripts of this folder: compile PROGRAM SOURCE LIBRARY, with nvcc, as docs/simt.md describes it.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() {
    "${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}" -arch=compute_75 -code=compute_75 -lineinfo -no-compress \
        -cudart none -O2 -I "$here/../../../common/simt" -o "$work/$1" "$here/$2" "$3" -lpthread -lm -ldl
}

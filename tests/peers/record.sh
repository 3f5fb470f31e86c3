#!/bin/sh
# Records how the chapters do beside the vendor's libraries, on a machine with a GPU (docs/vendors.md):
#
#     sh tests/peers/record.sh FILE [TOPIC...]      builds and runs the peers, all or these, and writes FILE
#     sh tests/peers/record.sh rows FILE.txt...     the rows of what peers have printed, TOPIC.txt
#
# With CCCL=FOLDER, a checkout of github.com/NVIDIA/cccl, the peer is its CUB and not the toolkit's.
#
# FILE has a line about the computer, then topic,n,ms,peer_ms,ratio,floor,case for each row. ratio is the peer's time
# over ours; floor is the time of moving the bytes as a share of ours, if the peer measures it.
set -eu
here=$(cd "${0%/*}" && pwd)

# A row has a label, a whole number n, then five or six numbers with a point: ours, rate, peer, rate, ratio, floor.
rows() {
    for text; do
        awk -v topic="$(basename "$text" .txt)" '
            {
                for (last = NF; last > 1 && $last ~ /^[0-9]+\.[0-9]+$/; last--) ;
                if (NF - last < 5 || $last !~ /^[0-9]+$/) next
                label = $1
                for (i = 2; i < last; i++) label = label " " $i
                printf "%s,%s,%s,%s,%s,%s,%s\n", topic, $last, $(last + 1), $(last + 3), $(last + 5), $(last + 6), label
            }' "$text"
    done
}

# build TOPIC: chapter 10 needs instructions of this architecture alone.
build() {
    arch=-arch=native
    [ "$1" != hopper ] || arch=-gencode=arch=compute_90a,code=sm_90a
    (cd "$here/../.." && nvcc -O3 $arch -std=c++17 -w $newer -I common -I solutions "tests/peers/$1.cu" -o "$work/$1" \
        -lcublas -lcusparse)
}

if [ "$1" = rows ]; then
    shift
    rows "$@"
    exit
fi
. "$here/../hardware/tools.sh"
need nvcc nvidia-smi
file=$1
shift
newer= libraries="its libraries"
if [ -n "${CCCL-}" ]; then
    newer="-I $CCCL/cub -I $CCCL/thrust -I $CCCL/libcudacxx/include"
    libraries="CUB $(awk '/define CUB_VERSION / { printf "%d.%d.%d", $3 / 100000, $3 / 100 % 1000, $3 % 100 }' \
        "$CCCL/cub/cub/version.cuh")"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || for source in "$here"/*.cu; do
    topic=${source##*/}
    set -- "$@" "${topic%.cu}"
done
for topic; do
    build "$topic" &
done
wait
for topic; do
    "$work/$topic" >"$work/$topic.txt" 2>&1 || { echo "$topic: ended with $?" >&2; tail -n 2 "$work/$topic.txt" >&2; }
done
card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1 | sed 's/, /, driver /')
cuda=$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
{
    echo "# $card, CUDA $cuda and $libraries, $(date -u +%Y-%m-%d), median of 20"
    echo "topic,n,ms,peer_ms,ratio,floor,case"
    for topic; do rows "$work/$topic.txt"; done
} >"$file"

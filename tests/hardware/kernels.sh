#!/bin/sh
# Results on a GPU of innocent kernels with Hopper's asynchronous instructions (tests/simt/checks):
#
#     sh tests/hardware/kernels.sh record FILE     on a GPU of compute capability 9.0: writes FILE,KERNEL,out[0] for each
#     sh tests/hardware/kernels.sh compare FILE    anywhere: each must be the sum that the kernel's comment says
#
# test_checks.c requires the same sums of the SIMT machine.
set -eu
. "${0%/*}/tools.sh"
checks="${0%/*}/../simt/checks"
what=$1 file=$2
names="bulk transactions wgmma"

# The kernels of $1.cu with a sum.
with_sums() {
    awk -v file="$1" -v cubin="${2:-}" -v launch="${3:-}" -f "${0%/*}/kernels.awk" "$checks/$1.cu" | grep -v ',-|'
}

record() {
    need nvcc nvidia-smi
    work=$(mktemp -d)
    nvcc -arch=sm_90 "${0%/*}/launch.cu" -o "$work/launch"
    for name in $names; do
        nvcc -gencode arch=compute_90a,code=sm_90a -cubin -diag-suppress 177,550 "$checks/$name.cu" -o "$work/$name.cubin" 2>"$work/said" ||
            { cat "$work/said" && exit 1; }
        with_sums "$name" "$work/$name.cubin" "$work/launch" | while IFS='|' read -r kernel command; do
            # shellcheck disable=SC2086 # a list of words
            echo "${kernel%,*,*},$(timeout 20 $command 2>&1 | tail -n 1)"
        done
    done >"$work/rows"
    {
        echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1), $(date -u +%Y-%m-%d): kernels.sh. file,kernel,out[0]"
        cat "$work/rows"
    } >"$file"
    rm -r "$work"
}

compare() {
    for name in $names; do
        with_sums "$name"
    done | tr '|' ',' | awk -F, '
        NR == FNR { want[$1 "," $2] = $4; next }
        /^#/ { next }
        {
            seen[$1 "," $2] = 1
            if (!(($1 "," $2) in want) || want[$1 "," $2] != $3) {
                print $1 ".cu, " $2 ": a GPU gave " $3 ", the kernel wants " want[$1 "," $2]
                differ++
            }
        }
        END {
            for (k in want)
                if (!(k in seen)) print "not recorded: " k
            printf "%d kernels agree, %d differ\n", length(seen) - differ, differ
            exit !length(seen) || differ > 0
        }' - "$file"
}

case $what in
record | compare) "$what" ;;
*) echo "kernels.sh: $what is neither record nor compare" >&2 && exit 2 ;;
esac

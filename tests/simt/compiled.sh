#!/bin/sh
# Compiled kernels beside interpreted ones: solutions of the workbook run both ways, everything off; what they copy from
# the device must be equal in every bit, and what the machine counts.
#
#     sh tests/simt/compiled.sh BUILD COPIES CXX [STEP...]
#
# BUILD: a build tree that holds the objects of the solutions; COPIES: copies.c as an object; STEP: such as 01-reduction/05-sequential,
# default: all of them. Where cc is not GCC it is skipped (77).
set -u
build=$1 copies=$2 cxx=$3 bad=0 tried=0 wrong=
shift 3
# Compiled code needs GCC.
cc -fvect-cost-model=unlimited -E - </dev/null >/dev/null 2>&1 || { echo "cc is not GCC: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SIMT_CHECK=none SIMT_COUNT=0 SIMT_THREADS=1
if [ $# -eq 0 ]; then
    set -- $(cd "$build/objects/solutions" && ls -d */*.o | sed 's/\.o$//' | grep -v '\.nccl$') # which needs its library
fi
for step in "$@"; do
    driver=$(sh "${0%/*}/../self/driver.sh" "$build" "$step")
    "$cxx" "$build/objects/solutions/$step.o" "$driver" "$copies" "$build/common/liblocal.a" \
        -Wl,--wrap=cudaMemcpy,--wrap=cudaMemcpyAsync,--wrap=cudaMemcpy2D \
        "$build/common/simt/libsimt.a" -lpthread -lm -ldl -o "$work/program" || { bad=$((bad + 1)); continue; }
    for how in off on; do
        COPIES=$work/$how SIMT_COMPILE=$how "$work/program" >"$work/said.$how" 2>&1
        echo "exit status $?" >>"$work/$how"
    done
    tried=$((tried + 1))
    if cmp -s "$work/off" "$work/on" && grep -q 'bytes' "$work/on"; then
        echo "$step: $(grep -c bytes "$work/on") copies are equal"
    else
        bad=$((bad + 1))
        echo "$step: interpreted (<) and compiled (>) differ:"
        diff "$work/off" "$work/on" | head -n 10
    fi
done
# Guilty: another input gives other copies.
COPIES=$work/other "$work/program" --seed 99 >/dev/null 2>&1
cmp -s "$work/other" "$work/on" && { echo "copies of another input are equal, too"; bad=$((bad + 1)); }
echo "$tried programs, $bad bad"
[ "$bad" -eq 0 ] && [ "$tried" -gt 0 ]

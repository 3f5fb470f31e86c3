#!/bin/sh
# The session that README.md and the site show, docs/figures/session.txt, is what the runner prints, and
# docs/figures/session.svg shows it:
#
#     sh session.sh              compares
#     sh session.sh --write      records it again and draws it
#
# A student's step 1/5: at first the last rounds have no barrier, then all have one. SOURCE and BUILD are in the environment.
. "$SOURCE/tests/self/lib.sh"
step=01-reduction/05-sequential
solution=$SOURCE/solutions/$step.cu
kept=$SOURCE/docs/figures/session.txt
out=$BUILD/self/session.txt
[ -f "$solution" ] || { echo "skipped: this tree has no solutions"; exit 77; }
hand_out session
cd "$tree" || exit 1

export SIMT_THREADS=1 NO_COLOR=1 LC_ALL=C.UTF-8 # a race names the same two threads every time
run() {
    echo "\$ build/workbook run 1/5"
    build/workbook run 1/5 || true
}
barrier='        __syncthreads(); // outside the if.*'
grep -q "^$barrier" "$solution" || bad "$solution has no barrier to leave out"
{
    sed "s|^$barrier|        if (stride > 32)\n            __syncthreads();|" "$solution" >"$step.cu"
    run
    cp "$solution" "$step.cu"
    echo "\$ \$EDITOR $step.cu    # a barrier in every round"
    run
} >"$out" 2>&1

if [ "${1:-}" = --write ]; then
    cp "$out" "$kept"
    sh "$SOURCE/docs/figures/draw.sh"
elif ! diff -u "$kept" "$out"; then
    bad "docs/figures/session.txt is not what the runner prints now; this records it: SOURCE=. BUILD=... sh tests/docs/session.sh --write"
fi
finish

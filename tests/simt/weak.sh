#!/bin/sh
# The reference solutions whose threads wait for one another by loads, under weak memory: right and without a finding in
# many random orders.
#
#     sh tests/simt/weak.sh SOLUTIONS SEEDS
#
# SOLUTIONS: the folder of the built programs. A program that has no volatile, relaxed or acquire load is left out.
set -u
solutions=$1 seeds=$2 bad=0 tried=0
said=$(mktemp)
for program in "$solutions"/*/*; do
    { [ -f "$program" ] && [ -x "$program" ]; } || continue
    grep -qaE 'ld\.(volatile|relaxed|acquire)\.' "$program" || continue
    tried=$((tried + 1))
    seed=1
    while [ "$seed" -le "$seeds" ]; do
        SIMT_SCHEDULE=random:$seed SIMT_CHECK=all "$program" --check >"$said" 2>&1
        status=$?
        if [ $status -ne 0 ] || grep -q '^simt: ' "$said"; then
            bad=$((bad + 1))
            echo "$program, random:$seed: status $status"
            grep -m 3 -E '^simt: |wrong' "$said"
        fi
        seed=$((seed + 1))
    done
    echo "$program: $seeds random orders"
done
rm "$said"
echo "$tried programs, $bad bad runs"
[ "$bad" -eq 0 ] && [ "$tried" -gt 0 ]

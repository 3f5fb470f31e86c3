#!/bin/sh
# The reference solutions whose threads wait for one another by loads, under weak memory: right and without a finding in
# many random orders, one process per processor at a time.
#
#     sh tests/simt/weak.sh SOLUTIONS SEEDS
#
# SOLUTIONS: the folder of the built programs. Programs without a volatile, relaxed or acquire load are skipped. Each
# runs at one size, of about ten tiles: there 9 of 10 orders reveal a status of 02/10 that is loaded twice, and 5 of 10
# at a third of the size.
set -u

# weak.sh --one PROGRAM SEED: one run; prints what is wrong with it.
if [ "$1" = --one ]; then
    n=60000
    case $2 in */06-*) n=33 ;; esac # points of a side
    said=$(SIMT_SCHEDULE=random:$3 SIMT_CHECK=all "$2" --check --n $n 2>&1)
    status=$?
    findings=$(printf '%s\n' "$said" | grep -m 3 -E '^simt: (error|warning)|wrong')
    [ "$status" -eq 0 ] && [ -z "$findings" ] && exit 0
    printf '%s, random:%s: status %s\n%s\n' "$2" "$3" "$status" "$findings"
    exit 1
fi

solutions=$1 seeds=$2 bad=0 tried=0
for program in "$solutions"/*/*; do
    { [ -f "$program" ] && [ -x "$program" ]; } || continue
    grep -qaE 'ld\.(volatile|relaxed|acquire)\.' "$program" || continue
    tried=$((tried + 1))
    if seq "$seeds" | xargs -n 1 -P "$(nproc)" sh "$0" --one "$program"; then
        echo "$program: right in $seeds random orders"
    else
        bad=$((bad + 1))
    fi
done
echo "$tried programs, $bad of them with a bad run"
[ "$bad" -eq 0 ] && [ "$tried" -gt 0 ]

#!/bin/sh
# With cells, the work of 09-gather grows with the number of atoms: at the same density a point tests as many atoms on a map
# nine times as large. Guilty: step 2 reads all atoms at every point.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/linear
rm -rf "$scratch" && mkdir -p "$scratch"

# operations STEP N SIDE: floating-point operations per point of a map of SIDE x SIDE.
operations() {
    SIMT_CHECK=none "$BUILD/solutions/09-gather/$1" --check --n "$2" --width "$3" --height "$3" --json "$scratch/json" >"$scratch/log" 2>&1 ||
        { bad "$1 --n $2: exit $?"; cat "$scratch/log"; }
    sed -n 's/.*"flops": \([0-9]*\).*/\1/p' "$scratch/json" | awk -v side="$3" '{ print int($1 / side / side) }'
}

# grows STEP: operations per point with 655 atoms, in percent of those with 164. The atoms also lie in a border of 16: 0.04
# for each point of that square.
grows() {
    few=$(operations "$1" 164 32) many=$(operations "$1" 655 96)
    echo $((100 * many / few))
}

binned=$(grows 05-binning) all=$(grows 02-gather)
[ "$binned" -ge 80 ] && [ "$binned" -le 125 ] || bad "05-binning: $binned % of the operations at a point, with 4 times the atoms"
[ "$all" -ge 300 ] || bad "02-gather: $all % of the operations at a point: this test does not see what grows"
echo "operations at a point, with 4 times the atoms at the same density: 05-binning $binned %, 02-gather $all %"
finish

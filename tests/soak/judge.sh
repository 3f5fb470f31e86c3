#!/bin/sh
# One judgement of soak.sh: sh judge.sh LOAD END ROUND NUMBER PROGRAM THREADS SEED. Does nothing after the time END (0:
# never). Writes LOAD PROGRAM THREADS SEED VERDICT SECONDS to $work/seen/NUMBER.LOAD.ROUND.
load=$1 end=$2 round=$3 number=$4 name=$5 threads=$6 seed=$7
[ "$end" = 0 ] || [ "$(date +%s)" -lt "$end" ] || exit 0
step=$(echo "${name%.*}" | sed 's|\.|/|')
said=$work/said.$name.$threads.$seed

run() { # ORDER PART
    set -- env SIMT_THREADS="$threads" "$WORKBOOK" part --order "$1" --seed "$seed" --program "$work/$name" "$step" "$2"
    "$@" >"$said" 2>&1 && return 0
    status=$?
    echo "    $*" >>"$said"
    return $status
}

began=$(date +%s)
order=order
grep -qaE 'ld\.(volatile|relaxed|acquire)\.' "$work/$name" && order=random:1
verdict=right
run random:1 result && run "$order" safety || verdict="exit-$?"
if [ "$verdict" = right ]; then
    rm -f "$said"
else
    echo "not right: $name at load $load, $threads threads, seed $seed: $verdict" # at once: the run may be interrupted
fi
echo "$load $name $threads $seed $verdict $(($(date +%s) - began))" >"$work/seen/$number.$load.$round"

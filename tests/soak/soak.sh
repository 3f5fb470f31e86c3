#!/bin/sh
# Grades right programs repeatedly, on many host threads of a crowded computer: every verdict must be "right".
#
#     sh soak.sh [--programs waiting|steps|all] [--rounds N] [--threads "1 2 5 16 64"] [--loads "1 4"] [--seconds S]
#                [--seed S] [--draw D] [--part K/N] [--short S]
#     sh soak.sh --again FILE [--loads "1 4"]
#
# The programs are the reference solutions (steps); also all right submissions (all); or the solutions whose blocks wait
# for one another (waiting). A round judges each program once for each number of host threads and each load: at load L
# the computer runs L judgements for each of its cores. A judgement is the result in a random order and the safety, both
# with their own seed. Judgements of one load come in a random order, so that --seconds, which each load shares equally,
# cuts a fair sample. The first line prints the seed that repeats everything.
#
# --draw D: a program whose blocks do not wait for one another is judged with D of the numbers of host threads at each load,
# drawn by the seed. --part K/N: only every Nth program, from the Kth on; the parts together are all programs.
#
# --short S: in the rounds after the first, only programs whose judgements took at most S seconds on average in the first round
# at the first load, since a few long ones take most of the time. --seconds does not cut off the first round.
#
# --again judges the lines of FILE, each once at each load: PROGRAM THREADS SEED of earlier refusals.
#
# A verdict that differs fails, with the command that repeats it and what it reported.
#
# Environment: SOURCE, BUILD, WORKBOOK: the runner.
set -u
programs=all rounds=1 threads="1 2 5 16 64" loads="1 4" seconds=0 again='' draw=0 part=1/1 short=''
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
while [ $# -gt 1 ]; do
    case $1 in
    --programs) programs=$2 ;;
    --rounds) rounds=$2 ;;
    --threads) threads=$2 ;;
    --loads) loads=$2 ;;
    --seconds) seconds=$2 ;;
    --seed) seed=$2 ;;
    --again) again=$2 ;;
    --draw) draw=$2 ;;
    --part) part=$2 ;;
    --short) short=$2 ;;
    *) echo "soak.sh: $1 is no option" && exit 2 ;;
    esac
    shift 2
done
work=$BUILD/self/soak
cores=$(nproc)
export SOURCE BUILD WORKBOOK work
rm -rf "$work" && mkdir -p "$work/seen"

polls='ld\.(volatile|relaxed|acquire)\.' # for the program of a step whose blocks wait

# CHAPTER/STEP of the solutions; only those whose blocks wait, if these are enough.
solutions() {
    if [ "$programs" = waiting ]; then
        (cd "$BUILD/graded/solutions" && grep -laE "$polls" ./*/*)
    else
        (cd "$SOURCE/solutions" && printf '%s\n' ./*/*.cu)
    fi | sed 's,^[.]/,,; s,[.]cu$,,'
}

# Writes the sources as CHAPTER.STEP.NAME.cu.
write_sources() {
    for step in $(solutions); do
        cp "$SOURCE/solutions/$step.cu" "$work/${step%%/*}.${step##*/}.solution.cu"
    done
    [ "$programs" = all ] || return 0
    for rights in "$SOURCE"/tests/submissions/*/*.right; do
        step=${rights#"$SOURCE"/tests/submissions/}
        [ -z "$again" ] || grep -q "^$(echo "${step%.right}" | tr / .)[.]" "$again" || continue
        "$WORKBOOK" judge --write "$work" "$step" || exit 1
    done
}

# keep_waiting: of the programs' names, those with volatile, relaxed or acquire loads.
keep_waiting() {
    while read -r name; do
        grep -qaE "$polls" "$work/$name" && echo "$name"
    done
}

# plan SEED ROUNDS: one line for each judgement: number, program, threads, seed.
plan() {
    [ -z "$again" ] || { grep -v '^#' "$again" | awk '{ print NR, $1, $2, $3 }' && return; }
    awk -v rounds="$2" -v threads="$threads" -v seed="$1" -v draw="$draw" -v waiting="$work/waiting" '
        BEGIN { while ((getline line <waiting) > 0) waits[line] = 1 }
        { name[NR] = $1 }
        END {
            srand(seed); count = split(threads, at, " ")
            for (r = 0; r < rounds; r++) for (i = 1; i <= NR; i++) {
                left = draw == 0 || name[i] in waits ? count : draw
                for (t = 1; t <= count; t++) { # each of the remaining ones is equally likely
                    if (rand() * (count - t + 1) >= left) continue
                    left--
                    printf "%.9f %s %d %d\n", rand(), name[i], at[t], 1 + int(rand() * 2000000000)
                }
            }
        }' "$work/programs" | sort | awk '{ $1 = NR; print }'
}

# outside_part: the lines of standard input that are not in the part.
outside_part() {
    awk -v k="${part%/*}" -v n="${part#*/}" 'NR % n != k % n'
}

# The sources that FILE names.
keep_those_of() {
    for source in "$work"/*.cu; do
        name=${source##*/}
        grep -q "^${name%.cu} " "$1" || rm "$source"
    done
}

write_sources
[ -z "$again" ] || keep_those_of "$again"
[ "$programs" = waiting ] || ls "$work"/*.cu | outside_part | xargs -r rm
ls "$work" | sed -n "s/\\.cu\$//p" | xargs -P "$cores" -n 1 sh "$SOURCE/tests/soak/build.sh" || exit 1
ls "$work" | sed -n 's/\.cu$//p' >"$work/programs"
keep_waiting <"$work/programs" >"$work/waiting"
[ "$programs" != waiting ] || outside_part <"$work/waiting" | grep -vxFf - "$work/waiting" >"$work/programs"
echo "seed $seed: $(wc -l <"$work/programs") programs, part $part, $rounds rounds, threads $threads, loads $loads, $cores cores"
[ -s "$work/programs" ] || { echo "FAILED: no program" && exit 1; }
begin=$(date +%s)
if [ -n "$short" ]; then
    for load in $loads; do
        plan "$seed$load" 1 | xargs -P $((cores * load)) -L 1 sh "$SOURCE/tests/soak/judge.sh" "$load" 0 first
    done
    find "$work/seen" -name "*.${loads%% *}.first" -exec cat {} + |
        awk -v most="$short" '{ sum[$2] += $6; n[$2]++ } END { for (p in n) if (sum[p] <= most * n[p]) print p }' |
        sort >"$work/short"
    mv "$work/short" "$work/programs"
    rounds=$((rounds - 1)) seed=${seed}9
    echo "$(wc -l <"$work/programs") programs are short, after $(($(date +%s) - begin)) s"
fi
count=$(echo "$loads" | wc -w)
for load in $loads; do
    end=0
    [ "$seconds" = 0 ] || end=$(($(date +%s) + (begin + seconds - $(date +%s)) / count))
    count=$((count - 1))
    plan "$seed$load" "$rounds" | xargs -r -P $((cores * load)) -L 1 sh "$SOURCE/tests/soak/judge.sh" "$load" "$end" later
done
find "$work/seen" -type f -exec cat {} + >"$work/all"
for load in $loads; do
    for count in $threads; do
        awk -v l="$load" -v t="$count" '$1 == l && $3 == t { n++; wrong += $5 != "right" }
            END { printf "load %d, %2d threads: %d judgements, %d not right\n", l, t, n, wrong }' "$work/all"
    done
done
wrong=$(grep -cv ' right [0-9]*$' "$work/all")
grep -v ' right [0-9]*$' "$work/all" | while read -r load name count one verdict _; do
    echo "FAILED: $name at load $load, $count threads, seed $one: $verdict"
    cat "$work/said.$name.$count.$one"
done
echo "$(($(wc -l <"$work/all") - wrong)) passed, $wrong failed"
[ "$wrong" = 0 ]

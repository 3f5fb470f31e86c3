#!/bin/sh
# Runs on a GPU, under compute-sanitizer's four tools, programs with mistakes that the SIMT machine and the grader must
# find:
#
#     sh tests/hardware/sanitize.sh checks DIRECTORY      the kernels of tests/simt/checks
#     sh tests/hardware/sanitize.sh submissions DIRECTORY [MOST [SECONDS]]    the wrong or unsafe submissions of tests/submissions,
#         and the solutions; of each step MOST, taken at random; none is begun SECONDS after the start
#
# Writes DIRECTORY/h200-checks.csv or h200-submissions.csv, or continues the existing one, without running its programs
# again. A row is for the programs of a file or step with the same reports. 1: the tool found something, 0: it did not,
# t: it was stopped after its time. `result` is the program alone: 1 if its exit status is not 0. Uses all GPUs of
# CUDA_VISIBLE_DEVICES. Needs nvcc and compute-sanitizer on PATH, and for submissions BUILD, a build with the runner in
# it (build).
set -u
. "${0%/*}/tools.sh"
need nvidia-smi nvcc compute-sanitizer
what=$1 out=$2 most=${3:-1000} end=$(($(date +%s) + ${4:-86400}))
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
BUILD=${BUILD:-$root/build}
GPUS=${CUDA_VISIBLE_DEVICES:-$(nvidia-smi -L | sed -n 's/^GPU \([0-9]*\):.*/\1/p' | paste -sd,)}
gpus=$(echo "$GPUS" | tr , '\n' | wc -l)
jobs=${JOBS:-$((6 * gpus))}
mkdir -p "$out"

# One line of the table: a program and its arguments under each tool. The line's number selects the GPU.
cat > "$work/row.sh" << 'END'
number=$1 name=$2; shift 2
[ "$(date +%s)" -lt "$END" ] || exit 0
CUDA_VISIBLE_DEVICES=$(echo "$GPUS" | cut -d, -f$((number % $(echo "$GPUS" | tr , '\n' | wc -l) + 1)))
export CUDA_VISIBLE_DEVICES
code() { case $1 in 0 | 77) echo 0 ;; 124 | 137) echo t ;; *) echo 1 ;; esac; }
timeout -k 2 10 "$@" > "$WORK/$number.said" 2>&1
row=$name,$(code $?)
for tool in memcheck racecheck initcheck synccheck; do
    timeout -k 2 15 compute-sanitizer --tool $tool --error-exitcode 99 "$@" > "$WORK/$number.said" 2>&1
    rc=$?
    [ $rc = 99 ] || [ $rc = 124 ] || [ $rc = 137 ] || rc=0 # the program's own verdict is in the first column
    row=$row,$(code $rc)
done
rm -f "$WORK/$number.said"
echo "$row"
END
export GPUS WORK="$work" END="$end"

head_line() { echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), compute-sanitizer" \
    "$(compute-sanitizer --version | sed -n 's/.*Version \([0-9.]*\).*/\1/p' | head -1), $(date -u +%Y-%m-%d)"; }

checks() {
    kernels=$(grep -l -e '(int \*data, int \*out, int n)' -e '^TWINS' "$root"/tests/simt/checks/*.cu) # the others are whole programs
    nvcc -arch=native "$root/tests/hardware/launch.cu" -o "$work/launch" || exit 1
    for source in $kernels; do
        nvcc -arch=native -lineinfo -cubin -diag-suppress 177,550 "$source" -o "$work/$(basename "$source" .cu).cubin" &
    done
    wait
    for source in $kernels; do
        file=$(basename "$source" .cu)
        awk -v cubin="$work/$file.cubin" -v launch="$work/launch" -v file="$file" -f "$root/tests/hardware/kernels.awk" "$source"
    done | sed 's/,[^,|]*|/|/' | awk -F '|' '{ printf "%d\t%s\t%s\n", NR, $1, $2 }'
}

build() { # every source of $work/src, by its name
    (cd "$work/src" && ls) | sed 's/\.cu$//' |
        xargs -P "$(nproc)" -I NAME sh -c '. "$1/tests/hardware/tools.sh"
            nvcc -O3 -arch=native -lineinfo -w -I "$1/common" $(nested "$2/src/NAME.cu") "$2/src/NAME.cu" -o "$2/NAME" \
                > "$2/NAME.log" 2>&1 || true' sh "$root" "$work"
}

# A ragged size for the tools; the course table's size if the step does not accept it or would take long.
size_of() {
    case $1/$2 in
    06-* | 05-tridiagonal/08-*) ;;
    *) "$work/$1.$2.solution" --check --n 4099 > "$work/said" 2>&1 && { echo 4099; return; } ;;
    esac
    sed -n "s/^exercise($2 *N *\([0-9]*\).*/\1/p" "$root/$1/CMakeLists.txt"
}

submissions() {
    (cd "$root/tests/submissions" && # those that the lesson refuses are right and safe, those of the source never built
        awk '/^=== / && !/: (lesson|source)/ { print FILENAME "." substr($2, 1, length($2) - 1) }' */*.wrong |
        xargs "$BUILD/workbook" judge --write "$work/src") || exit 1
    (cd "$work/src" && sed 's|/|.|; s|,|.|; s|,.*|.cu|' "$work/names" | xargs -r rm -f)
    (cd "$work/src" && ls | shuf --random-source=/dev/zero | awk -F. -v most="$most" '++count[$1 "." $2] > most' | xargs -r rm)
    for step in "$root"/solutions/*/*.cu; do
        step=${step#"$root"/solutions/}
        cp "$root/solutions/$step" "$work/src/$(echo "${step%.cu}" | tr / .).solution.cu"
    done
    build
    for source in "$work"/src/*.cu; do
        name=$(basename "$source" .cu)
        [ -x "$work/$name" ] || { echo "$name: does not build" >&2; continue; }
        chapter=${name%%.*} rest=${name#*.}
        step=${rest%%.*} submission=${rest#*.}
        [ "$step" = "${last:-}" ] || n=$(size_of "$chapter" "$step")
        last=$step
        refused=$(sed -n "s/^=== $submission: \([a-z]*\).*/\1/p" "$root/tests/submissions/$chapter/$step.wrong")
        printf '%s\t%s\n' "$chapter/$step,$submission,${refused:-right}" "$work/$name --check --n $n"
    done | awk -F '\t' '{ printf "%d\t%s\t%s\n", NR, $1, $2 }'
}

case $what in
checks) first="file,verdict" last=kernels ;;
submissions) first="step,workbook" last=submissions ;;
*) sed -n 2,6p "$0"; exit 2 ;;
esac
csv=$out/h200-$what.csv
# A line for each program: file or step, program, verdict, and each tool's result.
awk -F, 'NR > 2 { count = split($8, names, " ")
    for (i = 1; i <= count; i++) print $1 "," names[i] "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 }' \
    "$csv" > "$work/known" 2> /dev/null
cut -d, -f1-3 "$work/known" > "$work/names"
$what | grep -vFf "$work/names" > "$work/rows"
echo "$(wc -l < "$work/rows") programs on $gpus GPUs, $jobs at a time"
shuf "$work/rows" | tr "\t" "\n" | xargs -r -d '\n' -n 3 -P "$jobs" \
    sh -c 'sh "$WORK/row.sh" "$1" "$2" $3' sh > "$csv.part"
sort "$csv.part" "$work/known" > "$work/all"
{
    head_line
    echo "$first,result,memcheck,racecheck,initcheck,synccheck,$last"
    awk -F, '{ row = $1 "," $3 "," $4 "," $5 "," $6 "," $7 "," $8
               if (!(row in names)) order[++rows] = row
               names[row] = names[row] " " $2 }
        END { for (i = 1; i <= rows; i++) print order[i] "," substr(names[order[i]], 2) }' "$work/all"
} > "$csv"
rm "$csv.part"
awk -F, '{ n++; for (i = 4; i <= 8; i++) sum[i] += $i != 0 }
    END { printf "%d rows; result %d memcheck %d racecheck %d initcheck %d synccheck %d\n", n, sum[4], sum[5], sum[6], sum[7], sum[8] }' "$work/all"
rm -r "$work"

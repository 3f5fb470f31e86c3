#!/bin/sh
# Compares the estimate with the times of kernels that others wrote (public.list). The model was never tuned on them.
#
#     sh public.sh record DIRECTORY FILE            with a GPU: writes FILE, suite,program,kernel,launches,us
#     sh public.sh limiters DIRECTORY FILE          with a GPU: the same, and how busy the parts of the card were
#     sh public.sh estimate SIMTCC DIRECTORY FILE   anywhere: adds estimated_us and what limits the kernel
#     sh public.sh compare FILE MAPE                prints a row for each kernel and the errors
#     sh public.sh agree FILE LIMITERS              compares the estimate's limits with the busiest parts (agree.sh)
#
# DIRECTORY has the suites as public.list names them, in poly/ and rod/. Times are Nsight Compute's gpu__time_duration,
# with unchanged clocks and the caches flushed before each kernel; us is the mean of a kernel's launches. Such a time
# contains the start of the kernel, about 2 us, which the estimate of a kernel does not. So kernels below SHORT us are
# not compared. `compare` fails if the mean absolute error is above MAPE percent. A pair is two kernels of a program
# whose times differ by 3 %.
set -eu
here=$(cd "${0%/*}" && pwd)
. "$here/tools.sh"
SHORT=10
what=$1
shift

# build COMPILER DIRECTORY OUT: each program of the list; one that does not compile is named and left out.
build() {
    grep -v '^#' "$here/public.list" | while IFS='|' read -r suite folder files options arguments; do
        name=$suite-$(echo "$folder" | tr / -)
        case $suite in poly) root=$2/poly/CUDA ;; *) root=$2/rod/cuda ;; esac
        # shellcheck disable=SC2086 # lists of words
        (cd "$root/$folder" && $1 -O3 -w -arch=sm_90 -D cudaThreadSynchronize=cudaDeviceSynchronize -I "$2/rod/common" \
            $options $files -o "$3/$name") >"$3/$name.said" 2>&1 || {
            echo "not built: $name: $(grep -i -m 1 error "$3/$name.said")" >&2
            continue
        }
        echo "$suite|$name|$arguments"
    done
}

# Nsight Compute's rows as suite,program,kernel,launches,us, then the mean of each further metric, weighted by time.
profiled() {
    awk -F'","' -v suite="$1" -v program="${2#*-}" -v metrics="$3" '
        function number(text) { gsub(/[",]/, "", text); return text + 0 }
        BEGIN { parts = split(metrics, metric, ",") }
        /^"ID"/ {
            for (i = 1; i <= NF; i++)
                for (m = 1; m <= parts; m++)
                    if (index($i, metric[m]) == 1) column[m] = i
            next
        }
        /^"[0-9]/ && 1 in column {
            name = $5; sub(/[(<].*/, "", name); sub(/^void /, "", name)
            if (!(name in count)) order[++kernels] = name
            count[name]++
            sum[name, 1] += ns = number($column[1])
            for (m = 2; m <= parts; m++) sum[name, m] += ns * number($column[m])
        }
        END {
            for (i = 1; i <= kernels; i++) {
                name = order[i]
                printf "%s,%s,%s,%d,%.2f", suite, program, name, count[name], sum[name, 1] / count[name] / 1000
                for (m = 2; m <= parts; m++) printf ",%.1f", sum[name, m] / sum[name, 1]
                print ""
            }
        }'
}

# measure DIRECTORY FILE METRICS TITLE [OPTIONS]: a row of these metrics, the first being the time, for each kernel. They
# are written program by program: what is measured before an interrupt stays.
measure() {
    need nvcc ncu nvidia-smi
    work=$(mktemp -d)
    build nvcc "$1" "$work" >"$work/programs"
    {
        echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1), $(date -u \
            +%Y-%m-%d): public.sh"
        echo "$4"
    } >"$2"
    while IFS='|' read -r suite name arguments; do
        # shellcheck disable=SC2086 # a list of words
        timeout 60 ncu --clock-control none --csv --page raw $5 --metrics "$3" "$work/$name" $arguments \
            2>"$work/said" </dev/null |
            profiled "$suite" "$name" "$3" >"$work/rows"
        [ -s "$work/rows" ] || echo "not measured within 60 s: $name" >&2
        cat "$work/rows" >>"$2"
    done <"$work/programs"
    rm -r "$work"
}

record() {
    measure "$1" "$2" gpu__time_duration.sum suite,program,kernel,launches,us ""
}

limiters() {
    measure "$1" "$2" "$(busy_metrics)" suite,program,kernel,launches,us,memory,l2,l1,issue,arithmetic \
        "--launch-count 5 --filter-mode per-launch-config"
}

# Rows of an estimate, "  KERNEL  3 x  2.27 us  limited by PART (...)", as suite,program,kernel,us,limit.
estimated() {
    awk -v suite="$1" -v program="${2#*-}" '
        / x .* limited by / {
            us = $4 * ($5 == "ms" ? 1000 : $5 == "s" ? 1e6 : 1)
            limit = $0; sub(/.* limited by /, "", limit); sub(/ \(.*/, "", limit)
            printf "%s,%s,%s,%.2f,%s\n", suite, program, $1, us, limit }'
}

estimate() {
    work=$(mktemp -d)
    build "$1" "$2" "$work" >"$work/programs"
    while IFS='|' read -r suite name arguments; do
        # shellcheck disable=SC2086 # a list of words
        SIMT_ESTIMATE=${GPU:-h200} SIMT_CHECK=none timeout 3600 "$work/$name" $arguments 2>&1 >/dev/null </dev/null |
            estimated "$suite" "$name"
    done <"$work/programs" >"$work/rows"
    awk -F, -v OFS=, '
        NR == FNR { us[$1, $2, $3] = $4; limit[$1, $2, $3] = $5; next }
        /^#/ { print; next }
        $1 == "suite" { print "suite,program,kernel,launches,us,estimated_us,limit"; next }
        ($1, $2, $3) in us { print $1, $2, $3, $4, $5, us[$1, $2, $3], limit[$1, $2, $3] }' \
        "$work/rows" "$3" >"$work/both"
    cat "$work/both" >"$3"
    rm -r "$work"
}

compare() {
    awk -F, -v most="$2" -v short="$SHORT" "$(cat "$here/errors.awk")"'
        /^#/ || $1 == "suite" { next }
        $5 < short { left++; next }
        { error_add($5, $6, $2, $3)
          printf "%-16s %-26s %10.1f %10.1f %6.2f  %s\n", $2, $3, $5, $6, $6 / $5, $7 }
        END {
            error_pairs()
            printf "%d kernels; %d below %d us left out; %d of %d pairs in the right order; %s\n",
                error_rows, left, short, error_right, error_all, error_text()
            exit !error_rows || error_sum / error_rows > most }' "$1"
}

agree() {
    work=$(mktemp -d)
    awk -F, -v short="$SHORT" '/^[pr]o/ && $5 >= short { print $2 "/" $3 ",0,,," $7 }' "$1" >"$work/estimates"
    awk -F, -v short="$SHORT" '/^[pr]o/ && $5 >= short { print $2 "/" $3 ",0," $5 "," $6 "," $7 "," $8 "," $9 "," $10 }' "$2" \
        >"$work/limiters"
    sh "$here/agree.sh" "$work/estimates" "$work/limiters"
    rm -r "$work"
}

case $what in
record | limiters | estimate | compare | agree) "$what" "$@" ;;
*) echo "public.sh: $what is none of record, limiters, estimate, compare, agree" >&2 && exit 2 ;;
esac

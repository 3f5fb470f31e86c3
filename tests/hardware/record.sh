#!/bin/sh
# Records on a GPU, for one chapter, what tests/hardware compares with the SIMT machine:
#
#     sh tests/hardware/record.sh 01-reduction reduction DIRECTORY [STEP]
#     PARTS="counters times" sh tests/hardware/record.sh 01-reduction reduction DIRECTORY [STEP]
#
# builds the chapter's solutions with nvcc, runs each (right?), under compute-sanitizer's four tools (clean?), under
# Nsight Compute (counters of the last run of --check --n N), and against the peer (times). Writes into DIRECTORY
# <chapter>.csv (a row for each step: step,n and its metrics), <chapter>.times.csv, peer.json, and what the programs
# said. Needs nvcc, ncu and compute-sanitizer on PATH. The sizes are those of the course table. With STEP, only that
# step. PARTS: which of `check`, `counters`, `times` and `peer` to record; default: all.
set -u
. "${0%/*}/tools.sh"
need nvidia-smi nvcc ncu compute-sanitizer
chapter=$1 peer=$2 out=$3 only=${4:-} parts=" ${PARTS:-check counters times peer} "
work=$(mktemp -d)
metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum,memory_l1_wavefronts_shared_ideal
metrics=$metrics,smsp__sass_inst_executed_op_shared_ld.sum,smsp__sass_inst_executed_op_shared_st.sum
metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum
metrics=$metrics,smsp__inst_executed.sum,smsp__thread_inst_executed.sum
arch=-arch=native
case $chapter in
10-*) # instructions of this architecture alone
    arch=-gencode=arch=compute_90a,code=sm_90a
    metrics=$metrics,smsp__sass_inst_executed_op_tma.sum,smsp__inst_executed_pipe_tensor.sum
    metrics=$metrics,l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum,l1tex__m_l1tex2xbar_write_bytes_pipe_tma.sum
    metrics=$metrics,sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum,smsp__sass_inst_executed_op_shared_atom.sum
    metrics=$metrics,smsp__pipe_tensor_op_hmma_type_hmma_hgmma_qgmma_cycles_active.sum
    ;;
esac
# sizes: for timing, up to what the host's reference can compute. ragged: for the sanitizer.
case $chapter in
0[1-3]-*) sizes="1048576 4194304 16777216 268435456" ragged=5000 ;;
0[45]-*) sizes="1048576 4194304 16777216 33554432" ragged=5000 ;;
07-*) sizes="1024 2048 4096 8192" ragged=67 ;;
08-*) sizes="1024 4096 16384" ragged=67 ;; # of images; signals: time_step
09-*) sizes="1024 4000 16384 65536" ragged=67 ;; # atoms; a map of 1024 x 1024
*) sizes=default ragged=67 ;; # each step has a size of its own; a grid of 67 x 67
esac
mkdir -p "$out"
csv=$out/$chapter.csv
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/device.txt"
nvcc --version | tail -2 | head -1 >> "$out/device.txt"
echo "# $(head -1 "$out/device.txt"), $(tail -1 "$out/device.txt"), $(date -u +%Y-%m-%d), Nsight Compute" > "$csv"
columns=$(echo $metrics | tr , '\n' | LC_ALL=C sort | paste -sd,)
echo "step,n,$columns" >> "$csv"
times=$out/$chapter.times.csv
sed -n 1p "$csv" | sed 's/, Nsight Compute/, median of 20, L2 flushed/' > "$times"
case $chapter in
07-* | 09-*) echo "step,n,ms,gflop_per_s" ;; # arithmetic is the limit, not bytes
*) echo "step,n,ms,gb_per_s" ;;
esac >> "$times"

# Steps and sizes from the course table: exercise(NAME N <n> ...).
sed -n 's/^exercise(\([^ ]*\) *N *\([0-9]*\).*/\1 \2/p' "$chapter/CMakeLists.txt" |
    grep "^$only" > "$work/steps"

wanted() {
    case $parts in *" $1 "*) ;; *) return 1 ;; esac
}

# check_step STEP N: builds it, runs it, and runs it under the sanitizer's tools.
check_step() {
    source=solutions/$chapter/$1.cu
    nvcc -O3 $arch -lineinfo -I common $(nested "$source") "$source" -o "$work/$1" > "$out/$1.log" 2>&1 ||
        { echo "$1: does not build"; return; }
    wanted check || return 0
    "$work/$1" >> "$out/$1.log" 2>&1
    row="$1: exit $?"
    small=$ragged
    "$work/$1" --check --n $small > /dev/null 2>&1 || small=$2 # some steps take other sizes only
    for tool in memcheck racecheck initcheck synccheck; do
        timeout 200 compute-sanitizer --tool $tool --error-exitcode 9 "$work/$1" --check --n $small >> "$out/$1.log" 2>&1
        row="$row $tool=$?"
    done
    echo "$row"
}

# The counters of the run that the lesson counts, the last one of --check --n N, summed over its launches.
profile_step() {
    timeout 150 ncu --profile-from-start off --clock-control none --csv --metrics $metrics "$work/$1" --check --n "$2" \
        > "$work/$1.ncu" 2>> "$out/$1.log" || [ $? = 77 ] || # 77: right, but not built for NCCL
        { echo "$1: too many launches to profile in 150 s, or ncu failed"; return; }
    # "ID","Process ID",...,"Metric Name","Metric Unit","Metric Value"
    grep '^"[0-9]' "$work/$1.ncu" | sed 's/^"//; s/"$//; s/","/\t/g' |
        awk -F '\t' -v row="$1,$2" -v columns="$columns" '
            { gsub(",", "", $NF); if ($NF != "n/a") sum[$(NF - 2)] += $NF }
            END {
                count = split(columns, name, ",")
                for (i = 1; i <= count; i++) row = row "," (name[i] in sum ? sprintf("%.0f", sum[name[i]]) : "")
                if (NR) print row }' >> "$csv"
}

time_step() {
    case $chapter/$1 in
    00-*/0[246]-* | 08-*/0[1-5]-*) set -- "$1" 1048576 16777216 268435456 ;;
    00-*/0[35]-*) set -- "$1" 1024 4096 16384 ;;
    *) set -- "$1" $sizes ;;
    esac
    step=$1
    shift
    for n in "$@"; do
        if [ "$n" = default ]; then set --; else set -- --bench --n "$n"; fi
        "$work/$step" "$@" --json "$work/time.json" >> "$out/$step.log" 2>&1
        sed -n 's/.*"n": \([0-9]*\), "ms": \([0-9.]*\), "g[a-z]*_per_s": \([0-9.]*\).*/'"$step"',\1,\2,\3/p' \
            "$work/time.json" >> "$times"
    done
}

# Correctness and sanitizers do not depend on what else runs: all steps at once. Then counters and times, one by one.
while read -r step n; do
    check_step "$step" "$n" &
done < "$work/steps"
libraries=$(sed -n "s/^chapter($chapter *\(.*\))/\1/p" CMakeLists.txt | sed 's/[a-z]*/-l&/g; s/-l$//; s/-l / /g')
! wanted peer || nvcc -O3 -arch=native -std=c++17 -I common -I solutions "tests/peers/$peer.cu" -o "$work/peer" $libraries > "$out/peer.log" 2>&1 &
wait
while read -r step n; do
    ! wanted counters || profile_step "$step" "$n"
    ! wanted times || time_step "$step"
    echo "$step: $(grep -c "^$step," "$csv") row of counters, $(grep -c "^$step," "$times") times"
done < "$work/steps"

! wanted peer || "$work/peer" --json "$out/peer.json" 2>&1 | tee -a "$out/peer.log"
case $chapter in 09-*) parts= ;; esac # its peer makes roots, not the steps' operations
! wanted peer || tr '\n' ' ' < "$out/peer.json" | sed 's/},* *{/\n{/g; s/\[ *{/\n{/' |
    sed -n 's/.*"n": \([0-9]*\),.*"peer_ms": \([0-9.]*\), "peer_gb_per_s": \([0-9.]*\).*/the peer,\1,\2,\3/p' |
    awk -F, -v sizes=" $sizes " 'index(sizes, " " $2 " ") && !seen[$2]++' >> "$times"
cat "$out"/*.log > "$out/all.txt" && rm "$out"/*.log
rm -r "$work"

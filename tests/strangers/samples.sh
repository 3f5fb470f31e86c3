#!/bin/sh
# samples.sh SIMTCC SAMPLES OUT [FOLDER...]: builds unmodified programs of NVIDIA/cuda-samples with simtcc and runs them.
#
# SAMPLES is a copy of the repository, FOLDER one of its samples (Samples/0_Introduction/vectorAdd); without one it tries
# all. A line for each goes to OUT/samples.csv: its verdict, the CPU seconds of its run, the number of findings, and why it
# is not right. Each gets at most 60 s of CPU time.
#
#   right      ended with 0
#   waived     ended with 2: the sample itself reports that it does not run here
#   refused    simtcc or the machine named what is missing
#   elsewhere  needs headers or libraries that are not the toolkit's, or a file that is missing
#   slow       did not end
#   wrong      all else
simtcc=$1 samples=$2 out=$3
shift 3
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
cd "$samples" || exit 1
[ $# -gt 0 ] || set -- $(find Samples -name CMakeLists.txt -exec grep -l add_executable {} + | sed 's,/CMakeLists.txt,,' | sort)
limit=${LIMIT:-60}

# sources FILE: the sources in its first add_executable, without the program and its headers.
sources() {
    tr '\n' ' ' <"$1" | sed 's/.*\badd_executable(\([^)]*\)).*/\1/' | tr ' ' '\n' | sed 1d |
        grep -E '\.(cu|cpp|c|cc)$'
}

# images LOG: kernels that the sample's build compiles to a fat binary, or to PTX, in addition to the program.
images() {
    sed -n 's,.*CUDA_KERNEL_SOURCE "${CMAKE_CURRENT_SOURCE_DIR}/\(.*\)".*,\1,p' CMakeLists.txt | while read -r source; do
        name=$(sed -nE 's,.*CUDA_(FATBIN|PTX)_FILE "\$\{CMAKE_CURRENT_BINARY_DIR\}/(.*)".*,\2,p' CMakeLists.txt | head -1)
        form=-fatbin
        [ "${name%.ptx}" = "$name" ] || form=-ptx
        "$simtcc" -I../../../Common $form "$source" -o "$name" || echo "no image"
    done >>"$1" 2>&1
}

build() {
    options="-std=c++17 --extended-lambda -I. -Iinc -I../../../Common -I../../../../Common"
    grep -q 'CUDA_SEPARABLE_COMPILATION ON' CMakeLists.txt && options="$options -rdc=true"
    grep -q OpenMP CMakeLists.txt && options="$options -Xcompiler -fopenmp"
    images "$1.build"
    # shellcheck disable=SC2046,SC2086 # words
    "$simtcc" $options $(sources CMakeLists.txt) -o "$1" >>"$1.build" 2>&1
}

first_line() {
    grep -hm 1 -E "$1" "$2" | tr -d '",' | cut -c 1-160
}

# told VERDICT WHY [SECONDS FINDINGS]
told() {
    printf '%s,%s,%s,%s,"%s"\n' "$folder" "$1" "${3:-}" "${4:-}" "$2" | tee -a "$out/samples.csv"
}

run() {
    (ulimit -t "$limit" && exec timeout -k 5 $((5 * limit)) sh -c 'time -p "$0" </dev/null' "$1") >"$1.run" 2>&1
    status=$?
    seconds=$(awk '$1 == "user" { print $2 }' "$1.run" | tail -1)
    findings=$(grep -cE '^simt: (error|warning)' "$1.run")
    if [ $status -eq 0 ]; then
        told right "" "$seconds" "$findings"
    elif [ $status -eq 2 ] && ! grep -q '^simt: .*not supported' "$1.run"; then
        told waived "$(first_line '[Ww]aiv|requires|support|needs' "$1.run")" "$seconds" "$findings"
    elif grep -qE '^simt: .*(not supported|does not execute|does not know|does not have)' "$1.run"; then
        told refused "$(first_line '^simt: .*(not supported|does not execute|does not know|does not have)' "$1.run")" \
            "$seconds" "$findings"
    elif [ $status -ge 124 ] && [ $status -ne 134 ] && [ $status -ne 139 ]; then
        told slow "$(first_line '^simt: ' "$1.run")" "$seconds" "$findings"
    else
        told wrong "status $status: $(first_line 'rror|simt:|FAIL' "$1.run")" "$seconds" "$findings"
    fi
}

for folder; do
    cd "$samples/$folder" || exit 1
    program=$out/$(basename "$folder")
    : >"$program.build"
    if build "$program"; then
        run "$program"
    elif grep -q '^simtcc: error' "$program.build"; then
        told refused "$(first_line '^simtcc: error' "$program.build")"
    elif grep -qE 'fatal error: .*(GL|vulkan|mpi|FreeImage|EGL|egl|nv[a-z]*[cC]i|NvSci|nvrtc|nvvm|cudla|X11)' "$program.build"; then
        told elsewhere "$(first_line 'fatal error' "$program.build")"
    else
        told wrong "build: $(first_line 'rror' "$program.build")"
    fi
    cd - >/dev/null || exit 1
done

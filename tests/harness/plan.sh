#!/bin/sh
# On a GPU every chapter's largest input fits into the memory limit that the runner sets. --plan, linked with the real
# runtime, lists the inputs for a GPU without one; CUDA's driver needs memory of its own in addition. On the SIMT machine
# every other test holds each case to its plan (common/harness/plan.h). plan.sh: a third of the drivers, selected by the
# solutions. plan.sh all: all of them.
. "$SOURCE/tests/self/lib.sh"
reserve=4294967296 # for CUDA's driver: 0.6 GB were observed on an H200
scratch=$BUILD/self/plan${1:+.$1}
rm -rf "$scratch" && mkdir -p "$scratch"
limit=$(sed -n 's/^gpu_memory_kb	//p' "$BUILD/course.tsv")
limit=$((limit * 1024))
[ "$limit" -gt "$reserve" ] || bad "the limit is $limit bytes"

# One step for each driver, and all drivers.
for source in "$SOURCE"/solutions/[0-9]*/*.cu; do
    echo "$(sed -n 's/.*return \([a-z0-9_]*_main\)(.*/\1/p; s/^graded_program(main, \([A-Z]*\))$/program_\1/p' "$source") $source"
done | sort -k1,1 -u >"$scratch/drivers"
[ "$(wc -l <"$scratch/drivers")" -ge 10 ] || bad "only $(wc -l <"$scratch/drivers") drivers are found"
if [ "${1:-}" = all ]; then
    cp "$scratch/drivers" "$scratch/look"
else
    third "$SOURCE"/solutions/[0-9]*/*.cu <"$scratch/drivers" >"$scratch/look"
fi
while read -r driver source; do
    step=${source#"$SOURCE"/solutions/}
    step=${step%.cu}
    "$CXX" "$BUILD/objects/solutions/$step.o" "$(sh "$SOURCE/tests/self/driver.sh" "$BUILD" "$step")" \
        "$BUILD/common/liblocal.a" "$CUDART" -o "$scratch/a.out" -lrt -lpthread -ldl ||
        { bad "$step does not link"; continue; }
    for how in --check --bench; do
        expect 0 'host memory for the largest input: [1-9][0-9]* bytes' "$scratch/a.out" --plan $how
        bytes=$(echo "$output" | sed -n 's/.*largest input: \([0-9]*\) bytes.*/\1/p')
        [ $((${bytes:-0} + reserve)) -le "$limit" ] ||
            bad "$driver ($step $how) asks for $bytes bytes of the host, and the runner allows $limit on a GPU"
        [ "${bytes:-0}" -gt "${largest:-0}" ] && largest=$bytes
        echo "$driver $how: $output"
    done
done <"$scratch/look"
[ "${1:-}" != all ] || [ $((${largest:-0} + reserve)) -gt 4294967296 ] || bad "4 GiB would do, as on the SIMT machine: is anything counted?"
finish

# need TOOL...: ends a script of this folder with 1 and one line if a tool is missing. Sourced. A record begun without
# the tools would replace a good one.
need() {
    for tool; do
        command -v "$tool" >/dev/null || {
            echo "$0: $tool is not on PATH: run this on a machine with a GPU, with the toolkit's bin folder in PATH" >&2
            exit 1
        }
    done
}

# Nsight Compute's time, and how busy memory, L2, L1, the issue of instructions and the arithmetic units were.
busy_metrics() {
    printf gpu__time_duration.sum
    printf ',%s.avg.pct_of_peak_sustained_elapsed' dram__throughput lts__throughput l1tex__throughput \
        smsp__issue_active sm__throughput
}

# nested FILE.cu: the options of nvcc for kernels that launch kernels; none if the program has no such kernels.
nested() {
    ! grep -q '^#include "device/nested.h"' "$1" || echo -rdc=true -lcudadevrt
}

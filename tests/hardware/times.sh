#!/bin/sh
# Times of all steps on this machine's card, at the sizes of h200-estimates.csv:
#
#     sh tests/hardware/times.sh FILE [SECONDS]
#
# writes FILE: step,n,ms; the median of 20, L2 flushed. No step is begun SECONDS after the start. Needs nvcc and nvidia-smi.
set -u
. "${0%/*}/tools.sh"
need nvidia-smi nvcc
file=$1 end=$(($(date +%s) + ${2:-86400}))
work=$(mktemp -d)
. "${0%/*}/steps.sh"
list_steps > "$work/steps"
build_steps "$work/steps" "$work/bin"
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(date -u +%Y-%m-%d), median of 20, L2 flushed: times.sh"
    echo "step,n,ms"
    while read -r step n && [ "$(date +%s)" -lt "$end" ]; do
        "$work/bin/$(echo "$step" | tr / .)" --bench --n "$n" --json "$work/time.json" >/dev/null 2>&1
        sed -n 's,.*"n": \([0-9]*\)\, "ms": \([0-9.]*\)\,.*,'"$step"'\,\1\,\2,p' "$work/time.json"
        rm -f "$work/time.json"
    done < "$work/steps"
} > "$file"
rm -r "$work"

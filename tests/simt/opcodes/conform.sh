#!/bin/sh
# Compares a GPU's results with the SIMT machine's. Usage: conform.sh FORMS CONFORM RECORDING: the two programs' paths
# and the recording. Every instruction must be recorded, or be listed in h200-unrecorded.txt until it is; every result
# must be equal; and a recording with a wrong result is refused.
forms=$1 conform=$2 recording=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
grep -v '^#' "$recording" | sed 's/ | .*//; s/ & /\n/g' | sort -u >"$work/recorded"
"$forms" | sort -u >"$work/listed"
grep -v '^#' "$(dirname "$recording")/h200-unrecorded.txt" | sort -u >"$work/waiting"
comm -23 "$work/listed" "$work/recorded" >"$work/missing"
if ! comm -13 "$work/missing" "$work/waiting" | diff /dev/null -; then
    echo "these are recorded, or are no instructions: strike them off h200-unrecorded.txt"
    exit 1
fi
echo "$(wc -l <"$work/waiting") instructions wait for a recording on a GPU"
missing=$(comm -23 "$work/missing" "$work/waiting")
if [ -n "$missing" ]; then
    echo "not recorded on a GPU; put these lines into $(dirname "$recording")/h200-unrecorded.txt until they are:"
    echo "$missing"
    exit 1
fi
if ! awk -f "${0%/*}/group.awk" "$recording" | cmp - "$recording"; then
    echo "lines of the same results are apart: $recording is not what group.awk makes of it"
    exit 1
fi
"$conform" check "$recording" || exit 1

# Guilty: one result of an exact instruction is wrong, a late one is wrong, and an approximate one is far off.
grep '^add.u32 ' "$recording" | sed '1s/| \([0-9a-f]*\) |/| 0\1 |/; s/\(.* |.*|\) [0-9a-f]*/\1 77/' >"$work/first"
grep '^add.u32 ' "$recording" | sed 's/| [0-9a-f]* |/| 1234 |/' >"$work/late"
grep '^rcp.approx.f32 ' "$recording" | sed 's/ 3f800000/ 3f801000/' >"$work/far"
for wrong in first late far; do
    if "$conform" check "$work/$wrong" >"$work/said"; then
        echo "a wrong recording ($wrong) passed:"
        cat "$work/$wrong" "$work/said"
        exit 1
    fi
done

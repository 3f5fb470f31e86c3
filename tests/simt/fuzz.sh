#!/bin/sh
# Fuzzes the readers of untrusted bytes, or replays the kept corpus where there is no libFuzzer. Usage: fuzz.sh TESTS
# SOURCE CC SECONDS: this directory, common/simt, a C compiler with sanitizers for the replay, how long to fuzz each.
tests=$1 source=$2 cc=$3 seconds=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
sources="$source/ptx/*.c"
flags="-g -O1 -std=gnu11 -fno-sanitize-recover=all -I $source"
for target in ptx fatbin; do
    more=
    [ $target = ptx ] && more=$tests/ptx
    # shellcheck disable=SC2086 # lists
    if clang $flags -fsanitize=fuzzer,address,undefined -o "$work/$target" "$tests/fuzz_$target.c" $sources \
        2>"$work/said"; then
        mkdir "$work/new.$target"
        "$work/$target" -max_total_time="$seconds" -max_len=4096 -artifact_prefix="$work/" -print_final_stats=1 \
            "$work/new.$target" "$tests/corpus/$target" $more >"$work/said" 2>&1
    else
        $cc $flags -fsanitize=address,undefined -DFUZZ_REPLAY -o "$work/$target" "$tests/fuzz_$target.c" $sources &&
            "$work/$target" "$tests/corpus/$target"/* ${more:+$more/*} >"$work/said" 2>&1
    fi || {
        echo "fuzz_$target found something; its input, in hexadecimal:"
        tail -40 "$work/said"
        od -An -tx1 "$work"/crash-* "$work"/timeout-* "$work"/leak-* 2>/dev/null | head -100
        exit 1
    }
    grep -E 'number_of_executed_units' "$work/said" | sed "s/^/fuzz_$target: /"
done

#!/bin/sh
# Fuzzes the readers of untrusted bytes, or replays the kept corpus without libFuzzer. Usage: fuzz.sh TESTS SOURCE CC
# SECONDS PTX: this directory, common/simt, a C compiler with sanitizers for the replay, how long to fuzz each, and the
# folder of nvcc's features.ptx and inline.ptx, which are also seeds.
tests=$1 source=$2 cc=$3 seconds=$4 ptx=$5
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# build COMPILER WHILE_COMPILING WHILE_LINKING: both programs, from the same objects of the readers.
build() {
    flags="-g -O1 -std=gnu11 -fno-sanitize-recover=all -I $source"
    # shellcheck disable=SC2086 # lists
    rm -rf "$work/objects" && mkdir "$work/objects" && (cd "$work/objects" && $1 $flags $2 -c "$source"/ptx/*.c) &&
        for target in ptx fatbin; do
            $1 $flags $3 -o "$work/$target" "$tests/fuzz_$target.c" "$work"/objects/*.o || return
        done
}
sanitize=address,undefined fuzzes=
mkdir "$work/seeds" && cp "$ptx/features.ptx" "$ptx/inline.ptx" "$work/seeds" || exit 1
if build clang "-fsanitize=fuzzer-no-link,$sanitize" "-fsanitize=fuzzer,$sanitize" 2>"$work/said"; then
    fuzzes=yes
else
    build "$cc" "-fsanitize=$sanitize" "-fsanitize=$sanitize -DFUZZ_REPLAY" || exit 1
fi
for target in ptx fatbin; do
    more=
    [ $target = ptx ] && more=$work/seeds
    if [ -n "$fuzzes" ]; then
        mkdir "$work/new.$target"
        # shellcheck disable=SC2086 # a folder or none
        "$work/$target" -max_total_time="$seconds" -max_len=4096 -artifact_prefix="$work/" -print_final_stats=1 \
            "$work/new.$target" "$tests/corpus/$target" $more >"$work/said" 2>&1
    else
        "$work/$target" "$tests/corpus/$target"/* ${more:+$more/*} >"$work/said" 2>&1
    fi || {
        echo "fuzz_$target found something; its input, in hexadecimal:"
        tail -40 "$work/said"
        od -An -tx1 "$work"/crash-* "$work"/timeout-* "$work"/leak-* 2>/dev/null | head -100
        exit 1
    }
    grep -E 'number_of_executed_units' "$work/said" | sed "s/^/fuzz_$target: /"
done

#!/bin/sh
# Writes a card for the estimate (SIMT_ESTIMATE=FILE) from the record of micro.sh on that GPU:
#
#     sh tests/hardware/micro.sh h100-micro.csv                                        # on a machine with the card
#     sh tests/hardware/device.sh H100 h100-micro.csv h100-micro-pipes.csv > h100.gpu  # anywhere
#     sh tests/hardware/device.sh --compare H200 h200-micro.csv h200-pipes.csv         # with common/simt/report/h200.def
#
# Numbers that no benchmark measures are omitted, and are then an H200's: among others instructions issued per clock,
# tensor cores, the size of the L1 cache. Look these up for a card of another generation. --compare fails if a number is
# off by 3 %.
set -eu
here=${0%/*}
compare=
[ "$1" != --compare ] || { compare=yes && shift; }
name=$1 micro=$2 pipes=$3

numbers() {
    awk -F, '
        /^#/ || $1 == "what" { next }
        { value[$1] = $3; size[$1] = $2; sized[$1, $2] = $3 }
        function least(a, b) { return a + 0 < b + 0 || b == "" ? a : b }
        function put(name, what) { if (what != "" && what + 0 > 0) printf "%s %.4g\n", name, what }
        function over(a, b) { return b + 0 > 0 ? a / b : "" }
        END {
            put("multiprocessors", value["multiprocessors"])
            put("clock_ghz", value["highest clock"] / 1000)
            put("start_us", value["two events with nothing between them"])
            put("launch_us", value["an empty kernel among many"])
            put("wait_us", value["a launch and the wait for it"] - value["a launch among many"])
            put("gap_us", value["a long kernel among many"] - over(40000, value["highest clock"]))
            put("shared_latency", value["latency of shared memory"])
            put("l1_latency", value["latency of the L1 cache"])
            put("l2_latency", value["latency of the L2 cache"])
            put("dram_latency", value["latency of device memory: 256 MB"])
            printf "l2_bytes %d\n", size["L2 cache as the device reports it"]
            put("shared_gb_per_s", value["rate of all shared memories"])
            put("l2_gb_per_s", value["rate of reading the L2 cache"])
            put("dram_read_gb_per_s", value["rate of reading device memory"])
            put("dram_copy_gb_per_s", value["rate of copying in device memory: read and written"])
            after = value["rate of reading device memory after as much was written as the L2 cache holds"]
            put("l2_written_share", over(value["rate of reading device memory"] - after, after))
            put("atomics_apart_per_ns", value["global additions of 32 bits: neighbouring words"])
            put("atomics_on_word_per_ns", value["global additions of 32 bits: one word"] / 32)
            put("float_atomics_on_word_per_ns", value["global additions in single precision: one word"])
            put("atomics_by_chance_per_ns", value["global additions of 32 bits: 2^20 words by chance"])
            put("shared_atomic_clocks", over(32, value["shared additions: a bank for each lane"]))
            # additions may overlap logic, as multiply-adds
            put("integer_per_clock", least(value["rate of an integer addition or logic"], value["rate of an integer multiply-add"]))
            put("float_per_clock", value["rate of a multiply-add in single precision"])
            put("double_per_clock", value["rate of a multiply-add in double precision"])
            put("special_per_clock", value["rate of an approximate reciprocal root"])
            integer = least(value["latency of an integer addition or logic"], value["latency of a rotation"])
            integer = (integer + value["latency of an integer multiply-add"]) / 2
            put("integer_latency", integer)
            put("float_latency", value["latency of a multiply-add in single precision"])
            put("double_latency", value["latency of a multiply-add in double precision"])
            put("special_latency", value["latency of an approximate reciprocal root"])
            put("shuffle_latency", value["latency of a shuffle"])
            put("match_latency", value["latency of a match of one value"] - integer)
            put("match_value_latency", (value["latency of a match of 32 values"] - value["latency of a match of 8 values"]) / 24)
            put("match_value_clocks", over(1, value["rate of a match of one value"]))
            put("branch_latency", value["a round of a loop around one multiply-add"] - 2 * integer)
            warp = (value["a barrier of 1024 threads"] - value["a barrier of one warp"]) / 31
            put("barrier_latency", value["a barrier of one warp"] - warp)
            put("barrier_warp_clocks", warp)
            put("fence_latency", value["a store and the fence behind it"])
            put("store_part_clocks", value["stores of a word to a line by one multiprocessor"])
            lone = over(1000, value["stores of a word to a line by all multiprocessors"])
            part = (over(4000, value["stores of a word to each sector by all multiprocessors"]) - lone) / 3
            put("store_line_ps", lone - part)
            put("store_sector_ps", (over(4000, value["stores of whole lines by all multiprocessors"]) - (lone - part)) / 4)
            put("store_part_ps", part)
            put("block_ns", value["a block of 32 threads that does nothing"])
            put("fill_us", value["a fill of 4 bytes among many"])
            load = over(1, sized["rate of constant memory: one word for a warp", 1024])
            put("constant_clocks", load)
            put("constant_latency", sized["latency of constant memory", 1024])
            put("constant_miss_clocks", over(1, sized["rate of constant memory: one word for a warp", 65536]) - load)
            put("constant_miss_latency", sized["latency of constant memory", 8192] - sized["latency of constant memory", 1024])
        }' "$micro" "$pipes"
}

if [ -z "$compare" ]; then
    echo "name $name"
    sed -n '1s/^# */# /p' "$micro"
    numbers
    exit
fi
numbers | awk '
    NR == FNR { if (split($0, f, /[(,]/) > 2) known[f[2]] = f[3]; next }
    { ratio = known[$1] > 0 ? $2 / known[$1] : 0; count++
      if (ratio < 0.97 || ratio > 1.03) { print $1 " is " $2 ", and " known[$1] + 0 " in h200.def"; failed = 1 } }
    END { print count " numbers compared"; exit failed || !count }' "$here/../../common/simt/report/h200.def" -

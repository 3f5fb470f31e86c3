#!/bin/sh
# The estimate for kernels whose limit is known (kernels.cu):
#
#     sh tests/simt/estimate/cases.sh PROGRAM few|all
#
# Guilty and innocent: a pair does the same work, and only one of the two has the named limit. few: the limits and
# refusals, without the ratios of times, which take longest.
set -u
program=$1 which=$2 failed=0
export SIMT_CHECK=none

# estimate NAME N: the first line of the report.
estimate() {
    SIMT_ESTIMATE=${gpu:-h200},range "$program" "$1" "$2" 2>&1 >/dev/null | head -1
}
us() {
    estimate "$1" "$2" | sed -n 's/.*~\([0-9.]*\) \([um]s\).*/\1 \2/p' | awk '{ print $2 == "ms" ? $1 * 1000 : $1 }'
}
# short N: a third of N for few, with the same limit.
short() {
    if [ "$which" = all ]; then echo "$1"; else echo $(($1 / 3)); fi
}
wrong() {
    echo "wrong: $*" >&2
    failed=1
}
# limited NAME N WORDS [REASON]: checks its limit, and what its warps wait for most, by line, in one run.
limited() {
    SIMT_ESTIMATE=${gpu:-h200},range,lines "$program" "$1" "$2" 2>"$report" >/dev/null
    said=$(head -1 "$report") waits=$(sed -n 5p "$report")
    case $waits in
    *" %"*"  ${4:-} "*) [ -z "${4:-}" ] || echo "$1 $2: waits for $4" ;;
    *) [ -z "${4:-}" ] || wrong "$1 $2: wanted \"$4\" first of what it waits for, got: $waits" ;;
    esac
    case $said in
    "simt: estimate: ~"*" on an H200, limited by $3; an estimate, not a measurement") echo "$1 $2: $3" ;;
    *) wrong "$1 $2: wanted \"limited by $3\", got: $said" ;;
    esac
}
ratio() { # NAME N NAME N LOW HIGH: how many times as long the first takes
    [ "$which" = all ] || return 0
    a=$(us "$1" "$2") b=$(us "$3" "$4")
    echo "$a $b $5 $6" | awk -v what="$1 $2 to $3 $4" \
        '{ r = $1 / $2; print what ": " r; exit !(r >= $3 && r <= $4) }' || wrong "$1 $2 takes $a us, $3 $4 $b us: not $5 to $6 times"
}

report=$(mktemp) device=$(mktemp)
trap 'rm -f "$report" "$device"' EXIT
limited read 2000000 "memory bandwidth"
limited follow 3000 latency "long scoreboard"
limited one_word 8 "atomics on one address"
limited one_bank "$(short 200)" "L1 and shared memory" "MIO throttle"
limited own_constants "$(short 200)" "constant memory"
limited many_constants "$(short 200)" "constant memory"
limited multiply "$(short 300)" "arithmetic in single precision"
limited roots "$(short 100)" "special functions" "math pipe throttle"
limited few_threads 3000 latency # the same instructions, in too few threads
limited chain 500 latency
limited in_step "$(short 200)" "integer arithmetic" "math pipe throttle"
limited apart 200 latency wait # the same rounds, a warp on each multiprocessor
limited skip_short "$(short 200)" "L1 and shared memory"
limited launches 50 launches

# Lines only on request.
SIMT_ESTIMATE=h200 "$program" follow 300 2>&1 | grep -q 'of all  *saved' && wrong "lines that were not asked for"

# n-fold work takes n times as long; omitted work takes less.
ratio follow 6000 follow 3000 1.7 2.1
ratio read 4000000 read 2000000 1.5 2.1
ratio one_word 16 one_word 8 1.9 2.1
ratio chain 1000 chain 500 1.8 2.2
ratio launches 400 launches 200 1.9 2.2 # the host is ahead at first
ratio one_bank 200 all_banks 200 10 33
ratio own_constants 200 one_constant 200 10 33 # lanes that want different words wait for one another
ratio many_constants 200 one_constant 200 6 30 # the table is larger than its cache; an H200 takes 13 times as long
ratio known_constants 50 no_constants 50 0.9 1.1 # operands, no loads
ratio one_word 8 known_word 8 25 33      # of a warp's lanes all or one reaches the word
ratio known_word 8 own_words 8 5 12      # h200-pipes.csv: 11.6 times the rate
ratio divide 500 divide_about 500 1.5 2.2 # two trips to memory for a row, or one
ratio chain 500 no_chain 500 10 1000
ratio skip_short 200 skip_long 200 1.3 4
ratio pair 600 one_operation 600 0.95 1.1 # ptxas makes one of two
ratio shared_operation 600 pair 600 2.1 3 # not of two and a third that reads the first
ratio own_rows 250 same_rows 250 2 5 # warps share what they load side by side; an H100: 2.2
ratio rows_in_turns 500 same_rows 500 3 8 # not those that are gone when it comes
ratio two_phases 4 two_phases 1 1.8 2.4 # in step all the time: 2.6

# Another GPU: with half the bandwidth reading takes nearly twice as long, and nothing else changes.
printf 'name Half # a card of which the memory is half as fast\ndram_read_gb_per_s 2256.5\ndram_copy_gb_per_s 1986.5\n' > "$device"
size=4000000
[ "$which" = all ] || size=2000000
full=$(us read $size) same=$(us multiply "$(short 300)")
gpu=$device
half=$(us read $size) also=$(us multiply "$(short 300)")
echo "$full $half $same $also" | awk '{ print "half the bandwidth: " $2 / $1; exit !($2 / $1 > 1.4 && $2 / $1 < 2.1 && $3 == $4) }' ||
    wrong "with half the bandwidth reading takes $half us, with all of it $full us, or arithmetic $also us and not $same us"

# Hostile: an unknown device ends the program with a line.
refused() { # VALUE WORDS
    said=$(SIMT_ESTIMATE=$1 "$program" launches 1 2>&1)
    code=$?
    case $code,$said in
    1,*"$2"*"SIMT_ESTIMATE=$1 is not understood"*) echo "refused: $1" ;;
    *) wrong "SIMT_ESTIMATE=$1: exit $code, got: $said" ;;
    esac
}
refused nothing-of-this-name "no GPU and no file of that name"
refused h200,rage ""
refused h200,range,line ""
refused h200,lines,lines ""
printf 'clock_ghz fast\n' > "$device"
refused "$device" "clock_ghz is fast; it must be a number above 0"
printf 'clock_ghz 0\n' > "$device"
refused "$device" "must be a number above 0"
printf 'clock 1.5\n' > "$device"
refused "$device" "is not a line NAME VALUE"
exit $failed

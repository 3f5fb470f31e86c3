#!/bin/sh
# run.sh refuses a peer that fails, or records no row or no time, and skips if a peer does; it runs all of its arguments.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/peers.script
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1

# peer NAME STATUS ROWS: a program that records ROWS, which the shell's printf writes, and ends with STATUS.
peer() {
    printf '#!/bin/sh\necho "skipped: there is no GPU here"\nprintf "%s" >"$4"\nexit %s\n' "$3" "$2" >"$1"
    chmod +x "$1"
}
run() { sh "$SOURCE/tests/peers/run.sh" "$@"; }
row='{\\"case\\": \\"int\\", \\"n\\": 8, \\"ms\\": 0.004, \\"peer_ms\\": %s}'
good=$(printf "$row" 0.003)
peer good 0 "$good, $good"
peer wrong 2 "$good"
peer empty 0 ""
peer zero 0 "$(printf "$row" 0.000)"
peer nan 0 "$(printf "$row" nan)"
peer half 0 '{\"case\": \"int\", \"ms\": 0.004}'
peer skips 77 ""
expect 0 '^good --n 8: 2 rows$' run ./good=8
# Guilty: each kind.
expect 1 '^FAILED: wrong --n 8: exit status 2, right$' run ./wrong=8
expect 1 '^FAILED: empty --n 8: exit status 0, no row is recorded$' run ./empty=8
expect 1 '^FAILED: zero --n 8: exit status 0, a time is 0.000$' run ./zero=8
expect 1 '^FAILED: nan --n 8: exit status 0, a time is nan$' run ./nan=8
expect 1 '^FAILED: half --n 8: exit status 0, 1 times in 1 rows$' run ./half=8
expect 1 '^good --n 8: 2 rows$' run ./wrong=8 ./good=8
expect 77 '^1 of 2 peers: skipped: there is no GPU here$' run ./good=8 ./skips=8
expect 1 '^FAILED: wrong' run ./skips=8 ./wrong=8
expect 1 'gone' run ./gone=8
finish

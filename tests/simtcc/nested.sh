#!/bin/sh
# Grids that kernels launch: their order, their arguments, and findings about them.
. "$SOURCE/tests/simtcc/prefix.sh"
cd "$scratch" || exit 1
cp "$SOURCE/tests/simtcc/nested.cu" .
expect 0 '' "$simtcc" -rdc=true nested.cu -o nested

# right NAME LINE: prints this in every order, and nothing is found.
right() {
    for schedule in order reverse random:1; do
        expect 0 "^$2\$" env SIMT_CHECK=all,acquire SIMT_SCHEDULE=$schedule ./nested "$1"
        absent 'simt:'
    done
}
right ordered '123 123 123 123 0'
right deep '10 20 0 0 0'
right calls '1077952578 1077952576 7 0 0'
right apart '1 1 1 1 2'

right before '71 71 71 71 0'
right last '71 71 71 71 0'
right atomic '8 7 7 7 0'

parent='Race (RAW) between streams: nested.cu:[0-9]* write by'
for wrong in beside without_barrier other; do
    expect 0 "$parent .*, nested.cu:[0-9]* read by step in a stream of block 0.*cudaStreamTailLaunch" ./nested $wrong
done
expect 0 'Stream made at nested.cu:[0-9]* by thread [0-9]*: its block ended without destroying it' ./nested kept

race='Race (WAW) between streams: nested.cu:8 write by mark in a stream of block 0, nested.cu:8 write by mark in a stream of block'
expect 0 '^2 2 2 2 0$' ./nested same
expect 0 '^1 1 1 1 0$' env SIMT_SCHEDULE=reverse ./nested same
expect 0 "$race 1, .*launch of both by one block into one stream" ./nested same
expect 0 "$race 0, .*launch of both by one block into one stream" ./nested forgotten

expect 0 '^0 9 9 0 0$' ./nested refused
expect 0 '^cudaErrorInvalidConfiguration, invalid configuration argument$' ./nested refused
expect 0 'Launch of mark with grid (0,1,1), block (4,1,1) at nested.cu:98 by thread 0: .* no dimension is 0' ./nested refused
expect 0 '^24 0 0 0 0$' ./nested deeper
expect 0 'Launch of deeper .*: grids can be nested at most 24 deep' ./nested deeper

# Blocks launch into their own streams: all of those launches may be pending at once.
expect 0 '^32 0 0 0 0$' env SIMT_CHECK=memory ./nested many
expect 0 'Launch at nested.cu:[0-9]* by thread 0: it failed, unchecked: 32 launches were pending, the limit' ./nested many
expect 0 'Launch at nested.cu:[0-9]* by thread 0: it failed, unchecked: 32 launches were pending, the limit' ./nested ignored
expect 0 'block 32 of many' env SIMT_SCHEDULE=order SIMT_THREADS=1 ./nested many
expect 0 '^32 8 0 0 0$' env SIMT_CHECK=memory ./nested counted
absent 'launches were pending'
expect 0 'unknown: nested.cu:125.* calls cudaDeviceGetLimit, which this machine does not have in kernels' ./nested unknown
finish

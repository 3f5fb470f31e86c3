#!/bin/sh
# Takes the pictures of docs/xray.md again, in headless Chromium: step 1/5 without the barrier in its loop, step 1/4, step 0/7
# with the kernels in the wrong streams, and step 10/7.
#
#     SOURCE=$PWD BUILD=$PWD/build-test sh docs/figures/xray.sh [FOLDER]
set -eu
out=$(realpath "${1:-$SOURCE/docs/figures/xray}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/01-reduction" "$work/00-basics"
cd "$work"

# edited STEP SED N PAGE: the solution of STEP, edited. Named as a student's file is.
edited() {
    sed "$2" "$SOURCE/solutions/$1" >"$1"
    sh "$BUILD/program.sh" whole 80 "$1" program
    SIMT_THREADS=1 SIMT_TRACE='*:0:0,file:trace.json' ./program --check --n "$3" >said 2>&1 || true
    "$BUILD/workbook" xray --trace trace.json --no-open -o "$4"
}
edited 01-reduction/05-sequential.cu '/__syncthreads(); \/\/ outside the if/d' 256 race.html
edited 00-basics/07-streams.cu 's/BLOCK, 0, stream>>>/BLOCK, 0, streams[(first \/ CHUNK + 1) % STREAMS]>>>/' 70000 streams.html
"$BUILD/workbook" xray 1/4 --solution --no-open -o banks.html
"$BUILD/workbook" xray 10/7 --solution --no-open -o flights.html

python3 "$SOURCE/tests/docs/xray.py" --picture race.html "$out/race.png" 700
python3 "$SOURCE/tests/docs/xray.py" --picture banks.html "$out/banks.png" 1010 \
    "const view = xray.list[0]; view.source.heat.value = 'passes'; view.source.showHeat();
     view.go(view.model.order.find(event => event.passes === 8));"
python3 "$SOURCE/tests/docs/xray.py" --picture streams.html "$out/streams.png" 640
python3 "$SOURCE/tests/docs/xray.py" --picture flights.html "$out/flights.png" 760 \
    "const view = xray.list[0]; view.go(view.model.flights[0].issued);"

#!/bin/sh
# Takes the pictures of docs/xray.md again, in headless Chromium: step 1/5 without the barrier in its loop, and step 1/4.
#
#     SOURCE=$PWD BUILD=$PWD/build-test NVCC=nvcc sh docs/figures/xray.sh [FOLDER]
set -eu
out=$(realpath "${1:-$SOURCE/docs/figures/xray}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/01-reduction"
cd "$work"

# Named as a student's file is.
step=01-reduction/05-sequential.cu
sed '/__syncthreads(); \/\/ outside the if/d' "$SOURCE/solutions/$step" >$step
"$NVCC" -w -I "$SOURCE/common" -arch=compute_80 -code=compute_80 -lineinfo -no-compress -cudart none $step \
    "$BUILD/common/simt/libsimt.a" -lpthread -lm -ldl -o program
SIMT_THREADS=1 SIMT_TRACE='*:0:0,file:race.json' ./program --check --n 256 >said 2>&1 || true
"$BUILD/workbook" xray --trace race.json --no-open -o race.html
"$BUILD/workbook" xray 1/4 --solution --no-open -o banks.html

python3 "$SOURCE/tests/docs/xray.py" --picture race.html "$out/race.png" 700
python3 "$SOURCE/tests/docs/xray.py" --picture banks.html "$out/banks.png" 1010 \
    "const view = xray.list[0]; view.source.heat.value = 'passes'; view.source.showHeat();
     view.go(view.model.order.find(event => event.passes === 8));"

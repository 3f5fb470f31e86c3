#!/bin/sh
# Runs the presets `start` and `gpu` on this machine, which has a GPU, and records the results:
#
#     sh tests/hardware/preset.sh DIRECTORY COMMIT
#
# writes DIRECTORY/preset.txt, a line for each fact, and the tests' own output next to it. COMMIT is the checked-out
# commit. The official record is tests/hardware/preset.txt; since.sh lists what has changed since.
set -u
. "${0%/*}/tools.sh"
need nvidia-smi nvcc cmake ctest
out=$1 commit=$2
jobs=$(nproc)
mkdir -p "$out"

# seconds COMMAND...: its wall-clock seconds; its output goes to a file.
seconds() {
    begin=$(date +%s)
    "$@" >>"$out/preset.log" 2>&1
    echo "exit $?" >>"$out/preset.log"
    echo $(($(date +%s) - begin))
}

: >"$out/preset.log"
rm -rf build build-gpu
start=$(seconds cmake --workflow --preset start)
build=$(seconds sh -c "cmake --preset gpu && cmake --build --preset gpu --parallel $jobs")
tests=$(seconds ctest --preset gpu --parallel "$jobs" --exclude-regex '^self.hardware.preset$' \
    --output-junit "$out/preset.xml") # the test of this record waits for it

# Of the lines `  3/764 Test #12: 01-reduction.05-sequential.result ...   Passed    0.11 sec`.
ended() {
    sed -n "s/^ *[0-9]*\/[0-9]* *Test *#[0-9]*: \([^ ]*\) .*$1.*/\1/p" "$out/preset.log"
}
{
    echo "date     $(date -u +%Y-%m-%d)"
    echo "commit   $commit"
    echo "device   $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sort | uniq -c | sed 's/^ *//; s/ / x /')"
    echo "toolkit  $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
    echo "cores    $jobs"
    echo "start    $start s"
    echo "build    $build s"
    echo "tests    $tests s"
    echo "passed   $(ended ' Passed ' | wc -l)"
    echo "failed   $(ended '\*\*\*[FTNE]' | wc -l)"
    echo "skipped  $(ended '\*\*\*Skipped' | wc -l)"
    ended '\*\*\*[FTNE]' | sed 's/^/  failed   /'
    ended '\*\*\*Skipped' | sed 's/^/  skipped  /'
} >"$out/preset.txt"
cat "$out/preset.txt"

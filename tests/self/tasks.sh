#!/bin/sh
# The tasks of VS Code: their problem matchers find the problems in the runner's real output, and nothing else. Skipped
# without python3.
. "$SOURCE/tests/self/lib.sh"
step=01-reduction/05-sequential
scratch=$BUILD/self/tasks
rm -rf "$scratch" && mkdir -p "$scratch"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
hand_out tasks
cd "$tree" || exit 1
matchers() { python3 "$SOURCE/tests/self/matchers.py" .vscode/tasks.json "$@"; }
# problem PATTERN: this one is among the problems found last.
problem() { grep -q -e "$1" "$scratch/problems" || { bad "no problem '$1'"; cat "$scratch/output" "$scratch/problems"; }; }
problems() { # problems COUNT: this many were found
    [ "$(wc -l <"$scratch/problems")" = "$1" ] || { bad "not $1 problems"; cat "$scratch/output" "$scratch/problems"; }
}
found() { matchers 'Warpbook: run this step' >"$scratch/problems" <"$scratch/output"; }
# run SED: grades the solution with this edit as the task does.
run() {
    sed "$1" "$SOURCE/solutions/$step.cu" >$step.cu
    COLUMNS=1000 build/workbook run $step.cu >"$scratch/output" 2>&1
    found
}

fresh() {
    cp "$SOURCE/$step.cu" $step.cu
    rm -f build/progress.tsv
}

case_json() {
    for file in .vscode/*.json .devcontainer/*.json; do
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$file" || bad "$file is not JSON"
    done
}
case_race() {
    run '/outside the if/d' # a race
    problem "^error .*05-sequential.cu:2[0-9]: Race (WAR) in __shared__ memory: "
    problem "^error $step.cu:1: wrong answer\$"
    problems 2
}
case_compiler() {
    run 's/check_cuda(cudaGetLastError());/char *p = 3;/; s/^static void reduce/static int f(void) { }\n&/'
    problem "^warning $step.cu:[0-9]*: missing return statement"
    problem "^error $step.cu:[0-9]*: a value of type \"int\" cannot be used"
    problems 2
}
case_no_header() {
    run 's/reduction.h/no such file.h/'
    problem "^error $step.cu:9: no such file.h: No such file"
    problems 1
}
case_altered() {
    run 's/BLOCK 256/BLOCK 128/'
    problem "^info $step.cu:11: differs from what was handed out"
    problems 1 # and no verdict: it is right
}
case_lesson() {
    cp "$SOURCE/solutions/01-reduction/04-contiguous.cu" $step.cu
    build/workbook run $step.cu >"$scratch/output" 2>&1
    found
    problem "^error $step.cu:1: lesson not learnt: 1 of "
    problem "^error .*05-sequential.cu:[0-9]*:   .*05-sequential.cu:[0-9]*: [0-9]* of [0-9]*"
    problems 2
}
case_not_done() {
    cp "$SOURCE/$step.cu" $step.cu
    build/workbook run $step.cu >"$scratch/output" 2>&1
    found
    problem "^error $step.cu:2[0-9]: not done: $step.cu:2[0-9]: TODO is still open"
    problem "^error $step.cu:1: wrong answer"
    problems 2
}
# Files are named relative to the runner's folder, by other tools in other ways; and what is not a problem.
case_other_tools() {
    cat >"$scratch/output" <<END
simt: error: Race (RAW) in __shared__ memory: $step.cu:27 write by thread 3, :33 read by thread 35, no barrier between
  simt: information: Race (WAW) in __global__ memory: common/scan.h:7 write by thread 0, :7 write by thread 1
$step.cu:12:5: warning: unused variable 'x' [-Wunused-variable]
$step.cu(12): warning #174-D: expression has no effect
$step.cu(12): catastrophic error: cannot open source file "x.h"
refused: $step.cu:3: 'exit' is not for an exercise
$step.cu: right in 76 runs, n up to 1048583
met      global_load_sectors >= n/8: 8224, 8192
altered: nothing
simt: more findings follow; they are counted, not shown
Read:  docs/01-reduction.md,
Edit:  $step.cu:25
END
    found
    problem "^error $step.cu:27: Race (RAW).*no barrier between\$"
    problem "^info common/scan.h:7: Race (WAW)"
    problem "^warning $step.cu:12: unused variable"
    problem "^warning $step.cu:12: expression has no effect"
    problem "^error $step.cu:12: cannot open source file"
    problem "^error $step.cu:3: refused: "
    problems 6
}
# The output of watch has the lines at which VS Code drops the last problems and reads the new ones.
case_watch() {
    matchers >"$scratch/background" || bad "the tasks do not agree"
    build/workbook watch $step.cu >"$scratch/output" 2>&1 &
    watcher=$!
    for _ in $(seq 100); do
        tail -1 "$scratch/output" | grep -q '^waiting' && break
        sleep 0.2
    done
    kill -INT $watcher
    wait $watcher
    while read -r pattern; do
        grep -qP -e "$pattern" "$scratch/output" || { bad "watch prints no '$pattern'"; cat "$scratch/output"; }
    done <"$scratch/background"
}
cases json race compiler no_header altered lesson not_done other_tools watch
finish

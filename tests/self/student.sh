#!/bin/sh
# watch, solution, hint, doctor and the x-ray in the hand-out, and the runner with terminals of every kind. If only the runner's
# messages matter, a stub replaces the judge.
#
#     student.sh            a witness of each class of defects
#     student.sh more       the others: x-rays of every kind of failure, an estimate, a second judged chapter
. "$SOURCE/tests/self/lib.sh"
grammar=y
scratch=$BUILD/self/student${1:+.$1}
out=$scratch/out
rm -rf "$scratch" && mkdir -p "$scratch"
hand_out_step "student${1:+.$1}"
cp "$tree/build/course.tsv" "$scratch/course.tsv"

fresh() { # the tree as it was handed out
    cd "$tree" || exit 1
    real_judge
    cp "$SOURCE/$step.cu" "$file"
    cp "$scratch/course.tsv" "$tree/build/course.tsv"
    rm -rf "$tree/solutions" "$tree/build/progress.tsv" "$file".bak*
}
course() { # course KEY VALUE...: as if the tree were configured so
    cp "$scratch/course.tsv" "$tree/build/course.tsv"
    while [ $# -gt 0 ]; do
        sed -i "s|^$1	.*|$1	$2|" "$tree/build/course.tsv"
        shift 2
    done
}

# shows COUNT: waits until watch has shown COUNT results.
shows() {
    for _ in $(seq 300); do
        [ "$(grep -c '^ *now  *before' "$out")" -ge "$1" ] && [ "$(tail -1 "$out" | grep -c waiting)" = 1 ] && return
        sleep 0.2
    done
    bad "watch has not shown result $1"
    cat "$out"
}
# last PATTERN: the last result of watch has a line that matches.
last() {
    awk '/now  *before/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$out" | grep -q -e "$1" ||
        { bad "the last result of watch has no line '$1'"; cat "$out"; }
}
# watch: unfinished, then saved with a syntax error, then replaced by another file, as editors do, then a tree in which
# nothing is graded.
case_watch() {
    stub_judge
    stub_compiler
    unfinished
    expect 1 "not '6'" "$workbook" watch 1/5 6
    "$workbook" watch 1/5 >"$out" 2>&1 &
    watcher=$!
    shows 1
    last '^result *not done  *-$'
    last '^safety *-  *-$'
    last 'TODO is still open'
    real_compiler
    sed 's/^#define TODO_OPEN.*/int broken = ;/' "$SOURCE/$step.cu" >"$file"
    shows 2
    last '^build *not built  *passed$'
    last 'error'
    sleep 0.5
    [ "$(grep -c 'now  *before' "$out")" = 2 ] || bad "watch graded a file that was not saved"
    stub_judge
    stub_compiler
    rm "$file"
    cp -p "$solution" "$scratch/new.cu" # as old as the checkout
    mv "$scratch/new.cu" "$file"
    shows 3
    last '^build *passed  *not built$'
    last '^lesson *passed  *-$'
    cp "$tree/common/scan.h" "$scratch/scan.h" && echo >>"$tree/common/scan.h"
    touch "$file"
    shows 4
    last '^build *-  *passed$'
    last '^result *wrong  *passed$'
    last '^refused: common/scan.h is not what was handed out'
    mv "$scratch/scan.h" "$tree/common/scan.h"
    kill -INT $watcher
    wait $watcher || bad "watch ended with status $? on Ctrl-C"
    grep -q '^Next: ' "$out" || bad "watch does not say what comes next"
}

# The solution: not before the file passes, never without solutions/, and then only the difference.
case_solution() {
    stub_judge
    stub_compiler
    expect 1 'there is no .*solutions/01-reduction/05-sequential.cu' "$workbook" solution 1/5
    expect 1 'which step?' "$workbook" solution
    cp "$solution" "$file"
    expect 0 'lesson' "$workbook" run 1/5
    mkdir -p "$tree/solutions/01-reduction" && cp "$solution" "$tree/solutions/$step.cu"
    expect 0 'is the reference solution' "$workbook" solution 1/5
    sed -i 's/^    cache\[tid\] = .*/    cache[tid] = 1;/' "$file"
    expect 1 'has not passed as it stands$' "$workbook" solution 1/5
    expect 1 'run 1/5` grades it.*--force' "$workbook" solution 1/5
    absent '^+'
    expect 0 '^-    cache\[tid\] = 1;$' "$workbook" solution --force 1/5
    expect 0 '^+    cache\[tid\] = i < n' "$workbook" solution --force 1/5
    expect 1 "unknown option '--fast'" "$workbook" solution --fast
}

# Every step has two to four general hints; each call shows one more, and they fit the page.
case_general_hints() {
    for chapter in "$SOURCE"/[0-9]*/; do
        for source in "$chapter"*.cu; do
            awk -v step="$(basename "$source" .cu)" '
                /^## / { inside = $2 == step; gap = 1; next }
                inside && length > 78 { print FILENAME ":" FNR ": wider than 78 columns"; wide = 1 }
                inside && NF && gap && $1 != "?" { hints++ }
                { gap = !NF }
                END { if (hints < 2 || hints > 4) print FILENAME ": " hints + 0 " hints for " step; exit wide || hints < 2 || hints > 4 }
            ' "$chapter/hints.txt" || bad "hints of $source"
        done
    done
    expect 0 '^Hint 1:$' "$workbook" hint 1/5
    absent '^Hint 2:$'
    expect 0 '^Hint 2:$' "$workbook" hint 1/5
    for _ in 1 2; do "$workbook" hint 1/5 >/dev/null; done
    expect 0 'section "5 sequential' "$workbook" hint 1/5
    absent 'ask again'
    expect 0 '^That was the last one' "$workbook" hint 1/5
}

# A hint for a failure comes first, before the next general one.
case_aimed_hints() {
    stub_judge
    stub_compiler
    stub result <<'END'
echo "01-reduction/05-sequential.cu: wrong answer"
verdict 2 3 "--n 255"
END
    stub safety <<'END'
echo "simt: error: Race (WAR) in __shared__ memory: 01-reduction/05-sequential.cu:28 read by thread 0, :28 write by thread 32, no barrier between; block 0 of reduce_block"
verdict 3 1
END
    sed '/outside the if/d' "$solution" >"$file"
    expect 2 'Race' "$workbook" run 1/5 --estimate
    absent 'Estimated' # only what has passed
    expect 0 '^What the last run printed usually means:$' "$workbook" hint 1/5
    absent '^Hint 1:$'
    expect 0 '^Hint 1:$' "$workbook" hint 1/5

    sed 's|stride /= 2|stride / 2|' "$solution" >"$file" # for any step's mistakes
    stub result <<'END'
echo "simt: error: The kernel does not end: thread 0 runs a loop at 01-reduction/05-sequential.cu:27 that has no way out"
verdict 3 1
END
    expect 3 'does not end' "$workbook" run 1/5
    expect 0 '^The loop.s condition is always true' "$workbook" hint 1/5
    absent '^Hint 2:$'
    echo 'simt: error: Invalid __global__ read: it is 15 bytes before the end' >"$tree/finding" # not the compiler's error
    expect 1 '^$' "$workbook" hint 1/5 --said "$tree/finding"
    real_compiler
    echo 'int main(' >>"$file"
    expect 1 'error' "$workbook" run 1/5
    expect 0 "^Only the compiler's first error counts" "$workbook" hint 1/5
    stub_judge
    stub_compiler
    cp "$solution" "$file"
    expect 0 'lesson' "$workbook" run 1/5
    expect 0 '^Hint 2:$' "$workbook" hint 1/5
    absent '^What the last run printed usually means:$'
}

case_estimate() {
    cp "$solution" "$file"
    expect 0 'Estimated for an H200, not measured: ~[0-9.]* us at n = [0-9]*, limited by .* of the time)$' "$workbook" run 1/5 --estimate
    line lesson
}

# Without a step: the hint of the one graded last or, if that has passed, of the next one.
case_hint_without_a_step() {
    stub_judge scan
    stub_judge
    stub_compiler
    stub result <<'END'
case $* in */03-brent-kung*) echo 'not done: 02-scan/03-brent-kung.cu:30: TODO is still open' && verdict 2 1 ;; esac
END
    hint_of_the_last
}
case_hint_without_a_step_judged() { hint_of_the_last; }
hint_of_the_last() {
    cp "$solution" "$file"
    expect 0 '^Next: 01-reduction/01-atomic' "$workbook" run 1/5
    expect 0 '^01-reduction/01-atomic$' "$workbook" hint
    echo >>"$file"
    expect 0 '^01-reduction/05-sequential$' "$workbook" hint
    expect 2 'not done' "$workbook" run 2/3
    expect 0 '^02-scan/03-brent-kung$' "$workbook" hint
    expect 0 'Next: 02-scan/01-' "$workbook" list
    printf 'last\t02-scan\n' >"$tree/build/progress.tsv" # as earlier versions wrote it
    expect 0 '^02-scan/01-hillis-steele$' "$workbook" hint
    expect 0 '^02-scan/01-hillis-steele$' "$workbook" hint
    cp "$solution" "$file" # the chapter of the step that has just passed, not of the one before
    expect 0 '^Next: 01-reduction/01-atomic' "$workbook" run 1/5
}

# doctor: a healthy tree, and every fault that it knows.
nvidia() { # nvidia NAME DRIVER CUDA: the output of nvidia-smi
    mkdir -p "$scratch/bin"
    printf '#!/bin/sh\ncase "$*" in *=name*) echo "%s" ;; *driver*) echo "%s" ;; *) echo "| CUDA Version: %s |" ;; esac\n' \
        "$1" "$2" "$3" >"$scratch/bin/nvidia-smi"
    chmod +x "$scratch/bin/nvidia-smi"
}
case_doctor_of_the_toolkit() {
    expect 0 '^ok .*compiler' "$workbook" doctor
    course nvcc /nowhere/nvcc
    expect 1 '^BAD .*toolkit .*/nowhere/nvcc' "$workbook" doctor
    course nvcc "$NVCC"
    expect 1 '^BAD .*temporary */nowhere' env TMPDIR=/nowhere "$workbook" doctor
    absent '^BAD .*compiler'
    line '^-> the compiler cannot write there: make this folder'
    course cxx /nowhere/c++
    expect 1 '^BAD .*compiler' "$workbook" doctor
    course cxx false
    expect 1 '^BAD .*compiler' "$workbook" doctor
}
case_doctor_of_the_gpu() {
    WORKBOOK_ROOT=$scratch/root
    export WORKBOOK_ROOT
    mkdir -p "$scratch/root/dev" "$scratch/root/proc/driver/nvidia" "$scratch/toolkit"
    fast=$scratch/toolkit/nvcc
    without=$PATH
    # A toolkit that compiles in no time.
    printf '#!/bin/sh\n[ "$1" != --version ] || exec "%s" --version\n' "$NVCC" >"$fast"
    chmod +x "$fast"
    course nvcc "$fast"
    if ! command -v nvidia-smi >/dev/null; then
        expect 0 '^ok .*GPU .*none' "$workbook" doctor
        touch "$scratch/root/dev/nvidiactl"
        expect 1 '^BAD .*GPU .*cannot reach' "$workbook" doctor
        rm "$scratch/root/dev/nvidiactl"
        if mknod "$scratch/root/dev/nvidiactl" c 195 255 2>/dev/null; then # without a driver
            expect 0 '^ok .*GPU .*none' "$workbook" doctor
            rm "$scratch/root/dev/nvidiactl"
        fi
        touch "$scratch/root/dev/nvidiactl"
    fi
    course nvcc "$fast" gpu 90
    PATH=$scratch/bin:$without
    nvidia 'NVIDIA H200' 580.1 13.0
    expect 0 '^ok .*GPU .*NVIDIA H200' "$workbook" doctor
    expect 0 '^ok .*driver .*580.1' "$workbook" doctor
    nvidia 'NVIDIA H200' 470.1 11.4
    expect 1 '^BAD .*driver .*470.1, for CUDA up to 11.4' "$workbook" doctor
    nvidia 'NVIDIA H200' 580.1 13.0
    course nvcc "$fast" gpu ''
    expect 0 '^note .*GPU .*NVIDIA H200' "$workbook" doctor
    printf '#!/bin/sh\necho ncu\n' >"$scratch/bin/ncu" && chmod +x "$scratch/bin/ncu"
    course nvcc "$fast" gpu 90
    expect 0 '^ok .*profiler' "$workbook" doctor
    echo 'RmProfilingAdminOnly: 1' >"$scratch/root/proc/driver/nvidia/params"
    if [ "$(id -u)" = 0 ]; then
        expect 0 '^ok .*profiler' "$workbook" doctor # root may
    else
        expect 0 'NVreg_RestrictProfilingToAdminUsers=0' "$workbook" doctor
    fi
    PATH=$without
    unset WORKBOOK_ROOT
}

# Narrow terminals: no line is wider, except a path or a command that cannot be broken.
case_narrow() {
    for command in "" list next "hint 1/5" --help; do
        # shellcheck disable=SC2086 # a command and its argument
        COLUMNS=40 LC_ALL=C build/workbook $command | awk 'length > 40 && $0 !~ /`|\/workbook|\.md|section/' | grep . &&
            bad "'$command' is wider than 40 columns"
    done
}

# Colours only on a terminal, and not if NO_COLOR is set; a bar only on a terminal.
terminal() { script -qec "$*" /dev/null </dev/null; }
case_colours() {
    esc=$(printf '\033\\[')
    TERM=xterm terminal build/workbook list | grep -q "$esc" || bad "no colours on a terminal"
    NO_COLOR=1 TERM=xterm terminal build/workbook list | grep -q "$esc" && bad "colours though NO_COLOR is set"
    TERM=dumb terminal build/workbook list | grep -q "$esc" && bad "colours on a dumb terminal"
}
case_bar() {
    stub_judge
    stub_compiler
    echo 'sleep 4; verdict 2 1' >"$stubs/result"
    LC_ALL=C.UTF-8 TERM=xterm terminal build/workbook run 1/5 | grep -q '█.*result 05-sequential .* s' || bad "no bar after two seconds"
    LC_ALL=C TERM=xterm terminal build/workbook run 1/5 | grep -q '[^#]###\.\.\.\.\.\.\.\.\. result 05-sequential' || bad "no bar in ASCII"
    build/workbook run 1/5 2>&1 | grep -q 'result 05-sequential' && bad "a bar where there is no terminal"
}

# The output of watch fits a narrow terminal.
case_narrow_watch() {
    stub_judge
    stub_compiler
    unfinished
    rm -f "$scratch/shown"
    terminal "stty cols 40; echo \$\$ >$scratch/watch; TERM=xterm LC_ALL=C exec build/workbook watch 1/5" >"$scratch/shown" &
    for _ in $(seq 600); do
        grep -q 'Ctrl-C' "$scratch/shown" && break
        sleep 0.2
    done
    kill -INT "$(cat "$scratch/watch")"
    wait $!
    tr '\r' '\n' <"$scratch/shown" | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' >"$out"
    grep -q 'Ctrl-C$' "$out" || { bad "watch does not wait on a narrow terminal"; cat "$out"; }
    awk 'length > 40' "$out" | grep . && bad "watch is wider than 40 columns"
}

# A program's output is wrapped to a terminal's width, and unchanged in a pipe.
case_folded_findings() {
    stub_judge
    stub_compiler
    stub result <<'END'
echo "simt: error: Invalid __global__ read of size 4: 01-reduction/05-sequential.cu:22 by thread 1, 4 bytes past the end of 1020 bytes from cudaMalloc; block 0 of reduce_block"
verdict 3 1
END
    COLUMNS=60 TERM=xterm terminal "build/workbook run 1/5 2>/dev/null" | tr -d '\r' >"$out"
    grep -q '^simt: error: Invalid __global__ read' "$out" || bad "no finding on a terminal"
    awk 'length > 60 && !/\/|`/' "$out" | grep . && bad "a finding is wider than the terminal"
    COLUMNS=60 build/workbook run 1/5 2>&1 | grep -q 'Invalid __global__ read .* past the end of .* reduce_block' ||
        bad "a finding is broken in a pipe"
}

# The x-ray: offered if a run fails, of the file as it stands, at the size that failed; no reference before the file passes.
case_xray() {
    mkdir -p "$tree/solutions/01-reduction" && cp "$solution" "$tree/solutions/$step.cu"
    sed '/__syncthreads(); \/\/ outside the if/d' "$solution" >"$file"
    expect 2 'See it happen: `build/workbook xray 1/5`' build/workbook run 1/5
    expect 0 'your program, n = [0-9]*; [0-9]* findings*$' "$workbook" xray 1/5 --no-open
    expect 0 'your program, n = 64; [0-9]* findings*$' "$workbook" xray 1/5 --no-open --n 64
    expect 1 'has not passed' "$workbook" xray 1/5 --compare reference --no-open
    expect 1 'has not passed' "$workbook" xray 1/5 --solution --no-open
    sed -i 's/cache\[tid + stride\]/cache[tid + strid]/' "$file"
    expect 1 'identifier "strid" is undefined' "$workbook" xray 1/5 --no-open
    # An open TODO explains that the answer was never written.
    sed 's/partial\[blockIdx.x\] = .*/;/' "$SOURCE/$step.cu" >"$file"
    expect 0 'your program, n = [0-9]*; its TODO is still open$' "$workbook" xray 1/5 --no-open
    absent 'Uninitialized'
}

# submission STEP NAME: this wrong submission is the student's file.
submission() {
    "$BUILD/workbook" judge --write "$scratch" "$1.wrong.$2" && cp "$scratch/$(echo "$1" | tr / .).$2.cu" "$tree/$1.cu" ||
        bad "no submission $1 $2"
}

# A race that only a later launch shows: that launch is on the page.
case_xray_of_a_later_launch() {
    submission 02-scan/10-look-back plain-descriptors
    expect 0 'your program, n = .*; [1-9][0-9]* findings*$' "$workbook" xray 2/10 --no-open -o "$scratch/late.html"
    grep -q '"event":[0-9].*"event":[0-9]' "$scratch/late.html" || bad "the page does not have both ends of the finding"
}

# A finding that only a case of another shape has: the page runs it with all its options.
case_xray_of_another_shape() {
    other=00-basics/05-corner-turning
    sed '/__syncthreads();/d' "$SOURCE/solutions/$other.cu" >"$tree/$other.cu"
    expect 2 '^  alone   --n 1 --height [1-9]' build/workbook run 0/5
    expect 0 'your program, n = 1 --height [0-9]*; [1-9][0-9]* findings*$' "$workbook" xray 0/5 --no-open
    # So does the program beside it, if it accepts them; else it runs at the same size without them.
    beside=00-basics/03-two-dimensions
    cp "$SOURCE/solutions/$beside.cu" "$tree/$beside.cu"
    expect 0 "$beside, your program, n = 1 --height [0-9]*\$" "$workbook" xray 0/5 --compare 0/3 --no-open
    cp "$solution" "$file"
    expect 0 "$step, your program, n = 1\$" "$workbook" xray 0/5 --compare 1/5 --no-open
    cp "$SOURCE/$other.cu" "$tree/$other.cu"
    cp "$SOURCE/$beside.cu" "$tree/$beside.cu"
}

# A case with an empty side has a finding, too, and so do two streams, each with its calls.
case_xray_of_an_empty_side_and_streams() {
    for wrong in 00-basics/07-streams.one-place-for-all-chunks 07-matmul/03-shared-tiles.edge-of-k-unguarded; do
        empty=${wrong%.*}
        submission "$empty" "${wrong##*.}"
        expect 3 'unsafe' build/workbook run "$empty"
        expect 0 'n = 0 --m [0-9]* --k [0-9]*.*; 1 finding$\|n = 70000; [1-9][0-9]* findings$' "$workbook" xray "$empty" --no-open
    done
}

# A missed lesson: the page opens at the line that the bound names.
case_xray_of_a_missed_lesson() {
    sed 's/cache\[tid\]/cache[tid * 32 % BLOCK + tid * 32 \/ BLOCK]/g
        s/cache\[tid + stride\]/cache[(tid + stride) * 32 % BLOCK + (tid + stride) * 32 \/ BLOCK]/' "$solution" >"$file"
    expect 4 'NOT MET  bank conflicts' build/workbook run 1/5
    expect 0 'your program, n = 512$' "$workbook" xray 1/5 --no-open -o "$scratch/missed.html"
    grep -q '"missed": "bank conflicts: [0-9]*, must be 0' "$scratch/missed.html" || bad "the page does not name the bound"
    grep -q '"heat": "passes", "file": "01-reduction/05-sequential.cu", "line": [1-9]' "$scratch/missed.html" ||
        bad "the page does not open at the bank conflicts"
}

# A wrong answer: the thread that stored it.
case_xray_of_a_wrong_answer() {
    sed 's/i < n ? in\[i\] : 0/i < n ? in[i] : 1/' "$solution" >"$file"
    expect 2 'wrong answer' build/workbook run 1/5
    expect 0 'your program, n = [0-9]*$' "$workbook" xray 1/5 --no-open -o "$scratch/wrong.html"
    grep -q '"call":"wrong","number":[1-9].*"name":"reduce_block"' "$scratch/wrong.html" || bad "the page does not name the last store"
    grep -q '"failed": "wrong answer' "$scratch/wrong.html" || bad "the page does not say how the run failed"
    grep -q '"failed": "wrong answer.*"file": "", "line": 0,' "$scratch/wrong.html" || bad "the page opens at a line without a reason"
}

# A finding that the small run does not show: the failed run is on the page, with both blocks of the finding.
case_xray_of_the_run_that_failed() {
    submission 01-reduction/09-cascading no-fence-before-the-ticket
    expect 0 'your program, n = 2048$' "$workbook" xray 1/9 --no-open
    expect 3 'See it happen: `build/workbook xray 1/9`' build/workbook run 1/9
    expect 0 'your program, n = [0-9]*, on a device of 1 multiprocessor; [1-9][0-9]* findings*$' \
        "$workbook" xray 1/9 --no-open -o "$scratch/failed.html"
    grep -q '"event":[0-9].*"event":[0-9]' "$scratch/failed.html" || bad "the page does not have both ends of the finding"
    grep -q '"failed": "Race.*"file": "01-reduction/09-cascading.cu", "line": [1-9]' "$scratch/failed.html" ||
        bad "the page does not know where the checks found something"
    expect 0 'your program, n = 2048$' "$workbook" xray 1/9 --no-open --n 2048
}

if [ "${1:-}" = more ]; then
    cases estimate hint_without_a_step_judged xray_of_a_later_launch xray_of_another_shape xray_of_an_empty_side_and_streams \
        xray_of_a_missed_lesson xray_of_a_wrong_answer xray_of_the_run_that_failed
    finish
fi
cases watch solution general_hints aimed_hints hint_without_a_step doctor_of_the_toolkit doctor_of_the_gpu narrow xray
if command -v script >/dev/null; then
    cases colours bar narrow_watch folded_findings
fi
finish

#!/bin/sh
# The runner, in the hand-out: every command, and every kind of bad input. A stub replaces the judge if only messages, files and
# exit codes matter.
#
#     runner.sh            a witness of each class of defects
#     runner.sh more       the others, which build programs and judge them
. "$SOURCE/tests/self/lib.sh"
grammar=y
hand_out_step "runner${1:+.$1}"

fresh() { # the tree as it was handed out
    cd / || exit 1 # the runner works from any folder
    real_judge
    cp "$SOURCE/$step.cu" "$file"
    rm -f "$tree/build/progress.tsv" "$file".bak*
}

case_help() {
    expect 0 'usage: .*workbook COMMAND' "$workbook" --help
    for command in status list next run watch hint solution reset ladder profile report doctor handout starter; do
        expect 0 "usage: .*workbook $command" "$workbook" "$command" --help
        echo "$output" | awk 'NR > 1 && length > 80 { wide = 1 } END { exit wide }' || bad "$command --help is too wide"
    done
    "$workbook" --help | awk 'NR > 1 && length > 80 { wide = 1 } END { exit wide }' || bad "--help is too wide"
}

# Bad input: one line that names the nearest.
case_bad_input() {
    expect 1 'cannot write its output' sh -c "'$workbook' list >/dev/full"
    expect 1 "did you mean 'ladder'?" "$workbook" lader
    expect 1 "there is no command 'xyzzyplugh'; .*--help" "$workbook" xyzzyplugh
    expect 1 "did you mean 'sequential'?" "$workbook" run seqential
    expect 1 "there is no step '99'" "$workbook" run 99
    expect 1 "there is no step ''" "$workbook" run ''
    expect 1 "not '6'" "$workbook" run 1/5 6
    expect 1 "there is no chapter '99'; there are 00-basics" "$workbook" ladder 99
    expect 1 "unknown option '--fast'" "$workbook" ladder --fast
    expect 1 "unknown option '--fast'" "$workbook" profile --fast
    expect 1 "a value is missing after '--json'" "$workbook" profile 1/5 --json
    expect 1 "must hold no comma: '*a,b'*" "$workbook" profile 1/5 --json a,b
    expect 1 "one step at a time, not '6'" "$workbook" profile 1/5 6
    for command in status doctor; do
        expect 1 "takes no argument, was given '1/5'" "$workbook" "$command" 1/5
    done
    expect 1 "unknown option '--al'" "$workbook" reset --al
    expect 1 'which step, or --all' "$workbook" reset
}

case_fresh_tree() {
    expect 0 '[→>] 00-basics .* 0/7$' "$workbook"
    line '^00-basics/01-whole-program, not tried$'
    line 'section "1 whole program: '
    expect 0 '[→>] 01-whole-program *not tried' "$workbook" list
    line '^0 of [0-9]* passed. Next: 00-basics/01-whole-program'
    expect 0 'TODO: ' "$workbook" next
    line '01-whole-program.cu:[1-9]'
    expect 0 '^05-tridiagonal/03-cyclic-reduction, not tried$' "$workbook" next 5/3
    expect 0 '05-tridiagonal/03-cyclic-reduction.cu:[1-9]' "$workbook" next 05-tridiagonal/03
    expect 1 "not '6'" "$workbook" next 1/5 6
    expect 1 "there is no step '99'" "$workbook" next 99
    expect 0 'TODO: ' "$workbook" hint 1/5
}

# short_course CHAPTER STEP...: $workbook.own, whose course has only these steps of this chapter, since a ladder
# builds every step.
short_course() {
    chapter=$1
    shift
    own_course "$tree" "$(for kept; do printf '/^%s\t%s/,/^xray\t/b\n' "$chapter" "$kept"; done)
        /^$chapter\t/,/^xray\t/d"
}

# No number of the ladder runs into the one before it, even if a starter has thousands of findings.
case_wide_numbers() {
    short_course 05-tridiagonal 01-thomas 02-interleaved
    expect 0 '^01-thomas *not done .* [1-9][0-9]\{4,\}$' env COLUMNS=80 "$workbook.own" ladder --mine --n 65536 5
    echo "$output" | sed 's/not done/undone/' |
        awk '/^step /{ n = NF } /^0[0-9]-[a-z-]* / && NF != n { print; bad = 1 } length > 80 { bad = 1 } END { exit bad }' ||
        bad "columns of the ladder run together, or are too wide"
}

# The next step is in the current chapter: a student who begins with chapter 2 is not sent back to the first.
begin_chapter_2() {
    expect 2 'not done' "$workbook" run 2/3
    expect 0 'Next: 02-scan/01-hillis-steele' "$workbook" list
    expect 0 '^02-scan/01-hillis-steele' "$workbook" next
    rm "$tree/build/progress.tsv"
    expect 0 'Next: 00-basics/01-whole-program' "$workbook" list
}
case_next_chapter() {
    stub_judge scan
    stub_compiler
    unfinished
    begin_chapter_2
}
case_next_chapter_judged() { begin_chapter_2; }

# Every way to name a step. A number alone names a step if only one chapter has it.
case_names() {
    expect 1 "could be 00-basics/05-corner-turning 01-reduction/05-sequential 02-scan/" "$workbook" run 05
    for name in 05-sequential sequential 1/5 01-reduction/05 01-reduction.05 01-reduction.05-sequential "$file"; do
        expect 0 '^01-reduction/05-sequential$' "$workbook" hint "$name"
    done
}

case_unfinished() {
    expect 2 'not done: 01-reduction/05-sequential.cu:[1-9]' "$workbook" run 1/5
    absent 'checks find\|every check'
    case $(echo "$output" | sed -n 2p) in "not done: "*) ;; *) bad "not done does not come first"; said ;; esac
    [ "$(echo "$output" | grep -c 'not done: ')" = 1 ] || bad "not done is said twice"
    expect 0 '05-sequential *not done' "$workbook" list 01
    stub_judge
    stub_compiler
    stub result <<'END'
case $* in */01-atomic*) echo 'not done: 01-reduction/01-atomic.cu:9: TODO is still open' && verdict 2 1 ;; esac
END
    expect 2 'not done: 01-reduction/01-atomic.cu:9' "$workbook" run # the next step
}
case_unfinished_next() {
    expect 2 'not done: 01-reduction/05-sequential.cu:[1-9]' "$workbook" run 1/5
    expect 2 'not done: 01-reduction/01-atomic.cu:[1-9]' "$workbook" run
    expect 0 '05-sequential *not done' "$workbook" list 01
}

case_broken() {
    echo 'int main(' >>"$file"
    expect 1 'error' "$workbook" run 1/5
    expect 0 '05-sequential *broken' "$workbook" list
    sed '/^int main/,$d' "$SOURCE/$step.cu" >"$file"
    expect 1 "^$step.cu: error: it is empty, or its main is missing; .workbook reset $step. puts" "$workbook" run 1/5
    absent 'undefined reference\|collect2'
    : >"$file"
    expect 1 "^$step.cu: error: it is empty" "$workbook" run 1/5
}

# Solved, and edited again.
case_solved() {
    cp "$solution" "$file"
    expect 0 '^.* result: the answer is right for every input; [0-9]* runs, n up to [0-9]*$' env -C "$tree" build/workbook run 1/5
    line 'lesson: the counters show the lesson; 12 of 12 bounds are met at n = 65536$'
    line '^met      bank conflicts: 0, must be 0'
    line 'workbook run 1/5 --all`$'
    absent 'warning\|counted by\|sectors loaded'
    [ "$(echo "$output" | wc -l)" -le 8 ] || bad "a pass takes more than 8 lines"
    expect 0 '05-sequential *passed$' "$workbook" list
    line '^1 of '
    expect 0 ' 1/9$' "$workbook"
    expect 0 '^simt: profile: 2 launches$' "$workbook" profile 1/5
    echo "$output" | grep -q '^ *[0-9]* %  *[0-9]* %  long scoreboard  *[^ ]*01-reduction/05-sequential.cu:2' || bad "profile does not say where warps wait"
    absent 'It ended before'
    expect 0 '^simt: profile: 1 launch$' "$workbook" profile 1/5 --n 200
    expect 1 'must be a whole number' "$workbook" profile 1/5 --n x
    absent 'simt: profile'
    sed -i 's/^    cache\[tid\] = .*/    cache[tid] = 1;/' "$file"
    expect 0 '05-sequential *passed, changed since' "$workbook" list
    stub_judge
    stub_compiler
    echo 'verdict 2 1' | stub result
    expect 2 'wrong' "$workbook" run 1/5
    expect 0 '05-sequential *wrong' "$workbook" list
}
case_wrong() {
    sed 's/^    cache\[tid\] = .*/    cache[tid] = 1;/' "$solution" >"$file"
    expect 2 'wrong' "$workbook" run 1/5
    line 'The checks find nothing unsafe with this input'
    line '^The first wrong word: partial\[0\] was written at .*05-sequential.cu:[0-9]* by thread 0 of block 0 of reduce_block, from constants'
    expect 0 '05-sequential *wrong' "$workbook" list
}

# All of a lesson's lines, and a ladder of passed and failed steps.
all_lines() {
    expect 0 '^met      sectors loaded: ' "$workbook" run 1/5 --all
    line '^counted by the SIMT machine at n = 65536:'
    absent 'workbook run 1/5 --all'
    expect 0 '05-sequential *passed$' "$workbook" list
}
case_all_lines() {
    stub_judge
    stub_compiler
    stub lesson <<'END'
cat <<'SAID'
counted by the SIMT machine at n = 65536:
  warp instructions             20474
met      bank conflicts: 0, must be 0 (shared_excess == 0)
met      sectors loaded: 8192, at most 8193 (sectors_loaded <= n/8 + 1)
SAID
verdict 0 1
END
    cp "$solution" "$file"
    all_lines
}
case_solved_ladder() {
    cp "$solution" "$file"
    all_lines
    short_course 01-reduction 04-contiguous 05-sequential
    expect 0 '^05-sequential *passed ' "$workbook.own" ladder --mine --n 256 1
    line '^04-contiguous *not done '
}

# A race that spoils the sum: the result calls it wrong and explains why, as the program alone and CTest do.
case_race() {
    sed '/outside the if/d' "$solution" >"$file"
    expect 2 'With every check on, the same input shows:' "$workbook" run 1/5
    echo "$output" | sed -n '/With every check/,$p' | grep -q '^  simt: error: Race (WAR)' || bad "the race is not shown"
    expect 3 '^It ended before the run' "$workbook" profile 1/5
    line '^simt: profile: [1-9][0-9]* launch'
    expect 3 'Race' "$workbook" exec --step 1/5 "$tree/build/graded/$step" --check
    expect 2 '^  simt: error: Race (WAR)' "$workbook" part 1/5 result
}

# A finding that the result already shows is not shown again by the run with every check on, whose addresses differ.
case_host_pointer() {
    sed 's/^    int blocks = .*/    int of_host[256]; d_in = of_host;\n&/' "$solution" >"$file"
    expect 3 'Invalid __global__ read .* or a host pointer' "$workbook" run 1/5
    [ "$(echo "$output" | grep -c 'or a host pointer')" = 1 ] || { bad "the finding is not shown once"; said; }
    absent 'With every check on'
}

# A thread too many: a bad address, which ends the run without checks, and a race on the same line. The address stands first, both
# above the verdict.
case_cause_first() {
    sed 's/tid < stride/tid <= stride/' "$solution" >"$file"
    expect 3 'unsafe: see the findings above' "$workbook" run 1/5
    echo "$output" | sed -n '/^simt: error: Invalid __shared__/,/unsafe: see/p' | grep -q '^simt: error: Race' ||
        { bad "the bad address does not stand before the race"; said; }
    absent 'With every check on'
}

# A file that does not compile: the compiler's messages alone, not what make or Ninja adds.
case_syntax_error() {
    sed 's/^    int blocks = .*/&;)/' "$solution" >"$file"
    expect 1 'it does not compile; see the compiler' "$workbook" run 1/5
    line "$step.cu\(.*\): error"
    absent '^FAILED: '
    absent '^ninja: '
}

# An x-ray beside a step that launches nothing yet, since its TODO is open: one line.
case_xray_open() {
    sed '/<<</d' "$SOURCE/$step.cu" >"$file"
    expect 1 "^workbook: $step launches no kernel .*: its TODO is still open, .*$step.cu:[1-9][0-9]*\$" \
        "$workbook" xray 1/6 --compare before --no-open
    absent 'Uninitialized'
    sed -i '/define TODO_OPEN/d' "$file"
    expect 1 "^workbook: $step launched no kernel" "$workbook" xray 1/5 --no-open
    line 'Uninitialized'
}

# The compiler's warnings are printed above the verdict, once.
case_warning() {
    sed 's|stride /= 2|stride / 2|' "$solution" >"$file"
    expect 3 "^$step.cu([0-9]*): warning .*expression has no effect" env -C "$tree" build/workbook run 1/5
    [ "$(echo "$output" | grep -c 'has no effect')" = 1 ] || bad "the warning is not shown once"
}

# Right at the ladder's n, wrong at others: the ladder does not call it passed.
case_wrong_at_another_size() {
    sed 's/i < n ? in\[i\] : 0/in[i < n ? i : 0]/' "$solution" >"$file"
    expect 2 'wrong' "$workbook" run 1/5
    short_course 01-reduction 05-sequential
    expect 0 '^05-sequential *wrong ' "$workbook.own" ladder --mine --n 256 1
}

# What this computer could not grade is skipped: neither passed nor failed.
case_skipped() {
    stub_judge
    stub_compiler
    stub result <<'END'
echo "not graded: this computer had too much else to do"
verdict 77 0
END
    cp "$solution" "$file"
    expect 77 '^not graded: ' "$workbook" run 1/5
    line ' result: skipped'
    absent 'safety\|passed'
    expect 0 '05-sequential *skipped' "$workbook" list 01
    absent '05-sequential *passed'
    line '^0 of '
    expect 77 'not graded: ' "$workbook" part 1/5 result
}

# A damaged progress record does not end the runner: it keeps the readable lines.
case_damaged_progress() {
    stub_judge
    stub_compiler
    unfinished
    head -c 4000 /dev/urandom >"$tree/build/progress.tsv"
    expect 0 '05-sequential *not tried' "$workbook" list 01
    expect 2 'not done' "$workbook" run 1/5
    expect 0 '05-sequential *not done' "$workbook" list 01
}

# An endless loop ends at the time limit, a crash is reported as one, and both are recorded as broken.
launch() {
    sed "s/^ *int blocks = .*/    $1\n&/" "$SOURCE/$step.cu" >"$file"
}
case_endless_host() {
    own_course "$tree" 's/^timeout.*/timeout\t1/'
    launch 'for (volatile int i = 0; i < 1; i = 0);'
    expect 1 'stopped after 1 s; is there an endless loop?' "$workbook.own" run 1/5
    expect 0 '05-sequential *broken' "$workbook" list
}
endless() { # endless LOOP WHY
    sed "s/^#define TODO_OPEN.*/    $1\n        __syncthreads();/" "$SOURCE/$step.cu" >"$file"
    expect 3 "The kernel does not end$2.* 01-reduction/05-sequential.cu:[23]" env -C "$tree" SIMT_TIMEOUT=1 build/workbook run 1/5
}
case_endless_kernel() {
    endless 'for (volatile int i = 0; i < 1; i = 0)' ': all remaining threads wait, or run a loop in which nothing changes'
    endless 'for (volatile long long i = 1; i > 0; i++)' ' (no block ended in 1 s of computing'
}
case_crash() {
    launch 'abort();'
    expect 1 'ended by signal 6, ' "$workbook" run 1/5
    expect 0 '05-sequential *broken' "$workbook" list
}

# Reset keeps a copy, never over an older one, and needs no solutions.
case_reset() {
    echo '// wrong' >>"$file"
    expect 0 'yours is kept in .*05-sequential.cu.bak$' "$workbook" reset 1/5
    cmp -s "$file" "$SOURCE/$step.cu" || bad "reset did not bring back the starter"
    expect 0 'is as it was handed out$' "$workbook" reset 1/5
    echo '// mine' >>"$file"
    expect 0 'yours is kept in .*05-sequential.cu.bak.1$' "$workbook" reset 1/5
    tail -1 "$file.bak.1" | grep -q mine || bad "the copy is not the file that was reset"
    rm -f "$file"
    expect 1 'cannot read .*; .*reset' "$workbook" run 1/5
    expect 0 'as it was handed out' "$workbook" reset 1/5
    cmp -s "$file" "$SOURCE/$step.cu" || bad "reset did not bring back the missing starter"
}

# All at once: a copy of each of the student's files, and nothing else is touched.
case_reset_all() {
    echo '// mine' >>"$file"
    other=$tree/01-reduction/01-atomic.cu
    echo '// mine too' >>"$other"
    expect 0 '^all [0-9]* files are as they were handed out$' "$workbook" reset --all
    cmp -s "$file" "$SOURCE/$step.cu" && cmp -s "$other" "$SOURCE/01-reduction/01-atomic.cu" || bad "reset --all did not"
    grep -q '// mine$' "$file.bak" && grep -q '// mine too' "$other.bak" || bad "reset --all kept no copies"
    [ "$(find "$tree" -name '*.bak*' | wc -l)" = 2 ] || bad "reset --all copied what did not change"
    rm -f "$other.bak"
}

# A restored file is older than its object: the runner grades the file, not the object that make would keep.
case_moved_back() {
    stub_judge
    stub_compiler
    stub result <<'END'
if grep -q 'cache\[tid\] = 1;' "$(dirname "$0")/../objects/01-reduction/05-sequential.o.source"; then
    echo '01-reduction/05-sequential.cu: wrong answer'
else
    echo 'not done: 01-reduction/05-sequential.cu:25: TODO is still open'
fi
verdict 2 1
END
    move_back
}
case_moved_back_judged() { move_back; }
move_back() {
    mv "$file" "$file.old"
    sed 's/^    cache\[tid\] = .*/    cache[tid] = 1;/' "$solution" >"$file"
    expect 2 'wrong answer' "$workbook" run 1/5
    mv "$file.old" "$file"
    expect 2 'not done' "$workbook" run 1/5
}

# No escape codes without a terminal; only ASCII if the locale has nothing else.
case_ascii() {
    for command in list status; do
        LC_ALL=C "$workbook" $command | LC_ALL=C grep -q '[^ -~]' && bad "$command writes more than ASCII in the C locale"
    done
}

if [ "${1:-}" = more ]; then
    cases wide_numbers next_chapter_judged unfinished_next solved_ladder wrong host_pointer xray_open warning \
        wrong_at_another_size endless_kernel crash moved_back_judged
else
    cases help bad_input fresh_tree next_chapter names unfinished broken solved all_lines race cause_first syntax_error skipped damaged_progress \
        endless_host reset reset_all moved_back ascii
fi
finish

#!/bin/sh
# `workbook export --autograder`: the zip for Gradescope, and its run_autograder in a folder that replaces the container's. A
# stub replaces the judge, and one the compiler. setup.sh needs a network and root's rights, so it is only parsed.
. "$SOURCE/tests/self/lib.sh"
needs_solutions
scratch=$BUILD/self/autograder
hand_out autograder
stub_judge
stub_compiler

fresh() {
    rm -rf "$scratch" && mkdir -p "$scratch/root/submission" "$scratch/root/source"
    ln -s "$tree" "$scratch/root/source/warpbook"
    cp "$SOURCE/solutions/01-reduction/05-sequential.cu" "$SOURCE/solutions/01-reduction/06-first-add.cu" "$scratch/root/submission"
    printf '# week 3\nlate 10 %% a day, 3 days\n1/5 result 2 safety 1 lesson 1\n1/6\n1/7\n' >"$scratch/due.txt"
    cp "$scratch/due.txt" "$scratch/root/source/due.txt"
}

case_zip() {
    expect 1 'needs --assignment FILE' "$BUILD/workbook" export --autograder "$scratch/zip"
    expect 0 'wrote .*zip.zip: upload it' "$BUILD/workbook" export --autograder "$scratch/zip" --assignment "$scratch/due.txt"
    expect 0 '^setup.sh$' cmake -E tar tf "$scratch/zip.zip"
    line '^run_autograder$'
    line '^due.txt$'
    line '^warpbook/CMakePresets.json$'
    absent 'solutions/'
    [ -x "$scratch/zip/run_autograder" ] && [ -x "$scratch/zip/setup.sh" ] || bad "not executable"
    expect 0 '^$' sh -n "$scratch/zip/setup.sh"
    cmp -s "$scratch/due.txt" "$scratch/zip/due.txt" || bad "another due.txt"
    expect 1 'cannot make .*File exists' "$BUILD/workbook" export --autograder "$scratch/zip" --assignment "$scratch/due.txt"
}

# scores: the contents of results.json, without the time and the seed.
scores() { grep -o '"score": [0-9.]*\|"status": "[a-z]*"' "$scratch/root/results/results.json" | tr '\n' ' '; }

case_run() {
    expect 0 . env AUTOGRADER="$scratch/root" sh "$SOURCE/common/workbook/export/run_autograder.sh"
    [ "$(scores)" = '"score": 7 "score": 4 "status": "passed" "score": 3 "status": "passed" "score": 0 "status": "failed" ' ] ||
        bad "other scores: $(scores)"
    rm "$scratch"/root/submission/*
    ln -s /etc/passwd "$scratch/root/submission/05-sequential.cu"
    expect 0 . env AUTOGRADER="$scratch/root" sh "$SOURCE/common/workbook/export/run_autograder.sh"
    [ "$(scores)" = '"score": 0 "score": 0 "status": "failed" "score": 0 "status": "failed" "score": 0 "status": "failed" ' ] ||
        bad "other scores for a link: $(scores)"
    if grep -q root: "$scratch/root/results/results.json"; then bad "a link was followed"; fi
}

# The time runs out in the second step: the first one counts.
case_out_of_time() {
    stub result <<'END'
case " $* " in *06-first-add*) sleep 60 ;; esac
END
    expect 124 . timeout 12 env AUTOGRADER="$scratch/root" sh "$SOURCE/common/workbook/export/run_autograder.sh"
    [ "$(scores)" = '"score": 4 "score": 4 "status": "passed" ' ] || bad "other scores: $(scores)"
    rm -f "$stubs/result"
}

cases zip run out_of_time
finish

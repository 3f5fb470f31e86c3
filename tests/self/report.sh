#!/bin/sh
# The report of a student and of a class: page, JUnit, JSON; and what it refuses.
. "$SOURCE/tests/self/lib.sh"
grammar=y
hand_out_step report
scratch=$BUILD/self/report
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$scratch" || exit 1

# has PATTERN FILE, lacks PATTERN FILE
has() { grep -q -e "$1" "$2" || bad "$2 has no '$1'"; }
lacks() { grep -q -e "$1" "$2" && bad "$2 has '$1'"; }

fresh() {
    rm -f "$tree/build/progress.tsv" "$tree/build/report.html"
    cp "$SOURCE/$step.cu" "$tree/$step.cu"
}

# Nothing done: no step passes, and only recorded data is drawn, and labelled so.
case_nothing_done() {
    expect 0 'wrote .*page.html' "$workbook" report --html page.html --junit marks.xml --json marks.json --student 'A "<b>"'
    has '0 of [0-9]* steps passed' page.html
    has 'Recorded, not measured here, n = .*H200' page.html
    lacks 'Your programs that passed' page.html
    lacks 'https*:\|src=\|<b>' page.html # self-contained
    lacks 'A "<b>"' marks.json
    has 'A \\"<b>\\"' marks.json
    has '"step": "01-reduction.05-sequential", "exit": 2, "verdict": "not tried"}' marks.json
    lacks '"exit": 0' marks.json
    steps=$(grep -c '^{' marks.json)
    has "tests=\"$steps\" failures=\"$steps\" skipped=\"0\"" marks.xml
}

# JUnit and JSON are written beside the page, which has its usual place.
case_beside_the_page() {
    expect 0 'wrote .*report.html' "$workbook" report --junit marks.xml
    has '0 of [0-9]* steps passed' "$tree/build/report.html"
}

# A failure has its reason, in one line: in JUnit, in JSON, and when read back from JSON.
case_reasons() {
    sed '1,/^__global__/d' "$SOURCE/$step.cu" >"$tree/$step.cu"
    expect 1 'error' "$workbook" run 1/5
    expect 0 'wrote' "$workbook" report --html page.html --junit marks.xml --json marks.json
    has 'name="05-sequential"><failure message="broken: [^"]*05-sequential.cu([0-9]*): error: [^"]*"/>' marks.xml
    has '"verdict": "broken", "why": "[^"]*05-sequential.cu([0-9]*): error: ' marks.json
    has 'name="01-atomic"><failure message="not tried"/>' marks.xml
    expect 0 'wrote' "$workbook" report marks.json --html page.html --junit again.xml --json again.json
    cmp marks.json again.json || bad "reasons are not written as they were read"
    has 'name="05-sequential"><failure message="broken: [^"]*error: ' again.xml
    cp "$SOURCE/$step.cu" "$tree/$step.cu"
    stub_judge
    stub_compiler
    unfinished
    expect 2 'not done' "$workbook" run 1/5
    real_judge
    expect 0 'wrote' "$workbook" report --html page.html --junit marks.xml
    has 'name="05-sequential"><failure message="not done"/>' marks.xml
}

# One step passes: it counts, is drawn, and stops counting when its file is edited.
case_passed() {
    cp "$SOURCE/solutions/$step.cu" "$tree/$step.cu"
    expect 0 'lesson' "$workbook" run 1/5
    cp "$tree/build/course.tsv" course.tsv
    sed -i 's/^gpu	.*/gpu	90/' "$tree/build/course.tsv"
    printf '#!/bin/sh\necho %s >"$2"\n' "'{\"times\": [{\"n\": 1024, \"ms\": 9, \"gb_per_s\": 1}, {\"n\": 2048, \"ms\": 0.5, \"gb_per_s\": 123}]}'" \
        >"$tree/build/$step.gpu"
    chmod +x "$tree/build/$step.gpu" # replaces the program on a GPU
    expect 0 'wrote' "$workbook" report --html page.html --junit marks.xml --json marks.json
    has '1 of [0-9]* steps passed' page.html
    has 'Your programs that passed, counted by the SIMT machine' page.html
    has '<p><b>Bank conflicts</b>: none. Your programs that passed' page.html
    lacks 'class="title">Bank conflicts' page.html
    has 'class="title">Block barriers' page.html
    has '05-sequential</text>.*>37017<' page.html # block barriers at n = 2^20, as in docs/01-reduction.md
    has '05-sequential</text>.*>123 GB/s, 0.500 ms<' page.html
    has "failures=\"$(($(grep -c '^{' marks.json) - 1))\"" marks.xml
    # The program is that of the file: after an x-ray with other text the file is restored and older than its object, so
    # it is built again; and only then.
    mv "$tree/build/course.tsv" gpu.tsv && cp course.tsv "$tree/build/course.tsv"
    cp -p "$tree/$step.cu" kept.cu && sed '/outside the if/d' kept.cu >"$tree/$step.cu"
    expect 0 'your program' "$workbook" xray 1/5 --n 512 --no-open -o changed.html
    mv kept.cu "$tree/$step.cu"
    expect 0 'wrote' "$workbook" report --html page.html
    has '1 of [0-9]* steps passed' page.html
    has '05-sequential</text>.*>37017<' page.html
    built=$(stat -c %Y.%i "$tree/build/graded/$step")
    expect 0 'wrote' "$workbook" report --html page.html
    [ "$(stat -c %Y.%i "$tree/build/graded/$step")" = "$built" ] || bad "the report builds what is built"
    rm -f "$tree/build/objects/$step.o.source" # as if of another text
    expect 0 'your program' "$workbook" xray 1/5 --n 512 --no-open -o again.html
    [ -f "$tree/build/objects/$step.o.source" ] || bad "the text of the object is not kept"
    mv gpu.tsv "$tree/build/course.tsv"
    sed -i 's/gb_per_s/gflop_per_s/g' "$tree/build/$step.gpu" # if arithmetic is the limit
    lacks 'roofline' page.html
    expect 0 'wrote' "$workbook" report --estimate --html flops.html
    [ "$(grep -c '<circle.*05-sequential: ~[0-9.]* ms, limited by' flops.html)" = 1 ] || bad "one step passed, and is not the only one estimated"
    has 'under the roofline of an H200. Estimated, not measured, n = ' flops.html
    has '05-sequential</text>.*>123 Gflop/s, 0.500 ms<' flops.html
    has '"step": "01-reduction.05-sequential", "exit": 0, "verdict": "passed"}' marks.json
    cp course.tsv "$tree/build/course.tsv"
    rm -f "$tree/build/$step.gpu"
    echo >>"$tree/$step.cu"
    expect 0 'wrote' "$workbook" report --html page.html --json marks.json
    has '0 of [0-9]* steps passed' page.html
    has '"exit": 2, "verdict": "passed, changed since"}' marks.json
    lacks 'Your programs that passed' page.html
    sed '/outside the if/d' "$SOURCE/solutions/$step.cu" >"$tree/$step.cu"
    expect 2 'wrong' "$workbook" run 1/5
    expect 0 'wrote' "$workbook" report --html page.html --junit marks.xml
    has 'message="wrong: wrong answer; Race (WAR) in __shared__ memory: ' marks.xml
}

# A class, from JSON: what is read equals what is written, whatever a name contains.
case_class() {
    cat >class.json <<'END'
[
{"student": "Bo \\ & <i>", "step": "01-reduction.01-atomic", "exit": 0, "verdict": "passed"},
{"student": "Bo \\ & <i>", "step": "01-reduction.05-sequential", "exit": 4, "verdict": "lesson missed"},
{"student": "Zoë", "step": "01-reduction.05-sequential", "exit": 77, "verdict": "skipped"}
]
END
    expect 0 'wrote' "$workbook" report class.json --json again.json --html class.html --junit class.xml
    cmp class.json again.json || bad "a class is not written as it was read"
    has '^<p>2 students' class.html
    has 'title="01-reduction/01-atomic: passed">✓<' class.html
    has '<th colspan="9">01-reduction</th>' class.html
    has 'svg { max-width: 100%' class.html # the width of a telephone
    has 'prefers-color-scheme: dark' class.html
    has '<th>Bo .*</th><td>1</td>.*title="01-reduction/05-sequential: lesson missed">4<' class.html
    lacks '<i>' class.html
    lacks '<i>' class.xml
    has 'tests="2" failures="1" skipped="0"' class.xml
    has 'tests="1" failures="0" skipped="1"' class.xml
    has '<skipped message="skipped' class.xml
    [ "$(grep -c '<failure' class.xml)" = 1 ] || bad "class.xml has not one failure"
    printf '[{"student": "Zo\\u00eb", "step": "1/5", "exit": 0, "verdict": "ok"}, {"student": "\377\001", "step": "1/5", "exit": 1, "verdict": ""}]' >odd.json
    expect 0 'wrote' "$workbook" report odd.json --json again.json
    has '"Zoë"' again.json
    has '"student": "??"' again.json
    if command -v python3 >/dev/null; then
        expect 0 'wrote' "$workbook" report --html page.html --junit marks.xml --json marks.json --student 'A "<b>"'
        python3 -c 'import json, sys, xml.dom.minidom as x
for name in sys.argv[1:]: x.parse(name) if name.endswith("xml") else json.load(open(name, encoding="utf-8"))' \
            marks.xml class.xml marks.json again.json || bad "not JSON, or not XML"
    fi
}

# Bad input.
case_bad_input() {
    expect 1 'cannot read nowhere.json' "$workbook" report nowhere.json
    echo '[]' >empty.json
    expect 1 'holds no results' "$workbook" report empty.json
    echo '[{"student": "A", "step": "01-reduction.99-none", "exit": 0, "verdict": "passed"}]' >unknown.json
    expect 1 'unknown.json: .*is not a result; expected' "$workbook" report unknown.json
    echo '[{"student": "A", "step": "1/5", "verdict": "passed"}]' >short.json # no exit: not taken for 0
    expect 1 'short.json: .*is not a result' "$workbook" report short.json
    expect 1 "a name is missing after '--html'" "$workbook" report --html
    expect 1 "unknown option '--pdf'" "$workbook" report --pdf x
    expect 1 'cannot write /nowhere/x.html' "$workbook" report --html /nowhere/x.html class.json
}

cases nothing_done beside_the_page reasons passed class bad_input
finish

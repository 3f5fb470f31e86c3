#!/bin/sh
# A course graded as a learning system exports it: equal files, due steps, in parts, interrupted and resumed. A stub replaces
# the judge and one the compiler: the tests are about who gets which mark, not how a program is judged.
. "$SOURCE/tests/self/lib.sh"
grammar=y
needs_solutions
scratch=$BUILD/self/course${1:+.$1}
reduction=$SOURCE/solutions/01-reduction
hand_out "course${1:+.$1}"
stub_judge

fresh() {
    rm -rf "$scratch" && mkdir -p "$scratch/class"
    [ "$now" = killed ] || stub_compiler # killed, including the compiler
}

# takes SECONDS: each judgement lasts that long without computing; 0: its normal time.
takes() { echo "sleep $1" | stub result; }

# hand_in COUNT: that many students in a flat export; every third hands in another text, every fourth a second step.
hand_in() {
    i=0
    while [ $i -lt "$1" ]; do
        i=$((i + 1))
        to=$scratch/class/name${i}_$((100 + i))_$((9000 + i))_
        if [ $((i % 3)) = 0 ]; then
            sed 's/BLOCK 256/BLOCK 128/' "$reduction/05-sequential.cu" >"${to}05-sequential.cu"
        else
            cp "$reduction/05-sequential.cu" "${to}05-sequential.cu"
        fi
        [ $((i % 4)) != 0 ] || cp "$reduction/06-first-add.cu" "${to}06-first-add.cu"
    done
}

# marks FOLDER: all of its tables, without what differs between runs: the time, the seed, the folder's name.
marks() {
    cat "$1/grades.csv" "$1/students.csv"
    sed 's/time="[^"]*"//' "$1/grades.xml"
    sed -e 's/"seconds": [0-9.]*//' -e 's/"seed": [0-9]*//' "$1/grades.json"
}

# same FOLDER WHAT: the marks there are those of $scratch/whole.
same() {
    marks "$scratch/whole" >"$scratch/whole.txt"
    marks "$1" | diff "$scratch/whole.txt" - >"$scratch/diff" && passed=$((passed + 1)) && return
    bad "$2: other marks:"
    head -5 "$scratch/diff"
}

# logs FOLDER: the logs of the marks that exist.
logs() {
    sed -n 's/.*"log": "\([^"]*\)".*/\1/p' "$1/grades.json" | while read -r log; do
        [ ! -s "$1/$log" ] || echo "$log"
    done
}

grade() { "$workbook" grade "$scratch/class" --jobs 2 "$@"; }

case_once() {
    hand_in 8
    expect 0 '^7 of 10 files were judged with another one of the same text$' grade --out "$scratch/whole"
    line '^name1 (101) .* 1 of  1 passed,   3 points$'
    line '^name4 (104) .* 2 of  2 passed,   6 points$'
    line '^name3 (103) .* 1 of  1 passed,   3 points$'
    line 'altered outside the TODO'
    [ "$(find "$scratch/whole/logs" -name '*.log' | wc -l)" = 10 ] || bad "not every mark has a log"
}

# The mark of a right program is also that of one that is only written down in another way. Each other difference may be one
# of the program: these are judged.
case_alike() {
    awk -v to="$scratch/class" -v solution="$reduction/05-sequential.cu" '
        { gsub(/~/, "\n") }
        {
            folder = to "/s" NR
            system("mkdir " folder)
            while ((getline text <solution) > 0)
                print (text ~ /^#define BLOCK/ ? $0 "\n" : "") text >(folder "/05-sequential.cu")
            close(solution)
        }' <<'END'
int f(int a, int b) { return a + ++b; }~#if 1~# define F(x) x~#endif
int f(int a,int b)~{~  return a+ ++b; /* more */ // and more~}~#if 1~# define F(x) x~#endif
int f(int a, int b) { return a ++ + b; }~#if 1~# define F(x) x~#endif
int f(int a, int b) { return a + ++b; }~#if 1~# define F (x) x~#endif
int f(int a, int b) { return a + ++b; }~#if 1~# define F(x)~x~#endif
int line = __LINE__;
~int line = __LINE__;
#define TEXT(x) #x
~#define TEXT(x) #x
float f = 1e+5;
float f = 1e +5;
END
    expect 0 '^1 of 11 files were judged with another one that differs only in comments and blanks$' grade --out "$scratch/whole"
    line '^s2 .* 1 of  1 passed,   3 points$'
    line=$(grep -n '^int f' "$scratch/class/s2/05-sequential.cu" | cut -d : -f 1)
    grep -q "^altered: .*:$line: differs" "$scratch"/whole/logs/s2/*/*.log || bad "s2: its log does not have its own line"
    grep -q '// and more' "$scratch"/whole/logs/s2/*/*.cu || bad "s2: its text is another one's"
    echo 'echo "simt: information: 01-reduction/05-sequential.cu:31: a note"' | stub result
    expect 0 '^s2 .* 1 of  1 passed' grade --out "$scratch/lines"
    absent 'differs only'
    echo 'verdict 2 1' | stub result
    expect 0 '^s2 .* 0 of  1 passed' grade --out "$scratch/wrong"
    absent 'differs only'
    rm "$stubs/result"
}

case_due() {
    hand_in 4
    printf 'id,name\n101,Ada\n900,Zed\n102,Bob\n103,Cid\n104,Dee\n' >"$scratch/roster.csv"
    printf 'due 2026-12-01 23:59\nlate 10 %% a day, 2 days\n1/5 result 2 safety 0.5 lesson 1.5\n1/7 result 6\n' >"$scratch/due.txt"
    mv "$scratch/class/name2_102_9002_05-sequential.cu" "$scratch/class/name2_LATE_102_9002_05-sequential.cu"
    expect 0 '^Ada (101) .* 1 of  2 passed,   4 points$' grade --out "$scratch/out" --roster "$scratch/roster.csv" --assignment "$scratch/due.txt"
    line '^Bob (102) .* 1 of  2 passed, 3.6 points; handed in late'
    line '^Zed (900) .* 0 of  2 passed,   0 points; nothing handed in$'
    line 'not handed in'
    grep -q '^"900","Zed","",0,10,0,"nothing handed in",0,0$' "$scratch/out/students.csv" || bad "students.csv: no row for who handed in nothing"
    grep -q '^"102","Bob","",3.6,10,36,' "$scratch/out/students.csv" || bad "students.csv: other points for who is late"
    grep -q '^"104",01-reduction,07-unroll-warp,0,6,not handed in,no,""$' "$scratch/out/grades.csv" || bad "grades.csv: no row for what is due"
    grep -q 'name="900"' "$scratch/out/grades.xml" || bad "grades.xml: no suite for who handed in nothing"
    grep -q 'is not due' "$scratch/out/grades.json" || bad "grades.json: nothing of the file that is not due"
    /usr/bin/python3 -c 'import jsonschema' 2>/dev/null || { echo "the schema is not checked: python3-jsonschema is missing" && return; }
    expect 0 '^valid$' /usr/bin/python3 -c 'import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1]))); print("valid")' \
        "$SOURCE/common/workbook/report/grades.schema.json" "$scratch/out/grades.json"
}

# Projects: a row for each level. The compiled program says PASSED and launches nothing, which is level 1. One that writes a file
# is stopped.
case_insight() {
    mkdir -p "$scratch/class/ada/00-basics/mine" "$scratch/class/bob"
    echo '#include "projects/keep_in_order.h"' >"$scratch/class/ada/00-basics/mine/keep-in-order.cu"
    echo '#include "projects/alignment.h"' >"$scratch/class/ada/alignment.cu"
    echo 'int main;' >"$scratch/class/bob/alignment.cu"
    printf '0/keep-in-order works 4 memory 2 floor 1\n7/alignment\n' >"$scratch/due.txt"
    compiled 'puts("PASSED");'
    expect 0 '^ada .* 2 of  6 passed,   5 points$' grade --insight --assignment "$scratch/due.txt" --out "$scratch/whole"
    line 'keep-in-order.memory 0  lesson missed: it reaches level 1 of 3$'
    line '^bob .* 0 of  6 passed,   0 points$'
    line 'alignment.works *0  broken: it has no line #include'
    grep -q '^"ada",00-basics,keep-in-order.works,4,4,passed,' "$scratch/whole/grades.csv" || bad "no row for a level"
    grep -q '^"bob",00-basics,keep-in-order.floor,0,1,not handed in,' "$scratch/whole/grades.csv" || bad "no row for a level that is due"
    grep -q ',00-basics/keep-in-order.works,.*,07-matmul/alignment.floor$' "$scratch/whole/students.csv" || bad "no column for a level"
    expect 0 . "$workbook" export "$scratch/whole" --to gradescope
    grep -q 'alignment.memory' "$scratch/whole/gradescope/ada/results.json" || bad "gradescope: no test for a level"
    expect 0 . "$workbook" export "$scratch/whole" --to pages
    expect 1 'no step has this name' grade --out "$scratch/no"
    compiled "puts(\"PASSED\"); fopen(\"$scratch/canary\", \"w\");"
    expect 0 'alignment.works *0  wrong: wrong with the arguments' grade --insight --out "$scratch/writes"
    [ ! -e "$scratch/canary" ] || bad "a project's program has written a file"
    compiled ''
}

# compiled CODE: what the stub compiles to.
compiled() {
    printf '#include <stdio.h>\nint main(void) { %s return 0; }\n' "$1" | "$(cached CMAKE_CXX_COMPILER)" -x c++ -c -o "$compiler.object" -
}

case_parts() {
    hand_in 2
    mkdir "$scratch/class/na..me2" && mv "$scratch/class/name2_102_9002_05-sequential.cu" "$scratch/class/na..me2/05-sequential.cu"
    expect 0 . grade --out "$scratch/whole"
    for parts in 1 5; do
        k=0
        folders=
        while [ $k -lt $parts ]; do
            k=$((k + 1))
            expect 0 . grade --out "$scratch/$parts-$k" --shard $k/$parts
            folders="$scratch/$parts-$k $folders"
        done
        # shellcheck disable=SC2086 # a list
        expect 0 . "$workbook" grade --merge $folders --out "$scratch/merged-$parts"
        same "$scratch/merged-$parts" "in $parts parts"
        logs "$scratch/whole" >"$scratch/logs"
        logs "$scratch/merged-$parts" | diff "$scratch/logs" - || bad "in $parts parts: other logs"
    done
    grep -q 'na\.\.me2' "$scratch/logs" || bad "no log of the student whose name has two dots"
    expect 1 'these parts are missing: 2/5, 4/5$' "$workbook" grade --merge "$scratch"/5-[135] --out "$scratch/no"
    expect 1 'this student is in another record, too' "$workbook" grade --merge "$scratch/1-1" "$scratch/1-1" --out "$scratch/no"
    mkdir "$scratch/empty"
    echo '{"schema": "workbook-grades/1", "seed": 1, "part": 1, "parts": 2, "students": [], "files": [], "marks": []}' >"$scratch/empty/grades.json"
    expect 1 'are parts of another number$' "$workbook" grade --merge "$scratch/empty" "$scratch/1-1" --out "$scratch/no"
    expect 1 'unknown, or has no value' grade --out "$scratch/no" --shard 3/2
}

# Interrupted at any moment and resumed: no mark is lost or changed.
case_stopped() {
    hand_in 4
    expect 0 . grade --out "$scratch/whole"
    takes 0.5 # so that one is graded and the others are not
    for signal in INT KILL; do
        "$workbook" grade "$scratch/class" --jobs 1 --out "$scratch/again" >"$scratch/said" 2>&1 &
        grader=$!
        tries=0
        while [ $tries -lt 600 ] && ! ls "$scratch/again"/logs/*/*/*.mark >/dev/null 2>&1; do
            sleep 0.1
            tries=$((tries + 1))
        done
        kill -s $signal $grader
        wait $grader
        [ $signal = KILL ] || grep -q 'nothing that was graded is lost. To go on, add --resume' "$scratch/said" || grep -q points "$scratch/said" ||
            bad "SIG$signal: the command does not say how to go on"
        expect 0 'marks are from the previous run' grade --out "$scratch/again" --resume
        same "$scratch/again" "after SIG$signal"
        [ ! -e "$scratch/again/scratch" ] || bad "after SIG$signal: the folders in which it was built are left"
        rm -rf "$scratch/again"
    done
    takes 0
}

# A full disk, a small one of our own: no one gets a mark because of it.
case_full() {
    hand_in 3
    expect 0 . grade --out "$scratch/whole"
    unshare -rm true 2>/dev/null || { echo "not tried on a full disk: this user may not mount one" && return; }
    mkdir -p "$scratch/disk" "$scratch/packed"
    cp "$reduction/05-sequential.cu" "$scratch/packed" && head -c 20000000 /dev/urandom >"$scratch/packed/noise.bin"
    mkdir "$scratch/zips" && (cd "$scratch/packed" && cmake -E tar cf ../zips/ada.zip --format=zip .)
    if "$workbook" grade "$scratch/zips" --list 2>&1 | grep -q 'built without libarchive'; then
        echo "not tried with an archive: this workbook was built without libarchive"
    else
        expect 1 '^workbook: the disk of --out is full: not all archives can be unpacked, so nothing is graded; make room' \
            unshare -rm sh -c 'mount -t tmpfs -o size=17m none "$2" && "$1" grade "$3" --out "$2/out"' \
            sh "$workbook" "$scratch/disk" "$scratch/zips"
    fi
    takes 0.5
    expect 130 '^workbook: stopped after 0 of 3: the disk of --out is full; nothing .* add --resume' unshare -rm sh -c '
        mount -t tmpfs -o size=24m none "$2" && head -c 12000000 /dev/zero >"$2/filler" || exit 9
        "$1" grade "$3" --jobs 2 --out "$2/out"' sh "$workbook" "$scratch/disk" "$scratch/class"
    expect 0 '^disk: full, then not$' unshare -rm sh -c '
        mount -t tmpfs -o size=64m none "$2" || exit 9
        "$1" grade "$3" --jobs 1 --out "$2/out" & grader=$!
        until ls "$2"/out/logs/*/*/*.mark >/dev/null 2>&1; do sleep 0.1; done
        head -c 60000000 /dev/zero >"$2/filler"
        wait $grader; [ $? = 130 ] || exit 8
        rm "$2/filler" && "$1" grade "$3" --jobs 2 --resume --out "$2/out" && cp -r "$2/out" "$4" && echo "disk: full, then not"' \
        sh "$workbook" "$scratch/disk" "$scratch/class" "$scratch/again"
    line 'marks are from the previous run'
    takes 0
    same "$scratch/again" "after a full disk"
}

# Killed at ten moments of a run, one after another. For test-all, since each repeats what was in progress.
case_killed() {
    hand_in 24
    expect 0 . grade --out "$scratch/whole"
    for moment in 0.3 1.1 2.3 0.7 1.9 3.1 0.2 1.4 2.7 0.9; do
        "$workbook" grade "$scratch/class" --jobs 2 --out "$scratch/again" --resume >"$scratch/said" 2>&1 &
        grader=$!
        sleep $moment
        kill -s KILL $grader 2>/dev/null
        wait $grader
    done
    expect 0 'marks are from the previous run' grade --out "$scratch/again" --resume
    same "$scratch/again" "after ten SIGKILLs"
}

# Killed ten times while marks are written: each time as soon as there is another one.
case_between() {
    hand_in 20
    n=0
    for file in "$scratch"/class/*; do
        n=$((n + 1))
        echo "enum { number = $n };" >>"$file" # each is judged
    done
    expect 0 . grade --out "$scratch/whole"
    takes 0.3
    known=0
    for kill in 1 2 3 4 5 6 7 8 9 10; do
        "$workbook" grade "$scratch/class" --jobs 2 --out "$scratch/again" --resume >"$scratch/said" 2>&1 &
        grader=$!
        marks=$known
        while [ "$marks" -le $known ] && kill -0 $grader 2>/dev/null; do
            sleep 0.02
            marks=$(find "$scratch/again" -name '*.mark' 2>/dev/null | wc -l)
        done
        kill -s KILL $grader || bad "kill $kill: the run was over with $marks marks"
        wait $grader
        marks=$(find "$scratch/again" -name '*.mark' | wc -l)
        [ "$marks" -gt $known ] || bad "kill $kill: $marks marks, $known earlier"
        known=$marks
    done
    [ "$known" -lt $n ] || bad "the kills did not come before the last mark"
    expect 0 "^$known of $n marks are from the previous run" grade --out "$scratch/again" --resume
    takes 0
    same "$scratch/again" "after ten kills between marks"
}

# In seven parts. Ten times one of them, drawn by a seed, is killed after a time that the seed draws, too.
case_sharded() {
    hand_in 150
    n=0
    for file in "$scratch"/class/*; do
        n=$((n + 1))
        echo "enum { number = $((n % 60)) };" >>"$file" # many are repeated
    done
    expect 0 . grade --out "$scratch/whole"
    takes 0.1
    seed=${SEED:-41} kept=0
    for kill in 1 2 3 4 5 6 7 8 9 10; do
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        part=$((seed / 65536 % 7 + 1)) moment=$((seed / 1024 % 9 + 1))
        "$workbook" grade "$scratch/class" --jobs 1 --shard $part/7 --out "$scratch/part$part" --resume >"$scratch/said" 2>&1 &
        grader=$!
        sleep "0.$moment"
        kill -s KILL $grader 2>/dev/null
        wait $grader
        kept=$(find "$scratch"/part* -name '*.mark' | wc -l)
    done
    [ "$kept" -gt 0 ] || bad "no mark is older than the last kill"
    takes 0
    for part in 1 2 3 4 5 6 7; do
        "$workbook" grade "$scratch/class" --jobs 1 --shard $part/7 --out "$scratch/part$part" --resume >"$scratch/said$part" 2>&1 ||
            bad "part $part: $(tail -1 "$scratch/said$part")"
    done
    cat "$scratch"/said[1-7] | grep -q '^[1-9][0-9]* of [0-9]* marks are from the previous run' || bad "no part kept a mark"
    expect 0 . "$workbook" grade --merge "$scratch"/part[1-7] --out "$scratch/merged"
    same "$scratch/merged" "after ten kills in seven parts"
}

# cluster FILE: as much of Slurm's sbatch as docs/course-slurm.sh needs. Options are those of the script, then of the command;
# the script runs from a copy elsewhere, once for each number of the array.
cluster() {
    cat >"$1" <<'END'
#!/bin/sh
options=
while case $1 in --*) ;; *) false ;; esac; do options="$options $1" && shift; done
spool=$(mktemp) && cp "$1" "$spool" && shift || exit
for option in $(sed -n 's/^#SBATCH //p' "$spool") $options; do
    case $option in
    --array=*) array=${option#*=} ;;
    --cpus-per-task=*) export SLURM_CPUS_PER_TASK=${option#*=} ;;
    esac
done
last=${array#*-} first=${array%-*}
for task in $(seq "$first" "$last"); do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) sh "$spool" "$@" || exit
done
rm "$spool"
END
    chmod +x "$1"
}

# The shipped files: Slurm's commands as the script has them, and the commands of the two matrices.
case_ready() {
    hand_in 12
    mkdir "$scratch/site" "$scratch/bin"
    ln -s "$tree/build" "$scratch/site/build" && ln -s "$SOURCE/docs" "$scratch/site/docs"
    printf '1/5\n1/6  result 3\n' >"$scratch/site/due.txt"
    mv "$scratch/class" "$scratch/site/export.zip" # a folder does as well, and needs no libarchive
    cluster "$scratch/bin/sbatch"
    expect 0 . "$workbook" grade "$scratch/site/export.zip" --assignment "$scratch/site/due.txt" --out "$scratch/whole"
    sed -n 's/^#     //p' "$SOURCE/docs/course-slurm.sh" >"$scratch/commands"
    [ "$(grep -c '^sbatch\|^build/workbook grade --merge' "$scratch/commands")" = 2 ] || bad "docs/course-slurm.sh has not its two commands"
    expect 0 'submission' env -C "$scratch/site" PATH="$scratch/bin:$PATH" sh -e "$scratch/commands"
    [ "$(ls "$scratch/site/week3" | grep -c '^part[1-8]$')" = 8 ] || bad "not a folder for each of Slurm's tasks"
    same "$scratch/site/week3/all" "by Slurm's tasks"
    part=$(cd "$scratch/site/week3" && ls -d part*/logs | head -1 | cut -d/ -f1)
    rm -r "$scratch/site/week3/all" "$scratch/site/week3/$part/grades.json"
    again="PARTS=8 sbatch --array=${part#part} docs/course-slurm.sh"
    grep -q 'PARTS=8 sbatch --array=3 docs/course-slurm.sh' "$SOURCE/docs/course-slurm.sh" || bad "it does not say how to submit a task again"
    expect 0 'marks are from the previous run' env -C "$scratch/site" PATH="$scratch/bin:$PATH" sh -c "$again export.zip week3 --assignment due.txt"
    (cd "$scratch/site" && sed -n '/--merge/p' "$scratch/commands" | sh -e >"$scratch/said" 2>&1) || bad "the parts do not merge: $(cat "$scratch/said")"
    same "$scratch/site/week3/all" "after a task that was submitted again"
    /usr/bin/python3 -c 'import yaml' 2>/dev/null || { echo "the matrices are not parsed: python3-yaml is missing" && return; }
    expect 0 '^4 parts, twice$' /usr/bin/python3 -c 'import sys, yaml
github, gitlab = (yaml.safe_load(open(path)) for path in sys.argv[1:])
jobs = github["jobs"]
grade = " ".join(step.get("run", "") for step in jobs["part"]["steps"])
merge = " ".join(step.get("run", "") for step in jobs["merge"]["steps"])
parts = jobs["part"]["strategy"]["matrix"]["part"]
assert parts == [1, 2, 3, 4] and "--shard ${{ matrix.part }}/4 --out part${{ matrix.part }}" in grade, grade
assert "--merge part1 part2 part3 part4" in merge and jobs["merge"]["needs"] == "part", merge
assert gitlab["part"]["parallel"] == 4 and "--shard $CI_NODE_INDEX/$CI_NODE_TOTAL" in gitlab["part"]["script"][0]
assert "--merge part1 part2 part3 part4" in gitlab["merge"]["script"][0]
print(len(parts), "parts, twice")' "$SOURCE/docs/course-matrix.yml" "$SOURCE/docs/course-gitlab.yml"
}

# Every command of docs/course.md as the page has it, block after block, in a folder with what they name. Each block finds what
# the first one leaves.
case_page() {
    hand_in 3
    site=$scratch/site
    mkdir -p "$site" "$scratch/bin" "$site/submission/submission"
    ln -s "$tree/build" "$site/build"
    mv "$scratch/class" "$site/export.zip" && cp -r "$site/export.zip" "$site/submissions.zip" # folders do as well
    cp "$reduction/05-sequential.cu" "$site/submission/submission"
    printf '1/5\n' >"$site/due.txt"
    printf 'id,name,email\ns101,name1,a@x.org\ns102,name2,b@x.org\ns103,name3,c@x.org\n' >"$site/roster.csv"
    printf 'Identifier,Full name,Grade,Maximum grade,Last modified (grade),Feedback comments\n' >"$site/worksheet.csv"
    printf 'Student,ID,SIS User ID,SIS Login ID,Section,Reduction (7001)\n    Points Possible,,,,,6\n' >"$site/gradebook.csv"
    for n in 1 2 3; do
        echo "Participant 10$n,name$n,,6,-," >>"$site/worksheet.csv"
        echo "name$n,10$n,,,A," >>"$site/gradebook.csv"
    done
    command -v sim_c >/dev/null || { # the real one if it is there
        printf '#!/bin/sh\n[ "$1 $2 $3 $4" = "-p -e -t 80" ] && cat "$5"\n' >"$scratch/bin/sim_c"
        chmod +x "$scratch/bin/sim_c"
    }
    awk -v to="$scratch/block" '/^```sh$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print >(to n) }' "$SOURCE/docs/course.md"
    [ -e "$scratch/block11" ] || bad "docs/course.md has fewer blocks than this test knows"
    for block in $(ls "$scratch"/block* | sort -t k -k 2n); do
        folder=$site
        ! grep -q 'average[.]py' "$block" || continue # self.course.average
        ! grep -q sim_c "$block" || folder=$site/week3
        expect 0 . env -C "$folder" PATH="$scratch/bin:$PATH" CLASSROOM=c ASSIGNMENT=a MODE=individual USERNAME=u \
            SUBMISSION_TAG=submit/2026-12-01T10-00-00Z-ab COMMIT_URL=https://x/1 RELEASE_URL=https://x/2 \
            REVIEW_URL=https://x/3 sh -e "$block"
        [ "$folder" = "$site" ] || [ "$(find "$site/week3/todo" -name '*.cu' -size +0 | wc -l)" = 3 ] || bad "not three TODO regions"
        [ -d "$site/first" ] || cp -r "$site/week3" "$site/first"
        rm -rf "$site/week3" "$site"/part* && cp -r "$site/first" "$site/week3"
    done
    [ -s "$site/result.json" ] && [ -s "$site/first/moodle.csv" ] || bad "a command of docs/course.md wrote nothing"
}

# A system without a layer of the sandbox: the run reports that in one line, doctor says how to get it, and the
# marks are the same.
case_layers() {
    hand_in 1
    command -v python3 >/dev/null || { echo "not tried without layers: there is no python3" && return; }
    expect 0 . grade --out "$scratch/whole"
    without="python3 $SOURCE/tests/course/without.py"
    printf '#!/bin/sh\n[ "$1" != --version ] || exec "%s" --version\n' "$NVCC" >"$scratch/nvcc" # it compiles in no time
    chmod +x "$scratch/nvcc"
    own_course "$tree" "s|^nvcc	.*|nvcc	$scratch/nvcc|"
    expect 0 'note *sandbox *no Landlock: a submission can read' $without landlock "$workbook.own" doctor
    line '/sys/kernel/security/lsm'
    expect 0 'note *sandbox *no seccomp: a submission can start' $without seccomp "$workbook.own" doctor
    expect 0 'this system has no Landlock: a submission can read .*doctor. says how to get it' $without landlock \
        "$workbook" grade "$scratch/class" --out "$scratch/open"
    [ "$(printf '%s\n' "$output" | grep -c Landlock)" = 1 ] || bad "not said in one line"
    same "$scratch/open" "without Landlock"
    if grep -q landlock /sys/kernel/security/lsm 2>/dev/null; then
        expect 0 'ok *sandbox' "$workbook.own" doctor
        expect 0 . grade --out "$scratch/closed"
        absent Landlock
    fi
}

# Pages: the x-ray of a race, made once, is on the page of each student who handed it in. The judge that x-rays it
# is the real one.
case_pages() {
    for name in ada bob; do
        mkdir -p "$scratch/class/$name"
        sed '/outside the if: all/d' "$reduction/05-sequential.cu" >"$scratch/class/$name/05-sequential.cu"
    done
    stub safety <<'END'
cat <<'SAID'
simt: error: Race (WAR) in __shared__ memory: 01-reduction/05-sequential.cu:28 read by thread 0, :28 write by thread 32, no barrier between, nor is the update atomic; block 0 of reduce_block
01-reduction/05-sequential.cu: unsafe: 1 finding
  input   random, n = 255, seed 1
SAID
verdict 3 1 '--n 255'
END
    expect 0 'ada .* 0 of  1 passed' grade --out "$scratch/whole"
    rm "$stubs/safety"
    real_judge
    expect 0 'a page for each student' "$workbook" export "$scratch/whole" --to pages
    [ "$(find "$scratch/whole/pages/xrays" -name '*.html' | wc -l)" = 1 ] || bad "not one x-ray for one text"
    for name in ada bob; do
        grep -q '<a href="\.\./xrays/[0-9a-f]*\.html">' "$scratch/whole/pages/students/$name.html" || bad "$name: no x-ray"
    done
    grep -q '"words":"Race (' "$scratch"/whole/pages/xrays/*.html || bad "the x-ray does not show the race"
    if grep -q "$tree" "$scratch"/whole/pages/xrays/*.html; then bad "an x-ray tells where it was made"; fi
    grep -q 'Hint: ' "$scratch/whole/pages/students/ada.html" || bad "no hint"
    stub_judge
}

if [ "${1:-}" = more ]; then
    cases killed between sharded
else
    cases once alike due insight parts stopped full ready page layers pages
fi
finish

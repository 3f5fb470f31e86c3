# Shared by the scripts of tests/self; each sources it first. SOURCE and BUILD, the directories of the tree under test, are in
# its environment. A script prints every failed check, with the command that repeats it, and exits with 0 if none failed.
#
# A long script has cases, functions case_NAME, and ends with
#
#     cases NAME...
#     finish
#
# Each case has its own line in the output. CASE=NAME in the environment runs that one alone.
set -u
script=$0
case $script in /*) ;; *) script=$SOURCE/$script ;; esac
words_of_script=$*
passed=0 failures=0 good_cases=0 bad_cases=0
now=

# again: the command that repeats what failed.
again() {
    printf 'SOURCE=%s BUILD=%s %ssh %s%s\n' "$SOURCE" "$BUILD" "${now:+CASE=$now }" "$script" "${words_of_script:+ $words_of_script}"
}

# bad TEXT: counts a failure.
bad() {
    echo "FAILED: ${now:+$now: }$*"
    echo "    alone   $(again)"
    failures=$((failures + 1))
}

# said: the output of the last expect, indented.
said() { printf '%s\n' "$output" | sed 's/^/            /'; }

# plural: whether the output of the last expect has "1 runs", in a script that sets grammar.
grammar=
plural() {
    case $grammar:$output in
    y:*1\ [a-z]*) ;;
    *) return 1 ;;
    esac
    printf '%s\n' "$output" | sed 's/ of 1 / of /g' | grep -qE \
        '(^|[^0-9.,/])1 (runs|findings|submissions|students|steps|tests|launches|warnings|blocks|warps|threads|words|bytes|lines|files|hints)([^a-z]|$)'
}

# matches PATTERN: whether some line of the output matches. Plain words, also at the beginning of a line, are searched
# without a process.
matches() {
    case ${1#^} in
    *[].*^\$\\[]*)
        grep -q -e "$1" <<END
$output
END
        return ;;
    esac
    case $1 in
    ^*) case $line_feed$output in *"$line_feed${1#^}"*) return 0 ;; esac ;;
    *) case $output in *"$1"*) return 0 ;; esac ;;
    esac
    return 1
}
line_feed='
'

# expect STATUS PATTERN COMMAND...: runs COMMAND; its exit status must be STATUS and some line must match PATTERN.
expect() {
    wanted=$1 pattern=$2
    shift 2
    output=$("$@" 2>&1)
    status=$?
    if [ "$status" = "$wanted" ] && matches "$pattern"; then
        plural || { passed=$((passed + 1)); return; }
        bad "$*: one of a thing is no plural"
        said
        return
    fi
    bad "$*"
    echo "    wanted  exit $wanted, and a line that matches '$pattern'"
    echo "    got     exit $status, and"
    said
}

# line PATTERN: some line of the last expect's output must match.
line() {
    if matches "$1"; then
        passed=$((passed + 1))
    else
        bad "no line matches '$1'"
        said
    fi
}

# absent PATTERN: no line of it may match.
absent() {
    if matches "$1"; then
        bad "a line matches '$1'"
        said
    else
        passed=$((passed + 1))
    fi
}

# ended COUNT TEXT: in the ctest output of the last expect, COUNT tests ended with TEXT (Passed, Failed, Not Run).
ended() {
    found=$(printf '%s\n' "$output" | grep -c "Test *#.*\*\*\*$2\|Test *#.* $2 ")
    [ "$found" = "$1" ] || { bad "$found tests ended as '$2', wanted $1"; said; }
}

# cases NAME...: runs case_NAME of each. A script that defines fresh has it called before each.
fresh() { :; }
cases() {
    for now; do
        [ "${CASE:-$now}" = "$now" ] || continue
        before=$failures
        fresh
        "case_$now"
        if [ "$failures" = "$before" ]; then
            good_cases=$((good_cases + 1))
            echo "ok      $now"
        else
            bad_cases=$((bad_cases + 1))
            echo "FAILED  $now"
        fi
    done
    now=
}

# third FILE...: a third of the lines of standard input, rounded up, by a hash of these files and of the line: every edit of the
# files selects others. The rest belongs to a test labelled more.
third() {
    awk -v key="$(cat -- "$@" | sha256sum)" '
        BEGIN {
            for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
            for (i = 1; i <= 7; i++) seed = 16 * seed + index("0123456789abcdef", substr(key, i, 1))
        }
        {
            hash = seed
            for (i = 1; i <= length($0) + 2; i++) {
                hash = (hash * 48271 + code[substr($0, i, 1)]) % 2147483647
                hash = hash * (1 + hash % 65521) % 2147483647
            }
            printf "%d\t%d\t%s\n", hash, NR, $0
        }' | sort -n | awk '{ line[NR] = $0 } END { for (i = 1; 3 * i < NR + 3; i++) print line[i] }' | sort -k2,2n | cut -f 3-
}

# cached VARIABLE: its value in the configuration of the build under test.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$BUILD/CMakeCache.txt"; }

# The variables that CTest sets, for a script that is called by hand.
if [ -f "${BUILD:-}/CMakeCache.txt" ]; then
    : "${NVCC:=$(cached WORKBOOK_NVCC)}" "${GENERATOR:=$(cached CMAKE_GENERATOR)}" "${SIMT_FLAGS:=}"
    : "${SIMT_LIBRARY:=$BUILD/common/simt/libsimt.a}"
fi

# keep_objects: compile.sh keeps objects between runs (common/cmake/object_cache.sh), for a month.
keep_objects() {
    export WORKBOOK_OBJECTS="$BUILD/self/objects"
    [ ! -d "$WORKBOOK_OBJECTS" ] || find "$WORKBOOK_OBJECTS" -type f -mtime +30 -delete
}

# needs_solutions: ends a script that hands in solutions if the tree has none.
needs_solutions() {
    [ -d "$SOURCE/solutions" ] || { echo "no solutions: nothing to hand in"; finish; }
}

# generator: of hand-outs. For a build in which nothing changed Ninja takes a tenth of make's time; self.handout
# builds with make.
generator() {
    if command -v ninja >/dev/null; then echo Ninja; else cached CMAKE_GENERATOR; fi
}

# hand_out NAME [OPTION...]: a hand-out for this script alone, $tree, configured with these options of CMake; $workbook is its
# runner, and chapter 1 has its judge. The SIMT machine, the judges and the compilers' properties found by CMake are those of
# the build under test. Under the sanitizers the tree builds its own: there a run has no limits.
hand_out() {
    keep_objects
    tree=$BUILD/self/trees/$1
    workbook=$tree/build/workbook
    shift
    [ -n "$(cached WORKBOOK_SANITIZE)" ] || set -- -DWORKBOOK_PREBUILT="$BUILD" "$@"
    rm -rf "$tree" && mkdir -p "$(dirname "$tree")"
    output=$("$BUILD/workbook" handout "$tree" && mkdir -p "$tree/build/CMakeFiles" &&
        cp -r "$BUILD"/CMakeFiles/[0-9]*.[0-9]* "$tree/build/CMakeFiles/" &&
        cmake -S "$tree" -B "$tree/build" -G "$(generator)" -DCMAKE_PLATFORM_INFO_INITIALIZED=1 \
        -DWORKBOOK_NVCC="$(cached WORKBOOK_NVCC)" -DWORKBOOK_GPU=off -DWORKBOOK_SELF_TESTS=OFF \
        -DWORKBOOK_GOLD_LINKS="$(cached WORKBOOK_GOLD_LINKS)" "$@" &&
        cmake --build "$tree/build" --target workbook judge.reduction) || {
        bad "no hand-out in $tree"
        said
        finish
    }
}

# hand_out_step NAME: the same for a script about one step: its $solution, and the student's $file.
hand_out_step() {
    needs_solutions
    step=01-reduction/05-sequential
    solution=$SOURCE/solutions/$step.cu
    hand_out "$1"
    file=$tree/$step.cu
}

# own_course TREE EDIT: makes TREE/build/workbook.own, the runner with its own course.tsv, changed by this edit of sed.
# A killed test then leaves the tree as it was configured. The two names are equally long, since the path is in the
# program.
own_course() {
    sed "$2" "$1/build/course.tsv" >"$1/build/course.own"
    LC_ALL=C sed 's|/build/course\.tsv|/build/course.own|g' "$1/build/workbook" >"$1/build/workbook.own"
    chmod +x "$1/build/workbook.own"
}

# stub_judge [TOPIC]: from here on tests/self/stub_judge.sh is the judge of chapter 1, or of this topic, in $tree, and
# passes every program. stub PART reads from standard input what it prints for result, safety or lesson instead. real_judge
# restores the judges.
stub_judge() {
    stubs=$tree/build/stubs
    stubbed=$tree/build/judges/${1:-reduction}
    rm -rf "$stubs" && mkdir "$stubs"
    [ -e "$stubbed" ] || cmake --build "$tree/build" --target "judge.${1:-reduction}" >/dev/null || bad "no judge to replace: $1"
    [ -e "$stubbed.real" ] || mv "$stubbed" "$stubbed.real"
    cp "$SOURCE/tests/self/stub_judge.sh" "$stubbed"
    chmod +x "$stubbed"
}
stub() { cat >"$stubs/$1"; }
unfinished() {
    stub result <<'END'
echo "not done: 01-reduction/05-sequential.cu:25: TODO is still open"
verdict 2 1
END
}
real_judge() {
    real_compiler
    for stubbed in "$tree"/build/judges/*.real; do
        [ ! -e "$stubbed" ] || mv -f "$stubbed" "${stubbed%.real}"
    done
}

# stub_compiler: from here on tests/self/stub_compiler.sh compiles in $tree, in a tenth of the time, for a stub judge only.
# real_compiler and real_judge restore the compiler.
stub_compiler() {
    compiler=$tree/common/cmake/compile.sh
    [ -e "$compiler.real" ] || mv "$compiler" "$compiler.real"
    [ -e "$compiler.object" ] ||
        echo 'int main() { return 0; }' | "$(cached CMAKE_CXX_COMPILER)" -x c++ -c -o "$compiler.object" -
    cp "$SOURCE/tests/self/stub_compiler.sh" "$compiler"
}
real_compiler() {
    [ ! -e "$tree/common/cmake/compile.sh.real" ] || mv -f "$tree/common/cmake/compile.sh.real" "$tree/common/cmake/compile.sh"
}

finish() {
    ran=$((good_cases + bad_cases))
    [ -z "${CASE:-}" ] || [ $ran = 1 ] || bad "there is no case $CASE"
    [ $ran = 0 ] || echo "cases: $good_cases passed, $bad_cases failed"
    echo "checks: $passed passed, $failures failed"
    exit $((failures > 0))
}

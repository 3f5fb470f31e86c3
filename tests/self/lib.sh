# Shared by the scripts of tests/self; each sources it first. A script is given SOURCE and BUILD, the directories of the
# tree under test, in the environment, ends with 0 when everything held, and says what did not.
set -u
failures=0

# bad TEXT: counts a failure.
bad() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS PATTERN COMMAND...: runs COMMAND; its exit status must be STATUS and some line must match PATTERN.
expect() {
    wanted=$1 pattern=$2
    shift 2
    output=$("$@" 2>&1)
    status=$?
    if [ "$status" != "$wanted" ]; then
        bad "exit $status, wanted $wanted: $*"
        echo "$output" | sed 's/^/    /'
    elif ! echo "$output" | grep -q -e "$pattern"; then
        bad "no line matches '$pattern': $*"
        echo "$output" | sed 's/^/    /'
    fi
}

# absent PATTERN: the output of the last expect must not match.
absent() {
    if echo "$output" | grep -q -e "$1"; then
        bad "a line matches '$1'"
        echo "$output" | sed 's/^/    /'
    fi
}

# ended COUNT TEXT: in the ctest output of the last expect, COUNT tests ended with TEXT (Passed, Failed, Not Run).
ended() {
    found=$(echo "$output" | grep -c "Test *#.*\*\*\*$2\|Test *#.* $2 ")
    [ "$found" = "$1" ] || { bad "$found tests ended as '$2', wanted $1"; echo "$output" | sed 's/^/    /'; }
}

# cached VARIABLE: its value in the configuration of the build under test.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$BUILD/CMakeCache.txt"; }

# hand_out NAME [OPTION...]: a hand-out for this script alone, $tree, configured with these options of CMake; $workbook is its
# runner. The SIMT machine and the judges are those of the build under test. Under the sanitizers the tree builds its own: there a
# run has no limits. Objects are kept from run to run (common/cmake/object_cache.sh), for a month.
hand_out() {
    export WORKBOOK_OBJECTS="$BUILD/self/objects"
    [ ! -d "$WORKBOOK_OBJECTS" ] || find "$WORKBOOK_OBJECTS" -type f -mtime +30 -delete
    tree=$BUILD/self/trees/$1
    workbook=$tree/build/workbook
    shift
    [ -n "$(cached WORKBOOK_SANITIZE)" ] || set -- -DWORKBOOK_PREBUILT="$BUILD" "$@"
    rm -rf "$tree" && mkdir -p "$(dirname "$tree")"
    output=$("$BUILD/workbook" handout "$tree" && cmake -S "$tree" -B "$tree/build" -G "$(cached CMAKE_GENERATOR)" \
        -DWORKBOOK_NVCC="$(cached WORKBOOK_NVCC)" -DWORKBOOK_GPU=off -DWORKBOOK_SELF_TESTS=OFF "$@" &&
        cmake --build "$tree/build" --target workbook) || {
        bad "no hand-out in $tree"
        echo "$output"
        finish
    }
}

# own_course TREE EDIT: TREE/build/workbook.own, the runner with a course.tsv of its own, changed by this edit of sed. A test that
# is killed then leaves the tree as it was configured. The two names are of one length, since the path is in the program.
own_course() {
    sed "$2" "$1/build/course.tsv" >"$1/build/course.own"
    LC_ALL=C sed 's|/build/course\.tsv|/build/course.own|g' "$1/build/workbook" >"$1/build/workbook.own"
    chmod +x "$1/build/workbook.own"
}

finish() {
    [ "$failures" = 0 ] && echo "all good"
    exit $((failures > 0))
}

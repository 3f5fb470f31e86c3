#!/bin/sh
# The SIMT machine's tests, and two solutions of every chapter on four host threads with all checks, under a sanitizer or
# under valgrind. Usage: clean.sh TREE TOOL BUILD JOBS; TOOL: address (with undefined behaviour), thread or valgrind;
# BUILD: a build tree of its own, kept from one run to the next.
tree=$1 tool=$2 build=$3 jobs=$4
programs="01-reduction/05-sequential 01-reduction/08-shuffle 02-scan/07-shuffle 02-scan/10-look-back
    03-histogram/04-per-warp 03-histogram/06-match-any 04-sort/03-radix-split 04-sort/07-onesweep
    05-tridiagonal/05-pcr 05-tridiagonal/07-warp-pcr-thomas 06-iterative-solvers/05-csr
    06-iterative-solvers/09-one-launch"
case $tool in
address) sanitize="address;undefined" ;;
thread) sanitize=thread ;;
valgrind)
    sanitize=
    if ! command -v valgrind >/dev/null; then
        echo "skipped: valgrind is not installed"
        exit 77
    fi
    ;;
*)
    echo "the tool is '$tool'; expected address, thread or valgrind"
    exit 1
    ;;
esac
# valgrind knows no AVX-512: nothing is built for this computer alone.
cmake -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWORKBOOK_GRADE=solutions -DWORKBOOK_GPU=off \
    -DSIMT_NATIVE=OFF "-DWORKBOOK_SANITIZE=$sanitize" >/dev/null || exit 1
units="memory warp atomic settings ptx"
targets=unit
if [ "$tool" = valgrind ]; then
    targets="simt.kernels.features simt.kernels.inline $(for unit in $units; do echo "unit.simt.$unit"; done)"
fi
for program in $programs; do
    targets="$targets $(echo "$program" | tr / .).solution"
done
# shellcheck disable=SC2086 # a list
cmake --build "$build" --parallel "$jobs" --target $targets >"$build/said" 2>&1 || {
    tail -20 "$build/said"
    exit 1
}

failed=0
export SIMT_THREADS=4 SIMT_TIMEOUT=600
export TSAN_OPTIONS="suppressions=$tree/tests/simt/races.tsan"
# run NAME COMMAND...: prints its last lines where it fails.
run() {
    output=$build/$1.said
    shift
    if [ "$tool" = valgrind ]; then
        set -- valgrind -q --error-exitcode=99 "$@"
    fi
    "$@" >"$output" 2>&1 && return
    echo "failed with $?: $*"
    tail -40 "$output"
    return 1
}
if [ "$tool" = valgrind ]; then
    for unit in $units; do
        run "$unit" "$build/tests/simt/unit.simt.$unit" "$build/tests/simt" || failed=1 # the folder is for the last one
    done
else
    # Once in order and once in a random one; without what only compiles, links on its own, measures time or memory, ends by a
    # signal, or asks where the stack lies, which is what sanitizers change.
    leave='fuzz|conform|compiles|[.](reverse|random2|bare)$|[.]7[0-9][.]|endless|async|trace|profile|estimate|paths'
    leave="$leave|origin|host_stack|scarce"
    # More memory than the thread sanitizer leaves; 16 host threads that wait for one another, which it makes minutes of.
    [ "$tool" = address ] || leave="$leave|sampled|reach|runtime|hostile|waits[.]threads[.](64|random)"
    (cd "$build" && ctest -R '^self\.simt\.' -LE '^more$' -E "$leave" --output-on-failure -j "$jobs") || failed=1
fi
# solve PROGRAM: a solution, in one piece.
solve() {
    n=100
    [ "$1" != 06-iterative-solvers/09-one-launch ] || n=17 # it sweeps until the grid has settled
    run "$(echo "$1" | tr / .)" "$build/solutions/$1" --check --n $n
}
running=
await() {
    for one in $running; do wait "$one" || failed=1; done
    running=
}
for program in $programs; do # in turns of as many as there are jobs
    solve "$program" &
    running="$running $!"
    # shellcheck disable=SC2086 # a list
    [ "$(echo $running | wc -w)" -lt "$jobs" ] || await
done
await
exit $failed

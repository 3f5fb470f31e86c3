#!/bin/sh
# The SIMT machine's tests, and two solutions of every chapter on four host threads with all checks, under a sanitizer
# or under valgrind. Usage: clean.sh TREE TOOL BUILD JOBS FROM; TOOL: address (with undefined behaviour), thread or
# valgrind; BUILD: a separate build tree, kept between runs; FROM: the build tree with the test programs and the
# solutions.
tree=$1 tool=$2 build=$3 jobs=$4 from=$5
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

# The sanitizers are the host compiler's, so nvcc's outputs are copied from FROM: here nvcc is a script, whose list of
# dependencies names the copied file. Only calls.cu is compiled, because tests need its host lines relative to this
# tree.
mkdir -p "$build"
cached() { sed -n "s/^$1:[A-Z]*=//p" "$from/CMakeCache.txt"; }
nvcc=$(cached WORKBOOK_NVCC)
cat >"$build/nvcc" <<END
#!/bin/sh
for argument; do
    case \$previous in
    -o) output=\$argument ;;
    -MF) list=\$argument ;;
    esac
    previous=\$argument
done
made='$from'\${output#'$build'}
case \$output in */unit.simt.calls.o) exec '$nvcc' "\$@" ;; esac
[ "\$made" != '$from'"\$output" ] && [ -e "\$made" ] || exec '$nvcc' "\$@"
[ -z "\$list" ] || printf '%s: %s\n' "\$output" "\$made" | sed 's/\([^:]\) /\1\\\\ /g' >"\$list"
cp -- "\$made" "\$output"
END
chmod +x "$build/nvcc"
# valgrind does not support AVX-512, so nothing is built for this computer's processor.
cmake -S "$tree" -B "$build" -G "$(cached CMAKE_GENERATOR)" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO=-g1 -DWORKBOOK_GRADE=solutions -DWORKBOOK_GPU=off -DWORKBOOK_NVCC="$build/nvcc" \
    -DSIMT_NATIVE=OFF "-DWORKBOOK_SANITIZE=$sanitize" >/dev/null || exit 1

# Excludes tests that only compile, link separately, measure time or memory, end by a signal, or depend on the stack's
# address, which sanitizers change. Of tests for each order only the random one.
only=
leave='fuzz|conform|compiles|[.](order|reverse|random2|bare)$|[.]7[0-9][.]|endless|async|trace|profile|estimate|paths'
leave="$leave|origin|host_stack|scarce|progress|guilty$"
# Under the thread sanitizer only tests with several host threads. Excludes tests that need more memory than it leaves,
# and 16 host threads that wait for one another, which take minutes.
if [ "$tool" = thread ]; then
    only='(base|observers|host_watch|control|litmus|counted|checks|programs|calls[.](lock|grid_left|arrivals))'
    leave="$leave|sampled|reach|waits[.]threads[.](64|random)|arrays|leaks|stalled|activemask|litmus[.]few"
fi
# chosen OPTION...: ctest for these tests. Their targets are built already.
chosen() {
    (cd "$build" && ctest -R "^self[.]simt[.]$only" -LE '^more$' -E "$leave" -FA self.unit "$@")
}

units="memory warp atomic settings ptx"
targets="simt.kernels.features simt.kernels.inline"
if [ "$tool" = valgrind ]; then
    targets="$targets $(for unit in $units; do echo "unit.simt.$unit"; done)"
else
    targets="$targets $(chosen --show-only=json-v1 | sed -n 's|.*/tests/simt/\(unit[a-zA-Z0-9_.]*\)".*|\1|p
        s|.*/tests/simt/\([a-z]*\)[.]ptx".*|simt.kernels.\1|p
        s|.*/tests/simt/\([a-z]*[.]fatbin\)".*|simt.kernels.\1|p' | sort -u)"
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
# run NAME COMMAND...: prints the command's last lines if it fails.
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
    chosen --output-on-failure -j "$jobs" || failed=1
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

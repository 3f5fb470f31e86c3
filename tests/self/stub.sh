#!/bin/sh
# The stubs of a judge (stub_judge.sh) and of the compiler (stub_compiler.sh) behave as real ones for the runner. The test
# records what real judges print, and the stub replays it: the record is the same to the byte, and so is the runner's output.
# stub.sh: a third of the cases. stub.sh all: all of them.
. "$SOURCE/tests/self/lib.sh"
hand_out_step stub${1:+.$1}
cd "$tree" || exit 1

# A judge that records the real one's output, as a file that the stub reads, and its record without the runner's number.
mkdir build/kept
cat >build/keeper <<'END'
#!/bin/sh
build=$(dirname "$0")/..
part=result
[ "${SIMT_CHECK:-none}" = none ] || part=safety
case " $* " in *' --expect '*) part=lesson ;; esac
kept=$build/kept/$part
fd=${WORKBOOK_RECORD%%:*} number=${WORKBOOK_RECORD#*:}
{
    WORKBOOK_RECORD=9:$number "$0.real" "$@" 9>&3 2>&1
    echo $? >"$kept.exit"
} 3>"$kept.record" | cat >"$kept.said"
cat "$kept.said"
cat "$kept.record" >"/proc/self/fd/$fd"
sed -i "s/^$number //" "$kept.record"
{
    echo "cat <<'SAID'"
    cat "$kept.said"
    echo SAID
    awk '{ again = $0; for (i = 0; i < 4; i++) sub(/^[^ ]* */, "", again); print "verdict", $1, $2, "\"" again "\"", $3 }' "$kept.record"
} >"$kept.new"
mv "$kept.new" "$kept"
exit "$(cat "$kept.exit")"
END
chmod +x build/keeper

# same STATUS: the runner prints the same for the file with the real judge and with the stub, and the stub's records are
# the real ones.
same() {
    real_judge
    rm -f build/kept/*
    mv build/judges/reduction build/judges/reduction.real && cp build/keeper build/judges/reduction
    expect "$1" . "$workbook" run 1/5
    printf '%s\n' "$output" >build/real.txt
    stub_judge
    for part in result safety lesson; do
        [ ! -e build/kept/$part ] || cp build/kept/$part "$stubs/$part"
    done
    stub_compiler
    touch "$file" # compiled again
    expect "$1" . "$workbook" run 1/5
    cmp -s "$compiler.object" "build/objects/$step.o" || bad "the stub has compiled nothing"
    printf '%s\n' "$output" | diff build/real.txt - || bad "the runner prints something else for the stub"
    for part in result safety lesson; do
        [ ! -e build/kept/$part ] || record $part
    done
}

# record PART: the stub's output for it.
record() {
    bounds=
    [ "$1" != lesson ] || bounds=$(awk -F '\t' '$1 == "01-reduction" && $2 == "05-sequential" { for (i = 7; i <= NF; i++) printf " --expect x" }' build/course.tsv)
    checks=none
    [ "$1" != safety ] || checks=all
    # shellcheck disable=SC2086 # a list
    env WORKBOOK_RECORD=9:77 SIMT_CHECK=$checks build/judges/reduction $bounds 9>build/record >/dev/null
    sed 's/^77 //; s/ *$//' build/record >build/stub.record
    sed 's/ *$//' build/kept/"$1".record | diff - build/stub.record || bad "$1: the stub records something else"
}

case_right() {
    cp "$solution" "$file"
    same 0
}
case_not_done() {
    cp "$SOURCE/$step.cu" "$file"
    same 2
}
case_wrong() {
    sed 's/i < n ? in\[i\] : 0/i < n ? in[i] : 1/' "$solution" >"$file"
    same 2
}
case_missed() {
    sed 's/cache\[tid\]/cache[tid * 32 % BLOCK + tid * 32 \/ BLOCK]/g
        s/cache\[tid + stride\]/cache[(tid + stride) * 32 % BLOCK + (tid + stride) * 32 \/ BLOCK]/' "$solution" >"$file"
    same 4
}
some='right not_done wrong missed'
# shellcheck disable=SC2086 # a list
[ "${1:-}" = all ] || some=$(printf '%s\n' $some | third "$SOURCE"/tests/self/stub*.sh "$SOURCE"/common/workbook/judge/*)
# shellcheck disable=SC2086
cases $some
finish

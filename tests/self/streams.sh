#!/bin/sh
# The runner prints requested output on standard output, and usage errors on standard error: a pipe or a file gets
# only the former.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/streams
rm -rf "$scratch" && mkdir -p "$scratch"

# streams COMMAND...: "STATUS STREAMS": the exit status, and which streams have output, out or err.
streams() {
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    echo "$?$([ ! -s "$scratch/out" ] || echo ' out')$([ ! -s "$scratch/err" ] || echo ' err')"
}
# splits WANTED COMMAND...
splits() {
    wanted=$1
    shift
    got=$(streams "$@")
    if [ "$got" = "$wanted" ]; then
        passed=$((passed + 1))
    else
        bad "$*: wanted '$wanted', got '$got'"
    fi
}

while read -r call; do
    # shellcheck disable=SC2086 # the words of a call
    splits '1 err' "$BUILD/workbook" $call
done <<'END'
nonsense
run 99/99
run --nonsense
watch 99/1
hint nonsense
status x y
list nonsense
next 77/1
profile 99
xray
reset 99/1
solution 99/1
ladder nonsense
part 1/5 nonsense
part nonsense result
grade /nowhere
report /nowhere.json
handout --nonsense
check nonsense
starter /nowhere
exec
doctor x
manifest x
END
while read -r call; do
    # shellcheck disable=SC2086
    splits '0 out' "$BUILD/workbook" $call
done <<'END'
--help
--version
run --help
list
status
hint 1/5
manifest
END

# Guilty: an error in the output, and an answer in the errors.
[ "$(streams sh -c 'echo wrong; exit 1')" = '1 out' ] && [ "$(streams sh -c 'echo right >&2')" = '0 err' ] ||
    bad "the streams are not told apart"
finish

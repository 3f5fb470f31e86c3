#!/bin/sh
# Compilers that are missing, fail, lie or hang: the program still gives its results, and the folder of what is compiled is gone
# in the end, also when the program is killed.
#
#     sh tests/simt/compilers.sh PROGRAM
#
# PROGRAM prints "ok" where its results are right. Without a C compiler it is skipped (77).
set -u
program=$1 bad=0
real=$(command -v cc) || { echo "no cc: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tmp"
export SIMT_CHECK=none SIMT_COUNT=0 SIMT_COMPILE=on TMPDIR="$work/tmp"
fail() {
    echo "$1"
    bad=$((bad + 1))
}
gone() { # what: the folder is empty within ten seconds
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$(ls "$work/tmp")" ] && return
        sleep 1
    done
    fail "$1: left behind: $(ls "$work/tmp")"
}
try() { # what, the text of cc
    rm -f "$work/called"
    printf '#!/bin/sh\necho >>"%s/called"\n%s\n' "$work" "$2" >"$work/bin/cc"
    chmod +x "$work/bin/cc"
    PATH="$work/bin:$PATH" "$program" >"$work/said" 2>&1
    grep -q '^ok' "$work/said" || fail "$1: the program does not end well: $(cat "$work/said")"
    [ -s "$work/called" ] || fail "$1: no compiler was called"
    gone "$1"
}
try "a compiler" "exec '$real' \"\$@\""
try "fails" "exit 1"
try "says it is done" "exit 0"
try "makes no library" "echo >kernel.so"
try "makes another library" "echo 'int x;' >other.c; exec '$real' -shared -o kernel.so other.c"
try "is killed" "kill -9 \$\$"
mkdir "$work/few"
for tool in sh cat rm; do ln -s "$(command -v $tool)" "$work/few/$tool"; done
PATH="$work/few" "$program" >"$work/said" 2>&1
grep -q '^ok' "$work/said" || fail "no compiler: $(cat "$work/said")"
gone "no compiler"
PATH="$work/none" "$program" >"$work/said" 2>&1
grep -q '^ok' "$work/said" || fail "no shell: $(cat "$work/said")"
gone "no shell"
printf '#!/bin/sh\nsleep 3\n' >"$work/bin/cc"
PATH="$work/bin:$PATH" "$program" >/dev/null 2>&1 &
sleep 1
[ -n "$(ls "$work/tmp")" ] || fail "killed: nothing was compiled"
kill -9 $!
wait $! 2>/dev/null
gone "killed"
echo "$bad bad"
[ "$bad" -eq 0 ]

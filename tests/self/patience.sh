#!/bin/sh
# A time limit counts CPU time, so a busy computer changes no verdict.
. "$SOURCE/tests/self/lib.sh"
workbook=$BUILD/workbook

expect 1 'stopped after 1 s; is there an endless loop?' "$workbook" exec --time 1 sh -c 'while :; do :; done'
expect 1 'stopped after 1 s in which it hardly computed' "$workbook" exec --time 1 sleep 5

# Half a second of CPU time, on a core that eight others want, too.
half='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; echo done'
crowd=
for i in 1 2 3 4 5 6 7 8; do
    taskset -c 0 timeout 60 sh -c 'while :; do :; done' &
    crowd="$crowd $!"
done
expect 2 '^done$' taskset -c 0 "$workbook" exec --time 1 sh -c "$half"
case $output in
*"stopped after"* | *"not graded"*) bad "the crowded computer changed the verdict" ;;
esac
# shellcheck disable=SC2086 # a list of processes
kill $crowd

# It computes a little from time to time: after ten times the limit the grader blames the computer, not the program.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/slow.c" <<'EOF'
#include <time.h>

int main(void)
{
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        for (clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 500;)
            ;
    }
}
EOF
cc -o "$scratch/slow" "$scratch/slow.c"
expect 77 'not graded: after 1[0-9] s this computer had let it compute for less than 1 s' \
    "$workbook" exec --time 1 "$scratch/slow"
finish

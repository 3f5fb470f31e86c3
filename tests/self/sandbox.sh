#!/bin/sh
# Real attempts of a graded program against the grader and files: see sandbox.c.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/sandbox
rm -rf "$scratch" && mkdir -p "$scratch"
workbook=$BUILD/workbook
cc -D_GNU_SOURCE -I "$SOURCE/common" -o "$scratch/attempts" "$SOURCE/tests/self/sandbox.c" \
    "$SOURCE/common/remote/enclose.c" -lpthread || bad "sandbox.c does not compile"
echo text >"$scratch/file" && chmod 644 "$scratch/file"

# Without the sandbox the harmless attempts succeed; otherwise the test would prove nothing.
"$scratch/attempts" write-file "$scratch/file" >/dev/null || bad "write-file fails without the sandbox"
"$scratch/attempts" share-memory "$scratch/file" >/dev/null || bad "share-memory fails without the sandbox"
"$scratch/attempts" signal-by-a-file "$scratch/file" | cat >"$scratch/said"
grep -q succeeded "$scratch/said" || bad "signal-by-a-file fails without the sandbox"
expect 9 'look-around: refused' "$scratch/attempts" look-around "$scratch/file" # as its judge encloses a submission

for attempt in signal-parent limit-parent write-file connect share-memory; do
    expect 1 'stopped: it tried to start a process' "$workbook" exec "$scratch/attempts" $attempt "$scratch/file"
done
for attempt in change-mode unheard-of signal-by-a-file; do # unknown to the filter: it fails, and the program continues
    expect 9 "$attempt: refused" "$workbook" exec "$scratch/attempts" $attempt "$scratch/file"
done
[ "$(stat -c %a "$scratch/file")" = 644 ] || bad "the file's mode was changed"
expect 2 'innocent: succeeded' "$workbook" exec "$scratch/attempts" innocent "$scratch/file" # 2: no verdict came with it
expect 1 'ended by signal 6' "$workbook" exec "$scratch/attempts" aborts "$scratch/file"
finish

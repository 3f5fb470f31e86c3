#!/bin/sh
# X-ray pages in a browser: a reference solution and a wrong submission of every chapter. Each page opens without an error, is
# readable, responds to keys, and has the counters' numbers; a race's arrow joins the lines expected for the submission. 77,
# skipped, without chromedriver.
. "$SOURCE/tests/self/lib.sh"
command -v chromedriver >/dev/null || { echo "skipped: sudo apt-get install chromium-driver"; exit 77; }
workbook=$BUILD/workbook
look=$SOURCE/tests/docs/xray.py
scratch=$BUILD/self/xray.pages
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1

# Solutions: fast enough, small enough.
for step in 01-reduction/04-contiguous 02-scan/07-shuffle 03-histogram/06-match-any 04-sort/02-bitonic-shared \
    05-tridiagonal/04-cr-conflict-free 06-iterative-solvers/05-csr; do
    page=$(echo "$step" | tr / .).html
    expect 0 'n = ' "$workbook" xray $step --solution --no-open -o "$page"
    [ "$(wc -c <"$page")" -lt 5000000 ] || bad "$page has 5 MB or more"
done
expect 0 'the reference.*n = ' "$workbook" xray 1/5 --solution --compare before --no-open -o compare.html
expect 0 'all good' python3 "$look" ./*.html

# A missed lesson: opens at its line's most expensive instruction.
contiguous=$SOURCE/solutions/01-reduction/04-contiguous.cu
number=$(grep -n 'cache\[word\] += ' "$contiguous" | cut -d: -f1)
sed "s|\"heat\": \"\", \"file\": \"\", \"line\": 0|\"heat\": \"passes\", \"file\": \"04-contiguous.cu\", \"line\": $number|" \
    01-reduction.04-contiguous.html >start.html
expect 0 'all good' python3 "$look" --opens start.html "$number"
sed 's|"file": "04-contiguous.cu"|"file": "my book/solutions/01-reduction/04-contiguous.cu"|' start.html >above.html
expect 0 'all good' python3 "$look" --opens above.html "$number" # named from a folder above
expect 1 'opens at line' python3 "$look" --opens 01-reduction.04-contiguous.html "$number"

# line PATTERN: the number of the first source line that matches it.
line() { grep -n -m 1 -e "$1" "$source" | cut -d: -f1; }

# made STEP NAME N [SAID]: the page race.html of the wrong submission NAME of STEP at n = N.
made() {
    "$workbook" judge --write "$scratch" "$1.wrong.$2"
    source=$(echo "$1" | tr / .).$2.cu
    sh "$BUILD/program.sh" whole 80 "$source" program 2>said || { bad "$source does not build"; return 1; }
    SIMT_THREADS=1 SIMT_CHECK=all SIMT_TRACE="*:0-3:0-1,file:trace.json,bytes:4000000" ./program --check --n "$3" >said 2>&1
    expect 0 "${4:-finding}" "$workbook" xray --trace trace.json --no-open -o race.html
}

# race STEP NAME N FROM TO: lines with these patterns race.
race() {
    made "$1" "$2" "$3" || return
    expect 0 'all good' python3 "$look" --race race.html "$(line "$4")" "$(line "$5")"
}
race 01-reduction/03-interleaved no-barrier-in-the-loop 512 'cache\[tid\] += ' 'cache\[tid\] += '
grep -q '"passes":' trace.json && grep -q '"sectors":' trace.json || bad "a trace of a run with --check lacks what accesses cost"
race 02-scan/02-double-buffer no-barrier 1024 'cache\[now\]\[tid\] = sum' 'sum += cache\[now\]'
race 03-histogram/06-match-any leaders-without-atomic 512 'table\[tid / WARP\]\[bin\] += ' 'table\[tid / WARP\]\[bin\] += '
race 04-sort/02-bitonic-shared no-barrier-after-loading 1024 'unsigned low = keys\[i\]' 'cache\[i\] = keys\[first'
race 05-tridiagonal/03-cyclic-reduction no-barrier-on-the-way-down 128 's->a\[w\] = r\.a' 'make_row(s->a\[w\]'

# meet NAME FROM TO: the wrong submission of 00-basics/07-streams, in which an operation conflicts with another one, or
# with the host.
meet() {
    made 00-basics/07-streams "$1" 70000 || return
    expect 0 'all good' python3 "$look" --meet race.html "$2" "$3"
}
meet kernel-on-another-stream cudaMemcpyAsync@stream1 add@stream2
meet one-place-for-all-chunks cudaMemcpyAsync@stream1 cudaMemcpyAsync@stream2
meet no-wait cudaMemcpyAsync@stream1 host
expect 1 'no arrow from add@stream1 to host, but cudaMemcpyAsync@stream1 to host' python3 "$look" --meet race.html add@stream1 host
sed 's/ && item.of)/ \&\& 0)/; s/early.takes = /early.took = /; s/? clock : over;/? clock : clock;/' race.html >apart.html
expect 1 'do not meet in time' python3 "$look" --meet apart.html cudaMemcpyAsync@stream1 host

# A wrong answer without a finding: the store of the first wrong word.
made 05-tridiagonal/02-interleaved from-the-bottom 33 'trace.json'
expect 0 'all good' python3 "$look" --wrong race.html $(($(line 'x\[at\] - c_new') + 1))
sed 's/"thread":\([0-9]*\),"address":[0-9]*/"thread":\1,"address":7/' race.html >away.html
expect 1 'is not on the page; the line is in view' python3 "$look" --wrong away.html 0
expect 1 'no wrong answer is marked' python3 "$look" --wrong 01-reduction.04-contiguous.html 1

# A kernel that does not end: opens at its loop, with a matching description.
made 01-reduction/05-sequential endless 300
expect 0 'all good' python3 "$look" --endless race.html "$(line '__syncthreads(); // outside')" "The condition of this loop \
never becomes false. Look at what should change it: a step of 0, a value that a division leaves at 0, a result that is not assigned."
expect 1 'no endless kernel is found' python3 "$look" --endless 01-reduction.04-contiguous.html 1 ''
made 02-scan/09-chained waits-for-its-own-flag 9000
expect 0 'all good' python3 "$look" --endless race.html "$(line 'flags\[tile\] != epoch')" \
    'No thread changes that word any more: the one that should is waiting, has ended, or has not started.'

# Asynchronous work: the copy of 10-hopper/02 and the products of 07, and a copy that no wait covers.
for step in 02-bulk-copy 07-wgmma; do
    expect 0 'n = ' "$workbook" xray "10-hopper/$step" --solution --no-open -o "10-hopper.$step.html"
done
expect 0 'all good' python3 "$look" 10-hopper.02-bulk-copy.html
wait=$(grep -n 'wait_for_phase(&full, 0)' "$SOURCE/solutions/10-hopper/02-bulk-copy.cu" | cut -d: -f1)
expect 0 'all good' python3 "$look" --flights 10-hopper.02-bulk-copy.html \
    "a bulk copy, 8192 bytes; in flight until the wait at .*02-bulk-copy.cu:$wait by warp 0"
expect 0 'all good' python3 "$look" --flights 10-hopper.07-wgmma.html 'Issues a product of matrices; in flight until the wait at'
expect 1 'of 1 bars: Issues a bulk copy' python3 "$look" --flights 10-hopper.02-bulk-copy.html 'no wait covers it'
made 10-hopper/02-bulk-copy no-wait 2048
expect 0 'all good' python3 "$look" --flights race.html 'no wait covers it'
expect 1 'of 0 bars' python3 "$look" --flights 01-reduction.04-contiguous.html 'bulk copy'

# Guilty: what the browser must find on the last page and on one whose numbers were changed.
race 06-iterative-solvers/01-simple-iteration in-place 40 '\[i\] = new_x\[i\]' 'sum += row\[j\]'
expect 1 'no arrow from line 1 to 2, but' python3 "$look" --race race.html 1 2
absent 'counted\|sideways'
first=$(ls 01-*.html)
guilty() { # guilty SED PATTERN: a page with an edit
    sed "$1" "$first" >guilty.html
    cmp -s "$first" guilty.html && bad "the edit '$1' changes nothing"
    expect 1 "$2" python3 "$look" guilty.html
}
guilty 's/"warp_instructions":[0-9]*/"warp_instructions":7/g' 'warp_instructions is [0-9]* on the page, 7 counted'
guilty 's/ArrowRight: () => view.along(1),//' 'the key right does not move the cursor'
guilty 's/^openPage();/nowhere();/; s/^    openPage();/    nowhere();/' 'nowhere is not defined'
guilty 's/--faint: #52606d;/--faint: #c2c6cd;/' 'hard to read'
guilty 's/max-width: 110rem;/min-width: 90rem;/' 'scrolls sideways'
guilty 's/at=\${view.cursor.id}/at=1/' 'does not name the cursor'

finish

#!/bin/sh
# workbook xray, except for what only a browser can check (tests/docs/xray.sh): the page is one self-contained file, whatever
# the source contains; wrong arguments are refused in one line; no solution is shown too early.
. "$SOURCE/tests/self/lib.sh"
workbook=$BUILD/workbook
scratch=$BUILD/self/xray
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1
unset DISPLAY WAYLAND_DISPLAY

# A trace whose source ends scripts and closes comments.
cat >trace.json <<'TRACE'
{"format": "simt-trace", "version": 1, "program": "hostile", "launches": [{"kernel": "k", "launch": 0, "number": 1,
 "grid": [1, 1, 1], "block": [33, 1, 1], "shared_bytes": 0, "shared": [], "parameters": [], "allocations": [],
 "blocks": [{"number": 0, "events": 2, "complete": true}],
 "events": [[0, 0, 0, 0, 4294967295, 4294967295], [0, 1, 0, 0, 1, 1]],
 "findings": [], "counters": {"warp_instructions": 2, "thread_instructions": 33},
 "traced": {"warp_instructions": 2, "thread_instructions": 33}, "left_out": ["the rest </script><b>"]}],
 "files": [{"path": "<i>.cu", "text": "// </script><script>document.title = 'taken'</script>\n/* <!-- <script> */ int \"x\\n\";\n"}],
 "instructions": [{"file": 0, "line": 2, "kernel": "k", "ptx": "mov.u32 %r1, 1;", "kind": "alu"}], "left_out": []}
TRACE
expect 0 'page.html (.* KiB) shows$' "$workbook" xray --trace trace.json -o page.html
expect 0 'There is no display here' "$workbook" xray --trace trace.json -o page.html
expect 0 '  trace.json$' "$workbook" xray --trace trace.json --trace trace.json -o two.html --no-open
absent 'display'
[ "$(grep -o '</script' page.html | wc -l)" = 3 ] || bad "the source ends a script of the page"
[ "$(grep -o '</script' two.html | wc -l)" = 4 ] || bad "a page of two programs does not hold both"
grep -o '\(src\|href\)="[^"]*"\|url([^)]*)\|@import' page.html | grep -v '^href="data:,"$' && bad "the page asks for another file"
grep -q '<!-- \(style\|script\|traces\) -->' page.html && bad "a mark of page.html was left"

# A display: the page goes to xdg-open.
mkdir bin && printf '#!/bin/sh\necho "$1" >%s/opened\n' "$scratch" >bin/xdg-open && chmod +x bin/xdg-open
expect 0 'page.html' env DISPLAY=:9 PATH="$scratch/bin:$PATH" "$workbook" xray --trace trace.json -o page.html
for _ in $(seq 50); do [ -s opened ] && break; sleep 0.1; done
grep -q 'page.html$' opened || bad "xdg-open did not get the page"

# Refusals, one line each.
refused() { # refused PATTERN WORDS...
    pattern=$1
    shift
    expect 1 "$pattern" "$workbook" xray "$@"
    [ "$(echo "$output" | grep -c workbook:)" = 1 ] || bad "not one line: $*"
}
refused 'which step?'
refused "unknown option '--fast'" 1/5 --fast
refused "a value is missing after '--n'" 1/5 --n
refused "not 'ten'" 1/5 --n ten
refused "not '0'" 1/5 --n 0
refused "not '1/6'" 1/5 1/6
refused 'a step or --trace, not both' 1/5 --trace trace.json
refused 'two traces at most' --trace a --trace b --trace c
refused 'is the first step of its chapter' 1/1 --compare before
refused "there is no step 'behind'" 1/5 --compare behind
refused 'nowhere.json is not a trace' --trace nowhere.json
refused 'page.html is not a trace' --trace page.html
refused 'cannot write /nowhere/page.html' --trace trace.json -o /nowhere/page.html

finish

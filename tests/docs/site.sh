#!/bin/sh
# The documentation site builds without a warning, and a page with a broken link does not. Ends with 77, skipped, where
# Sphinx (SPHINX is no program then) or what the site needs beside it is not installed; then the target `docs` must say what
# to install.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/site
rm -rf "$scratch" && mkdir -p "$scratch"
. "$SOURCE/tests/docs/needs.sh"

rm -rf "$BUILD/site" "$BUILD/site.cache" # all pages again: warnings come only once
expect 0 'The site: .*index.html' cmake --build "$BUILD" --target docs
for page in "$SOURCE"/docs/*.md; do
    html=$BUILD/site/$(basename "$page" .md).html
    [ -f "$html" ] || bad "$page is not in the site"
    grep -q 'toctree-l1' "$html" || bad "$html has no list of pages"
done
# The site has all it needs: nothing in it comes from elsewhere.
grep -rlE '(src|href)="https?://[^"]*\.(js|css|woff2?)' "$BUILD/site" --include=*.html && bad "a page needs the network"
[ -s "$BUILD/site/_static/katex/LICENSE.txt" ] || bad "KaTeX is in the site without its licence"
# What is missing is named, in one line.
mkdir -p "$scratch/without" && echo 'raise ImportError("No module named furo")' >"$scratch/without/furo.py"
expect 2 'No module named furo. The site needs: sudo apt-get install .* furo ' \
    env PYTHONPATH="$scratch/without" "$SPHINX" -q -c "$SOURCE/docs/site" "$SOURCE/docs" "$scratch/out"
expect 2 'KaTeX is missing. The site needs: sudo apt-get install libjs-katex' \
    env KATEX=/nowhere "$SPHINX" -q -c "$SOURCE/docs/site" "$SOURCE/docs" "$scratch/out"
# X-rays: one for each that a page asks for, none above 1.2 MB, and none that shows where the tree lies.
asked=$(cat "$SOURCE"/docs/*.md | grep -c '^<!-- xray ')
if [ -d "$SOURCE/solutions" ]; then
    [ "$(cat "$BUILD"/site/*.html | grep -c '<figure class="xray">')" = "$asked" ] || bad "not $asked x-rays are shown"
    find "$BUILD/site/xrays" -size +1200k | grep . && bad "an x-ray is too large"
    grep -lF "$SOURCE" "$BUILD"/site/xrays/*.html && bad "an x-ray names the tree's place"
else
    grep -l 'class="xray"' "$BUILD"/site/*.html && bad "a site without solutions has x-rays"
fi
# Guilty, and its innocent twin.
site() { # site STATUS PATTERN: the site of the page README.md in $scratch
    expect "$1" "$2" "$SPHINX" -q -W -E -c "$scratch/tree/docs/site" "$scratch/tree/docs" "$scratch/out"
}
mkdir -p "$scratch/tree/docs" && cp -r "$SOURCE/docs/site" "$scratch/tree/docs"
for name in "$SOURCE"/docs/[a-z]*.md 01-x.md; do # what conf.py's list of contents names
    echo '# Another' >"$scratch/tree/docs/${name##*/}"
done
page=$scratch/tree/docs/README.md
printf '# A page\n\n## Here\n\n[there](#here)\n' >"$page"
site 0 ''
printf '# A page\n\n## Here\n\n[there](#nowhere)\n' >"$page"
site 2 'nowhere'
printf '# A page\n\n![there](nowhere.svg)\n' >"$page"
site 2 'nowhere.svg'
# A comment that asks for an x-ray: dropped, or the frame, or refused where there is none.
printf '# A page\n\n<!-- xray 01-x/02-y n=64 heat=idle: Words. -->\n' >"$page"
site 0 ''
grep -q 'xray 01-x' "$scratch/out/README.html" && bad "a comment that asks for an x-ray is left"
shown() { # shown STATUS PATTERN: the site with the x-rays of a folder
    expect "$1" "$2" "$SPHINX" -q -W -E -D xrays="$scratch/xrays" -c "$scratch/tree/docs/site" "$scratch/tree/docs" "$scratch/out"
}
mkdir -p "$scratch/xrays"
shown 2 'there is no x-ray 01-x.02-y.64..0.0.html'
echo x >"$scratch/xrays/01-x.02-y.64..0.0.html"
shown 0 ''
grep -q 'src="xrays/01-x.02-y.64..0.0.html#heat=idle"' "$scratch/out/README.html" || bad "an x-ray is not shown"
[ -f "$scratch/out/xrays/01-x.02-y.64..0.0.html" ] || bad "an x-ray is not in the site"
# A source that a page links to is shown, with its lines from TODO to END TODO marked; one without a TODO has no mark.
printf 'int a;\n    // TODO: b\n    // END TODO\nint c;\n' >"$scratch/tree/a.cu"
printf '// TODO: b\n// END TODO\nint a;\n// TODO: c\n// d\n// END TODO\n// TODO: e\nint f;\n// END TODO\n' >"$scratch/tree/c.cu"
printf 'int a;\n' >"$scratch/tree/b.h"
printf '# A page\n\n[`a.cu`](../a.cu) [`b.h`](../b.h) [`c.cu`](../c.cu)\n' >"$page"
site 0 ''
grep -q 'href="sources/a.cu.html"' "$scratch/out/README.html" || bad "a link to a source does not lead to its page"
grep -q 'lines 2 to 3' "$scratch/out/sources/a.cu.html" || bad "the TODO is not at lines 2 to 3"
grep -q 'lines 1 to 2 and 4 to 9' "$scratch/out/sources/c.cu.html" || bad "two TODOs are not at lines 1 to 2 and 4 to 9"
[ "$(grep -o 'class="hll"' "$scratch/out/sources/a.cu.html" | wc -l)" = 2 ] || bad "not 2 lines are marked"
grep -q 'hll\|Your part' "$scratch/out/sources/b.h.html" && bad "a source without a TODO has a mark"
finish

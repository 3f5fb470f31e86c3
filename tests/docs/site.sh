#!/bin/sh
# site.sh: the site builds without a warning, and a page with a broken link does not. The site has all contents of its pages,
# except x-rays. site.sh xrays: built by the target `docs`, with its x-rays, as a reader gets it.
#
# Ends with 77, skipped, if Sphinx (SPHINX is then no program) or another package for the site is not installed; then the target
# `docs` must say what to install.
. "$SOURCE/tests/self/lib.sh"
. "$SOURCE/tests/docs/make_site.sh"
scratch=$BUILD/self/site
tree=$scratch/tree # a small one, with a page for each mistake

# whole SITE: it contains every page, with the list of pages, and nothing is loaded from elsewhere.
whole() {
    for page in "$SOURCE"/docs/*.md; do
        html=$1/$(basename "$page" .md).html
        [ -f "$html" ] || bad "$page is not in the site"
        grep -q 'toctree-l1' "$html" || bad "$html has no list of pages"
    done
    grep -rlE '(src|href)="https?://[^"]*\.(js|css|woff2?)' "$1" --include=*.html && bad "a page needs the network"
    [ -s "$1/_static/katex/LICENSE.txt" ] || bad "KaTeX is in the site without its licence"
}

case_bare() {
    rm -f "$bare.made"
    make_bare
    whole "$bare"
    grep -l 'class="xray"\|<!-- xray' "$bare"/*.html && bad "a site without x-rays has a frame for one, or its comment"
}
# The target `docs` calls Sphinx as make_bare does; this checks what it prints, since other tests build in
# this directory.
case_target() {
    expect 0 " -q -W --keep-going .* -c $SOURCE/docs/site .* $BUILD/site" cmake --build "$BUILD" --target docs -- -n
}
# The missing package is named, in one line.
case_missing() {
    mkdir -p "$scratch/without" && echo 'raise ImportError("No module named furo")' >"$scratch/without/furo.py"
    python=$(sed -n '1s/^#!//p' "$SPHINX") # the one that has Sphinx
    export PYTHONDONTWRITEBYTECODE=1
    # shellcheck disable=SC2086 # a program and its options
    expect 1 '^sphinx.errors.ConfigError: No module named furo. The site needs: sudo apt-get install .* furo ' \
        env PYTHONPATH="$scratch/without" $python "$SOURCE/docs/site/conf.py"
    # shellcheck disable=SC2086
    expect 1 '^sphinx.errors.ExtensionError: KaTeX is missing. The site needs: sudo apt-get install libjs-katex' \
        env KATEX=/nowhere PYTHONPATH="$SOURCE/docs/site" $python -c 'import formulas; formulas.setup(None)'
}

# page NAME TEXT: a page of the small tree.
page() {
    # shellcheck disable=SC2059 # the text has escapes
    printf "$2" >"$tree/docs/$1.md"
}
small_tree() {
    rm -rf "$tree" "$scratch/out" "$scratch/xrays" && mkdir -p "$tree/docs" "$scratch/xrays" && cp -r "$SOURCE/docs/site" "$tree/docs"
    for name in "$SOURCE"/docs/[a-z]*.md 01-x.md; do # conf.py's list of contents
        echo '# Another' >"$tree/docs/${name##*/}"
    done
    echo '# A page' >"$tree/docs/README.md"
}
case_mistakes() {
    small_tree
    page anchor '# A page\n\n## Here\n\n[there](#here)\n'
    page anchor.guilty '# A page\n\n## Here\n\n[there](#nowhere)\n'
    page image.guilty '# A page\n\n![there](nowhere.svg)\n'
    # A comment that requests an x-ray: the frame, or refused if there is none.
    page xray '# A page\n\n<!-- xray 01-x/02-y n=64 heat=idle: Words. -->\n'
    page xray.guilty '# A page\n\n<!-- xray 01-x/03-z n=64 heat=idle: Words. -->\n'
    echo x >"$scratch/xrays/01-x.02-y.64..0.0.html"
    # A source that a page links to is shown, with its lines from TODO to END TODO marked; a source without a
    # TODO has no mark.
    printf 'int a;\n    // TODO: b\n    // END TODO\nint c;\n' >"$tree/a.cu"
    printf '// TODO: b\n// END TODO\nint a;\n// TODO: c\n// d\n// END TODO\n// TODO: e\nint f;\n// END TODO\n' >"$tree/c.cu"
    printf 'int a;\n' >"$tree/b.h"
    # The page of a solved step shows the starter.
    mkdir -p "$scratch/starters" "$tree/solutions"
    printf '#define TODO_OPEN\n// TODO: d\n// END TODO\n' >"$scratch/starters/d.cu"
    printf '// TODO: d\nint answer;\n// END TODO\n' >"$tree/d.cu"
    printf '#define TODO_OPEN\nint theirs;\n' >"$scratch/starters/e.cu"
    printf '#define TODO_OPEN\nint ours;\n' >"$tree/e.cu"
    page sources '# A page\n\n[`a.cu`](../a.cu) [`b.h`](../b.h) [`c.cu`](../c.cu) [`d.cu`](../d.cu) [`e.cu`](../e.cu)\n'
    expect 1 'docs/anchor.guilty.md:[0-9]*: WARNING: .*nowhere' \
        "$SPHINX" -q -W --keep-going -D xrays="$scratch/xrays" -D starters="$scratch/starters" -c "$tree/docs/site" "$tree/docs" "$scratch/out"
    line 'docs/image.guilty.md:[0-9]*: WARNING: .*nowhere.svg'
    line 'docs/xray.guilty.md:[0-9]*: WARNING: there is no x-ray 01-x.03-z.64..0.0.html'
    [ "$(echo "$output" | grep -c WARNING)" = 3 ] || { bad "a warning that no page is guilty of"; said; }
    cd "$scratch/out" || exit 1
    grep -q 'src="xrays/01-x.02-y.64..0.0.html#heat=idle"' xray.html || bad "an x-ray is not shown"
    [ -f xrays/01-x.02-y.64..0.0.html ] || bad "an x-ray is not in the site"
    grep -q 'href="sources/a.cu.html"' sources.html || bad "a link to a source does not lead to its page"
    grep -q 'lines 2 to 3' sources/a.cu.html || bad "the TODO is not at lines 2 to 3"
    grep -q 'lines 1 to 2 and 4 to 9' sources/c.cu.html || bad "two TODOs are not at lines 1 to 2 and 4 to 9"
    [ "$(grep -o 'class="hll"' sources/a.cu.html | wc -l)" = 2 ] || bad "not 2 lines are marked"
    grep -q answer sources/d.cu.html && bad "the site shows a student's answer"
    grep -q TODO_OPEN sources/d.cu.html || bad "a solved step is not shown as it was handed out"
    grep -q ours sources/e.cu.html || bad "an author's starter is not shown as it stands"
    rm -r "$tree/solutions"
    "$SPHINX" -q -D xrays="$scratch/xrays" -D starters="$scratch/starters" -c "$tree/docs/site" "$tree/docs" "$scratch/out" 2>"$scratch/warnings"
    grep -q theirs sources/e.cu.html || bad "a hand-out's site shows a file that may be the student's"
    grep -q 'hll\|Your part' sources/b.h.html && bad "a source without a TODO has a mark"
}

# X-rays: one for each that a page requests, none above 1.6 MB, and none that reveals the tree's path.
case_xrays() {
    rm -rf "$BUILD/site" "$BUILD/site.cache" # all pages again: a warning is printed only once
    make_whole
    whole "$BUILD/site"
    asked=$(cat "$SOURCE"/docs/*.md | grep -c '^<!-- xray ')
    if [ -d "$SOURCE/solutions" ]; then
        [ "$(cat "$BUILD"/site/*.html | grep -o '<figure class="xray">' | wc -l)" = "$asked" ] || bad "not $asked x-rays are shown"
        find "$BUILD/site/xrays" -size +1600k | grep . && bad "an x-ray is too large"
        grep -lF "$SOURCE" "$BUILD"/site/xrays/*.html && bad "an x-ray names the tree's place"
    else
        grep -l 'class="xray"' "$BUILD"/site/*.html && bad "a site without solutions has x-rays"
    fi
}
# By Sphinx itself, as a reader sees it.
case_missing_by_sphinx() {
    mkdir -p "$scratch/without" && echo 'raise ImportError("No module named furo")' >"$scratch/without/furo.py"
    expect 2 'No module named furo. The site needs: sudo apt-get install .* furo ' \
        env PYTHONPATH="$scratch/without" "$SPHINX" -q -c "$SOURCE/docs/site" "$SOURCE/docs" "$scratch/out"
    expect 2 'KaTeX is missing. The site needs: sudo apt-get install libjs-katex' \
        env KATEX=/nowhere "$SPHINX" -q -c "$SOURCE/docs/site" "$SOURCE/docs" "$scratch/out"
}

if [ "${1:-}" = xrays ]; then
    cases xrays missing_by_sphinx
else
    cases bare target missing mistakes
fi
finish

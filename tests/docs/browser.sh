#!/bin/sh
# browser.sh: the site in a browser: browser.py finds nothing in a sample of its pages, and finds deliberate defects.
# browser.sh all: in all pages, with their x-rays.
#
# 77, skipped, if chromedriver or a package for the site is not installed.
. "$SOURCE/tests/self/lib.sh"
. "$SOURCE/tests/docs/make_site.sh"
command -v chromedriver >/dev/null || no_site "sudo apt-get install chromium-driver"
scratch=$BUILD/self/browser${1:+.$1}
if [ "${1:-}" = all ]; then
    make_whole
    site=$BUILD/site few=
else
    make_bare
    site=$bare few=--sample
fi
rm -rf "$scratch" && mkdir -p "$scratch/innocent" "$scratch/guilty"
for folder in innocent guilty; do
    cp "$SOURCE/docs/site/icon.svg" "$scratch/$folder"
done

# page NAME TEXT: a page in $folder.
page() {
    echo "<!DOCTYPE html><meta name=viewport content=width=device-width><link rel=icon href=icon.svg><title>x</title>" \
        "<style>@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } a { color: #9cf } }</style>" \
        "<h1 id=here>x</h1>$2" >"$scratch/$folder/$1.html"
}
folder=innocent
page index '<a href="#here">x</a> <a href="index.html">x</a> <img src=icon.svg>'

# Guilty: a page for each.
folder=guilty
cp "$scratch/innocent/index.html" "$scratch/guilty"
page bare '<article><pre>code</pre></article>'
page copies '<article class=source><div class=highlight><pre><i class=linenos></i>code</pre><button class=copybtn>c</button></div></article>'
page covered '<article><div style="position: relative; width: 9em"><pre>a long line of code</pre><button class=copybtn
    style="position: absolute; top: 0; right: 0">c</button></div></article>'
page dark '<p style="color: #222">words</p>'
page dollar '<article><p>The sum: $$ x + y $$</p></article>'
page formula '<article><span class=math>x^2</span></article>'
page heading '<a href="index.html#nowhere">x</a>'
page image '<img src=nowhere.svg>'
page itself '<article><a href="#here">x</a> <a href="itself.html">home</a></article>'
page link '<a href="nowhere.html">x</a>'
page mark '<div class=source><div class=highlight><i class=hll>code</i></div></div>'
page session '<article><div class=highlight><pre>$ run
out</pre><button class=copybtn>c</button></div></article>'
page printed '<article><div class=highlight><pre style="width: 9em; overflow: auto">a long line of code</pre></div></article>'
page script '<script>nowhere()</script>'
page small '<article><img src=icon.svg class=enlarges tabindex=0></article>'
page still '<article><img src=icon.svg></article>'
page wide '<p style="width: 800px">x</p>'
if [ "${1:-}" = all ] && [ -d "$SOURCE/solutions" ]; then
    cp "$BUILD"/site/xrays/01-reduction.05-*.html "$scratch/guilty/whole.html" || bad "there is no x-ray in the site"
    page cut '<figure class=xray><iframe src=whole.html></iframe></figure>'
    page lossless '<figure class=xray><iframe src="whole.html#heat=passes&most"></iframe></figure>'
    page tall '<figure class=xray><iframe src=whole.html style="height: 85em"></iframe></figure>'
    page shrinks '<figure class=xray><iframe src=whole.html></iframe></figure><script>onload = () => {
        const frame = document.querySelector("iframe"), inner = frame.contentWindow;
        frame.style.height = inner.document.body.offsetHeight + "px";
        inner.addEventListener("pointerdown", () => { frame.style.height = "20em"; });
    }</script>'
    page astray '<figure class=xray><iframe src="whole.html#line=nowhere"></iframe></figure>'
    page closed '<figure class=xray><iframe src=icon.svg></iframe></figure>'
fi

# shellcheck disable=SC2086 # an option, or none
expect 1 "^dark: wide.html: scrolls sideways by 4[0-9]* pixels at 390" python3 "$SOURCE/tests/docs/browser.py" \
    "$site" --find=barrier $few "$scratch/innocent" "$scratch/guilty" --find=xyzzyplugh
for good in "$site" "$scratch/innocent"; do
    echo "$output" | awk -v site="== $good" '/^== / { here = $0 == site } here && !/^== |^[0-9]+ of / { print }' | grep -vx 'all good' &&
        bad "something is wrong with $good"
done
[ "$(echo "$output" | grep -cx 'all good')" = 2 ] || { bad "not two sites are good"; said; }
absent '^light: wide.html\|^light: dark.html\|: index.html'
for line in "light: bare.html: no button copies 'code'" \
    "copies.html: the button copies 'None', not 'code'" \
    "dark: covered.html: the button that copies covers 'a long line of code' at 390" \
    "dark: dark.html: hard to read at 390: 'words'" \
    'light: dollar.html: a formula is not set: The sum: ' \
    'light: formula.html: a formula is not set: x^2' \
    'heading.html: no #nowhere in index.html' \
    'light: image.html: image nowhere.svg is missing' \
    "light: itself.html: the link 'home' leads to the page itself" \
    'link.html: .*nowhere.html is not there' \
    'light: mark.html: 1 lines of the TODO are not marked' \
    "printed.html: printed, PRE 'a long line of code' is cut off" \
    'light: script.html: console: .*nowhere is not defined' \
    "session.html: the button copies 'None' of a session, not 'run'" \
    'small.html: a click does not enlarge a figure' \
    'small.html: Enter does not enlarge a figure' \
    'light: still.html: figure icon.svg is not enlarged' \
    "the search does not find 'xyzzyplugh'"; do
    echo "$output" | grep -q "^$line" || bad "not found: $line"
done
[ "${1:-}" != all ] || [ ! -d "$SOURCE/solutions" ] || for line in 'light: cut.html: the x-ray whole.html is cut off by [0-9]* pixels' \
    'light: closed.html: the x-ray icon.svg has not opened' \
    'light: lossless.html: the x-ray whole.html#heat=passes&most opens where nothing is lost' \
    'light: tall.html: the x-ray whole.html is too tall by [0-9]* pixels' \
    'light: shrinks.html: the x-ray whole.html shrinks by [0-9]* pixels in 10 steps' \
    "light: astray.html: the x-ray whole.html#line=nowhere opens at '.*', not at 'nowhere'"; do
    echo "$output" | grep -q "^$line" || bad "not found: $line"
done
finish

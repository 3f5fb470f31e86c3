#!/bin/sh
# The site in a browser: browser.py finds nothing in it, and finds what is broken on purpose. 77, skipped, where Sphinx
# or chromedriver is not installed.
. "$SOURCE/tests/self/lib.sh"
here=$SOURCE/tests/docs
if [ ! -x "$SPHINX" ] || ! command -v chromedriver >/dev/null; then
    echo "skipped: sudo apt-get install python3-sphinx python3-myst-parser python3-sphinx-rtd-theme chromium-driver"
    exit 77
fi
expect 0 'The site: ' cmake --build "$BUILD" --target docs
expect 0 'all good' python3 "$here/browser.py" "$BUILD/site" barrier
expect 1 "does not find 'xyzzyplugh'" python3 "$here/browser.py" "$BUILD/site" xyzzyplugh

scratch=$BUILD/self/browser
page() { # page TEXT: a site of one page
    rm -rf "$scratch" && mkdir -p "$scratch" && cp "$SOURCE/docs/site/icon.svg" "$scratch"
    echo "<!DOCTYPE html><link rel=icon href=icon.svg><title>x</title><h1 id=here>x</h1>$1" >"$scratch/index.html"
}
page '<a href="#here">x</a> <a href="index.html">x</a> <img src=icon.svg>'
expect 0 'all good' python3 "$here/browser.py" "$scratch"
page '<img src=nowhere.svg>'
expect 1 'image nowhere.svg is missing' python3 "$here/browser.py" "$scratch"
page '<a href="nowhere.html">x</a>'
expect 1 'nowhere.html is not there' python3 "$here/browser.py" "$scratch"
page '<a href="index.html#nowhere">x</a>'
expect 1 'no #nowhere in index.html' python3 "$here/browser.py" "$scratch"
page '<script>nowhere()</script>'
expect 1 'console: .*nowhere is not defined' python3 "$here/browser.py" "$scratch"
finish

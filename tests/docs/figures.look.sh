#!/bin/sh
# The figures in a browser: figures.py finds nothing in them, and finds what is wrong on purpose. 77, skipped, without chromedriver.
. "$SOURCE/tests/self/lib.sh"
here=$SOURCE/tests/docs
command -v chromedriver >/dev/null || { echo "skipped: sudo apt-get install chromium-driver"; exit 77; }
expect 0 'all good' python3 "$here/figures.py" "$SOURCE/docs/figures"

scratch=$BUILD/self/look
rm -rf "$scratch" && mkdir -p "$scratch"
drawn() { # drawn SVG: a folder with this figure alone
    echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50" width="200" height="50" font-size="13">' \
        "<style>.dark{fill:#eee}@media (prefers-color-scheme:dark){.dark{fill:#111}}</style>$1</svg>" >"$scratch/a.svg"
}
drawn '<rect width="200" height="50" fill="#fff"/><text x="10" y="20">words</text><text x="10" y="40">more</text>'
expect 0 'all good' python3 "$here/figures.py" "$scratch"
drawn '<text x="170" y="20">words</text>'
expect 1 "'words' leaves the picture: 170 to 2[0-9]* of 200" python3 "$here/figures.py" "$scratch"
drawn '<text x="10" y="20">words</text><text x="30" y="22">more</text>'
expect 1 "'words' lies on 'more'" python3 "$here/figures.py" "$scratch"
drawn '<rect x="50" y="5" width="20" height="20" fill="#fff"/><text x="60" y="20" text-anchor="middle">words</text>'
expect 1 "'words' is wider than its box" python3 "$here/figures.py" "$scratch"
drawn '<rect width="200" height="50" class="dark"/><text x="10" y="20">words</text>'
expect 1 "^dark: a.svg: 'words' has a contrast of 1[.]" python3 "$here/figures.py" "$scratch"
absent '^light'
finish

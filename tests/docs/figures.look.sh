#!/bin/sh
# The figures in a browser: figures.py finds nothing in them, and finds deliberate defects. 77, skipped, without chromedriver.
. "$SOURCE/tests/self/lib.sh"
command -v chromedriver >/dev/null || { echo "skipped: sudo apt-get install chromium-driver"; exit 77; }
scratch=$BUILD/self/look
rm -rf "$scratch"

drawn() { # drawn NAME SVG: a folder with this figure alone
    mkdir -p "$scratch/$1"
    echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50" width="200" height="50" font-size="13">' \
        "<style>.dark{fill:#eee}@media (prefers-color-scheme:dark){.dark{fill:#111}}</style>$2</svg>" >"$scratch/$1/a.svg"
}
# seen FOLDER: the report on its figures, except for their number.
seen() {
    echo "$output" | awk -v folder="== $1" '/^== / { here = $0 == folder } here && !/^== |^[0-9]+ figures$/ { print }'
}
# has NAME PATTERN: every line about this figure matches.
has() {
    seen "$scratch/$1" >"$scratch/seen"
    [ -s "$scratch/seen" ] && ! grep -qv -e "$2" "$scratch/seen" || { bad "$1: not '$2'"; cat "$scratch/seen"; }
}
drawn innocent '<rect width="200" height="50" fill="#fff"/><text x="10" y="20">words</text><text x="10" y="40">more</text>'
# Guilty.
drawn leaves '<text x="170" y="20">words</text>'
drawn lies '<text x="10" y="20">words</text><text x="30" y="22">more</text>'
drawn wide '<rect x="50" y="5" width="20" height="20" fill="#fff"/><text x="60" y="20" text-anchor="middle">words</text>'
drawn dark '<rect width="200" height="50" class="dark"/><text x="10" y="20">words</text>'
expect 1 '^[1-9][0-9]* figures$' python3 "$SOURCE/tests/docs/figures.py" "$SOURCE/docs/figures" \
    "$scratch/innocent" "$scratch/leaves" "$scratch/lies" "$scratch/wide" "$scratch/dark"
[ "$(seen "$SOURCE/docs/figures")" = 'all good' ] || { bad "something is wrong with docs/figures"; seen "$SOURCE/docs/figures"; }
has innocent '^all good$'
has leaves ": a.svg: 'words' leaves the picture: 170 to 2[0-9]* of 200"
has lies ": a.svg: 'words' lies on 'more'\$"
has wide ": a.svg: 'words' is wider than its box\$"
has dark "^dark: a.svg: 'words' has a contrast of 1[.]"
finish

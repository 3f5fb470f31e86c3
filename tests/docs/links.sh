#!/bin/sh
# Every file and heading that a page of docs/ links to or shows exists. Also refused: a link to the page itself, and one from
# docs/ to a page outside, which the site would turn into a link to the page itself or to nothing:
#
#     sh links.sh PAGE...
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every link once: PAGE<tab>TARGET<tab>FILE<tab>ANCHOR.
awk -v OFS='\t' '{
    text = $0
    while (match(text, /\]\([^)]+\)/)) {
        target = substr(text, RSTART + 2, RLENGTH - 3)
        text = substr(text, RSTART + RLENGTH)
        if (target ~ /^https*:/ || (FILENAME, target) in seen) continue
        seen[FILENAME, target] = 1
        file = target
        sub(/#.*/, "", file)
        folder = FILENAME ~ /\// ? FILENAME : "./"
        sub(/[^\/]*$/, "", folder)
        print FILENAME, target, file == "" ? FILENAME : folder file, substr(target, index(target "#", "#"))
    }
}' "$@" | sort >"$work/links"

tab=$(printf '\t')
while IFS=$tab read -r page target file anchor; do
    if [ ! -e "$file" ]; then
        echo "$page: $target leads nowhere"
    elif [ -z "$anchor" ] && [ "$file" -ef "$page" ]; then
        echo "$page: $target leads to the page itself"
    elif case $page:$target in docs/*:../*.md | docs/*:../*.md#*) : ;; *) false ;; esac; then
        echo "$page: $target leads out of docs/: the site has no such page"
    elif [ -n "$anchor" ]; then
        printf '%s\t%s\t%s\n' "$page" "$file" "$anchor" >>"$work/anchors"
    fi
done <"$work/links" >"$work/bad"

[ ! -e "$work/anchors" ] || awk -F '\t' '
    !($2 in read) {
        read[$2] = 1
        while ((getline line <$2) > 0) {
            if (line !~ /^#+ /) continue
            sub(/^#* /, "", line)
            gsub(/ /, "-", line)
            line = tolower(line)
            gsub(/[^a-z0-9_-]/, "", line)
            there[$2, "#" line] = 1
        }
        close($2)
    }
    !(($2, $3) in there) { print $1 ": no heading " $3 " in " $2 }' "$work/anchors" >>"$work/bad"
LC_ALL=C sort "$work/bad"
[ ! -s "$work/bad" ]

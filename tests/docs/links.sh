#!/bin/sh
# Every file that a page of docs/ links to or shows is there, and every heading it points at. A link to the page itself, or from
# docs/ to a page outside, of which the site makes a link to the page itself or to nothing, leads nowhere, either:
#
#     sh links.sh PAGE...
set -eu
bad=0
for page in "$@"; do
    folder=$(dirname "$page")
    for target in $(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//' | grep -v '^https*:' | sort -u); do
        file=${target%%#*}
        anchor=${target#"$file"}
        [ -n "$file" ] && file=$folder/$file || file=$page
        if [ ! -e "$file" ]; then
            echo "$page: $target leads nowhere" && bad=1
        elif [ -z "$anchor" ] && [ "$file" -ef "$page" ]; then
            echo "$page: $target leads to the page itself" && bad=1
        elif case $page:$target in docs/*:../*.md | docs/*:../*.md#*) : ;; *) false ;; esac; then
            echo "$page: $target leads out of docs/: the site has no such page" && bad=1
        elif [ -n "$anchor" ] && ! grep -E '^#+ ' "$file" | sed 's/^#* //' | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' |
            grep -qx -- "${anchor#\#}"; then
            echo "$page: no heading $anchor in $file" && bad=1
        fi
    done
done
exit $bad

#!/bin/sh
# print.sh SITE FOLDER [--answers] [PAGE...]: pages of the site as PDF, to hand out; without PAGE the chapters and the projects.
# Folded answers are left out, except with --answers. CHROMIUM is a program, by default chromium.
set -eu
site=$(cd "$1" && pwd) folder=$2
shift 2
answers=
[ "${1:-}" != --answers ] || { answers=--answers && shift; }
[ $# -gt 0 ] || set -- $(cd "$site" && ls | sed -n 's/^\([0-9][0-9]-.*\|projects\)[.]html$/\1/p')
mkdir -p "$folder"
for page; do
    [ -f "$site/$page.html" ] || { echo "print.sh: there is no page $page in $site" >&2; exit 1; }
    shown=$site/_print.html # beside the page, relative to which its pictures are found
    if [ "$answers" ]; then
        sed 's/<details>/<details open>/g' "$site/$page.html" >"$shown"
    else
        cp "$site/$page.html" "$shown"
    fi
    "${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf="$folder/$page.pdf" \
        "file://$shown" >/dev/null 2>&1 || { echo "print.sh: ${CHROMIUM:-chromium} does not print $page" >&2; exit 1; }
    rm "$shown"
done

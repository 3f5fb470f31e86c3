#!/bin/sh
# Every block of code in a page names its language, for highlighting; a program's output is `text`. No line of text begins
# with %: the site takes it for a comment and leaves it out.
#
#     sh languages.sh PAGE...
awk '
    FNR == 1 { inside = item = blank = 0 }
    /^ *```/ {
        inside = !inside
        if (inside && $0 ~ /^ *```$/) { print FILENAME ":" FNR ": names no language: ```c, ```cuda, ```sh, ```text, ..."; bad = 1 }
        next
    }
    inside { next }
    /^ *%/ { print FILENAME ":" FNR ": begins with %, so the site leaves the line out: break it elsewhere"; bad = 1 }
    /^    / && blank && !item { print FILENAME ":" FNR ": an indented block names no language: use ``` instead"; bad = 1 }
    /^ *([-*]|[0-9]+[.]) / { item = 1 } # what follows may be indented, as a part of the item
    /^[^ ]/ && !/^([-*]|[0-9]+[.]) / { item = 0 }
    { blank = $0 == "" }
    END { exit bad }' "$@"

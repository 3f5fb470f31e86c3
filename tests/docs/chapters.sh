#!/bin/sh
# Every chapter and step of the course is listed where readers look for it:
#
#     sh chapters.sh COURSE TREE
#
# COURSE is course.tsv, which the configuration writes. For each chapter: its page, and its rows in the lists of README.md (with
# the number of its steps) and docs/README.md. For each step: a section in its chapter's hints, which names only earlier steps,
# and in its header comment each bound of its lesson. The opening comment of the course table explains every counter that has a
# bound. Each line of output names the file, the missing item and what to write there.
set -eu
exec awk -F '\t' -v tree="$2" '
function lacks(file, what) {
    print file ": " what
    bad = 1
}

# text(FILE): all of it, after a line break; "" if it does not exist.
function text(file,  line, all) {
    if (file in texts) return texts[file]
    while ((getline line <(tree "/" file)) > 0) all = all "\n" line
    close(tree "/" file)
    return texts[file] = all
}

# opening(FILE, START): the text of its first lines that begin with START, without it.
function opening(file, start,  line, all) {
    while ((getline line <(tree "/" file)) > 0 && index(line, start) == 1) all = all substr(line, length(start) + 1) "\n"
    close(tree "/" file)
    return all
}

function step(chapter, name,  comment, bound, i) {
    comment = opening(chapter "/" name ".cu", "//")
    gsub(/[ \n]/, "", comment)
    for (i = 7; i < 7 + $5 && i <= NF; i++) {
        bound = $i
        gsub(/ /, "", bound)
        if (!index(comment, bound))
            lacks(chapter "/" name ".cu", "its header comment does not name this bound of its lesson: " $i)
    }
    if (!index(text(chapter "/hints.txt") "\n", "\n## " name "\n"))
        lacks(chapter "/hints.txt", "no hints for " name ": a line \047## " name "\047, and below it one paragraph for each hint")
    for (i = 7; i <= NF; i++) { # the counters of its bounds, those left of the sign
        bound = $i
        sub(/[<>=].*/, "", bound)
        while (match(bound, /[a-z][a-z_]*/)) {
            counters[chapter] = counters[chapter] " " substr(bound, RSTART, RLENGTH)
            bound = substr(bound, RSTART + RLENGTH)
        }
    }
}

# ahead(CHAPTER): whether its hints refer to a later step, or to the one they are for.
function ahead(chapter,  sections, n, i, own, named, rest) {
    n = split(text(chapter "/hints.txt"), sections, "\n## ")
    for (i = 2; i <= n; i++) {
        own = substr(sections[i], 1, 2) + 0
        rest = sections[i]
        gsub(/[ \n]+/, " ", rest)
        while (match(rest, /[Ss]teps? [0-9]+/)) {
            named = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            sub(/.* /, "", named)
            if (rest ~ /^ of chapter/) continue
            if (named + 0 >= own)
                lacks(chapter "/hints.txt", "a hint for step " own " names step " named ", which its reader has not done")
        }
    }
}

function chapter(name, count,  table, counter, n, i, told) {
    if ((getline table <(tree "/docs/" name ".md")) < 0)
        lacks("docs/" name ".md", "is missing: the chapter\047s page, with <!-- begin counters " name " --> for its table")
    if (text("README.md") !~ ("\n[|] `" name "` [|] " count " [|] \\[[^\n]*\\]\\(docs/" name "[.]md\\) [|]"))
        lacks("README.md", "the list of chapters lacks this row: | `" name "` | " count " | [...](docs/" name ".md) |")
    if (text("docs/README.md") !~ ("\n[|] \\[[^\n]*\\]\\(" name "[.]md\\) [|]"))
        lacks("docs/README.md", "the list of chapters lacks this row: | [...](" name ".md) | ... |")
    ahead(name)
    table = " " opening(name "/CMakeLists.txt", "#") " "
    n = split(counters[name], counter, " ")
    for (i = 1; i <= n; i++) {
        if (!(counter[i] in told) && table !~ ("[^A-Za-z0-9_]" counter[i] "[^A-Za-z0-9_]"))
            lacks(name "/CMakeLists.txt", "its opening comment does not explain the bounds on " counter[i])
        told[counter[i]] = 1
    }
}

/^[0-9][0-9]-/ {
    if (!($1 in steps)) order[++chapters] = $1
    steps[$1]++
    step($1, $2)
}
END {
    for (c = 1; c <= chapters; c++) chapter(order[c], steps[order[c]])
    exit bad
}' "$1"

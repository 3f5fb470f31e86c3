#!/bin/sh
# Adds a chapter with one step that works: every value doubled.
#
#     sh tests/new/chapter.sh [NN-]TOPIC 'what it is about'
#
# NN is the next number if you leave it out. The script writes the face common/TOPIC.h, the driver and its calls in
# common/TOPIC/, the course table, the hints, the page, the first step, and the chapter's lines in CMakeLists.txt,
# common/rooms.list, README.md and docs/README.md. Then change the problem, one file after another: each compiles as it
# is. The step has no submissions yet: step.sh drafts them. The script ends with a list of your remaining work.
#
# Environment: BUILD, as for step.sh.
set -eu
cd "$(dirname "$0")/../.."
. tests/new/lib.sh
folder=${1:-} about=${2:-}
last=$(ls -d [0-9][0-9]-*/ | tail -1)
next=$(printf '%02d' $(($(expr "$last" : '0*\([0-9]*\)') + 1)))
case $folder in [a-z]*) folder=$next-$folder ;; esac
expr "$folder" : '[0-9][0-9]-[a-z][a-z0-9]*$' >/dev/null && [ -n "$about" ] ||
    refuse "usage: sh tests/new/chapter.sh [NN-]TOPIC 'what it is about', for example $next-doubling 'twice as much'"
topic=${folder#*-} number=$(expr "$folder" : '0*\([0-9]*\)')
for other in [0-9][0-9]-*/; do
    [ "${other%%-*}" != "${folder%%-*}" ] || refuse "$other has this number already"
done
[ ! -e "common/$topic.h" ] && [ ! -e "common/$topic" ] || refuse "common/$topic already exists: choose another topic"

fill() {
    sed -e "s/@folder@/$folder/g; s/@number@/$number/g; s/@topic@/$topic/g" \
        -e "s/@Topic@/$(echo "$topic" | cut -c1 | tr a-z A-Z)$(echo "$topic" | cut -c2-)/g; s|@about@|$about|g" "tests/new/chapter/$1"
}
# behind FILE LINE PREFIX SUFFIX: inserts LINE after that of the last chapter before this one; a chapter's line is PREFIX
# NN-topic SUFFIX.
behind() {
    last=$(sed -nE "s/^$3([0-9][0-9]-[a-z-]+)$4.*/\1/p" "$1" | awk -v folder="$folder" '$0 < folder' | tail -1)
    insert "$1" "$2" "^$3$last$4"
}

needs_workbook "${BUILD:-build-test}" # before there is a chapter without a starter
echo "written:"
fill face.h | write "common/$topic.h"
fill driver.h | write "common/$topic/driver.h"
fill calls.h | write "common/$topic/calls.h"
fill CMakeLists.txt | write "$folder/CMakeLists.txt"
fill hints.txt | write "$folder/hints.txt"
fill page.md | write "docs/$folder.md"
fill step.cu | write "solutions/$folder/01-first.cu"
change common/rooms.list "s|^(faces +.*)|\1 common/$topic.h|; s|^(problems +[^>]*[^> ])|\1 common/$topic/*.h|"
behind CMakeLists.txt "chapter($folder)" 'chapter[(]' '[ )]'
behind README.md "| \`$folder\` | 1 | [$about](docs/$folder.md) |" '[|] `' '` [|]'
insert docs/README.md "| [$number $topic]($folder.md) | $about |" \
    "^[|] \[[0-9]+ [a-z ]+\]\($(ls -d docs/[0-9][0-9]-*.md | sed 's|.*/||' | awk -v page="$folder.md" '$0 < page' | tail -1)"
last=$(ls -d [0-9][0-9]-*/ | tail -1)
change README.md "s|(to \`)[0-9][0-9]-[a-z-]+(/\`: the exercises)|\1${last%/}\2|"
DRAFTS=${DRAFTS:-no} sh tests/new/step.sh "$folder/01-first" 65536 "global_load_requests <= n/32 + 1" "global_store_requests <= n/32 + 1"
cat <<END
And of the chapter:
    common/$topic.h, common/$topic/    the problem, its inputs, reference and checks, the arguments of its function
    tests/peers/$topic.cu    a vendor's library beside the last step
    tests/hardware/record.sh, docs/figures/times.py    the sizes that are timed, and what limits them
END

#!/bin/sh
# Adds a step, or writes again what follows from its solution.
#
#     sh tests/new/step.sh NN-topic/SS-step [N [BOUND...]]
#
# solutions/NN-topic/SS-step.cu is yours. If it does not exist, the script copies the solution of the step before, for you to
# change, and stops. Otherwise it writes what follows from the solution: the line in the course table (N and bounds: those given
# here, or those of the step before until you set them: sh tests/new/bounds.sh), the starter, its first hint, the head of its
# section in the page, the number of steps in README.md, the manifest, and the table of counters. Once the bounds are its own, it
# also drafts submissions (drafts.sh). It does not change what exists. It ends with a list of your remaining work.
#
# Environment: BUILD, the build to use (build-test, configured if it is not); DRAFTS=no: no drafts yet.
set -eu
cd "$(dirname "$0")/../.."
. tests/new/lib.sh
build=${BUILD:-build-test}
path=${1:-} n=${2:-}
[ $# -lt 2 ] && shift $# || shift 2
expr "$path" : '[0-9][0-9]-[a-z][a-z0-9-]*/[0-9][0-9]-[a-z0-9][a-z0-9-]*$' >/dev/null ||
    refuse "usage: sh tests/new/step.sh NN-topic/SS-step [N [BOUND...]], for example 03-histogram/08-vector-stores"
chapter=${path%/*} step=${path#*/}
table=$chapter/CMakeLists.txt page=docs/$chapter.md
number=$(expr "$step" : '0*\([0-9]*\)') name=$(echo "${step#*-}" | tr - ' ')
[ -f "$table" ] || refuse "$chapter is not a chapter: there is no $table. sh tests/new/chapter.sh $chapter makes one"
before=$(cd "solutions/$chapter" 2>/dev/null && ls ./*.cu | sed 's|^\./||; s|\.cu$||' | awk -v step="$step" '$0 < step' | tail -1)

if [ ! -f "solutions/$path.cu" ]; then
    [ -n "$before" ] || refuse "write solutions/$path.cu first: there is no step before it to begin with"
    echo "written:"
    sed -E "1s/step [0-9]+: .*/step $number: $name./; s/-R $chapter\.[0-9]+/-R $chapter.${step%%-*}/" \
        "solutions/$chapter/$before.cu" | write "solutions/$path.cu"
    lines=$(wc -l <"solutions/$chapter/$before.cu") last=$(ls "solutions/$chapter" | tail -1)
    [ "$lines" -le 100 ] || [ "$last" != "$step.cu" ] ||
        echo "$before has $lines lines. Only the last step of a chapter may have more than 100: shorten it, too."
    echo "It is the solution of $before under another name. Change it, the comment at its head first. Then:"
    echo "    sh tests/new/step.sh $path"
    exit
fi

# bounds_of STEP: its LESSON and EXPECT, as they stand in the table; without a step a bound that every program meets.
bounds_of() {
    [ -n "$1" ] || { printf 'LESSON "launches >= 1"' && return; }
    awk -v step="$1" '
        index($0, "exercise(" step " ") == 1 { inside = 1 }
        inside { text = text $0 "\n" }
        inside && /\)$/ { exit }
        END { sub(/^[^L]*LESSON/, "LESSON", text); sub(/\)\n$/, "", text); printf "%s", text }' "$table"
}

needs_workbook "$build"
echo "written:"
if ! grep -q "^exercise($step " "$table"; then
    [ -n "$n" ] || n=$(sed -nE "s/^exercise\($before +N ([0-9]+).*/\1/p" "$table")
    width=$(sed -nE "s/^exercise\(($before +)N .*/\1/p" "$table" | wc -c) # with a line feed
    rest=$(sed -nE "s/^exercise\($before +N [0-9]+( .*)/\1/p" "$table") # ARCH 90
    exercise="exercise($(printf "%-$((width > 1 ? width - 2 : 1))s" "$step") N ${n:-65536}$rest
    $([ $# = 0 ] && bounds_of "$before" || { printf 'LESSON' && printf ' "%s"' "$@"; }))"
    if [ -n "$before" ]; then # its entry may have several lines
        text=$exercise awk -v step="$before" '
            index($0, "exercise(" step " ") == 1 { inside = 1 }
            { print }
            inside && /\)$/ { print ENVIRON["text"]; inside = 0 }' "$table" >"$table.new" && mv "$table.new" "$table"
        echo "    $table"
    else
        insert "$table" "$exercise" '^[a-z]+\('
    fi
fi
if ! grep -q "^## $step\$" "$chapter/hints.txt"; then
    hint="
## $step
$(awk '/\/\/ TODO:/ { inside = 1 } /^ *[^ \/]/ { inside = 0 } inside { sub(/^ *\/\/ (TODO: )?/, ""); print }' "solutions/$path.cu" |
        fmt -w 78)"
    printf '%s\n' "$hint" >>"$chapter/hints.txt"
    echo "    $chapter/hints.txt"
fi
if ! grep -q "^## $number $name" "$page"; then
    section="## $number $name

$(echo "[\`$step.cu\`](../$chapter/$step.cu)" "$(sed -n '3,/^\/\/$/s|^// *||p' "solutions/$path.cu")" | fmt -w 128)
"
    text=$section awk '/^## What the counters show/ { print ENVIRON["text"] } { print }' "$page" >"$page.new" && mv "$page.new" "$page"
    echo "    $page"
fi
mkdir -p "$chapter"
count=$(ls "solutions/$chapter"/*.cu | wc -l)
change README.md "s/^(\| \`$chapter\` \|) [0-9]+ \|/\1 $count |/"
"$build/workbook" starter "solutions/$path.cu" | write "$chapter/$step.cu"
echo "building $chapter; the first time takes minutes"
quietly cmake "$build" && quietly cmake --build "$build" --target workbook || refuse "it does not configure: see above"
"$build/workbook" manifest | write common/handout.manifest
quietly cmake --build "$build" --target "$chapter" || refuse "solutions/$path.cu does not build: see above"
quietly "$build/workbook" exec --step "$path" "$build/graded/solutions/$path" --check || refuse "solutions/$path.cu is not right: see above"
quietly sh tests/docs/tables.sh --write "$page" "$chapter" "$build/workbook" "tests/hardware/$chapter.times.csv" ||
    refuse "the table of $page cannot be written: a solution does not run. sh tests/new/check.sh $chapter shows why"
echo "    $page, the table"

if [ "$(bounds_of "$step")" = "$(bounds_of "$before")" ]; then
    echo "Its bounds are not its own yet. Choose them, then call this again, which drafts submissions:"
    echo "    sh tests/new/bounds.sh $path"
    exit
fi
if [ "${DRAFTS:-yes}" = yes ]; then
    echo "grading drafts of submissions"
    sh tests/new/drafts.sh "$path"
fi
cat <<END
Left to you:
    solutions/$path.cu    the comment at its head names each bound of its lesson; after an edit call this again
    $chapter/hints.txt    better hints below "## $step"
    tests/submissions/$path.wrong, .right, .mistakes    drafts: rename them, add the mistakes of students
    $page    its section, and the sentences that say how many steps there are
It is done when this passes:
    sh tests/new/check.sh $path
END

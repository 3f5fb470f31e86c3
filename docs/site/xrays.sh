#!/bin/sh
# Makes the x-rays that the pages of the site show, from the machine itself. A page requests one by a comment:
#
#     <!-- xray 01-reduction/04-contiguous n=256 heat=passes&most:
#     Lanes meet in a bank. -->
#     <!-- xray 01-reduction/05-sequential.lock-step-trusted n=256 source:
#     Two lanes meet at a word. -->
#
# It names a solution, or a wrong submission of it; the size; where the page opens, in the form of its address (docs/xray.md);
# and a caption. kernel=sweep, launch=1 and blocks=0-1 choose others than the first block of each kernel's first launch.
#
#     SOURCE=$PWD BUILD=$PWD/build sh docs/site/xrays.sh FOLDER
#
# FOLDER gets a page for each, named as its program with a dot, size and choice. Pages newer than their sources stay,
# others are removed.
set -eu
out=$1
mkdir -p "$out"
out=$(cd "$out" && pwd)
most=900000 # bytes of a trace
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# word NAME DEFAULT WORDS...: the value of NAME=VALUE among the words.
word() {
    name=$1 value=$2
    shift 2
    for each; do
        case $each in "$name"=*) value=${each#*=} ;; esac
    done
    echo "$value"
}

# write_source PROGRAM FILE: a solution, or a wrong submission made of it.
write_source() {
    mkdir -p "$(dirname "$2")"
    case $1 in
    *.*) "$BUILD/workbook" judge --write "$work" "${1%%.*}.wrong.${1#*.}" && cp "$work/$(echo "$1" | tr / .).cu" "$2" ;;
    *) cp "$SOURCE/solutions/$1.cu" "$2" ;;
    esac
}

# stands PAGE STEP: the page is newer than all of its sources.
stands() {
    [ -f "$1" ] || return 1
    for part in "$SOURCE/solutions/$2.cu" "$SOURCE/tests/submissions/$2.wrong" "$BUILD/common/simt/libsimt.a" "$BUILD/workbook" "$0"; do
        [ "$1" -nt "$part" ] || return 1
    done
}

# make_page PROGRAM PAGE N SELECTION
make_page() {
    file=${1%%.*}.cu # named as a student's file is
    cd "$work"
    write_source "$1" "$file"
    arch=$(awk -F '\t' -v step="${1%%.*}" '$1 "/" $2 == step { print $4 }' "$BUILD/course.tsv")
    sh "$BUILD/program.sh" whole "$arch" "$file" program
    mkdir -p "$(dirname "$1")" && rm -f "$1"
    SIMT_THREADS=1 SIMT_CHECK=all SIMT_TRACE="$4,file:$1,bytes:$most" ./program --check --n "$3" >said 2>&1 || true
    "$BUILD/workbook" xray --trace "$1" --no-open -o "$2" >said 2>&1 || { cat said; exit 1; }
}

touch "$work/asked"
grep -h '^<!-- xray ' "$SOURCE"/docs/*.md | while read -r _ _ program words; do
    set -f
    set -- ${words%%:*}
    set +f
    n=$(word n 256 "$@") kernel=$(word kernel '*' "$@") launch=$(word launch 0 "$@") blocks=$(word blocks 0 "$@")
    page=$out/$(echo "$program.$n.$kernel.$launch.$blocks" | tr -d '*' | tr / .).html
    echo "$page" >>"$work/asked"
    stands "$page" "${program%%.*}" || make_page "$program" "$page" "$n" "$kernel:$launch:$blocks"
done
for page in "$out"/*.html; do
    grep -qxF "$page" "$work/asked" || rm -f "$page"
done

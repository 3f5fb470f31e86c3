#!/bin/sh
# A hand-out in a folder whose name has blanks, letters beyond ASCII and a percent sign: paths are bytes. Findings, x-ray and
# profile show the path unchanged and find the source there; so do the marks of a class with such names.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/folders
name="Mein Wörk buch/Моя рабочая тетрадь 50%p"
step=01-reduction/05-sequential
needs_solutions
rm -rf "$scratch" && mkdir -p "$scratch"
hand_out "$name"

# found PATH: the last output has the race in this file, and no byte of the path is escaped.
found() {
    echo "$output" | grep -q "Race (WAR) in __shared__ memory: $1:2[0-9] read by" || { bad "no race at $1"; echo "$output"; }
    absent '\\[0-3][0-7][0-7]'
}
race='/outside the if/d'
sed "$race" "$SOURCE/solutions/$step.cu" >"$tree/$step.cu"

case_findings() {
    cd "$tree" || exit 1
    expect 2 'wrong answer' "$workbook" run 1/5
    found "$step.cu"
    expect 0 'your program' env LC_ALL=C "$workbook" xray 1/5 --no-open -o "$scratch/page.html"
    grep -q "\"path\":\"$step.cu\",\"text\":\"// Reduction, step 5" "$scratch/page.html" || bad "the page does not have the source"

    # From another folder paths are longer, and the bytes are the same in every locale.
    cd "$BUILD/self/trees" || exit 1
    expect 3 'Race' env LC_ALL=C "$workbook" exec --step 1/5 "$tree/build/graded/$step" --check
    found "$name/$step.cu"
    expect 3 "  $name/$step.cu:2[0-9]\$" env LC_ALL=C "$workbook" profile 1/5
    echo "$output" | grep -q '^ *cache\[tid\] += cache\[tid + stride\];' || bad "profile does not show the line"
}

# A class: the grades lie in a folder with such a name, and students have names of every kind. Only the first submission is
# built, the others are empty. It prints characters that XML forbids.
class="$scratch/Класс 7ü"
hand_in() { # hand_in NAME: reads the file from standard input
    mkdir -p "$class/$1" && cat >"$class/$1/05-sequential.cu"
}
sed -e "$race" -e 's/^    int blocks = .*/&\n    puts("\\xef\\xbf\\xbf \\xef\\xbf\\xbe \\xff \\x1b");/' \
    -e '/^#include/s/$/\n#include <stdio.h>/' "$SOURCE/solutions/$step.cu" | hand_in 'Зоя Ä'
for student in 'q"u&o<t>e' ' a, b; ' '-out' '\377\376' 'U\357\277\277' 'line\nbreak' '\033[31m'; do
    hand_in "$(printf -- "$student.")" </dev/null
done
case_marks() {
    expect 0 '^Зоя Ä  *0 of  1 passed' env LC_ALL=C.UTF-8 "$workbook" grade "$class" \
        --out "$scratch/Öценки 50%p" --jobs 1
    found "$step.cu"
    grades="$scratch/Öценки 50%p/grades"
    grep -q '^"Зоя Ä",01-reduction,05-sequential,0,3,wrong,yes,"wrong answer; Race (WAR)' "$grades.csv" || bad "no mark in the CSV"
    grep -q '<testsuite name="Зоя Ä">' "$grades.xml" || bad "no suite in the XML"
    grep -q '^??? ??? ?  $' "$grades.xml" || bad "what is no text is not ? in the XML"
    grep -q '"student": "Uï¿¿."' "$grades.json" || bad "a byte that is not text is not a letter of Latin-1 in the JSON"
    [ "$(grep -c '<testsuite ' "$grades.xml")" = 8 ] || bad "not eight students"
    if command -v python3 >/dev/null; then
        python3 -c 'import csv, json, sys, xml.dom.minidom as x
marks = json.load(open(sys.argv[1] + ".json", encoding="utf-8"))["marks"]
x.parse(sys.argv[1] + ".xml")
rows = list(csv.reader(open(sys.argv[1] + ".csv", encoding="utf-8", newline="")))
assert len(marks) == len(rows) - 1 == 8 and all(len(row) == 8 for row in rows)' "$grades" || bad "grades are not JSON, XML and CSV"
    fi
}
# Guilty: in a folder where nvcc cannot work, every submission would be refused. grade refuses the folder.
case_refused_by_nvcc() {
    for place in '5$' 'a,b' 'a:b' 'a\\b' '"a"' 'a`b' 'a\nb' 'a\377b'; do
        out=$(printf "$place.")
        expect 1 '^workbook: nvcc cannot work in the folder .* name another one with --out' "$workbook" grade "$class" --out "$scratch/$out"
        [ "$(echo "$output" | wc -l)" = 1 ] || bad "not one line for $place"
    done
}
cases findings marks refused_by_nvcc
finish

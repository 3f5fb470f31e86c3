#!/bin/sh
# Everything in the tree is run by a test: targets, scripts, programs, presets, workflows, and the commands that pages show.
# tests/self/unrun.list has the exceptions, each with its reason; an exception that a test reaches is a failure, too.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/unrun
rm -rf "$scratch" && mkdir -p "$scratch"
awk_program=$SOURCE/tests/self/unrun.awk

# texts FILE...: their lines without comments, as unrun.awk reads them.
texts() {
    awk '{ line = $0; sub(/^[ \t]*#.*/, "", line); sub(/[ \t]+# .*/, "", line); gsub(/\t/, " ", line) }
        line != "" { print "text\t" FILENAME "\t" line }' "$@"
}

# left BUILD: in the current directory, what no test of BUILD reaches.
left() {
    find tests common docs .ci -type f \( -name '*.sh' -o -name '*.py' -o -name '*.awk' -o -name '*.c' -o -name '*.cu' -o -name '*.cmake' \) |
        LC_ALL=C sort >"$scratch/files"
    find . -name 'build*' -prune -o -name CMakeLists.txt -print | sed 's,^\./,,' >"$scratch/lists"
    {
        sed 's/^/target	/' "$1/self/targets.tsv"
        find "$1" -path "$1/self" -prune -o -name CTestTestfile.cmake -exec grep -h '^ *add_test' {} + | sed "s,$PWD/,,g; s/^/test	/"
        sed 's/^/file	/' "$scratch/files"
        sed -n 's/^seed \([^	]*\)	.*/seed	\1/p' "$list"
        # shellcheck disable=SC2046 # names without blanks
        texts $(cat "$scratch/lists") $(grep -v '\.cu*$' "$scratch/files")
    } | awk -f "$awk_program" | LC_ALL=C sort
}

# presets FILE: "KIND NAME" of all presets of a CMakePresets.json; steps FILE: "WORKFLOW KIND NAME".
presets() {
    awk '/^    "[a-z]*Presets"/ { kind = $1; gsub(/[":]|Presets/, "", kind) }
        /^            "name"/ { gsub(/[",]/, "", $2); print kind, $2 }' "$1"
}
steps() {
    awk '/^    "[a-z]*Presets"/ { kind = $1 }
        kind !~ /workflow/ { next }
        /^            "name"/ { gsub(/[",]/, "", $2); flow = $2 }
        /^                    "type"/ { gsub(/[",]/, "", $2); type = $2 }
        /^                    "name"/ { gsub(/[",]/, "", $2); print flow, type, $2 }' "$1"
}

# run_presets TEXT: "KIND NAME" of what a command of the file TEXT runs. Text in quotes is a message.
run_presets() {
    sed "s/'[^']*'//g" "$1" | sed -n 's/.*cmake --workflow --preset \([a-z-]*\).*/workflow \1/p
        s/.*cmake --build --preset \([a-z-]*\).*/build \1/p
        s/.*ctest --preset \([a-z-]*\).*/test \1/p
        s/.*cpack --preset \([a-z-]*\).*/package \1/p
        s/.*cmake --preset \([a-z-]*\).*/configure \1/p'
}

# unrun_presets JSON TEXT: the presets that no command of TEXT runs, by itself or as a step of a workflow: "preset KIND NAME".
unrun_presets() {
    run_presets "$2" | sort -u >"$scratch/run"
    presets "$1" >"$scratch/presets"
    steps "$1" | awk 'FNR == NR { run[$0] = 1; next } ("workflow " $1) in run { print $2, $3 }' "$scratch/run" - >>"$scratch/run"
    grep -vxFf "$scratch/run" "$scratch/presets" | sed 's/^/preset /'
}

# commands PAGE...: each command of a block `sh`: FILE:LINE<tab>COMMAND.
commands() {
    awk '/^ *```sh$/ { inside = 1; next } /^ *```/ { inside = 0 }
        inside {
            sub(/[ \t]+#.*/, ""); sub(/^ +/, "")
            if (sub(/\\$/, "")) { whole = whole $0; next }
            n = split(whole $0, part, / && | \|\| | \| |; /); whole = ""
            for (i = 1; i <= n; i++) { gsub(/^ +| +$/, "", part[i]); if (part[i] != "") print FILENAME ":" FNR "\t" part[i] }
        }' "$@"
}

# unrun_commands LEFT TEXT PAGE...: "command WORD" for those commands of the pages that no test runs. LEFT: what is not reached;
# TEXT: what tests run. The first argument counts for the runner, the script for sh and python3, a target for cmake.
unrun_commands() {
    not_reached=$1 text=$2
    shift 2
    grep -io 'workbook[".a-z]* [a-z]*\|runner" [a-z]*' "$text" | sed 's/.* //' | sort -u >"$scratch/subcommands"
    commands "$@" | while IFS='	' read -r place command; do
        while :; do
            case $command in
            time\ *) command=${command#time } ;;
            [A-Za-z]*=*\ *) expr "$command" : '[A-Za-z_]*=[^ ]* ' >/dev/null || break; command=${command#* } ;;
            *) break ;;
            esac
        done
        # shellcheck disable=SC2086 # words
        set -- $command
        case $1 in
        build*/workbook | workbook) [ $# = 1 ] || grep -qx -- "$2" "$scratch/subcommands" || echo "command workbook $2	$place" ;;
        sh | python3) script "$2" "$place" "$not_reached" ;;
        cmake | ctest | cpack) unknown_target "$command" "$place" ;;
        build*/* | ./* | *=* | \$* | cd | '#'*) ;;
        *) grep -qw -- "$(basename "$1")" "$text" || echo "command $1	$place" ;;
        esac
    done
}

script() { # PATH PLACE NOT_REACHED
    case $1 in tests/* | docs/*) ;; *) return ;; esac
    ! grep -qx "file $1" "$3" || echo "file $1	$2"
    [ -e "$1" ] || echo "command sh $1	$2"
}

unknown_target() { # COMMAND PLACE
    case $1 in *' --target '*) ;; *) return ;; esac
    for target in $(echo "$1" | sed 's/.* --target //; s/ -.*//'); do
        cut -f 1 "$targets" | grep -qxF -- "$target" || echo "command --target $target	$2"
    done
}

# settle LIST FOUND: items of FOUND that LIST does not except, and unnecessary exceptions.
settle() {
    awk -F '\t' 'FILENAME == ARGV[1] { if ($0 !~ /^#/) reason[$1] = $2; next }
        { hit = ""; for (e in reason) { p = e; if (p == $1 || sub(/\*$/, "", p) && index($1, p) == 1) hit = e }
          if (hit == "") { print "no test runs " $1 ($2 ? ", " $2 : ""); bad = 1 } else used[hit] = 1 }
        END { for (e in reason) if (e !~ /^seed / && !(e in used)) { print "a test runs it, or it is gone: strike off " e; bad = 1 } exit bad }' "$1" "$2"
}

list=$SOURCE/tests/self/unrun.list
targets=$BUILD/self/targets.tsv
cd "$SOURCE" || exit 1
left "$BUILD" >"$scratch/left"
sed -n 's/^file //p' "$scratch/left" >"$scratch/unreached"
# shellcheck disable=SC2046 # names without blanks
{
    find "$BUILD" -path "$BUILD/self" -prune -o -name CTestTestfile.cmake -exec grep -h '^ *add_test' {} + | sed 's/" "/ /g'
    texts .ci/run $(grep -vxFf "$scratch/unreached" "$scratch/files" | grep -v '\.cu*$\|^common\|/hardware/\|self/presets.sh\|self/unrun') |
        cut -f 3-
} >"$scratch/text"
{
    cat "$scratch/left"
    unrun_presets CMakePresets.json "$scratch/text"
    unrun_commands "$scratch/left" "$scratch/text" README.md CONTRIBUTING.md docs/*.md
} | sort -u >"$scratch/found"
settle "$list" "$scratch/found" || bad "a test runs everything in the tree, or tests/self/unrun.list has the reason why not"
echo "$(wc -l <"$targets") targets, $(wc -l <"$scratch/files") files, $(wc -l <"$scratch/presets") presets, \
$(commands README.md CONTRIBUTING.md docs/*.md | wc -l) commands; $(grep -vc '^#' "$list") exceptions"

# Guilty: a tree with one unreached item of each kind. Innocent: the same once each is run, or excepted.
tree=$scratch/tree
mkdir -p "$tree/tests" "$tree/common" "$tree/docs" "$tree/.ci" "$tree/build/self" && cd "$tree" || exit 1
printf 'one\tALL\t\tcommon/one.c\ntwo\t-\tthree\tcommon/two.c\nthree\t-\t\tcommon/three.c\n' >build/self/targets.tsv
touch common/one.c common/two.c common/three.c tests/used.sh tests/helper.sh tests/lost.sh tests/part_a.py tests/part_b.py
echo 'add_test(a "sh" "'"$tree"'/tests/used.sh")' >build/CTestTestfile.cmake
echo '. "${0%/*}/helper.sh"; for p in a; do python3 "$here/part_$p.py"; done # lost.sh
ls tests/*.sh | wc -l' >tests/used.sh
: >CMakeLists.txt
list=$tree/list
: >list
left build >found
expect 1 '^no test runs file common/three.c$' settle list found
for lost in 'file common/two.c' 'file tests/lost.sh' 'file tests/part_b.py' 'target three' 'target two'; do
    echo "$output" | grep -qx "no test runs $lost" || bad "$lost is not seen"
done
[ "$(wc -l <found)" = 6 ] || bad "something else is left: $(cat found)"
echo 'add_test(b "cmake" "--build" "x" "--target" "two")' >>build/CTestTestfile.cmake
echo 'sh tests/lost.sh; python3 tests/part_b.py' >>tests/helper.sh
left build >found
expect 0 '' settle list found
printf 'file tests/lost.sh\ta reason\n' >list
expect 1 '^a test runs it, or it is gone: strike off file tests/lost.sh$' settle list found
cat >presets.json <<'END'
    "configurePresets": [
            "name": "a",
            "name": "b",
    "testPresets": [
            "name": "a",
    "workflowPresets": [
            "name": "all",
                    "type": "configure",
                    "name": "a"
END
echo "expect 1 'Here: cmake --preset b' cmake --workflow --preset all" >text
[ "$(unrun_presets presets.json text)" = "preset configure b
preset test a" ] || bad "other presets are left: $(unrun_presets presets.json text)"
echo 'cmake --preset b && ctest --preset a' | sed 's/ && /\n/' >>text
[ -z "$(unrun_presets presets.json text)" ] || bad "a preset that is run is left"
targets=$tree/build/self/targets.tsv
echo 'file tests/lost.sh' >left
echo '"$workbook" next' >text
printf '```sh\nbuild/workbook next && build/workbook fly 1\nsh tests/lost.sh  # why\nsh tests/used.sh; sh tests/gone.sh\ncmake --build b --target one four\n```\n' >docs/a.md
[ "$(unrun_commands left text docs/a.md | cut -f 1 | tr '\n' ,)" = "command workbook fly,file tests/lost.sh,command sh tests/gone.sh,command --target four," ] ||
    bad "other commands are left: $(unrun_commands left text docs/a.md)"
finish

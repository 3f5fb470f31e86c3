#!/bin/sh
# Every hunt of a chapter prints PASSED on its own input, as a GPU would run it: without checks. The machine finds its defect;
# with the repair of tests/hunts/ it finds nothing, every answer is right, and few lines have changed:
#
#     sh hunts.sh NN-topic [NAME...]       SOURCE and BUILD are in the environment
#
# A repair is a patch whose first line names the class of the finding, `found: race-war`, or `found: -` if the machine sees only
# a wrong answer. If the order of the blocks decides which of two findings comes, it names both: `found: race-raw race-stale`.
# NAME.not.patch is a repair that gives up what the program is for; its first line says how it is refused.
. "$SOURCE/tests/self/lib.sh"
chapter=$1
shift
number=${chapter%%-*} number=${number#0}
scratch=$BUILD/self/hunts/$chapter
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$scratch" || exit 1
[ $# -gt 0 ] || set -- $(sed -n 's/^## //p' "$SOURCE/$chapter/hunts/hunts.txt")
for name; do
    given=$SOURCE/$chapter/hunts/$name.cu repair=$SOURCE/tests/hunts/$chapter/$name.patch
    class=$(sed -n '1s/^found: //p' "$repair" | sed 's/ /\\|/g')
    if [ "$class" = - ]; then
        expect 2 'wrong with the arguments' "$BUILD/workbook" hunt "$number/$name" --judge "$given"
        line 'the machine reports nothing'
    else
        expect 2 "^simt: explain: workbook explain \\($class\\)\$" "$BUILD/workbook" hunt "$number/$name" --judge "$given"
    fi
    [ "$chapter/$name" != 10-hopper/d ] || line 'wrong with its own input under SIMT_SCHEDULE=random:[12]$'
    SIMT_CHECK=none expect 0 '^PASSED$' "$BUILD/hunts/$chapter.$name"
    cp "$given" "$name.cu"
    sed 1d "$repair" | patch -s "$name.cu" || bad "$repair does not fit"
    expect 0 'the machine reports nothing' "$BUILD/workbook" hunt "$number/$name" --judge "$name.cu"
    not=$SOURCE/tests/hunts/$chapter/$name.not.patch
    [ -f "$not" ] || continue
    cp "$given" "$name.not.cu"
    sed 1d "$not" | patch -s "$name.not.cu" || bad "$not does not fit"
    expect 2 "$(sed -n '1s/^refused: //p' "$not")" "$BUILD/workbook" hunt "$number/$name" --judge "$name.not.cu"
    line 'the machine reports nothing'
done
finish

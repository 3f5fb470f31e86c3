#!/bin/sh
# sh up_to_date.sh BUILD STEP HEADER PROGRAM COMMAND...: runs COMMAND, which builds PROGRAM from STEP and the driver of HEADER, if
# anything has changed that the build reads. make starts forty processes to see that nothing has.
#
# The times of the files decide, as for make. No input may be newer than the oldest object: of the machine, the runner, the
# judge, the driver and the step. An edit makes some objects newer and leaves others old, so the time at which COMMAND last
# began and then succeeded counts, too. Whatever is unclear, COMMAND decides.
build=$1 step=$2 header=$3 program=$4
shift 4
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:[A-Z]*=//p' "$build/CMakeCache.txt")
cd "$build" || exit 1
objects="objects/$step.o objects/drivers/$header.o"
stamp=built/$step chapter=${step%/*}
chapter=${chapter#solutions/}

# built: the programs and the objects.
built() {
    printf '%s\n' "$program" "graded/$step" workbook "judges/$header" $objects "objects/$step.o.d" "objects/drivers/$header.o.d"
    find common -name '*.[oa]'
}

# inputs: the machine, the runner and the recipes of the build; the step; the headers that the compiler read.
inputs() {
    printf '%s\n' CMakeCache.txt "$source/CMakeLists.txt" "$source/common" "$source/$chapter" "$source/$step.cu"
    for object in $objects; do
        sed -e '1s/.* : //' -e 's/ *\\$//' -e 's/^ *//' -e 's/\\ / /g' "$object.d"
    done
}

# unchanged: a missing file makes ls or find fail.
unchanged() {
    oldest=$(built | tr '\n' '\0' | xargs -0 ls -tr) || return 1
    oldest=$(printf '%s\n' "$oldest" | head -n 1)
    [ "$stamp" -nt "$oldest" ] && oldest=$stamp
    newer=$(inputs | sort -u | tr '\n' '\0' | xargs -0 sh -c 'find -L "$@" -newer "$0" -print -quit' "$oldest") && [ -z "$newer" ]
}

unchanged 2>/dev/null && exit 0
mkdir -p "${stamp%/*}" && : >"$stamp.new"
"$@" || exit $?
mv "$stamp.new" "$stamp"

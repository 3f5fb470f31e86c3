#!/bin/sh
# up_to_date.sh, before the tests NN-topic.SS-step.build: builds again after every change that make would see, and only then.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/rebuilt
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$scratch" || exit 1
inputs="tree/CMakeLists.txt tree/common/simt/warp.c tree/common/cmake/nvcc.cmake tree/common/scan.h tree/02-scan/CMakeLists.txt
    tree/solutions/02-scan/01-naive.cu toolkit/cuda.h build/CMakeCache.txt"
outputs="build/workbook build/judges/scan build/common/simt/warp.o build/common/libsimt.a build/objects/drivers/scan.o
    build/objects/solutions/02-scan/01-naive.o build/graded/solutions/02-scan/01-naive build/solutions/02-scan/01-naive.gpu"

# fresh: a tree that was built two hours ago, and its sources are three hours old.
fresh() {
    rm -rf tree build toolkit
    mkdir -p tree/common/simt tree/common/cmake tree/02-scan tree/solutions/02-scan toolkit build/judges build/common/simt \
        build/objects/drivers build/objects/solutions/02-scan build/graded/solutions/02-scan build/solutions/02-scan
    touch $inputs tree/common/scan.h 'toolkit/two words.h'
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$scratch/tree" >build/CMakeCache.txt
    for object in build/objects/drivers/scan.o build/objects/solutions/02-scan/01-naive.o; do
        printf '%s : %s \\\n    %s \\\n    %s\n' "$object" "$scratch/tree/solutions/02-scan/01-naive.cu" \
            "$scratch/toolkit/cuda.h" "$scratch/toolkit/two\\ words.h" >"$object.d"
    done
    find tree toolkit build/CMakeCache.txt -exec touch -d -3hours {} +
    touch -d -2hours $outputs build/objects/drivers/scan.o.d build/objects/solutions/02-scan/01-naive.o.d
}

# build COMMAND...: of the step, by COMMAND.
build() {
    sh "$SOURCE/tests/self/up_to_date.sh" "$scratch/build" solutions/02-scan/01-naive scan \
        "$scratch/build/solutions/02-scan/01-naive.gpu" "$@"
}
kept() { expect 0 '^$' build echo built; }
rebuilt() {
    if [ "$(build echo built)" = built ]; then
        passed=$((passed + 1))
    else
        bad "not built: $1"
    fi
}

case_nothing() { kept; }

case_input() {
    for file in $inputs 'toolkit/two words.h'; do
        fresh
        touch "$file"
        rebuilt "$file has changed"
    done
    kept
    touch -d +1hour "$file"
    rebuilt "$file has changed again"
}

case_missing() {
    for file in $outputs build/objects/drivers/scan.o.d toolkit/cuda.h; do
        case $file in build/common/*) continue ;; esac # these are in the programs
        fresh
        rm $file
        rebuilt "$file is missing"
    done
}

# A file that comes or goes changes the time of its folder.
case_folder() {
    touch tree/common/simt/new.c
    touch -d -3hours tree/common/simt/new.c
    rebuilt "a new file"
    fresh
    rm tree/common/scan.h
    rebuilt "a header less"
}

# An object that was made before the last change of an input, beside newer programs.
case_old_object() {
    touch -d -4hours build/common/simt/warp.o
    rebuilt "an old object"
}

case_failure() {
    touch tree/common/scan.h
    expect 3 '' build sh -c 'exit 3'
    rebuilt "the build had failed"
}

# An input that is saved while the build runs.
case_meanwhile() {
    touch tree/common/scan.h
    expect 0 '' build sh -c "sleep 0.1; touch '$scratch/tree/common/scan.h'"
    rebuilt "saved during the build"
}

cases nothing input missing folder old_object failure meanwhile
finish

#!/bin/sh
# common/cmake/toolkit.cmake against made-up toolkits: where nvcc is found, which versions pass, which GPUs are
# detected. toolkit.sh: a third of the folders' names. toolkit.sh all: all of them.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/toolkit${1:+.$1}
rm -rf "$scratch" && mkdir -p "$scratch"
cmake=$(command -v cmake)

# toolkit DIRECTORY VERSION GPUS: a toolkit whose nvcc and GPU query only print; GPUS empty: no GPU.
toolkit() {
    mkdir -p "$1/bin"
    printf '#!/bin/sh\necho "Cuda compilation tools, release %s, V%s.1"\n' "$2" "$2" >"$1/bin/nvcc"
    printf '#!/bin/sh\n[ -n "%s" ] && echo "%s"\n' "$3" "$3" >"$1/bin/__nvcc_device_query"
    chmod +x "$1"/bin/*
}
cat >"$scratch/show.cmake" <<'END'
set(CMAKE_CURRENT_SOURCE_DIR ${SOURCE})
include(${SOURCE}/common/cmake/toolkit.cmake)
message("problem=${WORKBOOK_PROBLEM}\nnvcc=${WORKBOOK_NVCC}\narchs=${WORKBOOK_ARCHS}\nincludes=${WORKBOOK_INCLUDES}\n\
libraries=${WORKBOOK_LIBRARIES}")
END
# found PATTERN VARIABLES...: what toolkit.cmake finds, with these variables and environment settings.
found() {
    pattern=$1 environment=$2
    shift 2
    expect 0 "$pattern" env -i PATH=/nowhere $environment "$cmake" -DSOURCE="$SOURCE" -DWORKBOOK_GRADE=starters \
        -DWORKBOOK_GPU=auto -DWORKBOOK_PLACES=/nowhere "$@" -P "$scratch/show.cmake"
}
toolkit "$scratch/thirteen" 13.0 ''
toolkit "$scratch/twelve" 12.4 90
toolkit "$scratch/eleven" 11.8 ''
toolkit "$scratch/two" 13.1 '90
80'
found 'problem=nvcc was not found' ''
found "nvcc=$scratch/thirteen/bin/nvcc" CUDA_HOME="$scratch/thirteen"
found 'archs=$' CUDA_HOME="$scratch/thirteen"
found 'problem=$' CUDA_HOME="$scratch/thirteen"
found "nvcc=$scratch/twelve/bin/nvcc" CUDA_PATH="$scratch/twelve"
found 'archs=90$' CUDA_PATH="$scratch/twelve"
found "nvcc=$scratch/twelve/bin/nvcc" PATH="$scratch/twelve/bin"
found "nvcc=$scratch/two/bin/nvcc" '' -DWORKBOOK_PLACES="$scratch/two/bin"
found 'archs=90;80$' '' -DWORKBOOK_PLACES="$scratch/two/bin"
found "nvcc=$scratch/two/bin/nvcc" CUDA_HOME="$scratch/two" -DWORKBOOK_PLACES="$scratch/twelve/bin"
found "problem=.*eleven/bin/nvcc is of CUDA '11.8'" CUDA_HOME="$scratch/eleven"
found 'archs=$' CUDA_HOME="$scratch/twelve" -DWORKBOOK_GPU=off
found 'archs=90$' CUDA_HOME="$scratch/thirteen" -DWORKBOOK_GPU=90
found 'problem=$' CUDA_HOME="$scratch/twelve" -DWORKBOOK_GPU=on
found 'problem=No GPU was found' CUDA_HOME="$scratch/thirteen" -DWORKBOOK_GPU=on
found "problem=WORKBOOK_GPU is 'maybe'" CUDA_HOME="$scratch/thirteen" -DWORKBOOK_GPU=maybe
found "problem=WORKBOOK_GRADE is 'all'" CUDA_HOME="$scratch/thirteen" -DWORKBOOK_GRADE=all
# With several GPUs, those that run code for an architecture: older ones only that of 80, and only 9.0 that of 90a.
cat >"$scratch/archs.cmake" <<'END'
include(${SOURCE}/common/cmake/archs.cmake)
foreach(arch 80 90 90a)
    archs_for(cards ${arch})
    string(APPEND line " ${arch}:${cards}")
endforeach()
message("${line}")
END
expect 0 '^ 80:75;90;100 90:90;100 90a:90a$' "$cmake" -DSOURCE="$SOURCE" '-DWORKBOOK_ARCHS=75;90;100' -P "$scratch/archs.cmake"
expect 0 '^ 80:86 90: 90a:$' "$cmake" -DSOURCE="$SOURCE" -DWORKBOOK_ARCHS=86 -P "$scratch/archs.cmake"
# The folders are those that nvcc reports, also through a script that calls it (as conda and module systems have them),
# and those beside it if it reports none.
mkdir -p "$scratch/script/bin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$NVCC" >"$scratch/script/bin/nvcc"
chmod +x "$scratch/script/bin/nvcc"
toolkit=$("$NVCC" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
[ -n "$toolkit" ] || bad "$NVCC --dryrun names no folder"
found "nvcc=$scratch/script/bin/nvcc" "PATH=$scratch/script/bin:/usr/bin:/bin" -DWORKBOOK_GPU=off # nvcc needs gcc
include=$(echo "$output" | sed -n 's/^includes=\([^;]*\).*/\1/p')
[ -f "$include/cuda_runtime_api.h" ] || bad "behind a script the headers are looked for in '$include'"
libraries=$(echo "$output" | sed -n 's/^libraries=\([^;]*\).*/\1/p')
[ -d "$libraries" ] || bad "behind a script the libraries are looked for in '$libraries'"
found "includes=$scratch/twelve/include" CUDA_HOME="$scratch/twelve"
found "libraries=$scratch/twelve/lib64;$scratch/twelve/lib\$" CUDA_HOME="$scratch/twelve"

# The quick linker is used only if it links a C++ program.
mkdir -p "$scratch/linker"
cat >"$scratch/linker/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
set(CMAKE_CXX_COMPILER_FORCED TRUE)
project(linker CXX)
include(${SOURCE}/common/cmake/linker.cmake)
message(STATUS "linker='${WORKBOOK_QUICK_LINKER}'")
END
printf '#!/bin/sh\ncase "$*" in *-fuse-ld=gold*) exit 1 ;; esac\nexec c++ "$@"\n' >"$scratch/linker/plain"
printf '#!/bin/sh\nexec c++ $(printf "%%s\\n" "$@" | grep -v -x -e -fuse-ld=gold)\n' >"$scratch/linker/any"
chmod +x "$scratch/linker/plain" "$scratch/linker/any"
# linked PATTERN COMPILER: what linker.cmake chooses for that compiler.
linked() {
    expect 0 "linker='$1'" "$cmake" -S "$scratch/linker" -B "$scratch/linker/${2##*/}.build" -DSOURCE="$SOURCE" -DCMAKE_CXX_COMPILER="$2"
}
linked '' "$scratch/linker/plain"
linked -fuse-ld=gold "$scratch/linker/any"

# The tree's path: in script mode CMake uses the current folder. some NAME...: a third of the names, one
# per line, or all.
part=${1:-some}
some() {
    if [ "$part" = all ]; then printf '%s\n' "$@"; else printf '%s\n' "$@" | third "$SOURCE/common/cmake/toolkit.cmake" "$script"; fi
}
some "o'hara" 'a,b' '5$' 'a;b' '"a"' 'a#b' 'a`b' 'a:b' 'a|b' 'a<b' 'a>b' 'a[b' 'a]b' ']a[' >"$scratch/refused"
while IFS= read -r name; do
    mkdir -p "$scratch/$name" && cd "$scratch/$name" || exit 1
    found "^  has . in its name, .* Move or rename it" CUDA_HOME="$scratch/thirteen"
done <"$scratch/refused"
# Names that are not text are refused in one line, too: a line break, a tab, bytes that are not UTF-8.
for name in $(some '\n' '\t' '\377' '\303' '\300\200' '\177' | sed 's/.*/a&b/'); do
    name=$(printf "$name.") && mkdir -p "$scratch/$name" && cd "$scratch/$name" || exit 1
    found "^  has a line break, a tab or a byte that is not UTF-8 .* Move or rename it" CUDA_HOME="$scratch/thirteen"
    echo "$output" | grep -q "^problem=The folder $scratch/a?.*[.]\$" || bad "the folder is not named in one line"
done
for name in 'Zoë (2)!' 'Моя рабочая тетрадь' '50%p & [x] {y} ~@^=+*' '漢字 🙂'; do
    mkdir -p "$scratch/$name" && cd "$scratch/$name" || exit 1
    found 'problem=$' CUDA_HOME="$scratch/thirteen"
done
finish

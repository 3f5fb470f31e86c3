#!/bin/sh
# CMake 3.25 reads the presets, and every message of the configuration is one message.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/presets
rm -rf "$scratch" && mkdir -p "$scratch"
cmake=$(command -v cmake)
cd "$SOURCE" || exit 1
expect 0 '"start"' cmake --workflow --list-presets
for preset in test gpu asan tsan; do line "\"$preset\""; done
expect 0 '"default"' cmake --list-presets
for preset in test gpu asan tsan; do line "\"$preset\""; done
# Without nvcc and a compiler: the message about nvcc comes first, and nothing else.
expect 1 'nvcc was not found' env -i PATH=/nowhere "$cmake" -S "$SOURCE" -B "$scratch/a" -DWORKBOOK_PLACES=/nowhere
absent 'Call Stack'
absent 'compiler identification'
expect 1 "WORKBOOK_GRADE is 'both'; expected" "$cmake" -S "$SOURCE" -B "$scratch/b" -DWORKBOOK_GRADE=both \
    -DWORKBOOK_NVCC="$NVCC"
expect 1 "WORKBOOK_GPU is 'yes'; expected" "$cmake" -S "$SOURCE" -B "$scratch/c" -DWORKBOOK_GPU=yes \
    -DWORKBOOK_NVCC="$NVCC"

# The presets of the tests use the generator that CMAKE_GENERATOR names, else CMake's default; the others use make.
mkdir -p "$scratch/tree" "$scratch/make" "$scratch/ninja"
cp CMakePresets.json "$scratch/tree"
printf 'cmake_minimum_required(VERSION 3.25)\nproject(part LANGUAGES NONE)\n' >"$scratch/tree/CMakeLists.txt"
printf '#!/bin/sh\necho 1.11.0\n' >"$scratch/ninja/ninja" && chmod +x "$scratch/ninja/ninja"
ln -s "$(command -v make)" "$scratch/make/make"
generator_of() { # BUILD
    sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$1/CMakeCache.txt"
}
chosen() { # GENERATOR PRESET FOLDER VARIABLE...: with only these folders of $scratch on the path
    wanted_generator=$1 preset=$2 folder=$3 path=$scratch/make:$scratch/$3
    shift 3
    (failures=0; cd "$scratch/tree" && expect 0 'Build files' env -i PATH="$path" "$@" "$cmake" --preset "$preset" -B build && finish >/dev/null) ||
        bad "the preset $preset does not configure"
    [ "$(generator_of "$scratch/tree/build")" = "$wanted_generator" ] ||
        bad "$preset chooses '$(generator_of "$scratch/tree/build")', not '$wanted_generator', beside $folder"
}
# holds NAME=VALUE...: what the preset configured last grades, and how it is compiled.
holds() {
    for value; do
        grep -q "^${value%%=*}:[A-Z]*=${value#*=}\$" "$scratch/tree/build/CMakeCache.txt" || bad "the preset $preset does not set $value"
    done
}
for preset in test gpu asan tsan; do
    rm -rf "$scratch/tree/build" && chosen Ninja "$preset" ninja CMAKE_GENERATOR=Ninja
    rm -rf "$scratch/tree/build" && chosen 'Unix Makefiles' "$preset" none
    holds WORKBOOK_GRADE=solutions WORKBOOK_SELF_TESTS=ON WORKBOOK_WERROR=ON
    case $preset in
    gpu) holds WORKBOOK_GPU=on ;;
    asan) holds 'WORKBOOK_SANITIZE=address;undefined' ;;
    tsan) holds WORKBOOK_SANITIZE=thread ;;
    esac
done
for preset in package default; do
    rm -rf "$scratch/tree/build" && chosen 'Unix Makefiles' "$preset" ninja CMAKE_GENERATOR=Ninja
done
holds WORKBOOK_GRADE=starters WORKBOOK_SELF_TESTS=OFF CMAKE_BUILD_TYPE=Release

# A workflow builds and runs the tests: it fails if there are none or if one fails.
echo 'enable_testing()' >>"$scratch/tree/CMakeLists.txt"
for preset in test test-all; do
    rm -rf "$scratch/tree/build-test"
    (cd "$scratch/tree" && env -u CMAKE_GENERATOR "$cmake" --workflow --preset $preset) >"$scratch/said" 2>&1 &&
        bad "the workflow $preset passes without a test: $(cat "$scratch/said")"
    grep -q 'No tests were found' "$scratch/said" || bad "the workflow $preset does not come to the tests: $(cat "$scratch/said")"
done

# .ci/run is the workflow `test`, and ends as it does. What it would install is not installed here.
mkdir -p "$scratch/tree/.ci" "$scratch/ci"
cp .ci/run "$scratch/tree/.ci/run"
printf '#!/bin/sh\necho "cmake $*"\nexit 5\n' >"$scratch/ci/cmake"
printf '#!/bin/sh\necho "installs: $*"\n' >"$scratch/ci/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/ci/sudo"
chmod +x "$scratch/ci/"*
expect 5 '^cmake --workflow --preset test$' env PATH="$scratch/ci:$PATH" sh "$scratch/tree/.ci/run"

# An install, and cpack before it packs, builds no exercise: it does not depend on the target all.
installs_all() { # BUILD
    (cd "$1" && ls Makefile build.ninja 2>/dev/null |
        xargs grep -qE '^preinstall: all|^build CMakeFiles/install.util: CUSTOM_COMMAND.* all')
}
installs_all "$BUILD" && bad "an install builds the target all: CMAKE_SKIP_INSTALL_ALL_DEPENDENCY is not set at the top"
# Guilty, and the innocent twin.
for skip in FALSE TRUE; do
    mkdir -p "$scratch/$skip"
    cat >"$scratch/$skip/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(part LANGUAGES NONE)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY $skip)
install(FILES CMakeLists.txt DESTINATION share)
END
    expect 0 'Build files' cmake -G "$(generator_of "$BUILD")" -S "$scratch/$skip" -B "$scratch/$skip/build"
done
installs_all "$scratch/FALSE/build" || bad "an install that builds all is not seen"
installs_all "$scratch/TRUE/build" && bad "an install that builds nothing is taken for one that builds all"
finish

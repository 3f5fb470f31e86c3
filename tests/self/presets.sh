#!/bin/sh
# CMake 3.25 reads the presets, and every message of the configuration is one message.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/presets
rm -rf "$scratch" && mkdir -p "$scratch"
cmake=$(command -v cmake)
cd "$SOURCE" || exit 1
for preset in start test gpu asan tsan; do
    expect 0 "\"$preset\"" cmake --workflow --list-presets
done
for preset in default test gpu asan tsan; do
    expect 0 "\"$preset\"" cmake --list-presets
done
# Neither nvcc nor a compiler anywhere: the message about nvcc comes first, and nothing else.
expect 1 'nvcc was not found' env -i PATH=/nowhere "$cmake" -S "$SOURCE" -B "$scratch/a" -DWORKBOOK_PLACES=/nowhere
absent 'Call Stack'
absent 'compiler identification'
expect 1 "WORKBOOK_GRADE is 'both'; expected" "$cmake" -S "$SOURCE" -B "$scratch/b" -DWORKBOOK_GRADE=both \
    -DWORKBOOK_NVCC="$NVCC"
expect 1 "WORKBOOK_GPU is 'yes'; expected" "$cmake" -S "$SOURCE" -B "$scratch/c" -DWORKBOOK_GPU=yes \
    -DWORKBOOK_NVCC="$NVCC"
finish

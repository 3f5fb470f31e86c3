#!/bin/sh
# rooms.sh LIST: the includes of this tree obey LIST, which is common/rooms.list: downward, and without a cycle.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/rooms
rm -rf "$scratch" && mkdir -p "$scratch/tree"

# rooms LIST: in the current directory.
rooms() {
    find . -name 'build*' -prune -o -name '.?*' -prune -o -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.def' \) -print |
        sed 's,^\./,,' | sort >"$scratch/files"
    # shellcheck disable=SC2046 # names without blanks
    grep -n '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null $(cat "$scratch/files") >"$scratch/includes"
    awk -f "$SOURCE/tests/self/rooms.awk" "$1" "$scratch/files" "$scratch/includes"
}
cd "$SOURCE" || exit 1
rooms "$1" || bad "includes are not as $1 has them"

# Guilty: each kind is detected and named. Innocent: the tree without it.
cd "$scratch/tree" || exit 1
mkdir -p 01-one common/device common/harness common/tool/top common/tool/base
cat >list <<'END'
[exercises] common
steps    [0-9]*/*.cu > faces device
faces    common/one.h
harness  common/harness.h common/harness/*.h > device
device   common/device/*.h
[tool] pairs common/tool
top      common/tool/top/*
base     common/tool/base/**
END
echo '#include "one.h"
#include "device/rows.h"
#include <stdio.h>' >01-one/01-a.cu
echo '#include "harness.h"' >common/one.h
echo '#include "harness/verdict.h"' >common/harness.h
echo '#include "device/rows.h"' >common/harness/verdict.h
: >common/device/rows.h
echo '#include "base/text.h"' >common/tool/top/run.c
: >common/tool/top/run.h
echo '#include "text.h"
#include "base/file.h"' >common/tool/base/text.c
: >common/tool/base/text.h
: >common/tool/base/file.h
expect 0 '^8 includes' rooms list
guilty() { # guilty FILE INCLUDE PATTERN: FILE with this line, too
    cp "$1" "$scratch/kept"
    echo "#include \"$2\"" >>"$1"
    expect 1 "$3" rooms list
    mv "$scratch/kept" "$1"
}
guilty common/device/rows.h harness/verdict.h '^common/device/rows.h:1: device includes upward, harness: common/harness/verdict.h$'
guilty 01-one/01-a.cu harness.h '^01-one/01-a.cu:4: steps may not include harness: common/harness.h$'
guilty common/harness/verdict.h one.h '^common/harness/verdict.h:2: harness may not include faces: common/one.h$'
guilty common/harness/verdict.h harness.h '^circle: common/harness\.h > common/harness/verdict\.h > common/harness\.h$\|^circle: common/harness/verdict\.h > common/harness\.h > common/harness/verdict\.h$'
guilty common/tool/base/file.h text.h '^circle: common/tool/base/\(text > common/tool/base/file > common/tool/base/text\|file > .*/text > .*/file\)$'
guilty common/tool/base/file.h ../top/run.h '^common/tool/base/file.h:1: base includes upward, top: common/tool/top/run.h$'
guilty common/tool/top/run.h ../../one.h "^common/tool/top/run.h:1: top may not include another house's: common/one.h$"
guilty common/tool/top/run.h base/lost.h '^common/tool/top/run.h:1: "base/lost.h" is no file of this tree$'
: >common/stray.h
guilty common/one.h stray.h '^common/one.h:2: includes common/stray.h, which stands on no floor$'
echo 'attic  common/attic/*' >>list
expect 1 '^floor attic has no file: common/attic/\*$' rooms list
finish

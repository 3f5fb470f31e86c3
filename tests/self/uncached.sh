#!/bin/sh
# Submissions are compiled without ccache, even where the compiler is a link to it.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/uncached
rm -rf "$scratch" && mkdir -p "$scratch/cache" "$scratch/real" "$scratch/late"
printf '#!/bin/sh\n' >"$scratch/ccache" && cp "$scratch/ccache" "$scratch/real/c++" && cp "$scratch/ccache" "$scratch/late/c++"
chmod +x "$scratch/ccache" "$scratch"/*/c++
ln -s ../ccache "$scratch/cache/c++"
cat >"$scratch/ask.cmake" <<'END'
include(${SOURCE}/common/cmake/uncached.cmake)
uncached_compiler(found)
message(${found})
END
# found COMPILER PATH WANTED VARIABLE=VALUE...: which compiler it is.
found() {
    compiler=$1 path=$2 wanted=$3
    shift 3
    got=$(env PATH="$path" "$@" "$cmake" -DSOURCE="$SOURCE" -DCMAKE_CXX_COMPILER="$compiler" -P "$scratch/ask.cmake" 2>&1)
    [ "$got" = "$wanted" ] && passed=$((passed + 1)) || bad "$compiler with PATH=$path: $got, wanted $wanted"
}
cmake=$(command -v cmake)
cd "$scratch" || exit 1
found "$scratch/cache/c++" "$scratch/cache:$scratch/real:$scratch/late:/usr/bin" "$scratch/real/c++"
found "$scratch/cache/c++" "$scratch/cache:$scratch" "$scratch/cache/c++" # no other
found "$scratch/late/c++" "$scratch/cache:$scratch/real" "$scratch/late/c++"
found "$scratch/cache/c++" "$scratch/cache:$scratch/real" "$scratch/cache/c++" CCACHE_COMPILER=elsewhere
for word in $(tr "'" '\n' <"$BUILD/program.sh" | grep '^/.*+'); do
    case $(readlink -f "$word") in */ccache) bad "program.sh compiles with $word" ;; esac
done
finish

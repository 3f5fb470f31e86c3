# Shared by the scripts here: an install of the SIMT machine in a folder whose name has blanks.
. "$SOURCE/tests/self/lib.sh"
scratch="$BUILD/self/simtcc/$(basename "$0" .sh)${1:+.$1}"
rm -rf "$scratch" && mkdir -p "$scratch"
prefix="$scratch/it is here"
simtcc=$prefix/bin/simtcc
said=$(cmake --install "$BUILD" --prefix "$prefix" 2>&1) || bad "cmake --install fails: $said"
[ -z "$SANITIZE" ] || { echo "skipped: a sanitizer's machine wants its flags at every link"; exit 77; }
foreign=$SOURCE/tests/simtcc/foreign

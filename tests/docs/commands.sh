#!/bin/sh
# A page shows exactly what its commands print:
#
#     sh commands.sh PAGE            compares
#     sh commands.sh PAGE --write    writes it into the page
#
# A block whose first line is `// FILE` or `# FILE` is that file. In a block `console` every line `$ COMMAND` is run, in order,
# in a folder with these files, and its output follows. The machine is installed there, and on PATH. SOURCE and BUILD are in
# the environment.
. "$SOURCE/tests/self/lib.sh"
[ -z "$SANITIZE" ] || { echo "skipped: a sanitizer's machine wants its flags at every link"; exit 77; }
for tool in gdb pkg-config; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not there"; exit 77; }
done
page=$1
scratch=$BUILD/self/commands
rm -rf "$scratch" && mkdir -p "$scratch/work"
cmake --install "$BUILD" --prefix "$scratch/prefix" >/dev/null || bad "cmake --install fails"
export PATH="$scratch/prefix/bin:$(dirname "$NVCC"):$PATH" SIMT_THREADS=1 LC_ALL=C.UTF-8
export CMAKE_PREFIX_PATH="$scratch/prefix" PKG_CONFIG_PATH="$scratch/prefix/lib/pkgconfig"
cd "$scratch/work" || exit 1

# file_line LINE: the first line of a block may name a file, which receives the block.
file_line() {
    case $file,$1 in
    '?,// '[a-zA-Z]*.[a-z]* | '?,# '[a-zA-Z]*.[a-z]*) file=${1#* } && : >"$file" ;;
    '?,'*) file= ;;
    esac
    [ -z "$file" ] || printf '%s\n' "$1" >>"$file"
}
# console_line LINE: a command, and its output; skips the page's old output.
console_line() {
    case $1 in
    '$ '*)
        printf '%s\n' "$1"
        sh -c "${1#??}" 2>&1 </dev/null | sed 's/ *$//' ;;
    esac
}
state=text file=
while IFS= read -r line; do
    case $state,$line in
    text,'```console') state=console ;;
    text,'```'*) state=block file=? ;;
    *,'```') state=text ;;
    console,*) console_line "$line"; continue ;;
    block,*) file_line "$line" ;;
    esac
    printf '%s\n' "$line"
done <"$page" >"$scratch/page.md"
[ "$(grep -c '^\$ ' "$page")" -gt 0 ] || bad "$page has no command"
if [ "${2:-}" = --write ]; then
    cp "$scratch/page.md" "$page"
elif ! diff -u "$page" "$scratch/page.md"; then
    bad "commands print something else; this records it: SOURCE=. BUILD=... NVCC=nvcc sh tests/docs/commands.sh $page --write"
fi
finish

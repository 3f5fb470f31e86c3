#!/bin/sh
# Kept objects (common/cmake/object_cache.sh): the object is always the one that the compiler would make now, whatever changed;
# unchanged input is not compiled again. Here the compiler is a script whose object is everything that it read.
. "$SOURCE/tests/self/lib.sh"
scratch="$BUILD/self/kept objects"
rm -rf "$scratch" && mkdir -p "$scratch/include" "$scratch/steps"
cd "$scratch" || exit 1
cat >nvcc <<'EOS'
#!/bin/sh
# nvcc -I FOLDER ... -MF LIST -c FILE.cu -o OBJECT: a header is looked for beside FILE and in FOLDER.
[ "$1" = --version ] && exec cat version
echo compiled >>calls
command=$*
while [ $# -gt 0 ]; do
    case $1 in
    -I) folder=$2 ;;
    -MF) list=$2 ;;
    -c) source=$2 ;;
    -o) object=$2 ;;
    esac
    shift
done
name=$(sed -n 's/#include "\(.*\)"/\1/p' "$source")
header=$(dirname "$source")/$name
[ -e "$header" ] || header=$folder/$name
[ ! -e meanwhile ] || sh meanwhile
grep broken "$source" && exit 1
echo "warning: $(wc -l <"$source") lines" >&2
printf '%s : %s \\\n    %s \\\n    %s\n' "$object" "$source" version "$header" | sed 's/kept objects/kept\\ objects/g' >"$list"
{ echo "$command"; cat version "$source" "$header"; } >"$object"
EOS
chmod +x nvcc

# make NAME [FLAG...]: compiles steps/NAME.cu to NAME.o, as the build does.
make() {
    name=$1
    shift
    : >calls
    sh "$SOURCE/common/cmake/compile.sh" - "$scratch/nvcc" "$@" -I "$scratch/include" -MF "$name.d" -c "$scratch/steps/$name.cu" \
        -o "$name.o" >words 2>&1
}

# compiles COUNT WHAT ARGUMENTS...: with and without kept objects the object, the list and the messages are the same; the
# compiler ran COUNT times.
compiles() {
    count=$1 what=$2 before=$failures
    shift 2
    export WORKBOOK_OBJECTS="$scratch/store"
    make "$@"
    [ "$(wc -l <calls)" = "$count" ] || bad "$what: the compiler ran $(wc -l <calls) times, wanted $count"
    rm -rf kept && mkdir kept && mv words "$name".* kept/ 2>/dev/null
    unset WORKBOOK_OBJECTS
    make "$@"
    [ "$(wc -l <calls)" = 1 ] || bad "$what: something is kept without WORKBOOK_OBJECTS"
    rm -rf made && mkdir made && mv words "$name".* made/ 2>/dev/null
    diff -r kept made || bad "$what: this is not what the compiler makes"
    [ "$failures" != "$before" ] || passed=$((passed + 1))
}
step() { printf '#include "face.h"\nint main(void) { return %s; }\n' "$1" >steps/one.cu; }

echo 'release 1' >version
echo 'int face;' >include/face.h
step 1
compiles 1 'the first time' one
compiles 0 'the same text' one
step 2
compiles 1 'another text' one
step 1
compiles 0 'the text before' one
compiles 1 'another flag' one -DTWO
compiles 0 'the same flag' one -DTWO
echo 'int other;' >include/face.h
compiles 1 'a changed header' one
compiles 0 'the same header' one
echo 'int nearer;' >steps/face.h
compiles 1 'a new header that hides it' one
rm steps/face.h
compiles 0 'the hiding header is gone' one
echo 'release 2' >version
compiles 1 'another compiler' one
NVCC_APPEND_FLAGS=-G
export NVCC_APPEND_FLAGS
compiles 1 'flags from the environment' one
unset NVCC_APPEND_FLAGS
cp steps/one.cu steps/two.cu
compiles 1 'the same text under another name' two

# Nothing is kept from a failed compilation, nor from one during which a file was saved.
echo broken >>steps/one.cu
compiles 1 'an error' one
compiles 1 'the same error' one
step 3
echo 'sleep 0.1; echo "int saved;" >include/face.h; rm meanwhile' >meanwhile
export WORKBOOK_OBJECTS="$scratch/store"
make one
unset WORKBOOK_OBJECTS
compiles 1 'a header saved during the compilation' one
grep -q "int saved" kept/one.o || bad 'the object has the header as it was'

# Guilty: an object that does not match the hashes beside it would be used. The messages and hashes decide, so the
# test detects that.
for entry in store/*; do echo wrong >"$entry/object"; done
export WORKBOOK_OBJECTS="$scratch/store"
make one
grep -q wrong one.o || bad 'kept objects are not used at all'
finish

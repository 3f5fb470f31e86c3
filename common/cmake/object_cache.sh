# An object cache for compile.sh, since the workbook's own tests compile the same text many times.
# WORKBOOK_OBJECTS=FOLDER is its folder; without it nothing is cached.
#
# FOLDER/KEY has the object, the compiler's list of the files that it read, a hash of each of these, and the compiler's
# messages. KEY hashes all inputs known beforehand: the text, the command, both compilers, the variables that they read,
# and the names of the files that could hide a header. An object is used if its key and every hash match.

# folders ARGUMENTS...: those searched for headers, the source's own last.
folders() {
    [ "$lean" = - ] || echo "$lean"
    next=
    for argument; do
        case $next$argument in
        -I) ;;
        -I*) echo "${argument#-I}" ;;
        esac
        next=
        [ "$argument" = -I ] && next=-I
    done
    case $source in
    */*) echo "${source%/*}" ;;
    *) echo . ;;
    esac
}

# File names, except those of exercises and their copies.
header_names() {
    folders "$@" | xargs -d '\n' ls -R -- | grep -v '\.cu$\|\.bak\|\.keep$\|\.old$'
}

object_key() {
    {
        printf '%s\n' "$PWD" "$lean" "$nvcc" "$@"
        "$nvcc" --version
        stat -Lc '%n %s %Y' -- "$nvcc" "$host_compiler" /usr/local/include
        env | LC_ALL=C grep '^NVCC_\|PATH=\|^LANG\|^LC_' | LC_ALL=C sort
        header_names "$@"
        cat -- "$0" "$object.read"
    } 2>/dev/null | sha256sum
}

# The files that the compiler read, one per line: `OBJECT : SOURCE \`, then `    HEADER \`, with a \ before a
# blank in a name.
files_read() {
    sed -e '1s/.* : //' -e 's/ *\\$//' -e 's/^ *//' -e 's/\\ / /g' -- "$list"
}

# keep_object ENTRY: does nothing if one of the files was saved during the compilation.
keep_object() {
    new=$1.$$
    mkdir -p "$new" && files_read | tr '\n' '\0' | xargs -0 sha256sum -- >"$new/hashes" &&
        [ -z "$(files_read | tr '\n' '\0' | xargs -0 sh -c 'find -L "$@" -newer "$0"' "$object.read")" ] &&
        cp -- "$object" "$new/object" && cp -- "$list" "$new/list" && cp -- "$object.words" "$new/words" &&
        rm -rf "$1" && mv "$new" "$1"
    rm -rf "$new"
}

# As make_object.
cached_object() {
    entry=$(object_key "$@")
    entry=$WORKBOOK_OBJECTS/${entry%% *}
    if sha256sum -c --status -- "$entry/hashes" 2>/dev/null &&
        cp -- "$entry/list" "$list" && cp -- "$entry/object" "$object" && cat -- "$entry/words" >&2; then
        return 0
    fi
    make_object "$@" >"$object.words" 2>&1
    status=$?
    cat -- "$object.words" >&2
    [ $status = 0 ] && [ -n "$list" ] && keep_object "$entry"
    rm -f -- "$object.words"
    return $status
}

# Compiles a program to an object as `NVCC ARGUMENTS... -c FILE.cu -o OBJECT` would.
#
#     sh compile.sh LEAN NVCC ARGUMENTS... -c FILE.cu -o OBJECT
#
# LEAN, a folder or -: its cuda_runtime.h precedes the toolkit's, which takes two thirds of the time for a program in
# the style of C. A program that names the C++ library or a library built on it is compiled without LEAN. So is one that
# fails with it; then only the second compilation's messages are shown.
#
# Kernels that launch kernels include device/nested.h. Their device code is linked with the toolkit's own part of such
# launches (nvcc -rdc=true, nvcc -dlink), and the result becomes one object again.
#
# OBJECT.source is the text that the object was compiled from. A restored file is older than an object made from other
# text, and make keeps that object; the runner compares the texts (common/workbook/process/measure.c).
#
# Files that the assembler reads through .incbin in inline assembly are added to the compiler's list of files read
# (-MF). GNU's assembler reports them; clang's own does not.
#
# With WORKBOOK_OBJECTS=FOLDER objects are cached: object_cache.sh.
lean=$1
nvcc=$2
shift 2

# The compiler's passes use large pages for their memory if the host has them: this saves an eighth of the CPU
# time per step.
export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216}"

# Starting a process takes a hundredth of the time of a compilation, so this script uses few of them.
compile() {
    compiler=
    [ -z "$list" ] || compiler=$("${host_compiler:-c++}" --version)
    case $compiler in
    '' | *clang*)
        compile_short_or_long "$@"
        return ;;
    esac
    # By number, since a name may have blanks and commas, at which the compilers split their options.
    compile_short_or_long "$@" -Xcompiler '-Wa\,--MD\,/dev/fd/9' 9>"$object.assembled"
    status=$?
    [ $status != 0 ] || list_assembled
    rm -f -- "$object.assembled"
    return $status
}

# Appends the files that the assembler read to the list, without temporary files. Make rules: `OBJECT: FILE FILE \`.
list_assembled() {
    assembled=$(awk '
        function show(name) {
            sub(/^ */, "", name)
            if (name != "" && name !~ /^tmpxft_[^\/]*[.]cudafe1[.]cpp$/ && name != "{standard input}" &&
                name !~ /\/cc[A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][.]s$/) print name
        }
        NR == 1 { sub(/^.*: /, "") }
        {
            sub(/ *\\$/, "")
            while (match($0, /[^\\] /)) {
                show(substr($0, 1, RSTART))
                $0 = substr($0, RSTART + 2)
            }
            show($0)
        }' "$object.assembled")
    [ -z "$assembled" ] || printf '%s\n' "$assembled" | while IFS= read -r file; do
        sed -i '$s/$/ \\/' -- "$list" && printf '    %s\n' "$file" >>"$list"
    done
}

compile_short_or_long() {
    if [ "$lean" != - ] && ! grep -qwE 'std|cub|cuda/[a-z]+' -- "$source"; then
        said=$(
            "$nvcc" -I "$lean" "$@" 2>&1
            status=$?
            echo end # keeps the line feeds before it
            exit $status
        ) && {
            printf '%s' "${said%end}" >&2
            return 0
        }
    fi
    "$nvcc" "$@"
}

# The linker's options for the toolkit's libraries, quoted for eval, as nvcc would pass them on.
toolkit_libraries() {
    "$nvcc" -dryrun -c "$source" 2>&1 | sed -n 's/^#\$ LIBRARIES= *//p'
}

link_nested() {
    eval "set -- $architectures"
    "$nvcc" "$@" -dlink "$object.device.o" -o "$object.linked.o" -lcudadevrt &&
        eval "ld -r \"\$object.device.o\" \"\$object.linked.o\" $(toolkit_libraries) -lcudadevrt -o \"\$object\""
}

source= object= list= host_compiler= architectures= previous=
for argument; do
    case $argument in
    *.cu) source=$argument ;;
    -arch=* | -code=* | -gencode=*) architectures="$architectures '$argument'" ;;
    esac
    case $previous in
    -o) object=$argument ;;
    -MF) list=$argument ;;
    -ccbin) host_compiler=$argument ;;
    esac
    previous=$argument
done

make_object() {
    if grep -q '^#include "device/nested.h"' -- "$source"; then
        compile "$@" -rdc=true && mv "$object" "$object.device.o" && link_nested
        status=$?
        rm -f "$object.device.o" "$object.linked.o"
        return $status
    fi
    compile "$@"
}

make=make_object
if [ -n "${WORKBOOK_OBJECTS:-}" ]; then
    . "$(dirname -- "$0")/object_cache.sh"
    make=cached_object
fi
[ ! -e "$object.source" ] || rm -f -- "$object.source"
cp -- "$source" "$object.read" && $make "$@"
status=$?
if [ $status = 0 ] && cmp -s -- "$source" "$object.read"; then # else it was saved meanwhile
    mv -f -- "$object.read" "$object.source"
else
    rm -f -- "$object.read"
fi
exit $status

#!/bin/sh
# common/cmake/compile.sh compiles as nvcc alone does: the same code, the same messages, once. A program that needs more
# of the C++ library than lean/cuda_runtime.h leaves is compiled without it.
#
# compile.sh short: of a solution and of a program that names std alone.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/compile${1:+.$1}
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$scratch" || exit 1
flags="-arch=compute_75 -code=compute_75 -cudart none -Xcompiler -Wall,-Wextra -MD -MF is.d"
object=is.o
lean() { sh "$SOURCE/common/cmake/compile.sh" "$SOURCE/common/cmake/lean" "$NVCC" $flags -c -o "$object" "$1"; }

# same STATUS FILE.cu: both ways end with STATUS (1 is any failure) and print the same, which may be nothing.
same() {
    rm -f is.* as.*
    "$NVCC" ${flags%-MF*} -MF as.d -c -o as.o "$2" >as 2>&1
    wanted=$(($? != 0))
    lean "$2" >is 2>&1
    [ "$(($? != 0)) $wanted" = "$1 $1" ] || bad "$2: failed: $wanted by nvcc, not so by compile.sh"
    diff as is || bad "$2: compile.sh says other things than nvcc"
}
is_lean() { grep -q lean/cuda_runtime.h is.d; }

# same_code FILE.cu: the short way is used and makes the same code as nvcc alone.
same_code() {
    same 0 "$1"
    is_lean || bad "$1 is not compiled the short way"
    objcopy -O binary -j .nv_fatbin is.o is.code && objcopy -O binary -j .nv_fatbin as.o as.code
    cmp is.code as.code || bad "$1: the short way makes other code"
}

if [ "${1:-}" = short ]; then
    flags="$flags -I$SOURCE/common"
    # The assembler's list has a line break after a long name. This is not a file, and the object is cached.
    object=$scratch/an_object_whose_path_takes_a_line_of_its_own_in_the_list_of_the_assembler.o
    export WORKBOOK_OBJECTS="$scratch/kept"
    lean "$SOURCE/solutions/01-reduction/05-sequential.cu" || bad "a solution does not compile"
    is_lean || bad "a solution is not compiled the short way"
    grep -qx ' *\\' is.d && bad "the list of the files that were read has an empty line"
    [ "$(ls "$WORKBOOK_OBJECTS"/*/object | wc -l)" = 1 ] || bad "the object is not kept"
    unset WORKBOOK_OBJECTS
    object=is.o
    printf '#include <utility>\nint first(std::pair<int, int> v) { return v.first; }\n' >named.cu
    lean named.cu || bad "a program that names std does not compile"
    is_lean && bad "a program that names std is compiled without it"
    finish
fi

printf '__global__ void twice(float *x) { x[threadIdx.x] = powf(x[threadIdx.x], 2) + fmaxf(x[0], 1); }\n' >plain.cu
same_code plain.cu
cat >groups.cu <<'END'
#include <cooperative_groups.h>
using namespace cooperative_groups;
__global__ void meet(int *x)
{
    thread_block_tile<8> tile = tiled_partition<8>(this_thread_block());
    x[threadIdx.x] = tile.shfl_down(x[threadIdx.x], 1) + coalesced_threads().size();
    this_grid().sync();
}
END
same_code groups.cu
printf '#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n%s\n' \
    '__global__ void add(int *x) { x[0] = cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), x[1], cg::plus<int>()); }' \
    >sums.cu
same 0 sums.cu

printf '#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n%s\n' \
    '__global__ void round(__half *h, __nv_bfloat16 *b, float *x) { h[0] = __hadd(h[1], __float2half(x[0])); b[0] = x[1]; }' >half.cu
same_code half.cu

# Innocent: C++17, with std by name, through a header that needs it, and in the language alone.
printf '#include <utility>\nint first(std::pair<int, int> v) { if (auto n = v.first; n) return n; return 0; }\n' >named.cu
same 0 named.cu
is_lean && bad "a program that names std is compiled without it"
printf '#include <array>\n__global__ void fill(int *x) { x[0] = sizeof(int); }\n' >unnamed.cu
same 0 unnamed.cu
is_lean && bad "<array> is not nvcc's own"
printf 'template <typename... T> int sum(T... x) { auto f = [=] { return (x + ...); }; return f(); }\n%s\n' \
    'int three() { if constexpr (sizeof(int) == 4) return sum(1, 2); return 0; }' >language.cu
same 0 language.cu
is_lean || bad "C++17 without its library is not compiled the short way"

# Guilty: warnings and errors of both compilers are shown as nvcc shows them, and once.
printf '__global__ void fill(int *x) { int unused; x[0] = 1; }\nint f(unsigned a, int b) { return a < b; }\n' >warned.cu
same 0 warned.cu
is_lean || bad "a warning takes the long way"
[ "$(grep -c 'sign-compare' is)" = 1 ] || bad "a warning of the host's compiler is not shown once"
grep -q '"unused" was declared' is || bad "a warning of nvcc is not shown"
printf 'int f(void) { return 1 }\n' >broken.cu
same 1 broken.cu
[ "$(grep -c 'expected a ";"' is)" = 1 ] || bad "a syntax error is not shown once"
[ -e is.o ] && bad "an object in spite of an error"
printf 'int f(void) { return __builtin_constant(1); }\nint g(void) { asm("nonsense"); return 0; }\n' >host.cu
same 1 host.cu

# Kernels that launch kernels: device code is linked into the one object, and nothing else is left. nvcc alone would need
# three commands and a library, which an incomplete toolkit may lack.
cat >nested.cu <<'END'
#include "device/nested.h"
__global__ void child(int *x) { x[threadIdx.x] = 1; }
__global__ void parent(int *x) { child<<<1, 32>>>(x); }
int main(void) { parent<<<1, 1>>>(0); return 0; }
END
if "$NVCC" -rdc=true -dlink nested.cu -I "$SOURCE/common" -lcudadevrt -o is.o 2>is; then
    flags="$flags -I$SOURCE/common"
    lean nested.cu >is 2>&1 || bad "kernels that launch kernels: $(cat is)"
    is_lean || bad "they are not compiled the short way"
    [ -s is ] && bad "and something is said: $(cat is)"
    [ "$(ls is.*)" = "is.d
is.o
is.o.source" ] || bad "more is left than the object, its list and its source's text: $(ls is.*)"
    printf 'int main(void) { return 1 }\n#include "device/nested.h"\n' >broken.cu
    lean broken.cu >is 2>&1 && bad "a syntax error of theirs is compiled"
    [ "$(grep -c 'expected a ";"' is)" = 1 ] || bad "it is not shown once"
    [ -e is.o.device.o ] && bad "an error leaves objects"
fi
# Files that the assembler reads are in the list; nothing else is added to it.
printf 'secret\n' >'a secret'
printf 'int one(void) { return 1; }\n' >plain.cu
lean plain.cu || bad "an innocent program does not compile"
cp is.d innocent.d
printf 'asm(".pushsection .rodata\\n.incbin \\"a secret\\"\\n.popsection");\nint one(void) { return 1; }\n' >plain.cu
lean plain.cu || bad "a program with .incbin does not compile"
diff innocent.d is.d >joined
mkdir -p 'a b'
(export TMPDIR="$scratch/a b" && lean plain.cu) && diff innocent.d is.d | diff joined - || bad "in a folder for temporary files with blanks"
grep -q '^>     a\\ secret$' joined || bad "what .incbin reads is not in the list"
[ "$(grep -c '^>' joined)" = 2 ] || { bad "other files are in the list"; cat joined; }

# Guilty: the header alone, without compile.sh, says what is missing.
"$NVCC" $flags -I "$SOURCE/common" -c -o as.o nested.cu 2>&1 | grep -q 'compile it with nvcc -rdc=true and link it with' ||
    bad "nvcc without -rdc=true does not say that it is needed"

# Every solution of this tree is compiled the short way; a new toolkit or header that ends this doubles the time.
for source in "$SOURCE"/solutions/*/*.cu; do
    object=$BUILD/objects/solutions/${source#"$SOURCE/solutions/"} object=${object%.cu}.o.d
    [ ! -e "$object" ] || grep -q lean/cuda_runtime.h "$object" ||
        bad "$source: not compiled the short way"
done
finish

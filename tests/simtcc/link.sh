#!/bin/sh
# Links with and by others: objects of g++, libraries, a loaded library, separate objects; what cannot be linked is reported.
# link.sh: device code of two files, and a third of the other cases. link.sh all: all of them.
. "$SOURCE/tests/simtcc/prefix.sh"
cd "$scratch" || exit 1
includes=-I$(echo "$TOOLKIT_INCLUDES" | tr ';' '\n' | head -1)
right='error 0, 0 of 1000 wrong'
cp "$foreign"/* .

# made FILE...: objects that several cases link, compiled once.
made() {
    for file; do
        [ ! -e "$file" ] || continue
        case $file in
        smooth.o) expect 0 '' "$simtcc" -c smooth.cu -o smooth.o ;;
        main.o) expect 0 '' "$CXX" "$includes" -I"$prefix/include" -c main.cpp -o main.o ;;
        libsmooth.so) expect 0 '' "$simtcc" -shared -Xcompiler -fPIC smooth.cu -o libsmooth.so ;;
        esac
    done
}

case_objects() {
    made smooth.o main.o
    expect 0 '' "$simtcc" smooth.o main.o -o objects && expect 0 "$right" ./objects
    expect 0 "$right" "$simtcc" -run smooth.o main.o -o run
}
case_archive() {
    made main.o
    expect 0 '' "$simtcc" -lib smooth.cu -o libsmooth.a
    expect 0 '' "$simtcc" main.o libsmooth.a -o archive && expect 0 "$right" ./archive
}
case_shared() {
    made main.o libsmooth.so
    expect 0 '' "$simtcc" main.o -L. -lsmooth -Xlinker -rpath,"\$ORIGIN" -o shared && expect 0 "$right" ./shared
}

# A library that the running program loads.
case_loaded() {
    made libsmooth.so
    cat >load.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    float in[100] = {1}, out[100] = {0};
    void *library = dlopen("./libsmooth.so", RTLD_NOW);
    int (*smooth)(float *, const float *, int) = library ? dlsym(library, "_Z6smoothPfPKfi") : 0;
    puts(library ? "" : dlerror());
    return smooth ? smooth(out, in, 100) || out[1] < 0.3f : 2;
}
END
    cat >main.cu <<'END'
__global__ void nothing() {}
extern "C" void use() { nothing<<<1, 1>>>(); }
END
    "${CC:-cc}" -c load.c -o load.o || bad "load.c does not compile"
    expect 0 '' "$simtcc" load.o main.cu -Xlinker --undefined=use -Xlinker --export-dynamic -o load
    expect 0 '' ./load
}

# Settings in the program: the environment overrides them, and an invalid value ends it.
case_settings() {
    made main.o
    expect 0 '' "$simtcc" --check=none --setting SIMT_DEVICES=4 -DNO_BARRIER smooth.cu main.o -o settings
    expect 1 ' 4 devices' ./settings
    absent 'Race'
    expect 1 'Race' env SIMT_CHECK=race ./settings
    expect 33 ' 4 devices' env SIMT_CHECK=race SIMT_EXIT=33 ./settings
}

case_shown() {
    made smooth.o main.o
    expect 0 '' "$simtcc" smooth.o main.o -o ended && expect 0 "$right" env SIMT_EXIT=33 ./ended
    expect 0 '' "$simtcc" --profile --trace=smooth_block:0:7,text smooth.o main.o -o shown
    expect 0 '^simt: profile: 1 launch' ./shown
    echo "$output" | grep -q 'block 7 warp 3 .*smooth.cu:.* bar.sync' || bad "the trace is not there"
    expect 0 '' "$simtcc" --check=racing smooth.o main.o -o wrong
    expect 1 '^simt: SIMT_CHECK=racing is not understood; accepted: ' ./wrong
}

# A missing function is refused at its call, in one line that says what to do; a program that never reaches the call runs. The
# linker's lines about it are hidden, those about other names are shown.
case_absent() {
    cat >absent.cpp <<'END'
#include <cstdio>
extern "C" int cuMemMap(int *, int), cublasCreate_v2(void *), ncclCommAbort(void *), cudaGraphicsMapResources(int);
extern "C" int my_own();
int main(int argc, char **)
{
#ifdef OWN
    my_own();
#endif
    int d;
    if (argc == 1)
        return puts("right") < 0;
    int e = argc == 2 ? cuMemMap(&d, 0) : cudaGraphicsMapResources(0);
    printf("error %d\n", e);
    return argc == 4 ? cublasCreate_v2(0) + ncclCommAbort(0) : 0;
}
END
    refused='simtcc: warning: refused when called:'
    expect 0 "^$refused cuMemMap: virtual memory management.* use cuMemAlloc " "$simtcc" absent.cpp -lcuda -lcublas -o absent
    absent '^/\|collect2'
    for line in 'cublasCreate_v2: of cublas, a library that needs a GPU; write a kernel' 'ncclCommAbort: of nccl' \
        'cudaGraphicsMapResources: the SIMT machine does not have it; leave'; do
        echo "$output" | grep -q "^$refused $line" || bad "not said: $line"
    done
    expect 0 '^right$' ./absent && absent 'simt:'
    expect 0 '^simt: error: cuMemMap: virtual memory management.* use cuMemAlloc ' ./absent 1
    expect 0 '^error 801$' ./absent 1 2
    expect 1 '^simt: error: cublasCreate_v2: of cublas, a library that needs a GPU' ./absent 1 2 3
    expect 1 'undefined reference to .my_own' "$simtcc" absent.cpp -DOWN -o none
}

# The driver API: no runtime in the program, PTX and a fat binary that it loads while it runs.
case_driver() {
    cat >twice.cu <<'END'
extern "C" __global__ void twice(int *x) { x[threadIdx.x] *= 2; }
END
    cat >loads.cpp <<'END'
#include <cuda.h>
#include <cstdio>
int main(int, char **argv)
{
    int h[4] = {1, 2, 3, 4};
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction twice;
    CUdeviceptr d;
    void *args[] = {&d};
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    if (cuModuleLoad(&module, argv[1]) || cuModuleGetFunction(&twice, module, "twice"))
        return 1;
    cuMemAlloc(&d, sizeof h);
    cuMemcpyHtoD(d, h, sizeof h);
    cuLaunchKernel(twice, 1, 1, 1, 4, 1, 1, 0, 0, args, 0);
    cuMemcpyDtoH(h, d, sizeof h);
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    return cuMemFree(d);
}
END
    expect 0 '' "$simtcc" -ptx twice.cu -o twice.ptx
    expect 0 '' "$simtcc" -fatbin twice.cu -o twice.fatbin
    expect 0 '' "$simtcc" -cubin twice.cu -o twice.cubin
    expect 0 '' "$simtcc" loads.cpp -lcuda -o loads
    for image in ptx fatbin; do
        expect 0 '^2 4 6 8$' ./loads twice.$image
    done
    expect 1 'a cubin is machine code of a GPU, .* load PTX, or a fat binary' ./loads twice.cubin
    # A program that loads a driver itself uses the names of its functions itself.
    cat >own.cpp <<'END'
extern "C" { int (*cuInit)(unsigned); int cudaGetDeviceCount(int *); }
int main() { int n; return cudaGetDeviceCount(&n) || cuInit; }
END
    expect 0 '' "$simtcc" own.cpp -o own && expect 0 '' ./own
}

# Device code of several files: functions, variables and names that each defines for itself.
cat >first.cu <<'END'
#include <stdio.h>
extern __device__ int calls;
__device__ int twice(int x);
static __device__ int mine = 5;
__global__ void first(int *out)
{
    out[threadIdx.x] = twice(threadIdx.x) + mine;
    if (threadIdx.x == 0)
        printf("%s", "first: ");
    atomicAdd(&calls, 1);
}
int second(int *out);
int main(void)
{
    int *d, h[4];
    cudaMalloc(&d, sizeof h);
    first<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d, %d calls\n", h[0], h[1], h[2], h[3], second(d));
    return cudaFree(d);
}
END
cat >second.cu <<'END'
#include <stdio.h>
static __device__ int mine = 7;
__device__ int calls = 3;
__device__ __noinline__ int twice(int x)
{
    if (x == 0)
        printf("%s", "second, ");
    return 2 * x + mine;
}
static __global__ void count(int *out) { out[0] = calls; }
int second(int *out)
{
    int h;
    count<<<1, 1>>>(out);
    cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
    return h;
}
END
linked='^second, first: 12 14 16 18, 7 calls$'

case_files() {
    expect 0 '' "$simtcc" -rdc=true first.cu second.cu -o parts && expect 0 "$linked" ./parts
}

# The same, compiled separately and from a library; an error in one of them.
case_file_by_file() {
    expect 0 '' "$simtcc" -dc first.cu second.cu
    expect 0 '' "$simtcc" first.o second.o -o parts && expect 0 "$linked" ./parts
    expect 0 '' "$simtcc" -lib -rdc=true second.cu -o libsecond.a
    expect 0 '' "$simtcc" first.o libsecond.a -o parts && expect 0 "$linked" ./parts
    expect 2 'error: .*expected' sh -c 'echo "int main( {" >broken.cu; "$0" broken.cu' "$simtcc"
}

some='objects archive shared loaded settings shown absent driver file_by_file'
# shellcheck disable=SC2086 # a list
[ "${1:-}" = all ] || some=$(printf '%s\n' $some | third "$script" "$SOURCE/common/simtcc/simtcc.sh")
# shellcheck disable=SC2086
cases files $some
finish

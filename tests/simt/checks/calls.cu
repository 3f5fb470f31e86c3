// Calls of the host, by the name on the command line: unchecked failures, memory that the host must not touch, requests
// that exceed the device. The line of each is set by #line; "innocent" does the same correctly.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

__global__ void put(int *x, int value)
{
    x[threadIdx.x] = value;
}

__global__ void print(int a)
{
    printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", a, a,
           a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a);
}

__global__ void grow(int *x, size_t bytes)
{
    char *p = (char *)malloc(bytes);
    x[threadIdx.x] = p != NULL;
    __syncthreads();
    free(p);
}

__device__ __noinline__ int depth(volatile int *x, int n)
{
    return n == 0 ? x[0] : (depth(x, n - 1) ^ x[n % 8]) + 1;
}

__global__ void recurse(int *x, int n)
{
    x[0] = depth(x, n);
}

__global__ void meet_all(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    x[i] = 1;
    cooperative_groups::this_grid().sync();
    x[n + i] = x[n - 1 - i];
}

__global__ void far(int *x, long i)
{
    x[i] = 1;
}

__global__ void turn(int *x)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[threadIdx.x];
}

__global__ void two_names(int *x)
{
    extern __shared__ int tile[];
    extern __shared__ float part[];
    tile[threadIdx.x] = x[threadIdx.x];
    part[threadIdx.x] = 1;
    x[threadIdx.x] = tile[threadIdx.x] + (int)part[threadIdx.x];
}

__device__ int table[4];

__global__ void add_locked(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1))
        ;
    *sum += 1;
    atomicExch(lock, 0);
}

__global__ void add_fenced(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1))
        ;
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The first warp arrives and waits.
__global__ void arrive(unsigned expected)
{
    __shared__ unsigned long long word;
    unsigned at = (unsigned)__cvta_generic_to_shared(&word), passed = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(expected));
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at));
    while (!passed)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(at), "l"(state));
}

__global__ void keep(int **kept)
{
    *kept = (int *)malloc(64);
    **kept = 1;
}

__global__ void drop(int *p)
{
    free(p);
}

__global__ void print_text(const char *text)
{
    printf("%s", text);
}

__global__ void put_row(cudaSurfaceObject_t row, int width)
{
    surf2Dwrite(1, row, threadIdx.x * width, 0);
}

__host__ __device__ int twice(int value)
{
    return 2 * value;
}

typedef int (*function)(int);
__device__ function twice_there = twice;

__global__ void apply(int *x, function f)
{
    x[threadIdx.x] = f(threadIdx.x);
}

__global__ void show_window(int **at)
{
    __shared__ int word;
    *at = &word;
}

__global__ void meet_most(int *x, unsigned blocks)
{
    if (blockIdx.x < blocks)
        cooperative_groups::this_grid().sync();
    x[blockIdx.x] = 1;
}

static int *x, h[32];
static cudaStream_t s;
static cudaEvent_t first, second;

static void copy_back(void *)
{
#line 200 "calls.cu"
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
}

static void count_call(void *count)
{
    ++*(int *)count;
}

static void unseen(bool guilty)
{
#line 210 "calls.cu"
    put<<<1, 2048>>>(x, 1);
    if (!guilty)
        cudaGetLastError();
}

static void failing(bool guilty)
{
#line 220 "calls.cu"
    cudaFuncSetAttribute(put, cudaFuncAttributeMaxDynamicSharedMemorySize, guilty ? 1 << 20 : 1 << 16);
}

static void stale(bool guilty)
{
    void *p;
#line 230 "calls.cu"
    cudaMalloc(&p, guilty ? (size_t)1 << 40 : 4);
    put<<<1, 32>>>(x, 1);
    cudaGetLastError();
}

static void captured(bool guilty)
{
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    put<<<1, 32, 0, s>>>(x, 1);
#line 240 "calls.cu"
    if (guilty)
        cudaStreamSynchronize(s);
    cudaStreamEndCapture(s, &graph);
}

static void called_back(bool guilty)
{
    int count = 0;
    put<<<1, 32, 0, s>>>(x, 1);
    cudaLaunchHostFunc(s, guilty ? copy_back : count_call, &count);
    cudaStreamSynchronize(s);
}

static void elapsed(bool guilty)
{
    float ms;
    cudaEventRecord(first, s);
    put<<<1, 32, 0, s>>>(x, 1);
    cudaEventRecord(second, s);
    if (!guilty)
        cudaEventSynchronize(second);
#line 250 "calls.cu"
    cudaEventElapsedTime(&ms, first, second);
    cudaEventSynchronize(second);
}

static void freed_in_use(bool guilty)
{
    int *p;
    cudaMallocAsync(&p, sizeof h, s);
#line 260 "calls.cu"
    put<<<1, 32, 0, s>>>(p, 1);
    if (!guilty)
        cudaStreamSynchronize(s);
#line 264 "calls.cu"
    cudaFree(p);
}

static void touched(bool guilty)
{
    int *p;
    cudaMalloc(&p, sizeof h);
    int *to = guilty ? p : h;
#line 270 "calls.cu"
    to[3] = 1;
}

static void gone(bool guilty)
{
    void *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (guilty)
        munmap(p, 8192);
#line 280 "calls.cu"
    cudaMemcpy(x, p, sizeof h, cudaMemcpyHostToDevice);
}

static void heap(bool guilty)
{
    grow<<<1, 32>>>(x, guilty ? 1 << 20 : 1 << 10);
    cudaDeviceSynchronize();
}

static void printed(bool guilty)
{
    if (guilty)
        print<<<1, 1>>>(1);
    cudaDeviceSynchronize();
}

static void deep(bool guilty)
{
    if (!guilty)
        cudaDeviceSetLimit(cudaLimitStackSize, 131072);
    cudaMemset(x, 0, sizeof h);
    recurse<<<1, 1>>>(x, 300);
    cudaMemcpy(h, x, 4, cudaMemcpyDeviceToHost);
    if (!guilty && h[0] != 300)
        puts("wrong");
}

static void grid_barrier(bool guilty)
{
    void *args[] = {&x};
    if (guilty)
        meet_all<<<2, 2>>>(x);
    else
        cudaLaunchCooperativeKernel((void *)meet_all, 2, 2, args);
}

static void wrapped(bool guilty)
{
    far<<<1, 1>>>(x, guilty ? -(1l << 32) : 0);
}

static void dynamic(bool guilty)
{
    turn<<<1, 32, guilty ? 0 : 128>>>(x);
}

static void names(bool guilty)
{
    if (guilty)
        two_names<<<1, 32, 256>>>(x);
    else
        turn<<<1, 32, 256>>>(x);
}

static void shadow(bool guilty)
{
    void *p = table;
    if (!guilty)
        cudaGetSymbolAddress(&p, table);
    far<<<1, 1>>>((int *)p, 0);
}

static void lock(bool guilty)
{
    cudaMemset(x, 0, sizeof h);
    if (guilty)
        add_locked<<<2, 32>>>(x, x + 1);
    else
        add_fenced<<<2, 32>>>(x, x + 1);
}

static void arrivals(bool guilty)
{
    arrive<<<1, 64>>>(guilty ? 64 : 32);
}

static void depth_limit(bool guilty)
{
#line 290 "calls.cu"
    cudaDeviceSetLimit(guilty ? cudaLimitDevRuntimeSyncDepth : cudaLimitMallocHeapSize, 16 << 20);
}

// A linear texture may claim more bytes than its allocation has.
static void texture(bool guilty)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = guilty ? h : x;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = 2 * sizeof h;
#line 300 "calls.cu"
    cudaCreateTextureObject(&t, &r, &d, NULL);
}

static void peer(bool guilty)
{
    int devices, *there;
    cudaGetDeviceCount(&devices);
    cudaSetDevice(devices - 1);
    cudaMalloc(&there, sizeof h);
    cudaSetDevice(0);
    if (!guilty && devices > 1)
        cudaDeviceEnablePeerAccess(1, 0);
    far<<<1, 1>>>(there, 0);
}

static void heap_copied(bool guilty)
{
    int **kept, *p;
    cudaMalloc(&kept, sizeof *kept);
    keep<<<1, 1>>>(kept);
    cudaMemcpy(&p, kept, sizeof p, cudaMemcpyDeviceToHost);
#line 310 "calls.cu"
    if (guilty)
        cudaMemcpy(h, p, 4, cudaMemcpyDeviceToHost);
    drop<<<1, 1>>>(p);
}

static void freed_there(bool guilty)
{
    drop<<<1, 1>>>(guilty ? x : NULL);
}

static void text(bool guilty)
{
    const char *words = "words";
    char *there;
    cudaMalloc(&there, 8);
    cudaMemset(there, 0, 8);
    print_text<<<1, 1>>>(guilty ? words : there);
}

static void written(bool guilty)
{
    int one = 1;
    if (guilty)
        ((volatile int *)table)[1] = 1;
    else
        cudaMemcpyToSymbol(table, &one, sizeof one);
}

static void below_zero(bool guilty)
{
    far<<<1, 1>>>(x, guilty ? 0xffffffffu : 0);
}

static void surface(bool guilty)
{
    cudaResourceDesc r = {};
    cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
    cudaSurfaceObject_t row;
    r.resType = cudaResourceTypeArray;
    cudaMallocArray(&r.res.array.array, &d, 32, 1, cudaArraySurfaceLoadStore);
    cudaCreateSurfaceObject(&row, &r);
    put_row<<<1, 32>>>(row, guilty ? 1 : 4);
}

static void host_stack(bool guilty)
{
    int local[4];
    far<<<1, 1>>>(guilty ? local : x, 0);
}

static void host_call(bool guilty)
{
    function f = twice;
    if (!guilty)
        cudaMemcpyFromSymbol(&f, twice_there, sizeof f);
    apply<<<1, 32>>>(x, f);
}

static void negative(bool guilty)
{
    void *p;
    int count = guilty ? -5 : 5;
#line 320 "calls.cu"
    cudaMalloc(&p, count * sizeof(int));
}

static void by_name(bool guilty)
{
#line 330 "calls.cu"
    guilty ? cudaMemcpy(table, h, 16, cudaMemcpyHostToDevice) : cudaMemcpyToSymbol(table, h, 16);
}

static void window(bool guilty)
{
    int **at, *word;
    cudaMalloc(&at, sizeof *at);
    show_window<<<1, 1>>>(at);
    cudaMemcpy(&word, at, sizeof word, cudaMemcpyDeviceToHost);
    far<<<1, 1>>>(guilty ? word : x, 0);
}

static void grid_left(bool guilty)
{
    unsigned blocks = guilty ? 3 : 4;
    void *args[] = {&x, &blocks};
    cudaLaunchCooperativeKernel((void *)meet_most, 4, 1, args);
}

static void filled(bool guilty)
{
    cudaMemset(x, guilty, sizeof h);
    turn<<<1, 32, 128>>>(x);
}

// Reads past the block, which is harmless here; its neighbour is the program's.
static void short_block(bool guilty)
{
    void *block = malloc(guilty ? 40 : sizeof h), *behind = malloc(256);
#line 340 "calls.cu"
    cudaMemcpy(x, block, sizeof h, cudaMemcpyHostToDevice);
    free(behind);
    free(block);
}

static void host_free(bool guilty)
{
#line 350 "calls.cu"
    free(guilty ? x : malloc(40));
}

// Two copies of one barrier: half of the lanes reach the first, the others the second.
__global__ void take_turns(int *out, int all)
{
    int i = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 2; k++)
        if (all || i % 2 == k) {
            out[i] += k;
#line 360 "calls.cu"
            __syncthreads();
        }
}

static void unrolled(bool guilty)
{
    take_turns<<<1, 32>>>(x, !guilty);
}

static void no_address(bool guilty)
{
    void *p, **none = NULL;
#line 370 "calls.cu"
    cudaMalloc(guilty ? none : &p, 4);
}

static void no_stream(bool guilty)
{
    cudaStream_t there = s;
    if (guilty) {
        cudaStreamCreate(&there);
        cudaStreamDestroy(there);
    }
#line 380 "calls.cu"
    cudaMemsetAsync(x, 0, 4, there);
}

__global__ void pick(int *to, const int *from, int step)
{
    to[threadIdx.x] = from[step * threadIdx.x];
}

// Reads words again and again, and after a copy that takes their value away.
static void read_again(bool guilty, int step)
{
    int *from, *unwritten;
    cudaMalloc(&from, 1024);
    cudaMalloc(&unwritten, 1024);
    cudaMemset(from, 0, 1024);
    if (!guilty)
        cudaMemset(unwritten, 0, 1024);
    for (int k = 0; k < 4; k++) {
        if (k == 3)
            cudaMemcpy(from, unwritten, 1024, cudaMemcpyDeviceToDevice);
        pick<<<1, 32>>>(x, from, step);
    }
    cudaFree(from);
    cudaFree(unwritten);
}

static void again(bool guilty)
{
    read_again(guilty, 1);
}

static void again_apart(bool guilty)
{
    read_again(guilty, 7);
}

// Memory that the program has registered is unmapped while kernels may still touch it.
static void unmapped(bool guilty)
{
    int *own = (int *)mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cudaHostRegister(own, 1 << 16, cudaHostRegisterDefault);
    put<<<1, 32>>>(own + 4, 1);
    if (guilty) {
        munmap(own, 1 << 16);
        put<<<1, 32>>>(own + 4, 2);
    }
    cudaDeviceSynchronize();
    cudaHostUnregister(own);
    munmap(own, 1 << 16);
}

// A thread publishes the address of its own array.
__global__ void publish(int *x, int k)
{
    __shared__ int *where, all[8];
    int mine[8];
    int *to = k < 0 ? mine : all;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 8; i++)
            to[(i + k) & 7] = i;
        where = to;
    }
    __syncthreads();
    x[threadIdx.x] = where[threadIdx.x % 8];
}

static void published(bool guilty)
{
    publish<<<1, 32>>>(x, guilty ? -3 : 3);
}

#define CASE(name) \
    { \
#name, name \
    }
static const struct {
    const char *name;
    void (*run)(bool guilty);
} cases[] = {CASE(unseen),      CASE(failing),      CASE(stale),        CASE(captured),    CASE(called_back),
             CASE(elapsed),     CASE(freed_in_use), CASE(touched),      CASE(gone),        CASE(heap),
             CASE(printed),     CASE(deep),         CASE(grid_barrier), CASE(wrapped),     CASE(dynamic),
             CASE(lock),        CASE(names),        CASE(shadow),       CASE(arrivals),    CASE(depth_limit),
             CASE(texture),     CASE(peer),         CASE(heap_copied),  CASE(freed_there), CASE(text),
             CASE(written),     CASE(below_zero),   CASE(surface),      CASE(host_stack),  CASE(host_call),
             CASE(negative),    CASE(by_name),      CASE(window),       CASE(grid_left),   CASE(filled),
             CASE(short_block), CASE(host_free),    CASE(unrolled),     CASE(no_address),  CASE(no_stream),
             CASE(again),       CASE(again_apart),  CASE(unmapped),     CASE(published)};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "innocent";
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreate(&first);
    cudaEventCreate(&second);
    cudaMalloc(&x, sizeof h);
    cudaMemset(x, 0, sizeof h);
    cudaDeviceSynchronize();
    for (const auto &c : cases)
        if (!strcmp(name, c.name) || (!strcmp(name, "innocent") && c.run != unseen)) {
            c.run(!strcmp(name, c.name));
            cudaDeviceSynchronize();
        }
    if (!strcmp(name, "asked"))
        unseen(false);
    if (!strcmp(name, "unflushed") || !strcmp(name, "flushed"))
        print<<<1, 1>>>(1);
    if (!strcmp(name, "flushed"))
        cudaDeviceSynchronize();
    puts("ok");
    return 0;
}

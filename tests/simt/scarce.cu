// Makes every allocation of the machine fail once, in a separate run (scarce.c): the run must end with a line that says
// so, or work without it, but never end by a signal or hang. The program reaches all parts that allocate.
//
//     scarce SAID [K/N]    every allocation, or each Nth from the Kth on; SAID is a file to write
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" long allocations(void);

#define TRY(call) \
    do { \
        if ((call) != cudaSuccess) \
            exit(3); \
    } while (0)

__device__ int counter;
__managed__ int shared_with_host;

__device__ __noinline__ int depth(int n)
{
    return n < 1 ? 0 : 1 + depth(n - 1);
}

// Shared memory with and without conflicts, a named barrier, fences, a switch, calls, shared atomics, divergent
// shuffles.
__global__ void mixed(int *out, const int *in, int n)
{
    __shared__ int tile[64];
    extern __shared__ int more[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? in[i] : 0;
    more[t] = t;
    __syncthreads();
    if (t < 32)
        asm volatile("bar.sync 1, 32;" ::: "memory");
    atomicAdd(&tile[t % 4], depth(t % 3));
    __threadfence();
    atomicAdd(&counter, 1);
    if (t % 2)
        tile[t] += __shfl_xor_sync(0xaaaaaaaau, more[t], 2);
    switch (t % 4) {
    case 0: more[t] += 3; break;
    case 1: more[t] ^= 5; break;
    case 2: more[t] *= 7; break;
    default: more[t] -= 1;
    }
    __syncthreads();
    if (i < n)
        out[i] = tile[t] + more[63 - t];
}

__global__ void racy(int *out)
{
    out[0] = threadIdx.x;
}

__global__ void copy_async(int *out, const int *in)
{
    __shared__ int buffer[32];
    unsigned to = (unsigned)__cvta_generic_to_shared(&buffer[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    out[threadIdx.x] = buffer[threadIdx.x];
    int *heap = (int *)malloc(16);
    if (heap) {
        heap[0] = out[threadIdx.x];
        free(heap);
    }
}

static void host_function(void *data)
{
    *(int *)data += 1;
}

static void use_graph(int *a, int *b, int n, cudaStream_t s)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    mixed<<<2, 64, 256, s>>>(a, b, n);
    TRY(cudaMemcpyAsync(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice, s));
    TRY(cudaStreamEndCapture(s, &graph));
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    TRY(cudaGraphLaunch(exec, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaGraphExecDestroy(exec));
    TRY(cudaGraphDestroy(graph));
}

static void use_everything()
{
    const int n = 100;
    int *a, *b, *locked, called = 0, value = 4;
    cudaStream_t s;
    cudaEvent_t event;
    TRY(cudaMalloc(&a, n * sizeof(int)));
    TRY(cudaMalloc(&b, n * sizeof(int)));
    TRY(cudaMallocHost(&locked, n * sizeof(int)));
    TRY(cudaStreamCreate(&s));
    TRY(cudaEventCreate(&event));
    memset(locked, 0, n * sizeof(int));
    TRY(cudaMemcpyToSymbol(counter, &value, sizeof value));
    TRY(cudaMemcpyAsync(b, locked, n * sizeof(int), cudaMemcpyHostToDevice, s));
    mixed<<<2, 64, 256, s>>>(a, b, n);
    racy<<<2, 64, 0, s>>>(a);
    copy_async<<<1, 32, 0, s>>>(a, b);
    TRY(cudaEventRecord(event, s));
    TRY(cudaStreamWaitEvent(NULL, event, 0));
    TRY(cudaLaunchHostFunc(s, host_function, &called));
    use_graph(a, b, n, s);
    TRY(cudaMallocAsync(&b, 64, s));
    TRY(cudaFreeAsync(b, s));
    shared_with_host = 1;
    TRY(cudaDeviceSynchronize());
    TRY(cudaEventDestroy(event));
    TRY(cudaStreamDestroy(s));
    TRY(cudaFreeHost(locked));
    TRY(cudaFree(a));
}

// Runs once with allocation number `which` failing; returns the status of wait().
static int run(const char *self, long which, const char *said)
{
    pid_t child = fork();
    if (child == 0) {
        char number[32];
        snprintf(number, sizeof number, "%ld", which);
        setenv("SCARCE", number, 1);
        alarm(20);
        if (!freopen(said, "w", stderr))
            _exit(4);
        execl(self, self, said, (char *)NULL);
        _exit(4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

static bool says_why(const char *said)
{
    char text[4096] = "";
    FILE *f = fopen(said, "r");
    size_t got = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[got] = 0;
    return strstr(text, "simt: the host cannot allocate ") || strstr(text, "simt: the host has no address space ");
}

int main(int argc, char **argv)
{
    if (getenv("SCARCE")) {
        use_everything();
        exit(allocations() < atol(getenv("SCARCE")) ? 77 : 0);
    }
    int bad = 0, died = 0, refused = 0, runs = 0, step = 1;
    long which = 1;
    if (argc > 2 && (sscanf(argv[2], "%ld/%d", &which, &step) != 2 || which < 1 || step < 1))
        return 2;
    for (;; which += step, runs++) {
        int status = run(argv[0], which, argv[1]), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code == 77)
            break;
        died += code == 1;
        refused += code == 3;
        bool good = code == 0 || code == 3 || (code == 1 && says_why(argv[1]));
        if (!good && ++bad < 10)
            printf("allocation %ld failed: exit %d, signal %d\n", which, code,
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    printf("%ld allocations, %d of them fail: %d runs ended with a line, %d calls were refused, %d went wrong\n",
           which - 1, runs, died, refused, bad);
    return bad || which < 100; // fewer: the wrapper does not intercept them
}

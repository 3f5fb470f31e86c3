// Memory and events that processes share: a parent allocates, a child of its own program adds to it, and both see the
// sum.
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define N 5000

struct letter {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};

__global__ void add(int *x, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += by;
}

__global__ void past(int *x, int n)
{
    x[n] = 1;
}

static int child(const char *how)
{
    bool wrong_access = !strcmp(how, "wrong");
    letter l;
    int *x;
    cudaEvent_t event;
    if (read(0, &l, sizeof l) != (ssize_t)sizeof l)
        return 1;
    if (!strcmp(how, "gone"))
        return cudaIpcOpenMemHandle((void **)&x, l.memory, 0) != cudaSuccess;
    CUDA(cudaIpcOpenEventHandle(&event, l.event));
    CUDA(cudaIpcOpenMemHandle((void **)&x, l.memory, cudaIpcMemLazyEnablePeerAccess));
    CUDA(cudaStreamWaitEvent(0, event, 0));
    if (wrong_access)
        past<<<1, 1>>>(x, N);
    add<<<(N + 127) / 128, 128>>>(x, N, 100);
    if (wrong_access)
        return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaIpcCloseMemHandle(x));
    EXPECT(cudaIpcCloseMemHandle(x) == cudaErrorInvalidValue);
    return wrong;
}

// Another process of this program.
static int run_child(const char *program, const letter *l, const char *how)
{
    int ends[2], status = 1;
    EXPECT(pipe(ends) == 0 && write(ends[1], l, sizeof *l) == (ssize_t)sizeof *l);
    pid_t id = fork();
    if (id == 0) {
        dup2(ends[0], 0);
        execl(program, program, "child", how, NULL);
        _exit(1);
    }
    waitpid(id, &status, 0);
    return status;
}

int main(int argc, char **argv)
{
    int *x, *before, *behind, host[N], own;
    letter l;
    cudaEvent_t event, timed;
    if (argc > 2)
        return child(argv[2]);
    CUDA(cudaMalloc(&before, 100));
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMalloc(&behind, 100));
    CUDA(cudaMemset(before, 1, 100));
    CUDA(cudaMemset(behind, 2, 100));
    for (int i = 0; i < N; i++)
        host[i] = i;
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaIpcGetMemHandle(&l.memory, x));
    CUDA(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CUDA(cudaEventCreate(&timed));
    EXPECT(cudaIpcGetEventHandle(&l.event, timed) == cudaErrorInvalidValue);
    CUDA(cudaIpcGetEventHandle(&l.event, event));
    EXPECT(cudaIpcGetMemHandle(&l.memory, x + 1) == cudaErrorInvalidValue);
    CUDA(cudaIpcGetMemHandle(&l.memory, x));
    add<<<(N + 127) / 128, 128>>>(x, N, 1000);
    CUDA(cudaEventRecord(event));
    CUDA(cudaDeviceSynchronize());
    EXPECT(run_child(argv[0], &l, argc > 1 ? argv[1] : "right") == 0);
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N && argc == 1; i++)
        EXPECT(host[i] == i + 1100);
    CUDA(cudaMemcpy(&own, before, sizeof own, cudaMemcpyDeviceToHost));
    EXPECT(own == 0x01010101);
    CUDA(cudaFree(x)); // its neighbours stay
    CUDA(cudaMemcpy(&own, behind + 24, sizeof own, cudaMemcpyDeviceToHost));
    EXPECT(own == 0x02020202);
    EXPECT(run_child(argv[0], &l, "gone") != 0); // nothing left to open
    (void)cudaGetLastError();
    return finish();
}

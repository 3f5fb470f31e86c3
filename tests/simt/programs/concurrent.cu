// Kernels that wait for the host, which runs concurrently. With an argument: for a flag that is never set.
#include "program.h"

// Adds the host's value, once the host has set its flag.
__global__ void wait_for_flag(volatile int *flag, const volatile int *said, int *out)
{
    while (*flag == 0)
        ;
    __threadfence_system();
    if (threadIdx.x == 0)
        atomicAdd(out, *said);
}

// The same by an atomic that changes nothing.
__global__ void ask_for_flag(int *flag, int *out)
{
    while (atomicAdd_system(flag, 0) == 0)
        ;
    atomicAdd(out, 1);
}

static void test_atomic(int *flag, int *out)
{
    int sum = 0;
    CUDA(cudaMemset(out, 0, sizeof *out));
    *flag = 0;
    ask_for_flag<<<2, 32>>>(flag, out);
    *(volatile int *)flag = 1;
    CUDA(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    EXPECT(sum == 64);
}

// The host sets the flag once the launch has returned.
static void test_flag(volatile int *flag, int *out, int blocks)
{
    CUDA(cudaMemset(out, 0, sizeof *out));
    flag[0] = 0;
    wait_for_flag<<<blocks, 64>>>(flag, flag + 1, out);
    CUDA(cudaGetLastError());
    flag[1] = 7;
    __sync_synchronize();
    flag[0] = 1;
    flag[2] = 1; // after it, whether or not the kernel is running
    int sum = 0;
    CUDA(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    EXPECT(sum == 7 * blocks);
}

#define ROUNDS 20

__global__ void answer(volatile int *ask, volatile int *reply)
{
    for (int round = 1; round <= ROUNDS; round++) {
        while (*ask != round)
            ;
        *reply = 3 * round;
        __threadfence_system();
    }
}

// The host repeatedly sends a request and waits for the answer.
static void test_ping_pong(volatile int *words)
{
    words[0] = words[1] = 0;
    answer<<<1, 1>>>(words, words + 1);
    for (int round = 1; round <= ROUNDS; round++) {
        words[0] = round;
        while (words[1] != 3 * round)
            ;
    }
    CUDA(cudaDeviceSynchronize());
    EXPECT(words[1] == 3 * ROUNDS);
}

// A stream's next kernel starts when the waiting one has ended.
static void test_next_kernel(volatile int *flag, int *out)
{
    CUDA(cudaMemset(out, 0, sizeof *out));
    flag[0] = 0;
    flag[1] = 5;
    wait_for_flag<<<1, 32>>>(flag, flag + 1, out);
    flag[0] = 1;
    wait_for_flag<<<2, 32>>>(flag, flag + 1, out);
    CUDA(cudaDeviceSynchronize());
    int sum = 0;
    CUDA(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    EXPECT(sum == 15);
}

int main(int argc, char **argv)
{
    static int own[4096];
    int *locked, *shared, *out;
    (void)argv;
    CUDA(cudaMallocHost(&locked, 64));
    CUDA(cudaMallocManaged(&shared, 64));
    CUDA(cudaMalloc(&out, sizeof *out));
    CUDA(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
    if (argc > 1) {
        locked[0] = 0;
        wait_for_flag<<<1, 32>>>(locked, locked + 1, out);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    for (int blocks = 1; blocks < 40; blocks *= 6) {
        test_flag(locked, out, blocks);
        test_flag(shared, out, blocks);
        test_flag(own + 1024, out, blocks);
    }
    test_ping_pong(locked);
    test_ping_pong(shared);
    // The host's store must not get lost between an atomic's load and its store.
    for (int round = 0; round < 200; round++) {
        test_atomic(locked, out);
        test_atomic(shared, out);
    }
    test_next_kernel(locked, out);
    return finish();
}

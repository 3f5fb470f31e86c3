// The cost of page-locked memory on the host, and what it saves: locked.sh records it.
//
//     locked            prints a row for each: what,bytes,value,unit
//     locked --small    works on little data and prints `right` in place of values: for a machine without clocks
//
// For several sizes: the time to allocate and touch ordinary memory, to allocate and free page-locked memory, to lock
// and unlock memory that exists; then the rate of copies from and to both. A value is the median of ROUNDS. All copies
// are checked: a kernel sums what arrived, the host compares what came back.
#define PROGRAM "locked"
#include "program.h"

#include <string.h>
#include <time.h>

#define ROUNDS 7
#define COPIES 5 // each time is that of so many copies

static int small; // --small
static uint64_t *d_sum;
static unsigned *d_words;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    return (*x > *y) - (*x < *y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 2];
}

static void print_time(const char *what, size_t bytes, double *seconds)
{
    put_row(what, bytes, 4, median(seconds) * 1e6, "us", small);
}

static void print_rate(const char *what, size_t bytes, double *seconds)
{
    put_row(what, bytes, 4, (double)bytes * COPIES / median(seconds) / 1e9, "GB/s", small);
}

static void fill(unsigned *words, size_t bytes, unsigned first)
{
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        words[i] = first + (unsigned)i;
}

// ---- allocation

// Also touches each page of ordinary memory: the system gives it none before.
static void measure_allocation(size_t bytes)
{
    double plain[ROUNDS], locked[ROUNDS], freed[ROUNDS], lock[ROUNDS], unlock[ROUNDS];
    void *p;

    for (int i = 0; i < ROUNDS; i++) {
        double begun = now();
        char *memory = (char *)aligned_alloc(4096, bytes);
        if (memory == NULL)
            exit(1);
        for (size_t at = 0; at < bytes; at += 4096)
            ((volatile char *)memory)[at] = 1;
        plain[i] = now() - begun, begun = now();
        cuda(cudaHostRegister(memory, bytes, cudaHostRegisterDefault));
        lock[i] = now() - begun, begun = now();
        cuda(cudaHostUnregister(memory));
        unlock[i] = now() - begun;
        free(memory);

        begun = now();
        cuda(cudaMallocHost(&p, bytes));
        locked[i] = now() - begun, begun = now();
        cuda(cudaFreeHost(p));
        freed[i] = now() - begun;
    }
    print_time("malloc and a write to each page", bytes, plain);
    print_time("cudaMallocHost", bytes, locked);
    print_time("cudaFreeHost", bytes, freed);
    print_time("cudaHostRegister of such memory", bytes, lock);
    print_time("cudaHostUnregister", bytes, unlock);
}

// ---- copies

__global__ void sum_words(uint64_t *sum, const unsigned *words, size_t count)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    uint64_t mine = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        mine += words[i];
    atomicAdd((unsigned long long *)sum, mine);
}

static void check_arrived(const char *what, size_t count, unsigned first)
{
    uint64_t sum, want = 0;
    cuda(cudaMemset(d_sum, 0, sizeof *d_sum));
    sum_words<<<4, 256>>>(d_sum, d_words, count);
    cuda(cudaGetLastError());
    cuda(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        want += first + (unsigned)i;
    expect(what, sum, want);
}

static double copy(void *to, const void *from, size_t bytes)
{
    double begun = now();
    for (int k = 0; k < COPIES; k++)
        cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, 0));
    cuda(cudaStreamSynchronize(0));
    return now() - begun;
}

static void measure_copies(const char *to_device, const char *to_host, unsigned *words, size_t bytes)
{
    double there[ROUNDS], back[ROUNDS];
    size_t count = bytes / sizeof *words;

    for (unsigned i = 0; i < ROUNDS; i++) {
        fill(words, bytes, i);
        there[i] = copy(d_words, words, bytes);
        check_arrived(to_device, count, i);
        memset(words, 0, bytes);
        back[i] = copy(words, d_words, bytes);
        expect(to_host, words[count / 3], i + (unsigned)(count / 3));
        expect(to_host, words[count - 1], i + (unsigned)(count - 1));
    }
    print_rate(to_device, bytes, there);
    print_rate(to_host, bytes, back);
}

static void measure(size_t bytes)
{
    unsigned *plain = (unsigned *)malloc(bytes), *locked;

    measure_allocation(bytes);
    cuda(cudaMallocHost((void **)&locked, bytes));
    memset(plain, 0, bytes);
    measure_copies("copies from ordinary memory to the device", "copies from the device to ordinary memory", plain,
                   bytes);
    measure_copies("copies from page-locked memory to the device", "copies from the device to page-locked memory",
                   locked, bytes);
    cuda(cudaFreeHost(locked));
    free(plain);
}

int main(int argc, char **argv)
{
    small = argc > 1 && !strcmp(argv[1], "--small");
    if (argc > 1 + small)
        return fprintf(stderr, "usage: locked [--small]\n"), 1;
    size_t most = small ? 1 << 16 : (size_t)1 << 30;
    cuda(cudaMalloc((void **)&d_words, most));
    cuda(cudaMalloc((void **)&d_sum, sizeof *d_sum));
    printf("what,bytes,value,unit\n");
    for (size_t bytes = small ? 1 << 12 : 1 << 16; bytes <= most; bytes *= small ? 16 : 128)
        measure(bytes);
    cuda(cudaFree(d_words));
    cuda(cudaFree(d_sum));
    return 0;
}

// The harness with a device: memory, errors, findings, counters. Runs on the SIMT machine and, without the cases about
// findings and counters, on a GPU. Every guilty case has an innocent twin.
#include "child.h"
#include "harness.h"

#define N 100

__global__ void copy(int *to, const int *from, int n)
{
    if (threadIdx.x < n)
        to[threadIdx.x] = from[threadIdx.x];
}

__global__ void meddle(int *to, int *from)
{
    to[threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x == 17)
        from[17]++;
}

static int host[N];

static void options(const char *expect)
{
    char *argv[] = {(char *)"a.out", (char *)"--expect", (char *)expect, NULL};
    read_options({expect ? 3 : 1, argv, "tests/harness/device.cu", 0}, 1000);
    begin_case("count up", N, "");
    for (int i = 0; i < N; i++)
        host[i] = i;
}

static void poisoned(const char *)
{
    unsigned char bytes[N], want[N];
    options(NULL);
    memset(want, POISON, N);
    check_cuda(cudaMemcpy(bytes, device_alloc(N), N, cudaMemcpyDeviceToHost));
    printf("%s", memcmp(bytes, want, N) ? "something else" : "all poison");
}

// The arrays of a case; returns the second. The next case gets the same addresses, even for larger arrays, unless it
// requests other memory. The first `moved` arrays have other addresses.
static void *case_array(enum round round, int moved, size_t bytes)
{
    harness.round = round;
    harness.moved = moved;
    begin_case("place", N, "");
    void *other = device_alloc(N), *p = device_alloc(bytes);
    check_cuda(cudaFree(p));
    check_cuda(cudaFree(other));
    return p;
}

static void same_place(const char *)
{
    options(NULL);
    void *first = case_array(FIRST, 0, N), *again = case_array(OTHER_CONTENTS, 0, N);
    void *larger = case_array(OTHER_SIZE, 0, 3 * N), *other_moved = case_array(FORMER_SIZE, 1, N);
    void *moved = case_array(FORMER_SIZE, 2, N), *elsewhere = case_array(OTHER_MEMORY, 0, N);
    printf("%d %d %d", !simt_place || first == again, !simt_place || first == larger, simt_place && first == elsewhere);
    printf(" %d %d", !simt_place || first == other_moved, simt_place && first == moved);
}

static void not_aligned(const char *)
{
    int back[N];
    options(NULL);
    char *p = (char *)device_copy(host, sizeof host, 4);
    check_cuda(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
    printf("%d %s", (int)((uintptr_t)p % 16), memcmp(back, host, sizeof host) ? "differs" : "equal");
}

static void run(int threads, int n, const char *expect)
{
    options(expect);
    int *from = (int *)device_copy(host, sizeof host, 0), *to = (int *)device_alloc(sizeof host), got[N];
    begin_counted();
    before_run();
    copy<<<1, threads>>>(to, from, n);
    after_run();
    check_cuda(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    check_ints(got, host, N, N);
    check_untouched(from, host, sizeof host);
    if (expect)
        check_expectations();
}

static void all_copied(const char *)
{
    run(N, N, NULL);
}

static void one_missing(const char *)
{
    run(N, N - 1, NULL);
}

static void one_past(const char *)
{
    run(N + 1, N + 1, NULL);
}

static void block_too_large(const char *)
{
    run(4096, N, NULL);
}

static void one_launch(const char *)
{
    run(N, N, "launches == 1");
}

static void two_launches(const char *)
{
    run(N, N, "global_load_requests == 3");
}

static void input_modified(const char *)
{
    options(NULL);
    int *from = (int *)device_copy(host, sizeof host, 0), *to = (int *)device_alloc(sizeof host);
    meddle<<<1, N>>>(to, from);
    after_run();
    check_untouched(from, host, sizeof host);
}

static void device_too_small(const char *)
{
    options(NULL);
    device_alloc((size_t)1 << 50);
}

static void host_too_small(const char *)
{
    options(NULL);
    host_alloc((size_t)1 << 50);
}

static const struct child_case CASES[] = {
    {"fresh device memory holds poison", poisoned, "", 0, "all poison"},
    {"arrays return to their addresses", same_place, "", 0, "1 1 0 1 0"},
    {"an input that begins off a 16-byte boundary", not_aligned, "", 0, "4 equal"},
    {"all elements copied", all_copied, "", 0, NULL},
    {"one element missing", one_missing, "", 2, "index 99, block 0 thread 99\n  got     2139062143 (poison"},
    {"input modified", input_modified, "", 2, "input was modified, first in 4-byte word 17"},
    {"launch refused", block_too_large, "", 1, "failed with cudaErrorInvalid"},
    {"more than the device has", device_too_small, "", 1, "out of memory"},
    {"more than the host has", host_too_small, "", 1, "out of memory"},
    {"one past the end", one_past, "", 3, "unsafe"},
    {"expectation met", one_launch, "", 0, "met      launches: 1, must be 1 (launches == 1)"},
    {"expectation missed", two_launches, "", 4, "device.cu:11: 4 of 4"},
};
enum { ON_A_GPU = 8 };

int main(void)
{
    return run_children(CASES, simt_read ? (int)(sizeof CASES / sizeof CASES[0]) : ON_A_GPU);
}

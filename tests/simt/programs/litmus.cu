// Litmus tests: a few threads, a word or two, and the allowed results of loads. Each shape runs many times, with fences
// and without, among warps of one block and among blocks.
//
//     litmus                 on the SIMT machine, with SIMT_SCHEDULE=random:SEED: every outcome that the table wants is
//                            seen, none that it forbids
//     litmus record          on a GPU: the outcomes as lines of a table (tests/hardware/litmus.sh)
//     litmus test NAME       that one test
//     litmus compare FILE    no outcome of such a table is forbidden
//
// All accesses are relaxed, except in mp-release. Shapes, thread by thread (; separates them):
//     mp    x = 1, fence, y = 1; a = y, fence, b = x
//     sb    x = 1, fence, a = y; y = 1, fence, b = x
//     lb    a = x, fence, y = 1; b = y, fence, x = 1
//     corr  x = 1, x = 2; a = x, b = x
//     wrc   x = 1; a = x, fence, y = 1; b = y, fence, c = x
//     iriw  x = 1; y = 1; a = x, fence, b = y; c = y, fence, d = x
//     vec   (x, z) = (0, 0), then (1, 1), then (2, 2); (a, b) = (x, z)      z: the word after x
// An outcome is a digit per load. The machine executes no load early, so lb's 11 is allowed but never seen.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum shape { MP, MP_RELEASE, SB, LB, CORR, WRC, IRIW, VEC };
enum fence { NONE, CTA, GPU, ACQ_REL_CTA, ACQ_REL_GPU };
enum place { WARPS, BLOCKS }; // whether the threads are warps of one block, or blocks

#define APART 64 // words between x and y, and between one run and the next
#define LOADS 4
#define OUTCOMES 10000
#define LAUNCHES 250 // of 20 runs each, on the SIMT machine
#define FEW 50       // of these, by the argument `few`, if all outcomes have been seen

struct words {
    int *x, *y, *loads, *arrived;
};

static __device__ void store(int *to, int v)
{
    asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
}

static __device__ int load(const int *from)
{
    int v;
    asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    return v;
}

static __device__ void store_pair(int *to, int v)
{
    asm volatile("st.relaxed.gpu.v2.s32 [%0], {%1, %1};" ::"l"(to), "r"(v) : "memory");
}

static __device__ void load_pair(int *r, const int *from)
{
    asm volatile("ld.relaxed.gpu.v2.s32 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "l"(from) : "memory");
}

static __device__ void store_release(int *to, int v, int place)
{
    if (place == WARPS)
        asm volatile("st.release.cta.s32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
    else
        asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
}

static __device__ int load_acquire(const int *from, int place)
{
    int v;
    if (place == WARPS)
        asm volatile("ld.acquire.cta.s32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    else
        asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    return v;
}

static __device__ void fence_of(int kind)
{
    if (kind == CTA)
        __threadfence_block();
    else if (kind == GPU)
        __threadfence();
    else if (kind == ACQ_REL_CTA)
        asm volatile("fence.acq_rel.cta;" ::: "memory");
    else if (kind == ACQ_REL_GPU)
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

// The accesses of thread `role` of the shape; first and second: its fences, if it orders two words.
static __device__ void run(int shape, int role, int place, int first, int second, int *x, int *y, int *r)
{
    switch (shape) {
    case MP:
        if (role == 0)
            store(x, 1), fence_of(first), store(y, 1);
        else
            r[0] = load(y), fence_of(second), r[1] = load(x);
        break;
    case MP_RELEASE:
        if (role == 0)
            store(x, 1), store_release(y, 1, place);
        else
            r[0] = load_acquire(y, place), r[1] = load(x);
        break;
    case SB:
        if (role == 0)
            store(x, 1), fence_of(first), r[0] = load(y);
        else
            store(y, 1), fence_of(second), r[1] = load(x);
        break;
    case LB:
        if (role == 0)
            r[0] = load(x), fence_of(first), store(y, 1);
        else
            r[1] = load(y), fence_of(second), store(x, 1);
        break;
    case CORR:
        if (role == 0)
            store(x, 1), store(x, 2);
        else
            r[0] = load(x), r[1] = load(x);
        break;
    case WRC:
        if (role == 0)
            store(x, 1);
        else if (role == 1)
            r[0] = load(x), fence_of(first), store(y, 1);
        else
            r[1] = load(y), fence_of(second), r[2] = load(x);
        break;
    case IRIW:
        if (role < 2)
            store(role ? y : x, 1);
        else if (role == 2)
            r[0] = load(x), fence_of(first), r[1] = load(y);
        else
            r[2] = load(y), fence_of(second), r[3] = load(x);
        break;
    case VEC:
        if (role == 0)
            store_pair(x, 0), store_pair(x, 1), store_pair(x, 2); // the first changes nothing
        else
            load_pair(r, x);
        break;
    }
}

// Runs the shape count times, each with separate words; threads: its number of threads. meet: they synchronize before
// each run.
__global__ void litmus(int shape, int place, int first, int second, int threads, int count, int meet, struct words w)
{
    int role = place == WARPS ? threadIdx.x / 32 : blockIdx.x;
    if (threadIdx.x % 32 || role >= threads)
        return;
    for (int i = 0; i < count; i++) {
        if (meet)
            for (atomicAdd(&w.arrived[i], 1); atomicAdd(&w.arrived[i], 0) < threads;)
                ;
        run(shape, role, place, first, second, w.x + 2 * APART * i, w.y + 2 * APART * i, w.loads + LOADS * i);
    }
}

#define ANY4 "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111" // all but 1010

// "seen" outcomes must occur on the SIMT machine, and "never" ones nowhere.
static const struct test {
    const char *name;
    int shape, place, first, second, threads;
    const char *seen, *never;
} tests[] = {
    {"mp blocks", MP, BLOCKS, NONE, NONE, 2, "00 01 11 10", ""},
    {"mp blocks writer's fence", MP, BLOCKS, GPU, NONE, 2, "00 01 11 10", ""},
    {"mp blocks reader's fence", MP, BLOCKS, NONE, GPU, 2, "00 01 11 10", ""},
    {"mp blocks fences of the block", MP, BLOCKS, CTA, CTA, 2, "00 01 11 10", ""},
    {"mp blocks fences", MP, BLOCKS, GPU, GPU, 2, "00 01 11", "10"},
    {"mp blocks acq_rel", MP, BLOCKS, ACQ_REL_GPU, ACQ_REL_GPU, 2, "00 01 11", "10"},
    {"mp blocks release acquire", MP_RELEASE, BLOCKS, NONE, NONE, 2, "00 01 11", "10"},
    {"mp warps", MP, WARPS, NONE, NONE, 2, "00 01 11 10", ""},
    {"mp warps fences", MP, WARPS, CTA, CTA, 2, "00 01 11", "10"},
    {"mp warps acq_rel", MP, WARPS, ACQ_REL_CTA, ACQ_REL_CTA, 2, "00 01 11", "10"},
    {"mp warps release acquire", MP_RELEASE, WARPS, NONE, NONE, 2, "00 01 11", "10"},
    {"sb blocks", SB, BLOCKS, NONE, NONE, 2, "00 01 10 11", ""},
    {"sb blocks one fence", SB, BLOCKS, GPU, NONE, 2, "00 01 10 11", ""},
    {"sb blocks acq_rel", SB, BLOCKS, ACQ_REL_GPU, ACQ_REL_GPU, 2, "00 01 10 11", ""},
    {"sb blocks fences of the block", SB, BLOCKS, CTA, CTA, 2, "00 01 10 11", ""},
    {"sb blocks fences", SB, BLOCKS, GPU, GPU, 2, "01 10 11", "00"},
    {"sb warps", SB, WARPS, NONE, NONE, 2, "00 01 10 11", ""},
    {"sb warps fences", SB, WARPS, CTA, CTA, 2, "01 10 11", "00"},
    {"lb blocks", LB, BLOCKS, NONE, NONE, 2, "00 01 10", ""},
    {"lb blocks fences", LB, BLOCKS, GPU, GPU, 2, "00 01 10", "11"},
    {"lb warps", LB, WARPS, NONE, NONE, 2, "00 01 10", ""},
    {"lb warps fences", LB, WARPS, CTA, CTA, 2, "00 01 10", "11"},
    {"corr blocks", CORR, BLOCKS, NONE, NONE, 2, "00 01 02 11 12 22", "10 20 21"},
    {"corr warps", CORR, WARPS, NONE, NONE, 2, "00 01 02 11 12 22", "10 20 21"},
    {"wrc blocks", WRC, BLOCKS, NONE, NONE, 3, "000 001 010 011 100 101 111 110", ""},
    {"wrc blocks fences", WRC, BLOCKS, GPU, GPU, 3, "000 001 010 011 100 101 111", "110"},
    {"wrc blocks acq_rel", WRC, BLOCKS, ACQ_REL_GPU, ACQ_REL_GPU, 3, "000 001 010 011 100 101 111", "110"},
    {"wrc warps", WRC, WARPS, NONE, NONE, 3, "000 001 010 011 100 101 111 110", ""},
    {"wrc warps fences", WRC, WARPS, CTA, CTA, 3, "000 001 010 011 100 101 111", "110"},
    {"iriw blocks", IRIW, BLOCKS, NONE, NONE, 4, ANY4 " 1010", ""},
    {"iriw blocks acq_rel", IRIW, BLOCKS, ACQ_REL_GPU, ACQ_REL_GPU, 4, ANY4 " 1010", ""},
    {"iriw blocks fences", IRIW, BLOCKS, GPU, GPU, 4, ANY4, "1010"},
    {"iriw warps", IRIW, WARPS, NONE, NONE, 4, ANY4 " 1010", ""},
    {"iriw warps fences", IRIW, WARPS, CTA, CTA, 4, ANY4, "1010"},
    {"vec blocks", VEC, BLOCKS, NONE, NONE, 2, "00 11 22", "01 02 10 12 20 21"},
    {"vec warps", VEC, WARPS, NONE, NONE, 2, "00 11 22", "01 02 10 12 20 21"},
};

#define TESTS (sizeof tests / sizeof *tests)

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorString(error));
    exit(1);
}

static int loads_of(int shape)
{
    return shape == WRC ? 3 : shape == IRIW ? 4 : 2;
}

// Adds to counts, indexed by the outcome as a decimal number.
static void run_test(const struct test *t, int launches, int count, int meet, long *counts)
{
    static struct words w;
    static int *host;
    size_t words = (size_t)2 * APART * count;
    if (!host) {
        check_cuda(cudaMalloc((void **)&w.x, words * sizeof *w.x));
        check_cuda(cudaMalloc((void **)&w.loads, (LOADS + 1) * count * sizeof *w.loads));
        host = (int *)malloc(LOADS * count * sizeof *host);
        w.y = w.x + APART;
        w.arrived = w.loads + LOADS * count;
    }
    for (int k = 0; k < launches; k++) {
        check_cuda(cudaMemset(w.x, 0, words * sizeof *w.x));
        check_cuda(cudaMemset(w.loads, 0, (LOADS + 1) * count * sizeof *w.loads));
        litmus<<<t->place == WARPS ? 1 : t->threads, t->place == WARPS ? 32 * t->threads : 32>>>(
            t->shape, t->place, t->first, t->second, t->threads, count, meet, w);
        check_cuda(cudaGetLastError());
        check_cuda(cudaMemcpy(host, w.loads, LOADS * count * sizeof *host, cudaMemcpyDeviceToHost));
        for (int i = 0; i < count; i++) {
            int outcome = 0;
            for (int r = 0; r < loads_of(t->shape); r++)
                outcome = outcome * 10 + host[LOADS * i + r];
            counts[outcome]++;
        }
    }
}

static bool has(const char *list, const char *outcome)
{
    size_t n = strlen(outcome);
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && !strncmp(at, outcome, n))
            return true;
    return false;
}

static bool all_seen(const struct test *t, const long *counts)
{
    char outcome[8];
    for (int o = 0; o < OUTCOMES; o++) {
        snprintf(outcome, sizeof outcome, "%0*d", loads_of(t->shape), o);
        if (!counts[o] && strlen(outcome) == (size_t)loads_of(t->shape) && has(t->seen, outcome))
            return false;
    }
    return true;
}

// Runs on the SIMT machine; few: only until every outcome has been seen.
static void run_here(const struct test *t, bool few, long *counts)
{
    for (int k = 0; k < LAUNCHES && !(few && k >= FEW && all_seen(t, counts)); k += FEW / 2)
        run_test(t, FEW / 2, 20, false, counts);
}

// One line for each test; returns how many outcomes are missing or forbidden.
static int compare_test(const struct test *t, const long *counts)
{
    int bad = 0;
    char outcome[8];
    printf("%-32s", t->name);
    for (int o = 0; o < OUTCOMES; o++) {
        snprintf(outcome, sizeof outcome, "%0*d", loads_of(t->shape), o);
        if (counts[o])
            printf(" %s:%ld", outcome, counts[o]);
        if (counts[o] && has(t->never, outcome))
            printf(" (forbidden)"), bad++;
        if (!counts[o] && strlen(outcome) == (size_t)loads_of(t->shape) && has(t->seen, outcome))
            printf(" %s:missing", outcome), bad++;
    }
    printf("\n");
    return bad;
}

static int compare_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[200], outcome[8];
    int bad = 0, lines = 0;
    if (!file) {
        printf("%s: not recorded yet; on a GPU: sh tests/hardware/litmus.sh DIRECTORY\n", path);
        return 77;
    }
    while (fgets(line, sizeof line, file))
        for (size_t i = 0; i < TESTS; i++) {
            size_t n = strlen(tests[i].name);
            if (strncmp(line, tests[i].name, n) || line[n] != ',' || sscanf(line + n, ",%7[0-9],", outcome) != 1)
                continue;
            lines++;
            if (has(tests[i].never, outcome) && ++bad)
                printf("%s: %s is forbidden: %s", path, outcome, line);
        }
    fclose(file);
    printf("%s: %d outcomes, %d of them forbidden\n", path, lines, bad);
    return bad || !lines;
}

int main(int argc, char **argv)
{
    static long counts[OUTCOMES];
    bool record = argc == 2 && !strcmp(argv[1], "record"), few = argc == 2 && !strcmp(argv[1], "few");
    const char *only = argc == 3 && !strcmp(argv[1], "test") ? argv[2] : NULL;
    int bad = 0;
    if (argc == 3 && !strcmp(argv[1], "compare"))
        return compare_file(argv[2]);
    if (argc > 1 && !record && !few && !only)
        return 2;
    if (record)
        printf("test,outcome,times\n");
    for (size_t i = 0; i < TESTS; i++) {
        if (only && strcmp(only, tests[i].name) != 0)
            continue;
        memset(counts, 0, sizeof counts);
        if (record)
            run_test(&tests[i], 200, 10000, record, counts);
        else
            run_here(&tests[i], few, counts);
        for (int o = 0; record && o < OUTCOMES; o++)
            if (counts[o])
                printf("%s,%0*d,%ld\n", tests[i].name, loads_of(tests[i].shape), o, counts[o]);
        bad += record ? 0 : compare_test(&tests[i], counts);
    }
    return bad != 0;
}

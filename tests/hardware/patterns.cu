// Access patterns of one warp, the test of the rules for banks and sectors.
//
//     patterns      runs every instruction on every pattern, a launch for each mask of active lanes, and prints a row:
//                   instruction,byte offsets of the lanes,mask,mask,...
//
// After each mask the SIMT machine prints: passes ideal sectors. On a GPU, patterns.sh inserts Nsight Compute's counts
// there; self.hardware.patterns compares the two. Passes: how often shared memory serves the instruction; ideal: the
// minimum for the bytes it moves; sectors: of global memory.
#define PROGRAM "patterns"
#include "program.h"
#include "simt/simt.h"

struct pattern {
    int offset[32]; // bytes, by lane
    unsigned mask;  // active lanes
    int use;        // 0; so that no result is dead
};

#define BYTES 32768 // limit of the offsets

__shared__ __align__(128) char shared[BYTES];

// The instruction `text`: %0 to %3 are 32-bit words a to d, %4 is a 64-bit word, %5 the address.
#define PROBE(name, base, text) \
    __global__ void name(struct pattern p, char *global, unsigned *sink) \
    { \
        unsigned a = p.use + 1, b = p.use + 2, c = p.use + 3, d = 4; \
        unsigned long long e = 5, at = base + p.offset[threadIdx.x]; \
        if (p.mask >> threadIdx.x & 1) \
            asm volatile(text : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+l"(e) : "l"(at) : "memory"); \
        if (p.use) \
            *sink = a + b + c + d + (unsigned)(e + (e >> 32)); \
    }
#define SHARED (unsigned long long)__cvta_generic_to_shared(shared)
#define GLOBAL (unsigned long long)__cvta_generic_to_global(global)

PROBE(shared_load_8, SHARED, "ld.shared.u8 %0, [%5];")
PROBE(global_load_8, GLOBAL, "ld.global.u8 %0, [%5];")
PROBE(shared_load_32, SHARED, "ld.shared.u32 %0, [%5];")
PROBE(global_load_32, GLOBAL, "ld.global.u32 %0, [%5];")
PROBE(shared_load_64, SHARED, "ld.shared.u64 %4, [%5];")
PROBE(global_load_64, GLOBAL, "ld.global.u64 %4, [%5];")
PROBE(shared_load_128, SHARED, "ld.shared.v4.u32 {%0, %1, %2, %3}, [%5];")
PROBE(global_load_128, GLOBAL, "ld.global.v4.u32 {%0, %1, %2, %3}, [%5];")
PROBE(shared_store_8, SHARED, "st.shared.u8 [%5], %0;")
PROBE(global_store_8, GLOBAL, "st.global.u8 [%5], %0;")
PROBE(shared_store_32, SHARED, "st.shared.u32 [%5], %0;")
PROBE(global_store_32, GLOBAL, "st.global.u32 [%5], %0;")
PROBE(shared_store_64, SHARED, "st.shared.u64 [%5], %4;")
PROBE(global_store_64, GLOBAL, "st.global.u64 [%5], %4;")
PROBE(shared_store_128, SHARED, "st.shared.v4.u32 [%5], {%0, %1, %2, %3};")
PROBE(global_store_128, GLOBAL, "st.global.v4.u32 [%5], {%0, %1, %2, %3};")
PROBE(shared_count_32, SHARED, "red.shared.add.u32 [%5], 1;")
PROBE(shared_inc_32, SHARED, "atom.shared.inc.u32 %0, [%5], %1;")
PROBE(shared_reduce_32, SHARED, "red.shared.add.u32 [%5], %0;")
PROBE(global_reduce_32, GLOBAL, "red.global.add.u32 [%5], %0;")
PROBE(shared_atomic_32, SHARED, "atom.shared.add.u32 %0, [%5], %1;")
PROBE(global_atomic_32, GLOBAL, "atom.global.add.u32 %0, [%5], %1;")
PROBE(global_atomic_64, GLOBAL, "atom.global.add.u64 %4, [%5], %4;")
PROBE(shared_min_32, SHARED, "atom.shared.min.s32 %0, [%5], %1;")
PROBE(global_min_32, GLOBAL, "atom.global.min.s32 %0, [%5], %1;")
PROBE(shared_swap_32, SHARED, "atom.shared.cas.b32 %0, [%5], %1, %2;")
PROBE(global_swap_32, GLOBAL, "atom.global.cas.b32 %0, [%5], %1, %2;")

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define SINCE_90(text) ""
#else
#define SINCE_90(text) text
#endif

// For these, each lane's address points to a row of 16 bytes, and all lanes take part.
PROBE(ldmatrix_1, SHARED, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%5];")
PROBE(ldmatrix_2, SHARED, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%5];")
PROBE(ldmatrix_4, SHARED, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%5];")
PROBE(ldmatrix_4_trans, SHARED, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%5];")
PROBE(stmatrix_1, SHARED, SINCE_90("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%5], {%0};"))
PROBE(stmatrix_2, SHARED, SINCE_90("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%5], {%0, %1};"))
PROBE(stmatrix_4, SHARED, SINCE_90("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%5], {%0, %1, %2, %3};"))
PROBE(stmatrix_4_trans, SHARED, SINCE_90("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%5], {%0, %1, %2, %3};"))

struct probe {
    const char *name;
    void (*kernel)(struct pattern p, char *global, unsigned *sink);
    int size; // bytes that a lane moves
};

static const struct probe PROBES[] = {
    {"shared_load_8", shared_load_8, 1},        {"global_load_8", global_load_8, 1},
    {"shared_load_32", shared_load_32, 4},      {"global_load_32", global_load_32, 4},
    {"shared_load_64", shared_load_64, 8},      {"global_load_64", global_load_64, 8},
    {"shared_load_128", shared_load_128, 16},   {"global_load_128", global_load_128, 16},
    {"shared_store_8", shared_store_8, 1},      {"global_store_8", global_store_8, 1},
    {"shared_store_32", shared_store_32, 4},    {"global_store_32", global_store_32, 4},
    {"shared_store_64", shared_store_64, 8},    {"global_store_64", global_store_64, 8},
    {"shared_store_128", shared_store_128, 16}, {"global_store_128", global_store_128, 16},
    {"shared_count_32", shared_count_32, 4},    {"shared_inc_32", shared_inc_32, 4},
    {"shared_reduce_32", shared_reduce_32, 4},  {"global_reduce_32", global_reduce_32, 4},
    {"shared_atomic_32", shared_atomic_32, 4},  {"global_atomic_32", global_atomic_32, 4},
    {"shared_min_32", shared_min_32, 4},        {"global_min_32", global_min_32, 4},
    {"shared_swap_32", shared_swap_32, 4},      {"global_swap_32", global_swap_32, 4},
};

static const struct probe MATRICES[] = {
    {"ldmatrix_1", ldmatrix_1, 16}, {"ldmatrix_2", ldmatrix_2, 16},
    {"ldmatrix_4", ldmatrix_4, 16}, {"ldmatrix_4_trans", ldmatrix_4_trans, 16},
    {"stmatrix_1", stmatrix_1, 16}, {"stmatrix_2", stmatrix_2, 16},
    {"stmatrix_4", stmatrix_4, 16}, {"stmatrix_4_trans", stmatrix_4_trans, 16},
};

static uint64_t state = 1;

static int random_below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)n);
}

// The position of lane's element, in elements of size bytes, in pattern number kind.
static int place(int kind, int lane, int size)
{
    static const int strides[] = {0, 1, 2, 3, 4, 5, 8, 16, 32, 33};
    int in_bank = 128 / size; // elements until the same bank comes again
    switch (kind) {
    case 10: return lane ^ 1;
    case 11: return lane / 2;
    case 12: return lane / 4;
    case 13: return lane / 8;
    case 14: return lane % 2 * in_bank;             // two words of one bank
    case 15: return lane % 4 * in_bank + lane / 16; // four words of each of two banks
    case 16: return lane / 16 * in_bank;            // a half each
    case 17: return lane % 8 == 0 ? lane * in_bank : lane;
    case 18: return 31 - lane;
    case 19: return lane % 16 * 2 + lane / 16;
    case 20: return random_below(32);
    case 21: return random_below(64);
    case 22: return random_below(256);
    case 23: return random_below(256);
    case 24: return random_below(BYTES / 16);
    case 25: return random_below(8) * in_bank + random_below(2);
    default: return lane * strides[kind];
    }
}
#define KINDS 26

// The position of a lane's row of a matrix, in rows.
static int row_place(int kind, int lane)
{
    static const int strides[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33};
    int row = lane % 8, matrix = lane / 8;
    switch (kind) {
    case 11: return lane ^ 1;
    case 12: return lane / 2;
    case 13: return lane / 4;
    case 14: return matrix;
    case 15: return lane % 2 * 8;
    case 16: return row * 8 + (row ^ matrix);                     // lines of 128 bytes, swizzled
    case 17: return lane % 16 * 4 + (lane / 16 ^ (lane / 2) % 4); // lines of 64 bytes, swizzled
    case 18: return 31 - lane;
    case 19: return row * 8 + matrix;
    case 20: return row / 2 * 8 + row % 2;
    case 21: return row / 4 * 8 + row % 4;
    case 22: return lane < 8 ? 0 : lane;
    case 23: return row ? lane : 0;
    case 24: return row == 7 ? 8 + lane - 7 : lane;
    case 25: return (row == 3 ? 64 : 0) + lane;
    case 26:
    case 27:
    case 28: return random_below(16);
    case 29:
    case 30:
    case 31: return random_below(64);
    case 32:
    case 33:
    case 34:
    case 35: return random_below(1024);
    default: return lane * strides[kind];
    }
}
#define ROW_KINDS 36

static const unsigned MASKS[] = {0xffffffff, 0x0000ffff, 0xffff0000, 0x55555555, 0x00ff00ff, 0x00000001, 0x8c31e5a7};
#define MASK_COUNT (sizeof MASKS / sizeof MASKS[0])

// Adds the cost of the launch with this mask to the row.
static void run(const struct probe *probe, const struct pattern *p, char *global, unsigned *sink)
{
    struct simt_counters c;
    if (simt_reset)
        simt_reset();
    probe->kernel<<<1, 32>>>(*p, global, sink);
    cuda(cudaDeviceSynchronize());
    printf(",%08x", p->mask);
    if (simt_read) {
        simt_read(&c);
        if (c.shared_atomics + c.global_atomics > 0) // their load counts as a load, too, except in Nsight Compute
            c.shared_load_wavefronts = c.shared_load_wavefronts_ideal = c.global_load_sectors = 0;
        printf(" %llu %llu %llu",
               (unsigned long long)(c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts),
               (unsigned long long)(c.shared_load_wavefronts_ideal + c.shared_store_wavefronts_ideal +
                                    c.shared_atomic_wavefronts_ideal),
               (unsigned long long)(c.global_load_sectors + c.global_store_sectors + c.global_atomic_sectors));
    }
}

// Begins the row of a pattern.
static void begin(const struct probe *probe, const struct pattern *p)
{
    printf("%s,", probe->name);
    for (int l = 0; l < 32; l++)
        printf("%s%d", l ? " " : "", p->offset[l]);
}

static void run_matrices(char *global, unsigned *sink)
{
    state = 1;
    for (unsigned i = 0; i < sizeof MATRICES / sizeof MATRICES[0]; i++)
        for (int kind = 0; kind < ROW_KINDS; kind++) {
            struct pattern p = {{0}, MASKS[0], 0};
            for (int l = 0; l < 32; l++)
                p.offset[l] = row_place(kind, l) * 16;
            begin(&MATRICES[i], &p);
            run(&MATRICES[i], &p, global, sink);
            printf("\n");
        }
}

int main(void)
{
    char *global;
    unsigned *sink;
    cuda(cudaMalloc((void **)&global, BYTES));
    cuda(cudaMemset(global, 0, BYTES));
    cuda(cudaMalloc((void **)&sink, sizeof *sink));
    for (unsigned i = 0; i < sizeof PROBES / sizeof PROBES[0]; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            struct pattern p = {{0}, 0, 0};
            for (int l = 0; l < 32; l++)
                p.offset[l] = place(kind, l, PROBES[i].size) * PROBES[i].size;
            begin(&PROBES[i], &p);
            // Wide accesses, which are served in parts, run with all masks; others with all lanes and one other mask.
            for (unsigned m = 0; m < MASK_COUNT; m++)
                if (m == 0 || PROBES[i].size >= 8 || m == 1 + (kind + i) % (MASK_COUNT - 1)) {
                    p.mask = MASKS[m];
                    run(&PROBES[i], &p, global, sink);
                }
            printf("\n");
        }
    run_matrices(global, sink);
    return 0;
}

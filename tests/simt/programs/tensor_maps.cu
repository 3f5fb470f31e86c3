// Tensor copies, compared with loops over the elements of a box: 1 to 5 dimensions, both directions, sums, borders,
// steps, swizzles, several blocks, and what cuTensorMapEncodeTiled refuses. All results are known; the checks must be
// silent.
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "program.h"
#include "tensor_copy.h"

// ---- maps

typedef CUresult encode_function(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_function *encode;

struct tensor {
    CUtensorMapDataType type;
    unsigned rank, element;
    cuuint64_t size[5], stride[4]; // in bytes, of the second dimension on
    cuuint32_t box[5], step[5];
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
    void *data;
};

static CUresult encode_tensor(CUtensorMap *map, const tensor *t)
{
    return encode(map, t->type, t->rank, t->data, t->size, t->stride, t->box, t->step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  t->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, t->fill);
}

// A tensor of 32-bit elements that holds the number of each; rows are padded.
static tensor make(unsigned rank, const unsigned *size, const unsigned *box)
{
    tensor t = {CU_TENSOR_MAP_DATA_TYPE_INT32, rank, 4};
    size_t bytes = size[0] * 4, pitch = (bytes + 15) / 16 * 16 + 16;
    for (unsigned d = 0; d < rank; d++) {
        t.size[d] = size[d];
        t.box[d] = box[d];
        t.step[d] = 1;
        if (d) {
            t.stride[d - 1] = pitch;
            pitch *= size[d];
        }
    }
    int *data = managed<int>((rank > 1 ? pitch : bytes) / 4 + 16);
    for (size_t i = 0; i < (rank > 1 ? pitch : bytes) / 4; i++)
        data[i] = (int)i + 1;
    t.data = data;
    return t;
}

static unsigned steps(const tensor *t, unsigned d)
{
    return (t->box[d] + t->step[d] - 1) / t->step[d];
}

static unsigned rows(const tensor *t)
{
    unsigned n = 1;
    for (unsigned d = 1; d < t->rank; d++)
        n *= steps(t, d);
    return n;
}

// The pitch of the tile, and the position of byte i of row r.
static unsigned pitch(const tensor *t)
{
    return t->swizzle ? 16u << t->swizzle : t->box[0] * t->element;
}

static unsigned place(const tensor *t, unsigned r, unsigned i)
{
    return swizzled(r * pitch(t) + i, t->swizzle);
}

// The element of the box in row r and column i; NULL: out of bounds.
static uint8_t *element(const tensor *t, const int *from, unsigned r, unsigned i)
{
    uint8_t *p = (uint8_t *)t->data;
    long long x = (long long)from[0] + i;
    if (x < 0 || x >= (long long)t->size[0])
        return NULL;
    p += x * t->element;
    for (unsigned d = 1; d < t->rank; r /= steps(t, d), d++) {
        x = from[d] + (long long)(r % steps(t, d)) * t->step[d];
        if (x < 0 || x >= (long long)t->size[d])
            return NULL;
        p += x * (long long)t->stride[d - 1];
    }
    return p;
}

// ---- kernels

enum what { STORES, ADDS, LEAST };

// Stores from a tile with the contents of in: two dimensions.
__global__ void store_tile(const __grid_constant__ CUtensorMap map, coordinates to, const uint8_t *in, unsigned bytes,
                           what how)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
        tile[i] = in[i];
    fence();
    __syncthreads();
    if (threadIdx.x)
        return;
    if (how == STORES)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
                     "r"(to.c[0]), "r"(to.c[1]), "r"(at(tile))
                     : "memory");
    else if (how == ADDS)
        asm volatile(
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
            "r"(to.c[0]), "r"(to.c[1]), "r"(at(tile))
            : "memory");
    else
        asm volatile(
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
            "r"(to.c[0]), "r"(to.c[1]), "r"(at(tile))
            : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// Block 0 loads a tile of 32 x 4 for both blocks of the cluster; each adds what it got.
__global__ void __cluster_dims__(2) load_for_all(const __grid_constant__ CUtensorMap map, int *sums)
{
    __shared__ alignas(128) int tile[128];
    __shared__ mbarrier full;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        begin(&full, sizeof tile);
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0 && rank == 0)
        asm volatile("cp.async.bulk.tensor.2d" MBARRIER
                     ".multicast::cluster [%0], [%1, {%2, %2}], [%3], %4;" ::"r"(at(tile)),
                     "l"(&map), "r"(0), "r"(at(&full)), "h"((short)3)
                     : "memory");
    wait(&full);
    atomicAdd(&sums[rank], tile[threadIdx.x] * (int)(threadIdx.x + 1));
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

__global__ void add_least(float *to)
{
    __shared__ alignas(16) float least[4];
    for (int i = 0; i < 4; i++)
        least[i] = __uint_as_float(i + 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 16;" ::"l"(to), "r"(at(least))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// ---- checks

static void check_load(const tensor *t, coordinates from)
{
    unsigned bytes = (rows(t) * pitch(t) + 127) / 128 * 128, counted = rows(t) * t->box[0] * t->element,
             wrong_bytes = 0;
    uint8_t *out = managed<uint8_t>(bytes), zero[8] = {0},
            nan[8] = {0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f}; // an H100's, of every type
    const uint8_t *outside = t->fill ? nan : zero;
    CUtensorMap map;
    EXPECT(encode_tensor(&map, t) == CUDA_SUCCESS);
    switch (t->rank) {
    case 1: load_tile<1><<<1, 64, bytes>>>(map, from, out, counted, bytes); break;
    case 2: load_tile<2><<<1, 64, bytes>>>(map, from, out, counted, bytes); break;
    case 3: load_tile<3><<<1, 64, bytes>>>(map, from, out, counted, bytes); break;
    case 4: load_tile<4><<<1, 64, bytes>>>(map, from, out, counted, bytes); break;
    default: load_tile<5><<<1, 64, bytes>>>(map, from, out, counted, bytes); break;
    }
    CUDA(cudaDeviceSynchronize());
    for (unsigned r = 0; r < rows(t); r++)
        for (unsigned i = 0; i < t->box[0]; i++) {
            const uint8_t *want = element(t, from.c, r, i);
            wrong_bytes += memcmp(out + place(t, r, i * t->element), want ? want : outside, t->element) != 0;
        }
    EXPECT(wrong_bytes == 0);
    CUDA(cudaFree(out));
}

static void check_ranks()
{
    const unsigned size[] = {13, 7, 5, 4, 3}, box[] = {8, 4, 3, 2, 2};
    for (unsigned rank = 1; rank <= 5; rank++) {
        tensor t = make(rank, size, box);
        for (int shift = -3; shift <= 9; shift += 4) {
            coordinates from = {{shift, shift / 2, -1, 1, shift > 5}};
            check_load(&t, from);
        }
        CUDA(cudaFree(t.data));
    }
}

// How an H100 converts words on loading: rounded for tf32, unchanged for f32 with .ftz.
static void check_words(CUtensorMapDataType type, bool rounds)
{
    static const unsigned words[] = {0x3f800fff, 0x3f801000, 0x3f801001, 0x3f803000, 0xbf801000, 0x7f800001,
                                     0x7fffffff, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x3f805000},
                          rounded[] = {0x3f800000, 0x3f800000, 0x3f802000, 0x3f804000, 0xbf800000, 0x7fffe000,
                                       0x7fffe000, 0x00000000, 0x80800000, 0x00800000, 0x7f800000, 0x3f804000};
    const unsigned count = 12;
    tensor t = make(1, &count, &count);
    uint8_t *out = managed<uint8_t>(128);
    CUtensorMap map;
    t.type = type;
    memcpy(t.data, words, sizeof words);
    EXPECT(encode_tensor(&map, &t) == CUDA_SUCCESS);
    load_tile<1><<<1, 64, 128>>>(map, coordinates(), out, sizeof words, 128);
    CUDA(cudaDeviceSynchronize());
    EXPECT(memcmp(out, rounds ? rounded : words, sizeof words) == 0);
    CUDA(cudaFree(out));
    CUDA(cudaFree(t.data));
}

// Sums by bulk copies keep subnormals, which red.global flushes to zero (an H100).
static void check_least()
{
    unsigned *sums = managed<unsigned>(4);
    const unsigned start[] = {0, 0x3f800000, 5, 0x80000001}, want[] = {1, 0x3f800000, 8, 3};
    memcpy(sums, start, sizeof start);
    add_least<<<1, 1>>>((float *)sums);
    CUDA(cudaDeviceSynchronize());
    EXPECT(memcmp(sums, want, sizeof want) == 0);
    CUDA(cudaFree(sums));
}

static void check_swizzles()
{
    const unsigned size[] = {64, 32}, box[] = {32, 24};
    tensor t = make(2, size, box);
    coordinates from = {{-2, 3}};
    for (int s = 0; s <= 3; s++) {
        t.swizzle = (CUtensorMapSwizzle)s;
        t.box[0] = s ? 4u << s : 32;
        check_load(&t, from);
    }
    t.box[0] = 8; // rows of 32 bytes in spans of 128
    check_load(&t, from);
    t.box[0] = 32;
    t.box[1] = 24;
    t.step[1] = 3; // every third row
    check_load(&t, from);
    t.step[1] = 1;
    t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    check_load(&t, from);
    CUDA(cudaFree(t.data));
}

static int result(what how, int old, int value)
{
    return how == STORES ? value : how == ADDS ? old + value : old < value ? old : value;
}

// A store or sum writes whole 16-byte units, even beyond the row's end.
static void check_store(what how, CUtensorMapSwizzle swizzle, unsigned width)
{
    const unsigned size[] = {width, 9}, box[] = {16, 6};
    tensor t = make(2, size, box), reached = t;
    coordinates to = {{8, -2}};
    reached.size[0] = (width + 3) / 4 * 4;
    t.swizzle = swizzle;
    unsigned bytes = rows(&t) * pitch(&t), words = 9 * (unsigned)t.stride[0] / 4, wrong_words = 0;
    int *want = new int[words];
    uint8_t *in = managed<uint8_t>(bytes);
    CUtensorMap map;
    memcpy(want, t.data, words * 4);
    for (unsigned r = 0; r < rows(&t); r++)
        for (unsigned i = 0; i < t.box[0]; i++) {
            int value = (int)(r * 100 + i);
            const uint8_t *p = element(&reached, to.c, r, i);
            memcpy(in + place(&t, r, i * 4), &value, 4);
            int *w = p ? want + (p - (uint8_t *)t.data) / 4 : &value;
            *w = p ? result(how, *w, value) : value;
        }
    EXPECT(encode_tensor(&map, &t) == CUDA_SUCCESS);
    store_tile<<<1, 64, bytes>>>(map, to, in, bytes, how);
    CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < words; i++)
        wrong_words += ((int *)t.data)[i] != want[i];
    EXPECT(wrong_words == 0);
    delete[] want;
    CUDA(cudaFree(in));
    CUDA(cudaFree(t.data));
}

static void check_halves()
{
    const unsigned size[] = {8, 4}, box[] = {4, 4};
    tensor t = make(2, size, box);
    uint16_t *data = (uint16_t *)t.data;
    uint16_t *in = managed<uint16_t>(16 * 2);
    coordinates to = {{0, 0}};
    CUtensorMap map;
    t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    t.element = 2;
    t.box[0] = 8;
    for (int i = 0; i < 32; i++) {
        data[i / 8 * (t.stride[0] / 2) + i % 8] = 0x3c00; // 1
        in[i] = 0x4000;                                   // 2
    }
    EXPECT(encode_tensor(&map, &t) == CUDA_SUCCESS);
    store_tile<<<2, 64, 64>>>(map, to, (const uint8_t *)in, 64, ADDS);
    CUDA(cudaDeviceSynchronize());
    EXPECT(data[0] == 0x4500 && data[3 * (t.stride[0] / 2) + 7] == 0x4500); // 5
    CUDA(cudaFree(in));
    CUDA(cudaFree(t.data));
}

static void check_multicast()
{
    const unsigned size[] = {40, 8}, box[] = {32, 4};
    tensor t = make(2, size, box);
    int *sums = managed<int>(2), want = 0;
    CUtensorMap map;
    for (int i = 0; i < 128; i++)
        want += ((int *)t.data)[i / 32 * (t.stride[0] / 4) + i % 32] * (i + 1);
    EXPECT(encode_tensor(&map, &t) == CUDA_SUCCESS);
    load_for_all<<<2, 128>>>(map, sums);
    CUDA(cudaDeviceSynchronize());
    EXPECT(sums[0] == want && sums[1] == want);
    CUDA(cudaFree(sums));
    CUDA(cudaFree(t.data));
}

// ---- refusals

static bool refused(const tensor *t)
{
    CUtensorMap map;
    return encode_tensor(&map, t) == CUDA_ERROR_INVALID_VALUE;
}

static void check_refusals()
{
    const unsigned size[] = {64, 8}, box[] = {32, 4};
    const tensor right = make(2, size, box);
    tensor t = right;
    EXPECT(!refused(&t));
#define REFUSED(change) \
    t = right; \
    change; \
    EXPECT(refused(&t))
    REFUSED(t.rank = 0);
    REFUSED(t.rank = 6);
    REFUSED(t.data = (char *)t.data + 4);
    REFUSED(t.stride[0] += 4);
    REFUSED(t.stride[0] = 1ull << 40);
    REFUSED(t.size[1] = 0);
    REFUSED(t.size[1] = (1ull << 32) + 1);
    REFUSED(t.box[1] = 0);
    REFUSED(t.box[1] = 257);
    REFUSED(t.box[0] = 3);
    REFUSED(t.step[1] = 0);
    REFUSED(t.step[1] = 9);
    REFUSED(t.step[0] = 0);
    REFUSED(t.box[0] = 256; t.box[1] = 240);
    REFUSED(t.swizzle = CU_TENSOR_MAP_SWIZZLE_64B);
    REFUSED(t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    CUDA(cudaFree(right.data));
}

int main()
{
    cudaDriverEntryPointQueryResult found;
    void *entry = NULL;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
    EXPECT(found == cudaDriverEntryPointSuccess && entry);
    encode = (encode_function *)entry;
    CUDA(cudaFree(0));
    check_ranks();
    check_swizzles();
    for (int swizzle = 0; swizzle <= 3; swizzle += 2) {
        check_store(STORES, (CUtensorMapSwizzle)swizzle, swizzle ? 18 : 20);
        check_store(ADDS, (CUtensorMapSwizzle)swizzle, swizzle ? 18 : 20);
        check_store(LEAST, (CUtensorMapSwizzle)swizzle, swizzle ? 18 : 20);
    }
    check_halves();
    check_words(CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, false);
    check_words(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, true);
    check_words(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, true);
    check_least();
    check_multicast();
    check_refusals();
    return finish();
}

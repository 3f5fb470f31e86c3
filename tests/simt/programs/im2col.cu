// Copies of tensors by im2col, compared with a loop over the pixels: 3 to 5 dimensions, corners, steps, offsets, fills,
// swizzles, both directions, sums; copies of interleaved tensors; what cuTensorMapEncodeIm2col refuses. The rules are
// those of an H200, where the loads by im2col have passed; the checks must be silent.
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "program.h"
#include "tensor_copy.h"

#define WORDS 16384

typedef CUresult encode_columns(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill);
typedef CUresult encode_tiles(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                              const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_columns *encode;
static encode_tiles *encode_tiled;
static int *words; // the tensor: each word has its number, from 1 on

// Images of 32-bit channels: sizes and coordinates are of channels, width, height, depth if rank is 5, and images.
struct tensor {
    unsigned rank;
    cuuint64_t size[5];
    int low[3], high[3];
    unsigned channels, pixels;
    cuuint32_t step[5];
    CUtensorMapSwizzle swizzle;
    CUtensorMapDataType type;
    CUtensorMapFloatOOBfill fill;
    void *data;
    unsigned padding; // bytes after each pixel
};

struct place {
    int c[5];
    unsigned short offset[3];
};

static tensor images()
{
    tensor t = {4, {8, 7, 5, 3}, {-1, -1}, {-1, -1}, 8, 24, {1, 1, 1, 1, 1}};
    t.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    t.data = words;
    return t;
}

static CUresult encode_images(CUtensorMap *map, const tensor *t)
{
    cuuint64_t strides[4], bytes = t->size[0] * 4 + t->padding;
    for (unsigned d = 1; d < t->rank; d++) {
        strides[d - 1] = bytes;
        bytes *= t->size[d];
    }
    return encode(map, t->type, t->rank, t->data, t->size, strides, t->low, t->high, t->channels, t->pixels, t->step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, t->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, t->fill);
}

// ---- the model

static unsigned pitch(const tensor *t)
{
    return t->swizzle ? 16u << t->swizzle : t->channels * 4;
}

// The position of channel c of pixel p in the tile.
static unsigned position(const tensor *t, unsigned p, unsigned c)
{
    return swizzled(p * pitch(t) + 4 * c, t->swizzle);
}

// The index of the word of a channel; -1: out of bounds.
static long long word_at(const tensor *t, const int *c)
{
    long long index = 0, size = 1;
    for (unsigned d = 0; d < t->rank; d++) {
        if (c[d] < 0 || c[d] >= (long long)t->size[d])
            return -1;
        index += c[d] * size;
        size *= (long long)t->size[d];
    }
    return index;
}

static void advance(const tensor *t, int *c)
{
    for (unsigned d = 1; d < t->rank; d++) {
        c[d] += (int)t->step[d];
        if (d == t->rank - 1 || c[d] <= (int)t->size[d] - 1 + t->high[d - 1])
            return;
        c[d] = t->low[d - 1];
    }
}

// index[p * channels + c]: the word that channel c of pixel p comes from, or -1.
static void list_words(const tensor *t, const place *from, long long *index)
{
    int base[5];
    memcpy(base, from->c, sizeof base);
    for (unsigned p = 0; p < t->pixels; p++, advance(t, base))
        for (unsigned c = 0; c < t->channels; c++) {
            int x[5] = {base[0] + (int)c};
            for (unsigned d = 1; d < t->rank; d++)
                x[d] = base[d] + (d < t->rank - 1 ? from->offset[d - 1] : 0);
            index[p * t->channels + c] = word_at(t, x);
        }
}

// ---- kernels

#define COPY(n, list, offsets, ...) \
    asm volatile("cp.async.bulk.tensor." n \
                 "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {" list "}], [%2]" offsets \
                 ";" ::"r"(at(tile)), \
                 "l"(&map), "r"(at(&full)), __VA_ARGS__ \
                 : "memory")

template <int RANK>
__global__ void load_columns(const __grid_constant__ CUtensorMap map, place from, uint8_t *out, unsigned counted,
                             unsigned bytes)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ mbarrier full;
    const int *c = from.c;
    const unsigned short *o = from.offset;
    fill(tile, bytes);
    if (threadIdx.x == 0) {
        begin(&full, counted);
        if (RANK == 4)
            asm volatile(
                "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%0, {%1, %2, %3, %4}], {%5, %5};" ::"l"(&map),
                "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"((short)0)
                : "memory");
        if (RANK == 3)
            COPY("3", "%3, %4, %5", ", {%6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(o[0]));
        else if (RANK == 4)
            COPY("4", "%3, %4, %5, %6", ", {%7, %8}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"(o[0]), "h"(o[1]));
        else
            COPY("5", "%3, %4, %5, %6, %7", ", {%8, %9, %10}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]),
                 "h"(o[0]), "h"(o[1]), "h"(o[2]));
    }
    take(out, tile, &full, bytes);
}

__global__ void store_columns(const __grid_constant__ CUtensorMap map, place to, const int *in, unsigned count,
                              bool adds)
{
    extern __shared__ __align__(1024) int values[];
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        values[i] = in[i];
    fence();
    __syncthreads();
    if (threadIdx.x)
        return;
#define STORE(copy) \
    asm volatile(copy ".im2col_no_offs.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map), "r"(to.c[0]), \
                 "r"(to.c[1]), "r"(to.c[2]), "r"(to.c[3]), "r"(at(values)) \
                 : "memory")
    if (adds)
        STORE("cp.reduce.async.bulk.tensor.4d.global.shared::cta.add");
    else
        STORE("cp.async.bulk.tensor.4d.global.shared::cta");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// ---- checks

static void number_words()
{
    for (int i = 0; i < WORDS; i++)
        words[i] = i + 1;
}

static void check_load(const tensor *t, place from)
{
    unsigned count = t->pixels * t->channels, bytes = t->pixels * pitch(t), wrong_words = 0;
    const int outside = t->fill ? 0x7ff77ff7 : 0;
    long long *index = new long long[count];
    uint8_t *out = managed<uint8_t>(bytes);
    CUtensorMap map;
    EXPECT(encode_images(&map, t) == CUDA_SUCCESS);
    switch (t->rank) {
    case 3: load_columns<3><<<1, 64, bytes>>>(map, from, out, count * 4, bytes); break;
    case 4: load_columns<4><<<1, 64, bytes>>>(map, from, out, count * 4, bytes); break;
    default: load_columns<5><<<1, 64, bytes>>>(map, from, out, count * 4, bytes); break;
    }
    CUDA(cudaDeviceSynchronize());
    list_words(t, &from, index);
    for (unsigned i = 0; i < count; i++) {
        int got;
        memcpy(&got, out + position(t, i / t->channels, i % t->channels), 4);
        wrong_words += got != (index[i] < 0 ? outside : words[index[i]]);
    }
    EXPECT(wrong_words == 0);
    delete[] index;
    CUDA(cudaFree(out));
}

static void check_images()
{
    tensor t = images();
    check_load(&t, {{0, -1, -1, 0}});
    check_load(&t, {{0, -1, -1, 0}, {1, 2}});
    check_load(&t, {{0, 2, 1, 1}});
    check_load(&t, {{0, 3, 3, 2}, {1, 1}});
    check_load(&t, {{0, 5, 3, 0}, {7, 255}});
    check_load(&t, {{0, 0, 0, 3}});
    check_load(&t, {{0, 0, 0, -1}});
    t.channels = 4;
    check_load(&t, {{4, 0, 0, 0}});
    check_load(&t, {{8, 0, 0, 0}});
    check_load(&t, {{-4, 0, 0, 0}});
    t.channels = 16; // of eight
    check_load(&t, {{0, 0, 0, 0}});
    check_load(&t, {{4, 0, 0, 0}});
    t.pixels = 300;
    check_load(&t, {{0, 0, 0, 0}});
    t.pixels = 1;
    check_load(&t, {{0, 0, 0, 0}});
    t.channels = 4;
    t.pixels = 1024;
    check_load(&t, {{0, 0, 0, 0}});
}

static void check_corners_and_steps()
{
    tensor t = images();
    t.low[0] = 0;
    t.high[0] = -2;
    t.high[1] = 1;
    check_load(&t, {{0, 0, -1, 0}});
    t.high[0] = 2;
    check_load(&t, {{0, 0, 0, 0}});
    t = images();
    for (int w = 1; w <= 3; w++)
        for (int h = 1; h <= 3; h++) {
            t.step[1] = (unsigned)w;
            t.step[2] = (unsigned)h;
            t.step[3] = h == 3 ? 2 : 1;
            check_load(&t, {{0, -1, -1, 0}});
            check_load(&t, {{0, 0, 0, 0}, {1, 0}});
        }
    t.step[0] = 2; // ignored
    check_load(&t, {{0, 0, 0, 0}});
}

static void check_ranks()
{
    tensor t = images();
    t.rank = 3;
    t.size[1] = 9;
    t.low[0] = -2;
    check_load(&t, {{0, -2, 1}, {1}});
    t.step[1] = 3;
    check_load(&t, {{0, -2, 0}, {2}});
    check_load(&t, {{0, 0, 0}, {300}});
    tensor v = {5, {8, 4, 3, 3, 2}, {-1, 0, -1}, {-1, -1, 0}, 8, 60, {1, 1, 1, 1, 1}};
    v.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    v.data = words;
    check_load(&v, {{0, -1, 0, -1, 0}, {1, 0, 1}});
    v.step[2] = v.step[3] = 2;
    check_load(&v, {{0, -1, 0, -1, 0}, {1, 0, 1}});
    check_load(&v, {{0, -1, 1, 0, 1}, {31, 2, 1}});
}

static void check_swizzles()
{
    tensor t = images();
    t.size[0] = 32;
    t.size[1] = 3;
    for (int s = 1; s <= 3; s++) {
        t.swizzle = (CUtensorMapSwizzle)s;
        t.channels = 4u << s;
        check_load(&t, {{0, -1, -1, 0}});
        t.channels = 8;
        check_load(&t, {{0, -1, -1, 0}});
    }
    t = images();
    t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    check_load(&t, {{0, -1, -1, 0}});
}

static void check_store(const tensor *t, place to, bool adds)
{
    unsigned count = t->pixels * t->channels, wrong_words = 0;
    long long *index = new long long[count];
    int *in = managed<int>(count), *want = new int[WORDS];
    CUtensorMap map;
    memcpy(want, words, WORDS * sizeof *want);
    list_words(t, &to, index);
    for (unsigned i = 0; i < count; i++) {
        in[i] = (int)(100000 + i);
        if (index[i] >= 0)
            want[index[i]] = in[i] + (adds ? want[index[i]] : 0);
    }
    EXPECT(encode_images(&map, t) == CUDA_SUCCESS);
    store_columns<<<1, 64, count * 4>>>(map, to, in, count, adds);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < WORDS; i++)
        wrong_words += words[i] != want[i];
    EXPECT(wrong_words == 0);
    number_words();
    delete[] index;
    delete[] want;
    CUDA(cudaFree(in));
}

// Corners of a store lie within the tensor.
static void check_stores()
{
    for (int adds = 0; adds <= 1; adds++) {
        tensor t = images();
        t.low[0] = t.low[1] = t.high[0] = t.high[1] = 0;
        check_store(&t, {{0, 0, 0, 1}}, adds);
        check_store(&t, {{0, 2, 1, 2}}, adds);
        t.step[1] = 2;
        check_store(&t, {{0, 0, 0, 1}}, adds);
        t = images();
        t.low[0] = t.low[1] = 0;
        t.channels = 4;
        t.pixels = 90;
        check_store(&t, {{4, 0, 0, 1}}, adds);
    }
}

// An interleaved tensor: slices of 16 or 32 bytes, 24 a row; five rows if the rank is 4; four groups of channels, of
// which a copy takes one; three images. The copy begins at `first` in row 3, group 1 and image 2.
static void check_slices(unsigned rank, CUtensorMapInterleave interleave, unsigned count, int first)
{
    const unsigned slice = interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16, high = rank == 4 ? 5 : 1;
    const cuuint64_t row = 24 * slice, group = row * high, size[] = {24, 5, 4, 3}, flat[] = {24, 4, 3},
                     strides[] = {row, group, group * 4};
    const cuuint32_t box[] = {count, 3, 2, 2}, flat_box[] = {count, 2, 2}, step[] = {1, 1, 1, 1};
    const unsigned rows = rank == 4 ? 6 : 2, bytes = count * slice * rows;
    const bool swizzle = interleave == CU_TENSOR_MAP_INTERLEAVE_32B;
    unsigned wrong_units = 0;
    uint8_t *out = managed<uint8_t>(bytes);
    CUtensorMap map;
    EXPECT(encode_tiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, words, rank == 4 ? size : flat,
                        rank == 4 ? strides : strides + 1, rank == 4 ? box : flat_box, step, interleave,
                        (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    if (rank == 4)
        load_tile<4><<<1, 64, bytes>>>(map, {{first, 3, 1, 2}}, out, bytes, bytes);
    else
        load_tile<3><<<1, 64, bytes>>>(map, {{first, 1, 2}}, out, bytes, bytes);
    CUDA(cudaDeviceSynchronize());
    for (unsigned at = 0; at < bytes; at += 16) { // a unit
        unsigned to = at ^ (swizzle ? (at >> 7 & 1) << 4 : 0), r = at / (count * slice), tall = rank == 4 ? 3 : 1;
        long long s = first + (long long)(at % (count * slice) / slice), y = rank == 4 ? 3 + r % 3 : 0,
                  n = 2 + r / tall;
        const char *want = (const char *)words + n * (long long)group * 4 + (long long)group + y * (long long)row +
                           s * slice + at % slice;
        const char zero[16] = {0};
        bool inside = s >= 0 && s < 24 && y < high && n < 3;
        wrong_units += memcmp(out + to, inside ? want : zero, 16) != 0;
    }
    EXPECT(wrong_units == 0);
    CUDA(cudaFree(out));
}

// ---- refusals

static bool refused(const tensor *t)
{
    CUtensorMap map;
    return encode_images(&map, t) == CUDA_ERROR_INVALID_VALUE;
}

static void check_refusals()
{
    tensor t;
#define TRY(holds, change) \
    t = images(); \
    change; \
    EXPECT(refused(&t) == !(holds))
    TRY(true, );
    TRY(false, t.rank = 2);
    TRY(false, t.low[0] = -129);
    TRY(true, t.low[0] = -128);
    TRY(false, t.high[1] = 128);
    TRY(true, t.high[1] = 127);
    TRY(false, t.channels = 0);
    TRY(false, t.channels = 257);
    TRY(true, t.channels = 256);
    TRY(false, t.channels = 3);
    TRY(false, t.pixels = 0);
    TRY(false, t.pixels = 1025);
    TRY(true, t.pixels = 1024);
    TRY(false, t.channels = 256; t.pixels = 1024);
    TRY(true, t.channels = 256; t.pixels = 228);
    TRY(false, t.channels = 256; t.pixels = 240);
    TRY(false, t.step[0] = 0);
    TRY(false, t.step[0] = 9);
    TRY(false, t.step[1] = 0);
    TRY(false, t.step[3] = 9);
    TRY(true, t.step[3] = 8);
    TRY(true, t.low[0] = 6; t.high[0] = 0);
    TRY(false, t.low[0] = 7; t.high[0] = 0);
    TRY(true, t.low[0] = 0; t.high[0] = -6);
    TRY(false, t.low[0] = 0; t.high[0] = -7);
    TRY(false, t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; t.channels = 16);
    TRY(false, t.data = words + 1);
    TRY(false, t.padding = 4);
    TRY(false, t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    TRY(true, t.rank = 3; t.low[0] = -32768; t.high[0] = 32767);
    TRY(false, t.rank = 3; t.high[0] = 32768);
    TRY(true, t.rank = 5; t.size[4] = 2; t.low[0] = -16; t.high[2] = 15);
    TRY(false, t.rank = 5; t.size[4] = 2; t.low[0] = -17);
    TRY(false, t.rank = 5; t.size[4] = 2; t.high[2] = 16);
}

// A copy whose first pixel lies outside the corners, or whose map is of another mode.
static int copy_wrongly(const char *how)
{
    const cuuint64_t strides[] = {32, 224, 1120};
    const cuuint32_t box[] = {8, 1, 1, 1};
    tensor t = images();
    place from = {{0, -1, -1, 0}};
    uint8_t *out = managed<uint8_t>(768);
    CUtensorMap map;
    EXPECT(encode_images(&map, &t) == CUDA_SUCCESS);
    if (!strcmp(how, "outside"))
        from.c[1] = 6;
    else if (!strcmp(how, "tiled"))
        EXPECT(encode_tiled(&map, t.type, 4, words, t.size, strides, box, t.step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                            CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    load_columns<4><<<1, 64, 768>>>(map, from, out, 768, 768);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}

int main(int argc, char **argv)
{
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode, 12000, cudaEnableDefault, NULL));
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode_tiled, 12000, cudaEnableDefault,
                                          NULL));
    CUDA(cudaFree(0));
    words = managed<int>(WORDS);
    number_words();
    if (argc > 1)
        return copy_wrongly(argv[1]);
    check_images();
    check_corners_and_steps();
    check_ranks();
    check_swizzles();
    check_stores();
    for (unsigned count = 4; count <= 32; count *= 2) {
        check_slices(3, CU_TENSOR_MAP_INTERLEAVE_16B, count, 2);
        check_slices(4, CU_TENSOR_MAP_INTERLEAVE_16B, count, 2);
        check_slices(4, CU_TENSOR_MAP_INTERLEAVE_32B, count, -1);
    }
    check_refusals();
    CUDA(cudaFree(words));
    return finish();
}

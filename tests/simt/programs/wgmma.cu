// wgmma as programs use it: every type, shape, swizzle and location of the factors, with small integers, whose sums are
// exact; random numbers within a bound; products in a loop that leaves one group in flight. One warpgroup for each
// case.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstring>

#include "program.h"

typedef unsigned long long u64;

#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
#define PROXY() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

// D, 64 x 16, takes eight 32-bit registers.
#define D8 "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define D4 "{%0, %1, %2, %3}"
#define OUT8(c, d) c(d[0]), c(d[1]), c(d[2]), c(d[3]), c(d[4]), c(d[5]), c(d[6]), c(d[7])
#define PRODUCT(shape, tail) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned." shape " " D8 ", %8, %9, p" tail \
                 ";}" \
                 : OUT8("+r", d) \
                 : "l"(a), "l"(b), "r"(add))
#define PRODUCT_OF(shape, tail) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %13, 0; wgmma.mma_async.sync.aligned." shape " " D8 \
                 ", {%8, %9, %10, %11}, %12, p" tail ";}" \
                 : OUT8("+r", d) \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(b), "r"(add))
#define HALF_PRODUCT(shape, tail) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned." shape " " D4 ", %4, %5, p" tail \
                 ";}" \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) \
                 : "l"(a), "l"(b), "r"(add))

enum kind { F16, F16_F16, BF16, TF32, E4M3, E5M2, E4M3_E5M2, E4M3_F16, S8, U8, S8_U8, S8_SATURATE, B1, KINDS };

static __host__ __device__ int bits_of(int kind)
{
    return kind <= BF16 ? 16 : kind == TF32 ? 32 : kind == B1 ? 1 : 8;
}

// One case. swizzle: spans of 16 << swizzle bytes; across: lines lie along m or n.
struct form {
    int kind, swizzle;
    bool registers, a_across, b_across, minus, add;
};

// Bytes of 64 lines of 256 bits for each of A and B, in any layout.
#define ROOM 8192

static __device__ u64 descriptor(const unsigned char *p, int swizzle, bool across, int lines)
{
    static const unsigned width[] = {16, 32, 64, 128};
    static const u64 mode[] = {0, 3, 2, 1};
    unsigned w = width[swizzle], units = w / 16;
    u64 leading, stride;
    if (!across) {
        leading = 128 * (lines / 8);
        stride = swizzle ? 8 * w : 128;
    } else if (!swizzle) {
        leading = lines / 8 * 128; // the next eight of k
        stride = 128;
    } else {
        stride = 8 * w * ((lines / 8 + units - 1) / units);
        leading = 8 * w;
    }
    return (__cvta_generic_to_shared(p) & 0x3ffff) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode[swizzle] << 62;
}

// The position of unit i of a matrix in the ISA's layouts: a line along m or n and 16 bytes of k; or across.
static __device__ unsigned unit_place(int swizzle, bool across, int lines, int line, int along)
{
    unsigned w = 16u << swizzle, at;
    if (!across) // line of m or n, half of k
        at = swizzle ? line / 8 * 8 * w + line % 8 * w + along * 16
                     : line / 8 * 128 + line % 8 * 16 + along * 128 * (lines / 8);
    else { // line of k, eight of m or n
        int units = w / 16, rows = swizzle ? (lines / 8 + units - 1) / units : 0;
        at = swizzle ? line / 8 * rows * 8 * w + along / units * 8 * w + line % 8 * w + along % units * 16
                     : line / 8 * (lines / 8) * 128 + along * 128 + line % 8 * 16;
    }
    return at ^ (at >> 7 & (w / 16 - 1)) << 4;
}

// m x (256 bits) from rows of 32 bytes to shared memory.
static __device__ void place(unsigned char *to, const unsigned char *from, int swizzle, bool across, int lines)
{
    for (int i = threadIdx.x; i < lines * 32; i += blockDim.x) {
        int line = i / 32, byte = i % 32;
        unsigned at = across ? unit_place(swizzle, true, lines, byte / 2, line / 8) + line % 8 * 2 + byte % 2
                             : unit_place(swizzle, false, lines, line, byte / 16) + byte % 16;
        to[at] = from[i];
    }
}

static __device__ void by_descriptor(const form &f, unsigned *d, u64 a, u64 b, int add)
{
    int across = f.a_across * 2 + f.b_across;
    if (f.kind == F16 && f.minus)
        PRODUCT("m64n16k16.f32.f16.f16", ", -1, 1, 0, 0");
    else if (f.kind == F16 && across == 0)
        PRODUCT("m64n16k16.f32.f16.f16", ", 1, 1, 0, 0");
    else if (f.kind == F16 && across == 1)
        PRODUCT("m64n16k16.f32.f16.f16", ", 1, 1, 0, 1");
    else if (f.kind == F16 && across == 2)
        PRODUCT("m64n16k16.f32.f16.f16", ", 1, 1, 1, 0");
    else if (f.kind == F16)
        PRODUCT("m64n16k16.f32.f16.f16", ", 1, 1, 1, 1");
    else if (f.kind == F16_F16)
        HALF_PRODUCT("m64n16k16.f16.f16.f16", ", 1, 1, 0, 0");
    else if (f.kind == BF16)
        PRODUCT("m64n16k16.f32.bf16.bf16", ", 1, 1, 0, 0");
    else if (f.kind == TF32 && f.minus)
        PRODUCT("m64n16k8.f32.tf32.tf32", ", 1, -1");
    else if (f.kind == TF32)
        PRODUCT("m64n16k8.f32.tf32.tf32", ", 1, 1");
    else if (f.kind == E4M3)
        PRODUCT("m64n16k32.f32.e4m3.e4m3", ", 1, 1");
    else if (f.kind == E5M2)
        PRODUCT("m64n16k32.f32.e5m2.e5m2", ", 1, 1");
    else if (f.kind == E4M3_E5M2)
        PRODUCT("m64n16k32.f32.e4m3.e5m2", ", 1, 1");
    else if (f.kind == E4M3_F16)
        HALF_PRODUCT("m64n16k32.f16.e4m3.e4m3", ", 1, 1");
    else if (f.kind == S8)
        PRODUCT("m64n16k32.s32.s8.s8", "");
    else if (f.kind == U8)
        PRODUCT("m64n16k32.s32.u8.u8", "");
    else if (f.kind == S8_U8)
        PRODUCT("m64n16k32.s32.s8.u8", "");
    else if (f.kind == S8_SATURATE)
        PRODUCT("m64n16k32.satfinite.s32.s8.s8", "");
    else
        PRODUCT("m64n16k256.s32.b1.b1.and.popc", "");
}

static __device__ void by_registers(const form &f, unsigned *d, const unsigned *x, u64 b, int add)
{
    if (f.kind == F16)
        PRODUCT_OF("m64n16k16.f32.f16.f16", ", 1, 1, 0");
    else if (f.kind == BF16)
        PRODUCT_OF("m64n16k16.f32.bf16.bf16", ", -1, 1, 0");
    else if (f.kind == TF32)
        PRODUCT_OF("m64n16k8.f32.tf32.tf32", ", 1, 1");
    else if (f.kind == E4M3)
        PRODUCT_OF("m64n16k32.f32.e4m3.e4m3", ", 1, 1");
    else if (f.kind == S8)
        PRODUCT_OF("m64n16k32.s32.s8.s8", "");
    else
        PRODUCT_OF("m64n16k256.s32.b1.b1.and.popc", "");
}

// A register of A holds 32 bits of a line: four lanes next to each other, the line eight further, then the other half.
static __device__ void load_a(unsigned *x, const unsigned char *a)
{
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    for (int i = 0; i < 4; i++)
        memcpy(&x[i], a + (row + i % 2 * 8) * 32 + i / 2 * 16 + threadIdx.x % 4 * 4, 4);
}

__global__ void multiply(form f, const unsigned char *a, const unsigned char *b, const unsigned *start, unsigned *out)
{
    __shared__ alignas(1024) unsigned char left[ROOM], right[ROOM];
    unsigned d[8], x[4];
    place(left, a, f.swizzle, f.a_across, 64);
    place(right, b, f.swizzle, f.b_across, 16);
    load_a(x, a);
    for (int i = 0; i < 8; i++)
        d[i] = start[threadIdx.x * 8 + i];
    PROXY();
    __syncthreads();
    FENCE();
    u64 first = descriptor(left, f.swizzle, f.a_across, 64), second = descriptor(right, f.swizzle, f.b_across, 16);
    if (f.registers)
        by_registers(f, d, x, second, f.add);
    else
        by_descriptor(f, d, first, second, f.add);
    COMMIT();
    WAIT(0);
    for (int i = 0; i < 8; i++)
        out[threadIdx.x * 8 + i] = d[i];
}

// ---- the same on the host

static void put(unsigned char *line, int k, int kind, bool b, double v)
{
    bool five = kind == E5M2 || (kind == E4M3_E5M2 && b);
    if (kind == F16 || kind == F16_F16) {
        __half h = __float2half((float)v);
        memcpy(line + 2 * k, &h, 2);
    } else if (kind == BF16) {
        __nv_bfloat16 h = __float2bfloat16((float)v);
        memcpy(line + 2 * k, &h, 2);
    } else if (kind == TF32) {
        float x = (float)v;
        memcpy(line + 4 * k, &x, 4);
    } else if (kind <= E4M3_F16)
        line[k] = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, five ? __NV_E5M2 : __NV_E4M3);
    else if (kind != B1)
        line[k] = (unsigned char)(int)v;
    else
        line[k / 8] |= (unsigned char)((v != 0) << k % 8);
}

static unsigned state = 12345;

static int small(int kind, bool b)
{
    state = state * 1664525 + 1013904223;
    int v = (int)(state >> 24) % 9 - 4;
    bool positive = kind == U8 || (kind == S8_U8 && b);
    return kind == B1 ? v > 0 : positive ? v + 200 : v;
}

// The element of D in register i of a thread; halves: two elements.
static int place_of(int thread, int i)
{
    return (thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8) * 16 + i / 4 * 8 + thread % 4 * 2 + i % 2;
}

static bool is_half_sum(int kind)
{
    return kind == F16_F16 || kind == E4M3_F16;
}

struct buffers {
    unsigned char *a, *b;
    unsigned *start, *out;
};

static double value_of(const form &f, const unsigned *registers, int thread, int i)
{
    unsigned r = registers[thread * 8 + (is_half_sum(f.kind) ? i / 2 : i)];
    float x;
    if (is_half_sum(f.kind)) {
        __half_raw h = {(unsigned short)(r >> i % 2 * 16)};
        return __half2float(__half(h));
    }
    memcpy(&x, &r, 4);
    return f.kind >= S8 ? (double)(int)r : (double)x;
}

static void set_start(const form &f, unsigned *registers, int thread, int i, double v)
{
    unsigned &r = registers[thread * 8 + (is_half_sum(f.kind) ? i / 2 : i)];
    float x = (float)v;
    if (is_half_sum(f.kind)) {
        __half h = __float2half(x);
        unsigned short bits;
        memcpy(&bits, &h, 2);
        r = i % 2 ? r | (unsigned)bits << 16 : bits;
    } else if (f.kind >= S8)
        r = (unsigned)(int)v;
    else
        memcpy(&r, &x, 4);
}

static int run(const form &f, const buffers &p)
{
    static double a[64][256], b[16][256];
    int k = 256 / bits_of(f.kind), different = 0;
    double edge = f.kind == S8_SATURATE ? 2147483640.0 : 0;
    memset(p.a, 0, 64 * 32);
    memset(p.b, 0, 16 * 32);
    for (int i = 0; i < 64; i++)
        for (int l = 0; l < k; l++)
            put(p.a + i * 32, l, f.kind, false, a[i][l] = small(f.kind, false));
    for (int j = 0; j < 16; j++)
        for (int l = 0; l < k; l++)
            put(p.b + j * 32, l, f.kind, true, b[j][l] = small(f.kind, true));
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < 8; i++)
            set_start(f, p.start, t, i, edge ? edge : place_of(t, i) % 13 - 6);
    multiply<<<1, 128>>>(f, p.a, p.b, p.start, p.out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    double sign = f.minus || (f.registers && f.kind == BF16) ? -1 : 1;
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < 8; i++) {
            int at = place_of(t, i);
            double sum = f.add ? value_of(f, p.start, t, i) : 0, got = value_of(f, p.out, t, i);
            for (int l = 0; l < k; l++)
                sum += sign * a[at / 16][l] * b[at % 16][l];
            sum = f.kind == S8_SATURATE && sum > 2147483647.0 ? 2147483647.0 : sum;
            if (got != sum && !different++)
                printf("kind %d swizzle %d registers %d across %d %d: D[%d][%d] is %g, not %g\n", f.kind, f.swizzle,
                       f.registers, f.a_across, f.b_across, at / 16, at % 16, got, sum);
        }
    return different != 0;
}

static int every_form(const buffers &p)
{
    int failed = 0;
    for (int swizzle = 0; swizzle < 4; swizzle++) {
        for (int across = 0; across < 4; across++)
            failed += run({F16, swizzle, false, across / 2 == 1, across % 2 == 1, false, true}, p);
        failed += run({TF32, swizzle, false, false, false, true, true}, p);
        failed += run({S8, swizzle, true, false, false, false, true}, p);
    }
    for (int kind = 0; kind < KINDS; kind++)
        failed += run({kind, kind % 4, false, false, false, false, kind != E5M2}, p);
    static const int in_registers[] = {F16, BF16, TF32, E4M3, S8, B1};
    for (int kind : in_registers)
        failed += run({kind, 3, true, false, false, false, kind != F16}, p);
    return failed + run({F16, 2, false, false, false, true, true}, p);
}

// start + x y = 16385: with 8-bit factors 13 places below the largest exponent are kept, with others more.
static int cut_off(int kind, int start, int x, int y, const buffers &p)
{
    const form f = {kind, 0, false, false, false, false, true};
    int different = 0;
    memset(p.a, 0, 64 * 32);
    memset(p.b, 0, 16 * 32);
    for (int i = 0; i < 64; i++)
        put(p.a + i * 32, i % 4, kind, false, x);
    for (int j = 0; j < 16; j++)
        for (int l = 0; l < 4; l++)
            put(p.b + j * 32, l, kind, true, y);
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < 8; i++)
            set_start(f, p.start, t, i, start);
    multiply<<<1, 128>>>(f, p.a, p.b, p.start, p.out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < 8; i++)
            different += value_of(f, p.out, t, i) != (kind == BF16 ? 16385 : 16384);
    return different;
}

// ---- a sum over k of tiles that are loaded while earlier products are in flight; N = 256, bf16

#define LONG_N 256
#define STEPS 6

#define R8(i) "%" #i "0, %" #i "1, %" #i "2, %" #i "3, %" #i "4, %" #i "5, %" #i "6, %" #i "7, %" #i "8, %" #i "9"

// Four m64n64k16 next to each other: 32 registers each.
#define F(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
static __device__ void wide(float *d, u64 a, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " R8(
                     1) ", " R8(2) ", %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                 : F(0), F(4), F(8), F(12), F(16), F(20), F(24), F(28)
                 : "l"(a), "l"(b));
}

__global__ void long_sum(const unsigned char *a, const unsigned char *b, float *out)
{
    __shared__ alignas(1024) unsigned char left[2][64 * 32], right[2][LONG_N * 32];
    float d[4][32];
    for (int q = 0; q < 4; q++)
        for (int i = 0; i < 32; i++)
            d[q][i] = 0;
    for (int s = 0; s < STEPS; s++) {
        place(left[s % 2], a + s * 64 * 32, 1, false, 64);
        for (int q = 0; q < 4; q++)
            place(right[s % 2] + q * 64 * 32, b + (s * LONG_N + q * 64) * 32, 1, false, 64);
        PROXY();
        __syncthreads();
        FENCE();
        for (int q = 0; q < 4; q++)
            wide(d[q], descriptor(left[s % 2], 1, false, 64), descriptor(right[s % 2] + q * 64 * 32, 1, false, 64));
        COMMIT();
        WAIT(1); // earlier products: their tiles may be reused
        __syncthreads();
    }
    WAIT(0);
    for (int q = 0; q < 4; q++)
        for (int i = 0; i < 32; i++)
            out[(q * 32 + i) * 128 + threadIdx.x] = d[q][i];
}

static int long_sums()
{
    const int k = STEPS * 16;
    unsigned char *a, *b;
    float *out;
    static float x[64][STEPS * 16], y[LONG_N][STEPS * 16];
    int different = 0;
    cudaMallocManaged(&a, STEPS * 64 * 32);
    cudaMallocManaged(&b, STEPS * LONG_N * 32);
    cudaMallocManaged(&out, 64 * LONG_N * sizeof *out);
    for (int i = 0; i < 64 + LONG_N; i++)
        for (int l = 0; l < k; l++) {
            state = state * 1664525 + 1013904223;
            float v = __bfloat162float(__float2bfloat16((float)(int)(state >> 8) / (1 << 23) - 1));
            (i < 64 ? x[i][l] : y[i - 64][l]) = v;
            unsigned char *tile = i < 64 ? a + (l / 16 * 64 + i) * 32 : b + (l / 16 * LONG_N + i - 64) * 32;
            put(tile, l % 16, BF16, false, v);
        }
    long_sum<<<1, 128>>>(a, b, out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (int r = 0; r < 128; r++)
        for (int t = 0; t < 128; t++) {
            int i = r % 32, row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8,
                column = r / 32 * 64 + i / 4 * 8 + t % 4 * 2 + i % 2;
            double sum = 0, size = 0, got = out[r * 128 + t];
            for (int l = 0; l < k; l++) {
                sum += (double)x[row][l] * y[column][l];
                size += fabs((double)x[row][l] * y[column][l]);
            }
            // each of STEPS sums loses less than 2^-23 of each of its 17 terms
            different += !(fabs(got - sum) <= STEPS * 17 * size * 0x1p-23);
        }
    return different;
}

int main()
{
    buffers p;
    cudaMallocManaged(&p.a, 64 * 32);
    cudaMallocManaged(&p.b, 16 * 32);
    cudaMallocManaged(&p.start, 128 * 8 * 4);
    cudaMallocManaged(&p.out, 128 * 8 * 4);
    memset(p.start, 0, 128 * 8 * 4);
    EXPECT(every_form(p) == 0);
    static const int kinds[] = {E4M3, E5M2, BF16};
    for (int kind : kinds) {
        EXPECT(cut_off(kind, 16384, 1, 1, p) == 0);
        EXPECT(cut_off(kind, 8193, 64, 128, p) == 0);
    }
    EXPECT(long_sums() == 0);
    return finish();
}

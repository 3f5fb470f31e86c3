// Results of tensor-core instructions, bit for bit: every form on matrices of every class of tensor_inputs.h, the
// fragments of wmma, ldmatrix and related instructions, and conversions to their formats.
//
//     tensor      prints a line for each form: the hash of all results of each class, in the order of tensor_inputs.h
//
// tests/hardware/h200-tensor.txt has the lines of an H200 (tensor.sh); self.hardware.tensor compares them with the SIMT
// machine's.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor_inputs.h"

static void cuda(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "tensor: %s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

// ---- lines: hashes of many values

static u64 begin_hash(void)
{
    return 1469598103934665603u;
}

static void add_value(u64 *hash, u64 v)
{
    for (int i = 0; i < 64; i += 8)
        *hash = (*hash ^ (v >> i & 0xff)) * 1099511628211u;
}

// Adds 16 bits of the hash to the line `name`; begins that line unless it is the current one.
static void print_hash(const char *name, u64 hash)
{
    static char last[100];
    if (strcmp(name, last))
        printf("%s%s |", last[0] ? "\n" : "", name);
    snprintf(last, sizeof last, "%s", name);
    printf(" %04x", (u32)((hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48) & 0xffff));
}

// The results of all trials of each class, `elements` per trial.
static void print_classes(const char *name, enum type of, const u64 *values, int elements)
{
    for (int c = 0; c < class_count(of); c++) {
        u64 hash = begin_hash();
        for (int i = 0; i < TRIALS * elements; i++)
            add_value(&hash, values[(size_t)c * TRIALS * elements + i]);
        print_hash(name, hash);
    }
}

// ---- mma: fragments in registers

// Fragments as the lanes hold them, [trial][register][lane].

#define IN(base, r, n) base[(blockIdx.x * (n) + (r)) * 32 + threadIdx.x]

// KERNEL: `operands` names the registers, first those of the sum D: `count` words with constraint `kind`. Then come
// those of A, B and C: R4(a, 4) is a fragment of 4 registers, W4(a, 4) one of 4 doubles.
#define R1(base, n) "r"(IN(base, 0, n))
#define R2(base, n) R1(base, n), "r"(IN(base, 1, n))
#define R4(base, n) R2(base, n), "r"(IN(base, 2, n)), "r"(IN(base, 3, n))
#define R8(base, n) R4(base, n), "r"(IN(base, 4, n)), "r"(IN(base, 5, n)), "r"(IN(base, 6, n)), "r"(IN(base, 7, n))
#define WIDE(base, r, n) "d"(IN(((const double *)base), r, n))
#define W1(base, n) WIDE(base, 0, n)
#define W2(base, n) W1(base, n), WIDE(base, 1, n)
#define W4(base, n) W2(base, n), WIDE(base, 2, n), WIDE(base, 3, n)
#define W8(base, n) W4(base, n), WIDE(base, 4, n), WIDE(base, 5, n), WIDE(base, 6, n), WIDE(base, 7, n)
#define OUT2(kind) kind(r[0]), kind(r[1])
#define OUT4(kind) OUT2(kind), kind(r[2]), kind(r[3])
#define OUT8(kind) OUT4(kind), kind(r[4]), kind(r[5]), kind(r[6]), kind(r[7])
#define KERNEL(name, text, word, kind, count, operands, ...) \
    __global__ void name(const u32 *a, const u32 *b, const u32 *c, u32 *d) \
    { \
        word r[count]; \
        asm volatile(text " " operands ";" : OUT##count(kind) : __VA_ARGS__); \
        for (int i = 0; i < count; i++) \
            IN(((word *)d), i, count) = r[i]; \
    }
#define KERNEL_214(name, text) \
    KERNEL(name, text, u32, "=r", 4, "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10}", R2(a, 2), R1(b, 1), R4(c, 4))
#define KERNEL_212(name, text) \
    KERNEL(name, text, u32, "=r", 2, "{%0,%1}, {%2,%3}, {%4}, {%5,%6}", R2(a, 2), R1(b, 1), R2(c, 2))
#define KERNEL_112(name, text) \
    KERNEL(name, text, u32, "=r", 2, "{%0,%1}, {%2}, {%3}, {%4,%5}", R1(a, 1), R1(b, 1), R2(c, 2))
#define KERNEL_424(name, text) \
    KERNEL(name, text, u32, "=r", 4, "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}", R4(a, 4), R2(b, 2), \
           R4(c, 4))
#define KERNEL_422(name, text) \
    KERNEL(name, text, u32, "=r", 2, "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9}", R4(a, 4), R2(b, 2), R2(c, 2))
#define KERNEL_884(name, text) /* Volta's */ \
    KERNEL(name, text, u32, "=r", 8, \
           "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}", R2(a, 2), R2(b, 2), \
           R8(c, 8))
#define KERNEL_884H(name, text) /* Volta's, f16 accumulators */ \
    KERNEL(name, text, u32, "=r", 4, "{%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}", R2(a, 2), R2(b, 2), R4(c, 4))
#define KERNEL_D8(name, text) \
    KERNEL(name, text, double, "=d", 2, "{%0,%1}, {%2}, {%3}, {%4,%5}", W1(a, 1), W1(b, 1), W2(c, 2))
#define KERNEL_D4(name, text) \
    KERNEL(name, text, double, "=d", 4, "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10}", W2(a, 2), W1(b, 1), W4(c, 4))
#define KERNEL_D88(name, text) \
    KERNEL(name, text, double, "=d", 4, "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}", W4(a, 4), \
           W2(b, 2), W4(c, 4))
#define KERNEL_D16(name, text) \
    KERNEL(name, text, double, "=d", 4, \
           "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19}", W8(a, 8), W4(b, 4), \
           W4(c, 4))

// name, kernel's operands, m, n, k, types of A, B, C and D, the instruction
#define S "mma.sync.aligned."
#define MMAS(X) \
    X(f16_k4_f32, 884, 8, 8, 4, F16, F16, F32, F32, S "m8n8k4.row.col.f32.f16.f16.f32") \
    X(f16_k4_f16, 884H, 8, 8, 4, F16, F16, F16, F16, S "m8n8k4.row.col.f16.f16.f16.f16") \
    X(f16_k8_f32, 214, 16, 8, 8, F16, F16, F32, F32, S "m16n8k8.row.col.f32.f16.f16.f32") \
    X(f16_k16_f32, 424, 16, 8, 16, F16, F16, F32, F32, S "m16n8k16.row.col.f32.f16.f16.f32") \
    X(f16_k8_f16, 212, 16, 8, 8, F16, F16, F16, F16, S "m16n8k8.row.col.f16.f16.f16.f16") \
    X(f16_k16_f16, 422, 16, 8, 16, F16, F16, F16, F16, S "m16n8k16.row.col.f16.f16.f16.f16") \
    X(bf16_k8, 214, 16, 8, 8, BF16, BF16, F32, F32, S "m16n8k8.row.col.f32.bf16.bf16.f32") \
    X(bf16_k16, 424, 16, 8, 16, BF16, BF16, F32, F32, S "m16n8k16.row.col.f32.bf16.bf16.f32") \
    X(tf32_k4, 214, 16, 8, 4, TF32, TF32, F32, F32, S "m16n8k4.row.col.f32.tf32.tf32.f32") \
    X(tf32_k8, 424, 16, 8, 8, TF32, TF32, F32, F32, S "m16n8k8.row.col.f32.tf32.tf32.f32") \
    X(f64_8x8k4, D8, 8, 8, 4, F64, F64, F64, F64, S "m8n8k4.row.col.f64.f64.f64.f64") \
    X(f64_k4, D4, 16, 8, 4, F64, F64, F64, F64, S "m16n8k4.row.col.f64.f64.f64.f64") \
    X(f64_k8, D88, 16, 8, 8, F64, F64, F64, F64, S "m16n8k8.row.col.f64.f64.f64.f64") \
    X(f64_k16, D16, 16, 8, 16, F64, F64, F64, F64, S "m16n8k16.row.col.f64.f64.f64.f64") \
    X(e4m3_e4m3, 424, 16, 8, 32, E4M3, E4M3, F32, F32, S "m16n8k32.row.col.f32.e4m3.e4m3.f32") \
    X(e4m3_e5m2, 424, 16, 8, 32, E4M3, E5M2, F32, F32, S "m16n8k32.row.col.f32.e4m3.e5m2.f32") \
    X(e5m2_e4m3, 424, 16, 8, 32, E5M2, E4M3, F32, F32, S "m16n8k32.row.col.f32.e5m2.e4m3.f32") \
    X(e5m2_e5m2, 424, 16, 8, 32, E5M2, E5M2, F32, F32, S "m16n8k32.row.col.f32.e5m2.e5m2.f32") \
    EIGHT(X, S8, S8, s8, s8) \
    EIGHT(X, U8, U8, u8, u8) \
    EIGHT(X, S8, U8, s8, u8) \
    EIGHT(X, U8, S8, u8, s8) \
    FOUR(X, S4, S4, s4, s4) \
    FOUR(X, U4, U4, u4, u4) FOUR(X, S4, U4, s4, u4) FOUR(X, U4, S4, u4, s4) ONE(X, xor) ONE(X, and)
#define EIGHT(X, TA, TB, a, b) \
    X(a##_##b##_8x8k16, 112, 8, 8, 16, TA, TB, S32, S32, S "m8n8k16.row.col.s32." #a "." #b ".s32") \
    X(a##_##b##_8x8k16_sat, 112, 8, 8, 16, TA, TB, S32, S32, S "m8n8k16.row.col.satfinite.s32." #a "." #b ".s32") \
    X(a##_##b##_k16, 214, 16, 8, 16, TA, TB, S32, S32, S "m16n8k16.row.col.s32." #a "." #b ".s32") \
    X(a##_##b##_k16_sat, 214, 16, 8, 16, TA, TB, S32, S32, S "m16n8k16.row.col.satfinite.s32." #a "." #b ".s32") \
    X(a##_##b##_k32, 424, 16, 8, 32, TA, TB, S32, S32, S "m16n8k32.row.col.s32." #a "." #b ".s32") \
    X(a##_##b##_k32_sat, 424, 16, 8, 32, TA, TB, S32, S32, S "m16n8k32.row.col.satfinite.s32." #a "." #b ".s32")
#define FOUR(X, TA, TB, a, b) \
    X(a##_##b##_8x8k32, 112, 8, 8, 32, TA, TB, S32, S32, S "m8n8k32.row.col.s32." #a "." #b ".s32") \
    X(a##_##b##_8x8k32_sat, 112, 8, 8, 32, TA, TB, S32, S32, S "m8n8k32.row.col.satfinite.s32." #a "." #b ".s32") \
    X(a##_##b##_k32, 214, 16, 8, 32, TA, TB, S32, S32, S "m16n8k32.row.col.s32." #a "." #b ".s32") \
    X(a##_##b##_k64, 424, 16, 8, 64, TA, TB, S32, S32, S "m16n8k64.row.col.s32." #a "." #b ".s32") \
    X(a##_##b##_k64_sat, 424, 16, 8, 64, TA, TB, S32, S32, S "m16n8k64.row.col.satfinite.s32." #a "." #b ".s32")
#define ONE(X, op) \
    X(b1_##op##_8x8k128, 112, 8, 8, 128, B1, B1, S32, S32, S "m8n8k128.row.col.s32.b1.b1.s32." #op ".popc") \
    X(b1_##op##_k128, 214, 16, 8, 128, B1, B1, S32, S32, S "m16n8k128.row.col.s32.b1.b1.s32." #op ".popc") \
    X(b1_##op##_k256, 424, 16, 8, 256, B1, B1, S32, S32, S "m16n8k256.row.col.s32.b1.b1.s32." #op ".popc")

#define DEFINE(name, operands, m, n, k, ta, tb, tc, td, text) KERNEL_##operands(mma_##name, text)
MMAS(DEFINE)

struct form {
    const char *name, *operands;
    int m, n, k;
    enum type ta, tb, tc, td;
    void (*kernel)(const u32 *a, const u32 *b, const u32 *c, u32 *d);
};

#define ROW(name, operands, m, n, k, ta, tb, tc, td, text) {#name, #operands, m, n, k, ta, tb, tc, td, mma_##name},
static const struct form FORMS[] = {MMAS(ROW)};

// ---- fragments: the lane, register and place of each element

struct spot {
    int lane, reg, place;
}; // place: elements from bit 0 on

static int volta(const struct form *f)
{
    return !strncmp(f->operands, "884", 3);
}

static struct spot spot_a(const struct form *f, int i, int l)
{
    int e = FORMATS[f->ta].bits < 32 ? 32 / FORMATS[f->ta].bits : 1, rows = f->m / 8;
    if (volta(f)) // row-major A, quad pair 0 here: lanes 0-3 rows 0-3, lanes 16-19 rows 4-7
        return {i % 4 + (i / 4) * 16, l / 2, l % 2};
    return {i % 8 * 4 + l / e % 4, i / 8 + l / (4 * e) * rows, l % e};
}

static struct spot spot_b(const struct form *f, int l, int j)
{
    int e = FORMATS[f->tb].bits < 32 ? 32 / FORMATS[f->tb].bits : 1;
    if (volta(f)) // column-major B
        return {j % 4 + (j / 4) * 16, l / 2, l % 2};
    return {j * 4 + l / e % 4, l / (4 * e), l % e};
}

static struct spot spot_c(const struct form *f, enum type t, int i, int j)
{
    if (volta(f) && t == F16) // row = lane % 4 + 4 for lanes from 16 on; columns in order
        return {i % 4 + (i / 4) * 16, j / 2, j % 2};
    if (volta(f)) // doc: row = (lane & 1) + (i & 2) [+ 4], col = (i & 4) + (lane & 2) + (i & 1)
        return {(i & 1) + (j & 2) + (i / 4) * 16, (j & 4) + (i & 2) + (j & 1), 0};
    if (t == F16)
        return {i % 8 * 4 + j / 2, i / 8, j % 2};
    return {i % 8 * 4 + j / 2, i / 8 * 2 + j % 2, 0};
}

// Operands of one trial: registers of 4 or 8 bytes.
static void put(uint8_t *regs, int wide, enum type t, struct spot s, u64 v)
{
    int bits = FORMATS[t].bits;
    if (wide) {
        ((u64 *)regs)[s.reg * 32 + s.lane] = v;
        return;
    }
    u32 mask = bits == 32 ? ~0u : (1u << bits) - 1, *word = (u32 *)regs + s.reg * 32 + s.lane;
    *word = (*word & ~(mask << s.place * bits)) | (u32)(v & mask) << s.place * bits;
}

static u64 get(const uint8_t *regs, int wide, enum type t, struct spot s)
{
    int bits = FORMATS[t].bits;
    if (wide)
        return ((const u64 *)regs)[s.reg * 32 + s.lane];
    u32 word = ((const u32 *)regs)[s.reg * 32 + s.lane];
    return bits == 32 ? word : word >> s.place * bits & ((1u << bits) - 1);
}

static int registers(const struct form *f, int which) // of A, B, C
{
    const char *s = f->operands;
    if (s[0] == 'D') {
        static const int wide[4][3] = {{1, 1, 2}, {2, 1, 4}, {4, 2, 4}, {8, 4, 4}};
        return wide[!strcmp(s, "D8") ? 0 : !strcmp(s, "D4") ? 1 : !strcmp(s, "D88") ? 2 : 3][which];
    }
    if (volta(f))
        return which < 2 ? 2 : s[3] ? 4 : 8;
    return s[which] - '0';
}

static void put_problem(const struct form *f, const struct problem *p, int wide, uint8_t *a, uint8_t *b, uint8_t *c)
{
    for (int i = 0; i < f->m; i++)
        for (int l = 0; l < f->k; l++)
            put(a, wide, f->ta, spot_a(f, i, l), p->a[i * f->k + l]);
    for (int l = 0; l < f->k; l++)
        for (int j = 0; j < f->n; j++)
            put(b, wide, f->tb, spot_b(f, l, j), p->b[l * f->n + j]);
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->n; j++)
            put(c, wide, f->tc, spot_c(f, f->tc, i, j), p->c[i * f->n + j]);
}

static void get_sums(const struct form *f, int wide, const uint8_t *d, u64 *values)
{
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->n; j++)
            values[i * f->n + j] = get(d, wide, f->td, spot_c(f, f->td, i, j));
}

static void run_form(const struct form *f)
{
    static struct problem p;
    int wide = f->ta == F64, blocks = class_count(f->ta) * TRIALS;
    size_t size[4];
    uint8_t *host[4], *device[4];
    u64 *values = (u64 *)calloc((size_t)blocks * f->m * f->n, sizeof *values);
    p.ta = f->ta, p.tb = f->tb, p.tc = f->tc, p.m = f->m, p.n = f->n, p.k = f->k;
    for (int x = 0; x < 4; x++) {
        size[x] = (size_t)registers(f, x < 3 ? x : 2) * 32 * (wide ? 8 : 4);
        host[x] = (uint8_t *)calloc(blocks, size[x]);
        cuda(cudaMalloc((void **)&device[x], blocks * size[x]), f->name);
    }
    for (int b = 0; b < blocks; b++) {
        make_problem(&p, f->name, b / TRIALS, b % TRIALS);
        put_problem(f, &p, wide, host[0] + b * size[0], host[1] + b * size[1], host[2] + b * size[2]);
    }
    for (int x = 0; x < 3; x++)
        cuda(cudaMemcpy(device[x], host[x], blocks * size[x], cudaMemcpyHostToDevice), f->name);
    f->kernel<<<blocks, 32>>>((u32 *)device[0], (u32 *)device[1], (u32 *)device[2], (u32 *)device[3]);
    cuda(cudaDeviceSynchronize(), f->name);
    cuda(cudaMemcpy(host[3], device[3], blocks * size[3], cudaMemcpyDeviceToHost), f->name);
    for (int b = 0; b < blocks; b++)
        get_sums(f, wide, host[3] + b * size[3], values + (size_t)b * f->m * f->n);
    print_classes(f->name, f->ta, values, f->m * f->n);
    for (int x = 0; x < 4; x++) {
        free(host[x]);
        cuda(cudaFree(device[x]), f->name);
    }
    free(values);
}

// ---- wmma: results of a whole load, product and store; and which element each register holds

using namespace nvcuda;

template <int M, int N, int K, typename T, typename TC, typename TD, typename E>
__global__ void whole(const void *pa, const void *pb, const void *pc, void *pd)
{
    size_t t = blockIdx.x;
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, M, N, K, TC> c;
    wmma::fragment<wmma::accumulator, M, N, K, TD> d;
    wmma::load_matrix_sync(a, (const E *)pa + t * M * K, K);
    wmma::load_matrix_sync(b, (const E *)pb + t * K * N, N);
    wmma::load_matrix_sync(c, (const TC *)pc + t * M * N, N, wmma::mem_row_major);
    wmma::mma_sync(d, a, b, c);
    wmma::store_matrix_sync((TD *)pd + t * M * N, d, N, wmma::mem_row_major);
}

struct whole_form {
    const char *name;
    int m, n, k;
    enum type ta, tc, td;
    void (*kernel)(const void *, const void *, const void *, void *);
};

static const struct whole_form WHOLES[] = {
    {"w_f16_f32", 16, 16, 16, F16, F32, F32, whole<16, 16, 16, half, float, float, half>},
    {"w_f16_f16", 16, 16, 16, F16, F16, F16, whole<16, 16, 16, half, half, half, half>},
    {"w_f16_f16_f32", 16, 16, 16, F16, F16, F32, whole<16, 16, 16, half, half, float, half>},
    {"w_f16_f32_f16", 16, 16, 16, F16, F32, F16, whole<16, 16, 16, half, float, half, half>},
    {"w_f16_32_8", 32, 8, 16, F16, F32, F32, whole<32, 8, 16, half, float, float, half>},
    {"w_f16_8_32", 8, 32, 16, F16, F32, F32, whole<8, 32, 16, half, float, float, half>},
    {"w_f16_32_8_h", 32, 8, 16, F16, F16, F16, whole<32, 8, 16, half, half, half, half>},
    {"w_f16_8_32_h", 8, 32, 16, F16, F16, F16, whole<8, 32, 16, half, half, half, half>},
    {"w_bf16", 16, 16, 16, BF16, F32, F32, whole<16, 16, 16, __nv_bfloat16, float, float, __nv_bfloat16>},
    {"w_bf16_32_8", 32, 8, 16, BF16, F32, F32, whole<32, 8, 16, __nv_bfloat16, float, float, __nv_bfloat16>},
    {"w_bf16_8_32", 8, 32, 16, BF16, F32, F32, whole<8, 32, 16, __nv_bfloat16, float, float, __nv_bfloat16>},
    {"w_tf32", 16, 16, 8, TF32, F32, F32, whole<16, 16, 8, wmma::precision::tf32, float, float, float>},
    {"w_f64", 8, 8, 4, F64, F64, F64, whole<8, 8, 4, double, double, double, double>},
    {"w_s8", 16, 16, 16, S8, S32, S32, whole<16, 16, 16, signed char, int, int, signed char>},
    {"w_u8", 16, 16, 16, U8, S32, S32, whole<16, 16, 16, unsigned char, int, int, unsigned char>},
    {"w_s8_32_8", 32, 8, 16, S8, S32, S32, whole<32, 8, 16, signed char, int, int, signed char>},
    {"w_s8_8_32", 8, 32, 16, S8, S32, S32, whole<8, 32, 16, signed char, int, int, signed char>},
};

static void make_operands(const struct whole_form *f, const enum type *types, const size_t *count, uint8_t **host)
{
    static struct problem p;
    p.ta = p.tb = f->ta, p.tc = f->tc, p.m = f->m, p.n = f->n, p.k = f->k;
    for (int b = 0; b < class_count(f->ta) * TRIALS; b++) {
        make_problem(&p, f->name, b / TRIALS, b % TRIALS);
        const u64 *from[3] = {p.a, p.b, p.c};
        for (int x = 0; x < 3; x++) {
            int bytes = FORMATS[types[x]].bits / 8;
            for (size_t i = 0; i < count[x]; i++)
                memcpy(host[x] + (b * count[x] + i) * bytes, &from[x][i], bytes);
        }
    }
}

static void print_whole(const struct whole_form *f, const uint8_t *d, size_t count)
{
    int blocks = class_count(f->ta) * TRIALS, bytes = FORMATS[f->td].bits / 8;
    u64 *values = (u64 *)calloc(blocks * count, sizeof *values);
    for (size_t i = 0; i < blocks * count; i++)
        memcpy(&values[i], d + i * bytes, bytes);
    print_classes(f->name, f->ta, values, (int)count);
    free(values);
}

static void run_whole(const struct whole_form *f)
{
    size_t sum = (size_t)f->m * f->n, count[4] = {(size_t)f->m * f->k, (size_t)f->k * f->n, sum, sum}, bytes[4];
    enum type types[4] = {f->ta, f->ta, f->tc, f->td};
    uint8_t *host[4], *device[4];
    int blocks = class_count(f->ta) * TRIALS;
    for (int x = 0; x < 4; x++) {
        bytes[x] = count[x] * blocks * FORMATS[types[x]].bits / 8;
        host[x] = (uint8_t *)calloc(bytes[x], 1);
        cuda(cudaMalloc((void **)&device[x], bytes[x]), f->name);
    }
    make_operands(f, types, count, host);
    for (int x = 0; x < 3; x++)
        cuda(cudaMemcpy(device[x], host[x], bytes[x], cudaMemcpyHostToDevice), f->name);
    f->kernel<<<blocks, 32>>>(device[0], device[1], device[2], device[3]);
    cuda(cudaDeviceSynchronize(), f->name);
    cuda(cudaMemcpy(host[3], device[3], bytes[3], cudaMemcpyDeviceToHost), f->name);
    print_whole(f, host[3], sum);
    for (int x = 0; x < 4; x++) {
        free(host[x]);
        cuda(cudaFree(device[x]), f->name);
    }
}

// Loads a fragment of a matrix whose element i (in memory) has the bits of i, and writes each lane's registers.
template <typename F, typename E, int LD> __global__ void layout_of(const E *in, u32 *out)
{
    F f;
    wmma::load_matrix_sync(f, in, LD);
    for (int i = 0; i < (int)(sizeof f.x / sizeof f.x[0]); i++) {
        u64 v = 0;
        memcpy(&v, &f.x[i], sizeof f.x[i]);
        out[i * 32 + threadIdx.x] = (u32)v;
    }
}
template <typename F, typename E, int LD> __global__ void layout_of_c(const E *in, u32 *out, wmma::layout_t order)
{
    F f;
    wmma::load_matrix_sync(f, in, LD, order);
    for (int i = 0; i < (int)(sizeof f.x / sizeof f.x[0]); i++) {
        u64 v = 0;
        memcpy(&v, &f.x[i], sizeof f.x[i]);
        out[i * 32 + threadIdx.x] = (u32)v;
    }
}

static u32 *device_out;
static void *device_in;

static void numbers(int bytes, int shift) // element i holds the bits of i >> shift
{
    static uint8_t in[8 * 1024];
    memset(in, 0, sizeof in);
    for (int i = 0; i < 1024; i++) {
        u64 v = (u64)(i >> shift);
        memcpy(in + i * bytes, &v, bytes);
    }
    cuda(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice), "layouts");
    cuda(cudaMemset(device_out, 0, 64 * 32 * 4), "layouts");
}

static void print_layout(const char *name, int elements)
{
    static u32 out[64 * 32];
    u64 hash = begin_hash();
    cuda(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost), name);
    for (int i = 0; i < elements * 32; i++)
        add_value(&hash, out[i]);
    print_hash(name, hash);
}

template <typename F, typename E, int LD> static void one_layout(const char *name)
{
    int n = (int)(sizeof(((F *)0)->x) / sizeof(((F *)0)->x[0]));
    for (int shift = 0; shift <= (sizeof(E) == 1 ? 8 : 0); shift += 8) {
        numbers(sizeof(E), shift);
        layout_of<F, E, LD><<<1, 32>>>((E *)device_in, device_out);
        print_layout(name, n);
    }
}
template <typename F, typename E, int M, int N> static void c_layout(const char *name)
{
    int n = (int)(sizeof(((F *)0)->x) / sizeof(((F *)0)->x[0]));
    numbers(sizeof(E), 0);
    layout_of_c<F, E, N><<<1, 32>>>((E *)device_in, device_out, wmma::mem_row_major);
    print_layout(name, n);
    layout_of_c<F, E, M><<<1, 32>>>((E *)device_in, device_out, wmma::mem_col_major);
    print_layout(name, n);
}

// A line has the fragments of rows and of columns; for bytes also of the numbers above the first 256.
#define LAYOUTS(M, N, K, T, E, name) \
    one_layout<wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major>, E, K>("a," name); \
    one_layout<wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::col_major>, E, M>("a," name); \
    one_layout<wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::row_major>, E, N>("b," name); \
    one_layout<wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major>, E, K>("b," name);
#define C_LAYOUT(M, N, K, T, name) c_layout<wmma::fragment<wmma::accumulator, M, N, K, T>, T, M, N>("c," name);
#define THREE(T, E, name) \
    LAYOUTS(16, 16, 16, T, E, "16 16 16," name) \
    LAYOUTS(32, 8, 16, T, E, "32 8 16," name) LAYOUTS(8, 32, 16, T, E, "8 32 16," name)
#define THREE_C(T, name) \
    C_LAYOUT(16, 16, 16, T, "16 16 16," name) \
    C_LAYOUT(32, 8, 16, T, "32 8 16," name) C_LAYOUT(8, 32, 16, T, "8 32 16," name)

static void run_layouts(void)
{
    cuda(cudaMalloc((void **)&device_in, 8 * 1024), "layouts");
    cuda(cudaMalloc((void **)&device_out, 64 * 32 * 4), "layouts");
    THREE(half, half, "f16")
    THREE(__nv_bfloat16, __nv_bfloat16, "bf16")
    THREE(signed char, signed char, "s8")
    THREE(unsigned char, unsigned char, "u8")
    LAYOUTS(16, 16, 8, wmma::precision::tf32, float, "16 16 8,tf32")
    LAYOUTS(8, 8, 4, double, double, "8 8 4,f64")
    THREE_C(float, "f32")
    THREE_C(half, "f16")
    THREE_C(int, "s32")
    C_LAYOUT(16, 16, 8, float, "16 16 8,f32")
    C_LAYOUT(8, 8, 4, double, "8 8 4,f64")
}

// ---- sub-byte wmma: 8 x 8 x 32 and 8 x 8 x 128: rows of A, columns of B
template <typename T> __global__ void sub_layout(const u32 *in, u32 *out)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> b;
    wmma::load_matrix_sync(a, in, 32);
    wmma::load_matrix_sync(b, in, 32);
    out[threadIdx.x] = a.x[0];
    out[32 + threadIdx.x] = b.x[0];
}
__global__ void bit_layout(const u32 *in, u32 *out)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> b;
    wmma::load_matrix_sync(a, in, 128);
    wmma::load_matrix_sync(b, in, 128);
    out[threadIdx.x] = a.x[0];
    out[32 + threadIdx.x] = b.x[0];
}

static void run_sub_layouts(void)
{
    numbers(4, 0);
    sub_layout<wmma::experimental::precision::s4><<<1, 32>>>((u32 *)device_in, device_out);
    print_layout("a and b,8 8 32,s4", 2);
    bit_layout<<<1, 32>>>((u32 *)device_in, device_out);
    print_layout("a and b,8 8 128,b1", 2);
}

// ---- ldmatrix, stmatrix, movmatrix

#define WORDS 4096
#define LDM(name, text, regs) \
    __global__ void name(const int *offset, u32 *out) \
    { \
        __shared__ __align__(128) u32 s[WORDS]; \
        u32 r[4] = {~0u, ~0u, ~0u, ~0u}; \
        for (int i = threadIdx.x; i < WORDS; i += 32) \
            s[i] = 2 * i | (2 * i + 1) << 16; \
        __syncwarp(); \
        u32 at = (u32)__cvta_generic_to_shared(s) + offset[threadIdx.x]; \
        asm volatile("ldmatrix.sync.aligned.m8n8." text ".shared.b16 " regs ", [%4];" \
                     : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) \
                     : "r"(at) \
                     : "memory"); \
        for (int i = 0; i < 4; i++) \
            out[i * 32 + threadIdx.x] = r[i]; \
    }
LDM(ld_x1, "x1", "{%0}")
LDM(ld_x2, "x2", "{%0, %1}")
LDM(ld_x4, "x4", "{%0, %1, %2, %3}")
LDM(ld_x1_trans, "x1.trans", "{%0}")
LDM(ld_x2_trans, "x2.trans", "{%0, %1}")
LDM(ld_x4_trans, "x4.trans", "{%0, %1, %2, %3}")
#define STM(name, text, regs) \
    __global__ void name(const int *offset, u32 *out) \
    { \
        __shared__ __align__(128) u32 s[WORDS]; \
        u32 r[4]; \
        for (int i = 0; i < 4; i++) \
            r[i] = (i * 32 + threadIdx.x) * 2 | ((i * 32 + threadIdx.x) * 2 + 1) << 16; \
        for (int i = threadIdx.x; i < WORDS; i += 32) \
            s[i] = ~0u; \
        __syncwarp(); \
        u32 at = (u32)__cvta_generic_to_shared(s) + offset[threadIdx.x]; \
        asm volatile("stmatrix.sync.aligned.m8n8." text ".shared.b16 [%4], " regs ";" \
                     : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) \
                     : "r"(at) \
                     : "memory"); \
        __syncwarp(); \
        for (int i = threadIdx.x; i < WORDS; i += 32) \
            out[i] = s[i]; \
    }
STM(st_x1, "x1", "{%0}")
STM(st_x2, "x2", "{%0, %1}")
STM(st_x4, "x4", "{%0, %1, %2, %3}")
STM(st_x1_trans, "x1.trans", "{%0}")
STM(st_x2_trans, "x2.trans", "{%0, %1}")
STM(st_x4_trans, "x4.trans", "{%0, %1, %2, %3}")

__global__ void mov_trans(const int *offset, u32 *out)
{
    u32 v = threadIdx.x * 2 | (threadIdx.x * 2 + 1) << 16, d;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(v));
    out[threadIdx.x] = d;
}

static const struct {
    const char *name;
    void (*kernel)(const int *, u32 *);
    int words;
} MATRICES[] = {{"ldmatrix.x1", ld_x1, 128},
                {"ldmatrix.x2", ld_x2, 128},
                {"ldmatrix.x4", ld_x4, 128},
                {"ldmatrix.x1.trans", ld_x1_trans, 128},
                {"ldmatrix.x2.trans", ld_x2_trans, 128},
                {"ldmatrix.x4.trans", ld_x4_trans, 128},
                {"stmatrix.x1", st_x1, WORDS},
                {"stmatrix.x2", st_x2, WORDS},
                {"stmatrix.x4", st_x4, WORDS},
                {"stmatrix.x1.trans", st_x1_trans, WORDS},
                {"stmatrix.x2.trans", st_x2_trans, WORDS},
                {"stmatrix.x4.trans", st_x4_trans, WORDS},
                {"movmatrix.trans", mov_trans, 32}};

static void run_matrix(unsigned m, int kind, int *device_offset, u32 *device)
{
    static u32 out[WORDS];
    int offset[32];
    u64 hash = begin_hash();
    for (int l = 0; l < 32; l++)
        offset[l] = kind == 0 ? l * 16 : kind == 1 ? (31 - l) * 80 : ((l * 7 + 3) % 32) * 144;
    cuda(cudaMemcpy(device_offset, offset, sizeof offset, cudaMemcpyHostToDevice), "matrices");
    cuda(cudaMemset(device, 0, sizeof out), "matrices");
    MATRICES[m].kernel<<<1, 32>>>(device_offset, device);
    cuda(cudaDeviceSynchronize(), MATRICES[m].name);
    cuda(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost), "matrices");
    for (int i = 0; i < MATRICES[m].words; i++)
        add_value(&hash, out[i]);
    print_hash(MATRICES[m].name, hash);
}

static void run_matrices(void)
{
    int *device_offset;
    u32 *device;
    cuda(cudaMalloc((void **)&device_offset, 32 * sizeof *device_offset), "matrices");
    cuda(cudaMalloc((void **)&device, WORDS * sizeof *device), "matrices");
    for (unsigned m = 0; m < sizeof MATRICES / sizeof MATRICES[0]; m++)
        for (int kind = 0; kind < 3; kind++)
            run_matrix(m, kind, device_offset, device);
}

// ---- conversions for such programs

#define CONVERT(name, word, text, out_kind, ...) \
    __global__ void name(const float *a, const float *b, u32 *out, int n) \
    { \
        int i = blockIdx.x * blockDim.x + threadIdx.x; \
        word d; \
        if (i < n) { \
            asm volatile(text ";" : out_kind(d) : __VA_ARGS__); \
            out[i] = d; \
        } \
    }
#define CVT1(name, text) CONVERT(name, u32, text " %0, %1", "=r", "f"(a[i]))
#define CVT2(name, text) CONVERT(name, u32, text " %0, %1, %2", "=r", "f"(a[i]), "f"(b[i]))
// Conversions to two 8-bit values, from f16x2 to two, and from two to f16x2.
#define CVT8(name, text) CONVERT(name, unsigned short, text " %0, %1, %2", "=h", "f"(a[i]), "f"(b[i]))
#define CVT8H(name, text) CONVERT(name, unsigned short, text " %0, %1", "=h", "r"(__float_as_uint(a[i])))
#define CVT8F(name, text) CONVERT(name, u32, text " %0, %1", "=r", "h"((unsigned short)__float_as_uint(a[i])))
#define CVTS(X) \
    X(cvt_rna_tf32, CVT1, "cvt.rna.tf32.f32") \
    X(cvt_rna_satfinite_tf32, CVT1, "cvt.rna.satfinite.tf32.f32") \
    X(cvt_rn_tf32, CVT1, "cvt.rn.tf32.f32") \
    X(cvt_rz_tf32, CVT1, "cvt.rz.tf32.f32") \
    X(cvt_rn_relu_tf32, CVT1, "cvt.rn.relu.tf32.f32") \
    X(cvt_rz_relu_tf32, CVT1, "cvt.rz.relu.tf32.f32") \
    X(cvt_rn_bf16x2, CVT2, "cvt.rn.bf16x2.f32") \
    X(cvt_rz_bf16x2, CVT2, "cvt.rz.bf16x2.f32") \
    X(cvt_rn_relu_bf16x2, CVT2, "cvt.rn.relu.bf16x2.f32") \
    X(cvt_rz_relu_bf16x2, CVT2, "cvt.rz.relu.bf16x2.f32") \
    X(cvt_rn_f16x2, CVT2, "cvt.rn.f16x2.f32") \
    X(cvt_rz_f16x2, CVT2, "cvt.rz.f16x2.f32") \
    X(cvt_rn_relu_f16x2, CVT2, "cvt.rn.relu.f16x2.f32") \
    X(cvt_rz_relu_f16x2, CVT2, "cvt.rz.relu.f16x2.f32") \
    X(cvt_e4m3x2, CVT8, "cvt.rn.satfinite.e4m3x2.f32") \
    X(cvt_e5m2x2, CVT8, "cvt.rn.satfinite.e5m2x2.f32") \
    X(cvt_relu_e4m3x2, CVT8, "cvt.rn.satfinite.relu.e4m3x2.f32") \
    X(cvt_relu_e5m2x2, CVT8, "cvt.rn.satfinite.relu.e5m2x2.f32") \
    X(cvt_e4m3x2_f16x2, CVT8H, "cvt.rn.satfinite.e4m3x2.f16x2") \
    X(cvt_e5m2x2_f16x2, CVT8H, "cvt.rn.satfinite.e5m2x2.f16x2") \
    X(cvt_f16x2_e4m3x2, CVT8F, "cvt.rn.f16x2.e4m3x2") \
    X(cvt_f16x2_e5m2x2, CVT8F, "cvt.rn.f16x2.e5m2x2")
#define DEFINE_CVT(name, kind, text) kind(name, text)
CVTS(DEFINE_CVT)
static const struct {
    const char *name;
    void (*kernel)(const float *, const float *, u32 *, int);
} CONVERSIONS[] = {
#define CVT_ROW(name, kind, text) {#name, name},
    CVTS(CVT_ROW)};

#define INPUTS 8192

// Inputs: edges of f32 and of each narrow format, halfway cases, random bits. For conversions from 16 bits, all of the
// inputs.
static u32 conversion_input(int i)
{
    static const enum type narrow[] = {F16, BF16, TF32, E4M3, E5M2};
    if (i < 1024)
        return (u32)(i * 64 + below(64)) | 0xa5a50000u; // the 16 bits that conversions from narrow formats read
    if (i < 2048)
        return (u32)edge(F32);
    if (i < 3072)
        return (u32)random_at(F32, -30, 20);
    if (i < 6144) { // near the points where a narrow format rounds
        enum type t = narrow[i % 5];
        u32 keep = 23 - FORMATS[t].mantissa,
            v = (u32)random_at(F32, low_exponent(t) - 4, top_exponent(t) > 120 ? 127 : top_exponent(t) + 1);
        u32 tail = below(4) == 0 ? (1u << (keep - 1)) : below(3) == 0 ? (1u << (keep - 1)) + (below(2) ? 1u : ~0u) : 0;
        return (v & ~((1u << keep) - 1)) + tail;
    }
    return (u32)next();
}

static void run_conversions(void)
{
    static u32 in[2][INPUTS], out[INPUTS];
    float *device[2];
    u32 *result;
    state = hash_name("conversions");
    for (int x = 0; x < 2; x++)
        for (int i = 0; i < INPUTS; i++)
            in[x][i] = conversion_input(i);
    for (int x = 0; x < 2; x++) {
        cuda(cudaMalloc((void **)&device[x], sizeof in[x]), "conversions");
        cuda(cudaMemcpy(device[x], in[x], sizeof in[x], cudaMemcpyHostToDevice), "conversions");
    }
    cuda(cudaMalloc((void **)&result, sizeof out), "conversions");
    for (unsigned c = 0; c < sizeof CONVERSIONS / sizeof CONVERSIONS[0]; c++) {
        CONVERSIONS[c].kernel<<<INPUTS / 256, 256>>>(device[0], device[1], result, INPUTS);
        cuda(cudaDeviceSynchronize(), CONVERSIONS[c].name);
        cuda(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost), "conversions");
        u64 hash = begin_hash();
        for (int i = 0; i < INPUTS; i++)
            add_value(&hash, out[i]);
        print_hash(CONVERSIONS[c].name, hash);
    }
}

int main()
{
    run_layouts();
    run_sub_layouts();
    run_matrices();
    run_conversions();
    for (unsigned i = 0; i < sizeof WHOLES / sizeof WHOLES[0]; i++)
        run_whole(&WHOLES[i]);
    for (unsigned i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++)
        run_form(&FORMS[i]);
    printf("\n");
    return 0;
}

// Tensor cores as programs use them: products of small integers, whose sums are exact, in every shape; tiles by
// cp.async and ldmatrix, products by mma.sync; matrices moved, stored and transposed. tensor/ tests rounding.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <type_traits>

#include "program.h"

// ---- C = A B for bf16, 64 x 64 x 64: four warps, each 32 x 32 of C

#define SIDE 64
#define STRIDE (SIDE + 8) // pitch of a tile's rows: 16 bytes more, so that eight rows have no bank conflict

__device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void load_tile(__nv_bfloat16 *tile, const __nv_bfloat16 *from)
{
    for (int i = threadIdx.x; i < SIDE * SIDE / 8; i += blockDim.x)
        __pipeline_memcpy_async(&tile[i / 8 * STRIDE + i % 8 * 8], &from[i * 8], 16);
}

__device__ void load_a(unsigned *a, const __nv_bfloat16 *tile, int row, int k)
{
    int lane = threadIdx.x % 32;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(shared_address(&tile[(row + lane % 16) * STRIDE + k + lane / 16 * 8])));
}

// B is stored by rows of k, and is transposed on loading.
__device__ void load_b(unsigned *b, const __nv_bfloat16 *tile, int k, int column)
{
    int lane = threadIdx.x % 32;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(shared_address(&tile[(k + lane % 16) * STRIDE + column])));
}

__device__ void multiply(float *d, const unsigned *a, const unsigned *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void tiles(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    __shared__ alignas(128) __nv_bfloat16 left[SIDE * STRIDE], right[SIDE * STRIDE];
    int lane = threadIdx.x % 32, row = threadIdx.x / 64 * 32, column = threadIdx.x / 32 % 2 * 32;
    float sum[2][4][4] = {};
    load_tile(left, a);
    load_tile(right, b);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = 0; k < SIDE; k += 16)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 4; j++) {
                unsigned x[4], y[2];
                load_a(x, left, row + 16 * i, k);
                load_b(y, right, k, column + 8 * j);
                multiply(sum[i][j], x, y);
            }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++)
                c[(row + 16 * i + lane / 4 + e / 2 * 8) * SIDE + column + 8 * j + lane % 4 * 2 + e % 2] = sum[i][j][e];
}

static int small(int i)
{
    return (i * 37 + i / 7 * 11) % 17 - 8;
}

static void test_tiles()
{
    auto a = managed<__nv_bfloat16>(SIDE * SIDE), b = managed<__nv_bfloat16>(SIDE * SIDE);
    auto c = managed<float>(SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = __float2bfloat16(small(i));
        b[i] = __float2bfloat16(small(i + 5000));
    }
    tiles<<<1, 128>>>(a, b, c);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int want = 0;
            for (int k = 0; k < SIDE; k++)
                want += small(i * SIDE + k) * small(k * SIDE + j + 5000);
            EXPECT(c[i * SIDE + j] == want);
        }
}

// ---- matrices of 8 x 8

// Four matrices whose rows lie apart, loaded, transposed in registers, stored transposed.
__global__ void matrices(const unsigned short *in, unsigned *loaded, unsigned *transposed, unsigned *moved,
                         unsigned short *stored)
{
    __shared__ alignas(16) unsigned short s[4 * 8 * 16], t[4 * 64];
    int lane = threadIdx.x;
    unsigned r[4], q[4], m;
    for (int i = lane; i < 4 * 64; i += 32)
        s[i / 8 * 16 + i % 8] = in[i];
    __syncwarp();
    unsigned at = shared_address(&s[lane * 16]), to = shared_address(&t[lane * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3])
                 : "r"(at));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(m) : "r"(r[1]));
    for (int i = 0; i < 4; i++) {
        loaded[i * 32 + lane] = r[i];
        transposed[i * 32 + lane] = q[i];
    }
    moved[lane] = m;
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, %2, %3};" ::"r"(r[0]), "r"(r[1]),
                 "r"(r[2]), "r"(r[3]), "r"(to)
                 : "memory");
#else
    for (int i = 0; i < 4; i++) // the same by hand
        for (int e = 0; e < 2; e++)
            t[i * 64 + (lane % 4 * 2 + e) * 8 + lane / 4] = (unsigned short)(r[i] >> 16 * e);
    (void)to;
#endif
    __syncwarp();
    for (int i = lane; i < 4 * 64; i += 32)
        stored[i] = t[i];
}

static void test_matrices()
{
    auto in = managed<unsigned short>(256), stored = managed<unsigned short>(256);
    auto loaded = managed<unsigned>(128), transposed = managed<unsigned>(128), moved = managed<unsigned>(32);
    for (int i = 0; i < 256; i++)
        in[i] = (unsigned short)(i * 257 + 3);
    matrices<<<1, 32>>>(in, loaded, transposed, moved, stored);
    CUDA(cudaDeviceSynchronize());
    for (int m = 0; m < 4; m++)
        for (int l = 0; l < 32; l++) {
            const unsigned short *at = in + m * 64;
            int i = l / 4, j = l % 4 * 2;
            unsigned across = at[j * 8 + i] | (unsigned)at[(j + 1) * 8 + i] << 16;
            EXPECT(loaded[m * 32 + l] == (at[i * 8 + j] | (unsigned)at[i * 8 + j + 1] << 16));
            EXPECT(transposed[m * 32 + l] == across);
            EXPECT(m != 1 || moved[l] == across);
        }
    for (int i = 0; i < 256; i++)
        EXPECT(stored[i] == in[i / 64 * 64 + i % 8 * 8 + i / 8 % 8]);
}

// Two matrices by the addresses of sixteen lanes (those of the others are ignored); under a uniform condition; and by
// lanes that arrive on two paths.
__global__ void paths(const unsigned *in, unsigned *out)
{
    __shared__ alignas(16) unsigned s[64];
    int lane = threadIdx.x;
    unsigned r[2] = {7, 7}, on = in[0];
    s[lane] = in[lane];
    s[lane + 32] = in[lane + 32];
    if (in[lane] % 3 == 0)
        out[64 + lane] = 1;
    else
        out[64 + lane] = 2;
    __syncwarp();
    if (on == 0)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(r[0]), "=r"(r[1])
                     : "r"(lane < 16 ? shared_address(&s[lane * 4]) : 1u));
    out[lane] = r[0];
    out[lane + 32] = r[1];
}

static void test_paths()
{
    auto in = managed<unsigned>(64), out = managed<unsigned>(96);
    for (int i = 0; i < 64; i++)
        in[i] = i * 65537;
    paths<<<1, 32>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        EXPECT(out[i] == in[i]);
}

// ---- wmma: C = A B in shared memory, with margins that must not change; fragments scaled element by element

using namespace nvcuda;

#define MARGIN 8

template <int M, int N, int K, typename T, typename S, typename LA, typename LB>
__global__ void whole(const T *a, const T *b, S *c, wmma::layout_t order)
{
    __shared__ alignas(32) T left[M * K], right[K * N];
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> x;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> y;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum;
    bool by_rows = order == wmma::mem_row_major;
    for (int i = threadIdx.x; i < M * K; i += 32)
        left[i] = a[i];
    for (int i = threadIdx.x; i < K * N; i += 32)
        right[i] = b[i];
    __syncwarp();
    wmma::fill_fragment(sum, (S)1);
    wmma::load_matrix_sync(x, left, std::is_same<LA, wmma::row_major>::value ? K : M);
    wmma::load_matrix_sync(y, right, std::is_same<LB, wmma::row_major>::value ? N : K);
    wmma::mma_sync(sum, x, y, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] + sum.x[i];
    wmma::store_matrix_sync(c, sum, (by_rows ? N : M) + MARGIN, order);
}

template <int M, int N, int K, typename T, typename S, typename LA, typename LB> static void test_whole()
{
    auto a = managed<T>(M * K), b = managed<T>(K * N);
    auto c = managed<S>(32 * 48);
    bool a_rows = std::is_same<LA, wmma::row_major>::value, b_rows = std::is_same<LB, wmma::row_major>::value;
    for (int order = 0; order < 2; order++) {
        int stride = (order ? M : N) + MARGIN;
        for (int i = 0; i < M * K; i++)
            a[a_rows ? i : i % K * M + i / K] = (T)(float)(small(i) / 2);
        for (int i = 0; i < K * N; i++)
            b[b_rows ? i : i % N * K + i / N] = (T)(float)small(i + 77);
        for (int i = 0; i < 32 * 48; i++)
            c[i] = (S)5;
        whole<M, N, K, T, S, LA, LB><<<1, 32>>>(a, b, c, order ? wmma::mem_col_major : wmma::mem_row_major);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                int want = 1;
                for (int k = 0; k < K; k++)
                    want += small(i * K + k) / 2 * small(k * N + j + 77);
                EXPECT((float)c[order ? j * stride + i : i * stride + j] == 2 * want);
            }
        for (int i = 0; i < (order ? N : M); i++)
            EXPECT((float)c[i * stride + stride - MARGIN] == 5 && (float)c[i * stride + stride - 1] == 5);
    }
}

template <int M, int N, typename T, typename S> static void test_shape()
{
    test_whole<M, N, 16, T, S, wmma::row_major, wmma::col_major>();
    test_whole<M, N, 16, T, S, wmma::col_major, wmma::row_major>();
}

template <typename T, typename S> static void test_type()
{
    test_shape<16, 16, T, S>();
    test_shape<32, 8, T, S>();
    test_shape<8, 32, T, S>();
}

static void test_wholes()
{
    test_type<half, float>();
    test_type<half, half>();
    test_type<__nv_bfloat16, float>();
    test_type<signed char, int>();
    test_whole<8, 8, 4, double, double, wmma::row_major, wmma::col_major>();
    test_whole<8, 8, 4, double, double, wmma::col_major, wmma::row_major>();
}

int main()
{
    test_wholes();
    test_tiles();
    test_matrices();
    test_paths();
    return finish();
}

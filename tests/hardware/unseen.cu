// Kernels that were not used to build the estimate's model: algorithms that the workbook does not have, several in
// variants. Their times were recorded on a GPU before the model was tried on them; unseen.sh compares the estimates
// with them.
//
//     unseen [NAME]    prints NAME,US for each kernel, or for that one: the median of RUNS runs, the L2 cache flushed
//                      before each. Linked to the SIMT machine, and with SIMT_ESTIMATE: NAME,US,LIMIT, as estimated
#define PROGRAM "unseen"
#include "program.h"
#include "simt/simt.h"

#include <string.h>

#define N (1 << 21) // elements of most
#define SIDE 2048   // of a matrix
#define ROWS 2048   // of softmax
#define COLUMNS 1024
#define BODIES 8192
#define PER_ROW 16 // elements of a sparse row, about
#define ROWS_SPARSE (1 << 17)
#define TABLE (1 << 20)
#define RUNS 20
#define FLUSH_BYTES (128u << 20)

static float *x, *y, *z;     // d_: N * 4 elements each
static unsigned *p, *q, *keys; // random numbers below N; 0, 1, 2, ... shuffled in windows of 1024; a table
static int *start;           // of each sparse row

__device__ int thread(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- vectors

__global__ void k_axpy(float *y, const float *x, float a)
{
    y[thread()] += a * x[thread()];
}

__global__ void k_axpy_four(float4 *y, const float4 *x, float a)
{
    float4 u = x[thread()], v = y[thread()];
    v.x += a * u.x, v.y += a * u.y, v.z += a * u.z, v.w += a * u.w;
    y[thread()] = v;
}

__global__ void k_axpy_loop(float *y, const float *x, float a, int n)
{
    for (int i = thread(); i < n; i += gridDim.x * blockDim.x)
        y[i] += a * x[i];
}

__global__ void k_stride(float *y, const float *x, int stride)
{
    int i = thread();
    y[i] = x[(size_t)i * stride];
}

__global__ void k_gather(float *y, const float *x, const unsigned *at)
{
    y[thread()] = x[at[thread()]];
}

__global__ void k_scatter(float *y, const float *x, const unsigned *at)
{
    y[at[thread()]] = x[thread()];
}

// ---- matrices

__global__ void k_transpose_rows(float *to, const float *from)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    to[(size_t)c * SIDE + r] = from[(size_t)r * SIDE + c];
}

__global__ void k_transpose_columns(float *to, const float *from)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    to[(size_t)r * SIDE + c] = from[(size_t)c * SIDE + r];
}

template <int PAD> __global__ void k_transpose_tile(float *to, const float *from)
{
    __shared__ float tile[32][32 + PAD];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = from[(size_t)(r + i) * SIDE + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        to[(size_t)(r + i) * SIDE + c] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void k_matvec_thread(float *y, const float *a, const float *x)
{
    float sum = 0;
    for (int c = 0; c < SIDE; c++)
        sum += a[(size_t)thread() * SIDE + c] * x[c];
    y[thread()] = sum;
}

__global__ void k_matvec_columns(float *y, const float *a, const float *x)
{
    float sum = 0;
    for (int c = 0; c < SIDE; c++)
        sum += a[(size_t)c * SIDE + thread()] * x[c];
    y[thread()] = sum;
}

__global__ void k_matvec_warp(float *y, const float *a, const float *x)
{
    int row = thread() / 32, lane = thread() % 32;
    float sum = 0;
    for (int c = lane; c < SIDE; c += 32)
        sum += a[(size_t)row * SIDE + c] * x[c];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}

__global__ void k_matvec_block(float *y, const float *a, const float *x)
{
    __shared__ float sums[256];
    float sum = 0;
    for (int c = threadIdx.x; c < SIDE; c += 256)
        sum += a[(size_t)blockIdx.x * SIDE + c] * x[c];
    sums[threadIdx.x] = sum;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            sums[threadIdx.x] += sums[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = sums[0];
}

__global__ void k_sparse_thread(float *y, const int *start, const unsigned *column, const float *a, const float *x)
{
    float sum = 0;
    for (int i = start[thread()]; i < start[thread() + 1]; i++)
        sum += a[i] * x[column[i]];
    y[thread()] = sum;
}

__global__ void k_sparse_warp(float *y, const int *start, const unsigned *column, const float *a, const float *x)
{
    int row = thread() / 32, lane = thread() % 32;
    float sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += 32)
        sum += a[i] * x[column[i]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}

// ---- arithmetic

template <typename T> __global__ void k_horner(T *y, const T *x, int degree)
{
    T u = x[thread()], sum = 0;
    for (int i = 0; i < degree; i++)
        sum = sum * u + (T)0.5;
    y[thread()] = sum;
}

__global__ void k_options(float *call, float *put, const float *price, const float *strike)
{
    float s = 5 + 25 * price[thread()], k = 1 + 99 * strike[thread()], t = 0.25f + 9 * price[thread()];
    float root = sqrtf(t), d1 = (logf(s / k) + (0.02f + 0.045f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    float n1 = normcdff(d1), n2 = normcdff(d2), late = k * expf(-0.02f * t);
    call[thread()] = s * n1 - late * n2;
    put[thread()] = late * (1 - n2) - s * (1 - n1);
}

__global__ void k_mandelbrot(unsigned *out, int most)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, i = 0;
    float u = c / 512.0f * 1.5f - 2, v = r / 512.0f * 2 - 1, a = 0, b = 0;
    for (; i < most && a * a + b * b < 4; i++) {
        float next = a * a - b * b + u;
        b = 2 * a * b + v;
        a = next;
    }
    out[r * 512 + c] = i;
}

__global__ void k_xorshift(unsigned *out, int rounds)
{
    unsigned long long s = thread() * 0x9e3779b97f4a7c15ull + 1;
    for (int i = 0; i < rounds; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
    }
    out[thread()] = (unsigned)s;
}

__global__ void k_collatz(unsigned *out)
{
    unsigned long long v = thread() + 1;
    unsigned steps = 0;
    for (; v != 1; steps++)
        v = v % 2 ? 3 * v + 1 : v / 2;
    out[thread()] = steps;
}

__global__ void k_remainder(unsigned *out, const unsigned *in, unsigned by)
{
    unsigned v = in[thread()], sum = 0;
    for (int i = 0; i < 16; i++)
        sum += v / (by + i) + v % (by + i);
    out[thread()] = sum;
}

__device__ float3 pull(float3 sum, float4 of, float4 to)
{
    float dx = to.x - of.x, dy = to.y - of.y, dz = to.z - of.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), f = to.w * r * r * r;
    return make_float3(sum.x + f * dx, sum.y + f * dy, sum.z + f * dz);
}

__global__ void k_bodies(float3 *force, const float4 *body)
{
    float3 sum = make_float3(0, 0, 0);
    for (int i = 0; i < BODIES; i++)
        sum = pull(sum, body[thread()], body[i]);
    force[thread()] = sum;
}

__global__ void k_bodies_tile(float3 *force, const float4 *body)
{
    __shared__ float4 tile[128];
    float4 mine = body[thread()];
    float3 sum = make_float3(0, 0, 0);
    for (int begin = 0; begin < BODIES; begin += 128) {
        tile[threadIdx.x] = body[begin + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 128; i++)
            sum = pull(sum, mine, tile[i]);
        __syncthreads();
    }
    force[thread()] = sum;
}

// ---- structures

struct particle {
    float position[3], speed[3], mass, age;
};

__global__ void k_structures(struct particle *p, float dt)
{
    struct particle *mine = &p[thread()];
    for (int i = 0; i < 3; i++)
        mine->position[i] += dt * mine->speed[i];
}

__global__ void k_arrays(float *position, const float *speed, float dt, int n)
{
    for (int i = 0; i < 3; i++)
        position[i * n + thread()] += dt * speed[i * n + thread()];
}

__global__ void k_insert(unsigned *table, const unsigned *key)
{
    unsigned mine = key[thread()] + 1, at = mine * 2654435761u >> 12;
    for (;; at = (at + 1) % TABLE) {
        unsigned old = atomicCAS(&table[at], 0, mine);
        if (old == 0 || old == mine)
            return;
    }
}

__global__ void k_chase(unsigned *end, const unsigned *next, int steps)
{
    unsigned at = thread();
    for (int i = 0; i < steps; i++)
        at = next[at];
    end[thread()] = at;
}

// ---- blocks

__global__ void k_softmax_block(float *out, const float *in)
{
    __shared__ float part[256];
    const float *row = in + (size_t)blockIdx.x * COLUMNS;
    float most = -1e30f, sum = 0;
    for (int c = threadIdx.x; c < COLUMNS; c += 256)
        most = fmaxf(most, row[c]);
    part[threadIdx.x] = most;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + d]);
    }
    __syncthreads();
    most = part[0];
    __syncthreads();
    for (int c = threadIdx.x; c < COLUMNS; c += 256)
        sum += expf(row[c] - most);
    part[threadIdx.x] = sum;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
    }
    __syncthreads();
    for (int c = threadIdx.x; c < COLUMNS; c += 256)
        out[(size_t)blockIdx.x * COLUMNS + c] = expf(row[c] - most) / part[0];
}

__global__ void k_softmax_warp(float *out, const float *in)
{
    int lane = thread() % 32;
    const float *row = in + (size_t)(thread() / 32) * COLUMNS;
    float v[COLUMNS / 32], most = -1e30f, sum = 0;
    for (int i = 0; i < COLUMNS / 32; i++)
        most = fmaxf(most, v[i] = row[lane + 32 * i]);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    for (int i = 0; i < COLUMNS / 32; i++)
        sum += v[i] = __expf(v[i] - most);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    for (int i = 0; i < COLUMNS / 32; i++)
        out[(size_t)(thread() / 32) * COLUMNS + lane + 32 * i] = v[i] / sum;
}

__global__ void k_bitonic(unsigned *v)
{
    __shared__ unsigned s[1024];
    unsigned i = threadIdx.x;
    s[i] = v[thread()];
    for (unsigned k = 2; k <= 1024; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = i ^ j;
            __syncthreads();
            if (other > i && (s[i] > s[other]) == !(i & k)) {
                unsigned kept = s[i];
                s[i] = s[other];
                s[other] = kept;
            }
        }
    __syncthreads();
    v[thread()] = s[i];
}

__global__ void k_heat(float *out, const float *in, int rounds)
{
    __shared__ float s[2][258];
    int i = threadIdx.x + 1;
    s[0][i] = in[thread()];
    if (i == 1)
        s[0][0] = s[0][257] = s[1][0] = s[1][257] = 0;
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        s[~k & 1][i] = 0.25f * (s[k & 1][i - 1] + s[k & 1][i + 1]) + 0.5f * s[k & 1][i];
        __syncthreads();
    }
    out[thread()] = s[rounds & 1][i];
}

// The sum of each column of a tile, read from shared memory.
__global__ void k_columns(float *out, const float *in, int stride)
{
    __shared__ float s[32 * 33];
    float sum = 0;
    for (int i = 0; i < 32; i += 8)
        s[(threadIdx.y + i) * stride + threadIdx.x] = in[(blockIdx.x * 32 + threadIdx.y + i) * 32 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 32; i++)
        sum += s[threadIdx.x * stride + (i + threadIdx.y) % 32];
    out[(blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x] = sum;
}

__global__ void k_local(unsigned *out, const unsigned *in)
{
    unsigned char count[64] = {0}, most = 0;
    for (int i = 0; i < 32; i++)
        count[in[i * N / 32 + thread()] % 64]++;
    for (int i = 0; i < 64; i++)
        most = max(most, count[i]);
    out[thread()] = most;
}

// ---- atomics

__global__ void k_sum_threads(float *sum, const float *x)
{
    atomicAdd(sum, x[thread()]);
}

__global__ void k_sum_warps(float *sum, const float *x)
{
    float v = x[thread()];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, v);
}

__global__ void k_count(unsigned *bin, const unsigned *v, unsigned bins)
{
    atomicAdd(&bin[v[thread()] % bins], 1);
}

__global__ void k_count_shared(unsigned *bin, const unsigned *v, int n)
{
    __shared__ unsigned mine[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = thread(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[v[i] % 1024], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        atomicAdd(&bin[i], mine[i]);
}

// ---- neighbours

__global__ void k_laplace(double *out, const double *in)
{
    int c = blockIdx.x * 32 + threadIdx.x + 1, r = blockIdx.y * 8 + threadIdx.y + 1;
    const double *at = in + (size_t)r * SIDE + c;
    if (c < SIDE - 1 && r < SIDE - 1)
        out[(size_t)r * SIDE + c] = 0.25 * (at[-1] + at[1] + at[-SIDE] + at[SIDE]);
}

__global__ void k_median(float *out, const float *in)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    float v[9];
    for (int i = 0; i < 9; i++) {
        int y = min(max(r + i / 3 - 1, 0), SIDE - 1), x = min(max(c + i % 3 - 1, 0), SIDE - 1);
        v[i] = in[(size_t)y * SIDE + x];
    }
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = i + 1; j < 9; j++) {
            float low = fminf(v[i], v[j]);
            v[j] = fmaxf(v[i], v[j]);
            v[i] = low;
        }
    out[(size_t)r * SIDE + c] = v[4];
}

// ---- running them

#define SQUARE dim3(SIDE / 32, SIDE / 8), dim3(32, 8)
static const struct kernel {
    const char *name;
    void (*run)(void);
} kernels[] = {
    {"axpy-one", [] { k_axpy<<<4 * N / 256, 256>>>(y, x, 2); }},
    {"axpy-four", [] { k_axpy_four<<<N / 256, 256>>>((float4 *)y, (float4 *)x, 2); }},
    {"axpy-loop", [] { k_axpy_loop<<<132 * 8, 256>>>(y, x, 2, 4 * N); }},
    {"stride-2", [] { k_stride<<<N / 1024, 256>>>(y, x, 2); }},
    {"stride-8", [] { k_stride<<<N / 1024, 256>>>(y, x, 8); }},
    {"stride-16", [] { k_stride<<<N / 1024, 256>>>(y, x, 16); }},
    {"gather-near", [] { k_gather<<<N / 256, 256>>>(y, x, q); }},
    {"gather-far", [] { k_gather<<<N / 256, 256>>>(y, x, p); }},
    {"scatter-near", [] { k_scatter<<<N / 256, 256>>>(y, x, q); }},
    {"scatter-far", [] { k_scatter<<<N / 256, 256>>>(y, x, p); }},
    {"transpose-rows", [] { k_transpose_rows<<<SQUARE>>>(y, x); }},
    {"transpose-columns", [] { k_transpose_columns<<<SQUARE>>>(y, x); }},
    {"transpose-tile", [] { k_transpose_tile<0><<<dim3(SIDE / 32, SIDE / 32), dim3(32, 8)>>>(y, x); }},
    {"transpose-padded", [] { k_transpose_tile<1><<<dim3(SIDE / 32, SIDE / 32), dim3(32, 8)>>>(y, x); }},
    {"matvec-thread", [] { k_matvec_thread<<<SIDE / 128, 128>>>(z, x, y); }},
    {"matvec-columns", [] { k_matvec_columns<<<SIDE / 128, 128>>>(z, x, y); }},
    {"matvec-warp", [] { k_matvec_warp<<<SIDE / 8, 256>>>(z, x, y); }},
    {"matvec-block", [] { k_matvec_block<<<SIDE, 256>>>(z, x, y); }},
    {"sparse-thread", [] { k_sparse_thread<<<ROWS_SPARSE / 256, 256>>>(z, start, p, x, y); }},
    {"sparse-warp", [] { k_sparse_warp<<<ROWS_SPARSE / 8, 256>>>(z, start, p, x, y); }},
    {"horner-float", [] { k_horner<float><<<N / 256, 256>>>(y, x, 256); }},
    {"horner-double", [] { k_horner<double><<<N / 1024, 256>>>((double *)y, (double *)x, 256); }},
    {"options", [] { k_options<<<N / 2 / 256, 256>>>(y, z, x, x + N); }},
    {"mandelbrot", [] { k_mandelbrot<<<dim3(16, 64), dim3(32, 8)>>>(keys, 256); }},
    {"xorshift", [] { k_xorshift<<<1024, 256>>>(keys, 200); }},
    {"collatz", [] { k_collatz<<<1024, 256>>>(keys); }},
    {"remainder", [] { k_remainder<<<1024, 256>>>(keys, p, 17); }},
    {"bodies", [] { k_bodies<<<BODIES / 128, 128>>>((float3 *)y, (float4 *)x); }},
    {"bodies-tile", [] { k_bodies_tile<<<BODIES / 128, 128>>>((float3 *)y, (float4 *)x); }},
    {"structures", [] { k_structures<<<N / 2 / 256, 256>>>((struct particle *)y, 1); }},
    {"arrays", [] { k_arrays<<<N / 2 / 256, 256>>>(y, x, 1, N / 2); }},
    {"insert", [] { k_insert<<<1024, 256>>>(keys, p); }},
    {"chase", [] { k_chase<<<132, 64>>>(keys, p, 64); }},
    {"softmax-block", [] { k_softmax_block<<<ROWS, 256>>>(y, x); }},
    {"softmax-warp", [] { k_softmax_warp<<<ROWS / 4, 128>>>(y, x); }},
    {"bitonic", [] { k_bitonic<<<512, 1024>>>(q); }},
    {"heat", [] { k_heat<<<1024, 256>>>(y, x, 64); }},
    {"columns-conflict", [] { k_columns<<<4096, dim3(32, 8)>>>(y, x, 32); }},
    {"columns-padded", [] { k_columns<<<4096, dim3(32, 8)>>>(y, x, 33); }},
    {"local", [] { k_local<<<N / 32 / 256, 256>>>(keys, p); }},
    {"sum-threads", [] { k_sum_threads<<<1024, 256>>>(y, x); }},
    {"sum-warps", [] { k_sum_warps<<<1024, 256>>>(y, x); }},
    {"count-few", [] { k_count<<<1024, 256>>>(keys, p, 64); }},
    {"count-many", [] { k_count<<<1024, 256>>>(keys, p, 1 << 20); }},
    {"count-shared", [] { k_count_shared<<<132 * 2, 512>>>(keys, p, N); }},
    {"laplace", [] { k_laplace<<<SQUARE>>>((double *)y, (double *)x); }},
    {"median", [] { k_median<<<SQUARE>>>(y, x); }},
    {"many-launches",
     [] {
         for (int i = 0; i < 50; i++)
             k_axpy<<<4, 256>>>(y, x, 1);
     }},
};

static unsigned next_random(void)
{
    static unsigned long long s = 1;
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(s >> 33);
}

static void *upload(void *from, size_t bytes)
{
    void *d_to;
    cuda(cudaMalloc(&d_to, bytes));
    cuda(cudaMemcpy(d_to, from, bytes, cudaMemcpyHostToDevice));
    return d_to;
}

static void make_data(void)
{
    float *value = (float *)malloc(4 * N * sizeof *value);
    unsigned *far = (unsigned *)malloc(N * sizeof *far), *near = (unsigned *)malloc(N * sizeof *near);
    int *begin = (int *)malloc((ROWS_SPARSE + 1) * sizeof *begin);
    for (int i = 0; i < 4 * N; i++)
        value[i] = next_random() % 1024 / 1024.0f;
    x = (float *)upload(value, 4 * N * sizeof *x);
    y = (float *)upload(value, 4 * N * sizeof *y);
    z = (float *)upload(value, 4 * N * sizeof *z);
    for (int i = 0; i < N; i++) {
        far[i] = next_random() % N;
        near[i] = i;
    }
    for (int i = 0; i < N; i++) {
        int other = i / 1024 * 1024 + next_random() % 1024;
        unsigned kept = near[i];
        near[i] = near[other];
        near[other] = kept;
    }
    begin[0] = 0;
    for (int i = 0; i < ROWS_SPARSE; i++) // the mean is PER_ROW - 1/2
        begin[i + 1] = begin[i] + next_random() % (2 * PER_ROW);
    begin[ROWS_SPARSE] = begin[ROWS_SPARSE] < N ? begin[ROWS_SPARSE] : N;
    p = (unsigned *)upload(far, N * sizeof *p);
    q = (unsigned *)upload(near, N * sizeof *q);
    start = (int *)upload(begin, (ROWS_SPARSE + 1) * sizeof *start);
    cuda(cudaMalloc(&keys, N * sizeof *keys));
    free(value);
    free(far);
    free(near);
    free(begin);
}

static int compare_floats(const void *a, const void *b)
{
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

static void flush(void)
{
    static void *memory;
    if (memory == NULL)
        cuda(cudaMalloc(&memory, FLUSH_BYTES));
    cuda(cudaMemset(keys, 0, N * sizeof *keys));
    cuda(cudaMemset(memory, 0, FLUSH_BYTES));
}

// The time of one run, in us.
static float time_once(const struct kernel *k)
{
    float ms;
    cudaEvent_t begun, ended;
    cuda(cudaEventCreate(&begun));
    cuda(cudaEventCreate(&ended));
    flush();
    cuda(cudaEventRecord(begun));
    k->run();
    cuda(cudaEventRecord(ended));
    cuda(cudaEventSynchronize(ended));
    cuda(cudaGetLastError());
    cuda(cudaEventElapsedTime(&ms, begun, ended));
    cuda(cudaEventDestroy(begun));
    cuda(cudaEventDestroy(ended));
    return 1000 * ms;
}

static void time_kernel(const struct kernel *k)
{
    float us[RUNS];
    k->run();
    for (int i = 0; i < RUNS; i++)
        us[i] = time_once(k);
    qsort(us, RUNS, sizeof *us, compare_floats);
    printf("%s,%.3f\n", k->name, us[RUNS / 2]);
}

static void estimate_kernel(const struct kernel *k)
{
    struct simt_estimate e;
    flush();
    simt_reset();
    simt_estimate(1);
    k->run();
    cuda(cudaDeviceSynchronize());
    simt_estimate(0);
    if (!simt_estimated(&e))
        exit(1);
    printf("%s,%.3f,%s\n", k->name, e.us, e.limit);
}

int main(int argc, char **argv)
{
    if (simt_estimate)
        simt_estimate(0);
    make_data();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (argc < 2 || !strcmp(argv[1], kernels[i].name))
            (simt_estimate ? estimate_kernel : time_kernel)(&kernels[i]);
    return 0;
}

// Hunt 10/f: C = A B on the tensor cores, for A with ROWS rows and k columns, B with k rows and
// COLUMNS columns. Words are small whole numbers as bf16, k is a multiple of DEPTH.
#include <stdio.h>
#include <stdlib.h>

#define ROWS 64
#define COLUMNS 8
#define DEPTH 16  // columns of A, rows of B in one product
#define BLOCK 128 // a warpgroup

// A matrix of 16 columns in shared memory, without a swizzle: 8 rows of its first half, 16 bytes
// each, then their second half, then the next 8 rows. For B, rows and columns are exchanged.
__device__ unsigned long long matrix(const unsigned short *first)
{
    return (__cvta_generic_to_shared(first) & 0x3ffff) >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

__device__ int place(int row, int column)
{
    return row / 8 * 128 + column / 8 * 64 + row % 8 * 8 + column % 8;
}

__device__ void add_product(float c[4], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__global__ void multiply(float *c, const unsigned short *a, const unsigned short *b, int k)
{
    __shared__ alignas(128) unsigned short a_tile[ROWS * DEPTH], b_tile[COLUMNS * DEPTH];
    int tid = threadIdx.x, row = tid / 32 * 16 + tid % 32 / 4, column = tid % 4 * 2;
    float sum[4] = {0, 0, 0, 0};

    for (int first = 0; first < k; first += DEPTH) {
        for (int i = tid; i < ROWS * DEPTH; i += BLOCK)
            a_tile[place(i / DEPTH, i % DEPTH)] = a[i / DEPTH * k + first + i % DEPTH];
        b_tile[place(tid % COLUMNS, tid / COLUMNS)] = b[(first + tid / COLUMNS) * COLUMNS + tid % COLUMNS];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        add_product(sum, matrix(a_tile), matrix(b_tile));
        __syncthreads(); // the next tiles may come
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++)
        c[(row + i / 2 * 8) * COLUMNS + column + i % 2] = sum[i];
}

static void matmul(float *c, const unsigned short *a, const unsigned short *b, int k)
{
    unsigned short *d_a, *d_b;
    float *d_c;

    cudaMalloc(&d_a, ROWS * k * sizeof *a);
    cudaMalloc(&d_b, COLUMNS * k * sizeof *b);
    cudaMalloc(&d_c, ROWS * COLUMNS * sizeof *c);
    cudaMemcpy(d_a, a, ROWS * k * sizeof *a, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, COLUMNS * k * sizeof *b, cudaMemcpyHostToDevice);
    multiply<<<1, BLOCK>>>(d_c, d_a, d_b, k);
    cudaMemcpy(c, d_c, ROWS * COLUMNS * sizeof *c, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    const unsigned short bf16[] = {0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0}; // 0 to 5
    int k = argc > 1 ? atoi(argv[1]) : DEPTH, wrong = 0;
    unsigned short *a = (unsigned short *)malloc(ROWS * k * 2), *b = (unsigned short *)malloc(COLUMNS * k * 2);
    int *x = (int *)malloc(ROWS * k * sizeof *x), *y = (int *)malloc(COLUMNS * k * sizeof *y);
    float c[ROWS * COLUMNS];

    srand(argc > 2 ? atoi(argv[2]) : 1);
    for (int i = 0; i < ROWS * k; i++)
        a[i] = bf16[x[i] = rand() % 6];
    for (int i = 0; i < COLUMNS * k; i++)
        b[i] = bf16[y[i] = rand() % 6];
    matmul(c, a, b, k);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int sum = 0;
        for (int l = 0; l < k; l++)
            sum += x[i / COLUMNS * k + l] * y[l * COLUMNS + i % COLUMNS];
        wrong += !(c[i] == sum);
    }
    free(a);
    free(b);
    free(x);
    free(y);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}

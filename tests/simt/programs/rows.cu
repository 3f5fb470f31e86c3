// Contiguous addresses of lanes, whole rows and parts of rows, at every offset, in every size; barriers that whole
// warps and parts of warps reach. The machine has fast paths for these if no check or counter is on.
#include "program.h"

#define N 256
#define EDGE 8 // the rows start at 0 to EDGE

// Which of the lanes take part.
__device__ __host__ static bool works(int part, int t)
{
    int lane = t % 32;
    return part == 0 ? true : part == 1 ? lane < 16 : part == 2 ? lane >= 5 : part == 3 ? lane % 3 == 0 : lane == 31;
}

// out = in + 1, and 3 in where the lane takes part: first whole rows, then the same addresses under a mask.
template <typename T> __global__ void move_rows(T *out, const T *in, int shift, int part)
{
    __shared__ T cache[N + EDGE];
    int t = threadIdx.x;
    cache[t + shift] = in[t + shift];
    out[t + shift] = cache[t + shift] + 1;
    __syncthreads();
    if (works(part, t)) {
        cache[t + shift] += in[t + shift];
        out[t + shift] = cache[t + shift] + in[t + shift];
    }
}

template <typename T> static void check_rows()
{
    T *in = managed<T>(N + EDGE), *out = managed<T>(N + EDGE);
    for (int shift = 0; shift <= EDGE; shift++)
        for (int part = 0; part < 5; part++) {
            for (int i = 0; i < N + EDGE; i++)
                in[i] = (T)(3 * i - 100), out[i] = -1;
            move_rows<<<1, N>>>(out, in, shift, part);
            CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < N + EDGE; i++) {
                bool moved = i >= shift && i < shift + N;
                EXPECT(out[i] == (T)(!moved ? -1 : works(part, i - shift) ? 3 * in[i] : in[i] + 1));
            }
        }
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

// Every warp adds one before each of four barriers; a barrier with a result follows each.
__global__ void count_rounds(int *rounds)
{
    __shared__ int arrived;
    int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        arrived = 0;
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x % 32 == 7)
            atomicAdd(&arrived, 1);
        __syncthreads();
        if (threadIdx.x == 5)
            rounds[blockIdx.x * 4 + round] = arrived;
        int any = __syncthreads_or(warp == round);
        if (!any)
            rounds[0] = -1;
    }
}

// Half of the first warp waits for the other half at a join before all warps synchronize.
__global__ void after_a_branch(int *out)
{
    __shared__ int cache[N];
    int t = threadIdx.x;
    if (t % 2)
        cache[t] = t;
    else
        cache[t] = -t;
    __syncthreads();
    out[t] = cache[N - 1 - t];
    __syncthreads();
    if (t < 40)
        cache[t] = out[N - 1 - t];
    __syncthreads();
    out[t] += cache[t % 40];
}

__global__ void read_from(int *out, const int *in, const int *end)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in + i < end)
        out[i] = in[i];
}

int main()
{
    check_rows<short>();
    check_rows<int>();
    check_rows<long long>();
    check_rows<double>();

    int *rounds = managed<int>(12), *out = managed<int>(N);
    count_rounds<<<3, 128>>>(rounds);
    after_a_branch<<<1, N>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 12; i++)
        EXPECT(rounds[i] == 4 * (i % 4 + 1));
    for (int t = 0; t < N; t++) {
        int there = N - 1 - t, seen = there % 2 ? there : -there;
        EXPECT(out[t] == seen + (t % 40 % 2 ? t % 40 : -(t % 40)));
    }

    // The last row ends with the memory: valid up to there, and refused one element further.
    int *in, *to;
    CUDA(cudaMalloc(&in, 70 * sizeof *in));
    CUDA(cudaMalloc(&to, 96 * sizeof *to));
    CUDA(cudaMemset(in, 64, 70 * sizeof *in));
    read_from<<<3, 32>>>(to, in, in + 70);
    CUDA(cudaDeviceSynchronize());
    read_from<<<3, 32>>>(to, in, in + (getenv("SIMT_CHECK") ? 71 : 70));
    cudaError_t e = cudaDeviceSynchronize();
    EXPECT(e == (getenv("SIMT_CHECK") ? cudaErrorIllegalAddress : cudaSuccess));
    printf(wrong ? "wrong\n" : "ok\n");
    return wrong != 0;
}

// Kernels for the memory check: each kind of mistake, and its innocent twin. test_checks.c reads the comments.
#include "twins.h"

// guilty: memory error @read
TWINS(read_behind, read_inside)
{
    int i = threadIdx.x;
    out[i] = data[n - 31 - innocent + i]; // @read
}

// guilty: memory error @read
extern "C" __global__ void read_before(int *data, int *out, int n)
{
    int i = threadIdx.x;
    out[i] = data[i - 1]; // @read
}

// guilty: memory error @write
extern "C" __global__ void write_behind(int *data, int *out, int n)
{
    out[threadIdx.x] = 1;
    data[threadIdx.x == 5 ? n : (int)threadIdx.x] = 1; // @write
}

// guilty: memory error @write
// launch: 3 32
TWINS(ragged_tail, guarded_tail)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!innocent || i < n)
        data[i] = i; // @write
}

// guilty: memory error @read
extern "C" __global__ void far_away(int *data, int *out, int n)
{
    out[threadIdx.x] = data[threadIdx.x == 31 ? 100000000 : 0]; // @read
}

// guilty: memory error @read
// data: freed
extern "C" __global__ void use_after_free(int *data, int *out, int n)
{
    out[threadIdx.x] = data[threadIdx.x]; // @read
}

// guilty: memory error @write
// data: freed
extern "C" __global__ void write_after_free(int *data, int *out, int n)
{
    data[threadIdx.x] = 1; // @write
}

// guilty: memory error @read
// data: null
extern "C" __global__ void null_pointer(int *data, int *out, int n)
{
    out[threadIdx.x] = data[threadIdx.x]; // @read
}

// guilty: memory error @read
// data: host
extern "C" __global__ void host_pointer(int *data, int *out, int n)
{
    out[threadIdx.x] = data[threadIdx.x]; // @read
}

// guilty: memory error @read
extern "C" __global__ void misaligned(int *data, int *out, int n)
{
    out[threadIdx.x] = *(int *)((char *)data + 2 * threadIdx.x); // @read
}

// innocent
extern "C" __global__ void aligned_bytes(int *data, int *out, int n)
{
    out[threadIdx.x] = *((char *)data + 3 * threadIdx.x);
}

// guilty: memory error @read
TWINS(misaligned_vector, aligned_vector)
{
    int2 v = *(int2 *)(data + threadIdx.x % 16 * (innocent ? 2 : 1)); // @read
    out[threadIdx.x] = v.x + v.y;
}

// guilty: memory error @read
extern "C" __global__ void vector_over_the_end(int *data, int *out, int n)
{
    int4 v = *(int4 *)(data + n - 2); // @read
    out[threadIdx.x] = v.x + v.w;
}

// guilty: memory error @write
extern "C" __global__ void shared_behind(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x + data[1]] = data[threadIdx.x]; // @write
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}

// guilty: memory error @read
extern "C" __global__ void shared_before(int *data, int *out, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[(int)threadIdx.x - data[1]]; // @read
}

// innocent
extern "C" __global__ void shared_inside(int *data, int *out, int n)
{
    __shared__ int s[33];
    s[threadIdx.x + data[1]] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[32 - threadIdx.x - data[0]];
}

// guilty: memory error @write
// launch: 1 32 128
extern "C" __global__ void dynamic_shared_behind(int *data, int *out, int n)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x + data[1]] = 1; // @write
}

// innocent
// launch: 1 32 132
extern "C" __global__ void dynamic_shared_inside(int *data, int *out, int n)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x + data[1]] = 1;
}

// guilty: memory error @write
TWINS(local_behind, local_inside)
{
    volatile int mine[8];
    for (int i = 0; i < 8; i++)
        mine[i] = i;
    mine[innocent ? data[31] & 7 : data[31] * 100] = 1; // @write
    out[threadIdx.x] = mine[data[threadIdx.x] & 7];
}

// guilty: memory error @atomic
extern "C" __global__ void atomic_behind(int *data, int *out, int n)
{
    atomicAdd(&data[n], 1); // @atomic
}

__device__ int table[4];

// guilty: memory error @read
TWINS(variable_behind, variable_inside)
{
    out[threadIdx.x] = table[data[threadIdx.x % (innocent ? 4 : 5)]]; // @read
}

// guilty: memory error @write
TWINS(past_the_first_shared_array, within_each_shared_array)
{
    __shared__ int first[32 + innocent], second[32];
    int i = threadIdx.x;
    second[i] = i;
    first[i + data[1]] = i; // @write
    __syncthreads();
    out[i] = second[(i + 1) % 32] + first[i % 31 + 1];
}

// guilty: memory error @read
extern "C" __global__ void before_the_second_shared_array(int *data, int *out, int n)
{
    __shared__ int first[32], second[32];
    int i = threadIdx.x;
    first[i] = second[i] = i;
    __syncthreads();
    out[i] = second[i - data[1]] + first[(i + 1) % 32]; // @read
}

// guilty: memory error @write
// launch: 1 32 128
extern "C" __global__ void past_static_into_dynamic(int *data, int *out, int n)
{
    __shared__ int fixed[32];
    extern __shared__ int dynamic[];
    int i = threadIdx.x;
    dynamic[i] = i;
    fixed[i + data[1]] = i; // @write
    __syncthreads();
    out[i] = dynamic[(i + 1) % 32] + fixed[(i + 1) % 32];
}

// innocent: one array, split by hand
// launch: 1 32 256
extern "C" __global__ void parted_dynamic(int *data, int *out, int n)
{
    __shared__ int fixed[32];
    extern __shared__ int dynamic[];
    int i = threadIdx.x, *second = dynamic + 32;
    dynamic[i] = fixed[i] = i;
    second[i] = i;
    __syncthreads();
    out[i] = dynamic[(i + 17) % 64] + fixed[31 - i];
}

// guilty: memory error @read
extern "C" __global__ void past_an_odd_shared_array(int *data, int *out, int n)
{
    __shared__ char odd[33];
    int i = threadIdx.x;
    odd[i] = (char)i;
    if (i == 0)
        odd[32] = 0;
    __syncthreads();
    out[i] = odd[i + 2 * data[1]]; // @read
}

// guilty: memory error @write
extern "C" __global__ void a_row_too_far(int *data, int *out, int n)
{
    data[2 * n + (int)threadIdx.x] = 1; // @write
    out[threadIdx.x] = 1;
}

// guilty: memory error @write
extern "C" __global__ void a_row_too_early(int *data, int *out, int n)
{
    out[(int)threadIdx.x - 2 * n] = 1; // @write
    data[threadIdx.x] = 1;
}

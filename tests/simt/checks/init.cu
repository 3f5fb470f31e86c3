// Kernels for the check of reads from memory that nothing wrote. test_checks.c reads the comments.

// guilty: init error @read
// data: raw
extern "C" __global__ void global_unwritten(int *data, int *out, int n)
{
    out[threadIdx.x] = data[threadIdx.x]; // @read
}

// innocent
// data: raw
extern "C" __global__ void global_written_first(int *data, int *out, int n)
{
    data[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = data[threadIdx.x];
}

// guilty: init error @read
// data: raw
extern "C" __global__ void global_partly_written(int *data, int *out, int n)
{
    ((short *)data)[2 * threadIdx.x] = 1;
    out[threadIdx.x] = data[threadIdx.x]; // @read
}

// innocent
// data: raw
extern "C" __global__ void global_halves_written(int *data, int *out, int n)
{
    ((volatile short *)data)[2 * threadIdx.x] = 1;
    ((volatile short *)data)[2 * threadIdx.x + 1] = 1;
    out[threadIdx.x] = ((volatile int *)data)[threadIdx.x];
}

// guilty: init error @atomic
// data: raw
extern "C" __global__ void atomic_unwritten(int *data, int *out, int n)
{
    atomicAdd(&data[threadIdx.x], 1); // @atomic
}

// guilty: init error @read
extern "C" __global__ void shared_unwritten(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + data[1]]; // @read
}

// innocent
extern "C" __global__ void shared_written(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    s[threadIdx.x + 32] = 0;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + data[1]];
}

// guilty: init error @read
extern "C" __global__ void shared_partly_written(int *data, int *out, int n)
{
    __shared__ int s[32];
    ((volatile char *)s)[4 * threadIdx.x + 1] = 1;
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x]; // @read
}

// A later block finds the shared memory of an earlier one in its place: still unwritten.
// guilty: init error @read
// launch: 4 32
extern "C" __global__ void shared_of_an_earlier_block(int *data, int *out, int n)
{
    __shared__ int s[32];
    if (blockIdx.x == 0)
        s[threadIdx.x] = 1;
    __syncthreads();
    if (blockIdx.x == 3)
        out[threadIdx.x] = s[31 - threadIdx.x]; // @read
}

struct padded {
    int key;
    long long value;
};

// The first eight bytes of a struct, of which four are padding.
// innocent
extern "C" __global__ void padding_is_not_written(int *data, int *out, int n)
{
    __shared__ padded s[32];
    s[threadIdx.x].key = (int)threadIdx.x;
    s[threadIdx.x].value = 1;
    __syncthreads();
    out[threadIdx.x] = (int)((volatile long long *)&s[31 - threadIdx.x])[0];
}

// guilty: init error @read
extern "C" __global__ void value_is_not_written(int *data, int *out, int n)
{
    __shared__ padded s[32];
    s[threadIdx.x].key = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = (int)((volatile long long *)&s[31 - threadIdx.x])[1]; // @read
}

// What follows says that it lies in the toolkit, at the lines it has here.
#line 110 "/usr/local/cuda/include/library.cuh"

// information: init @read
extern "C" __global__ void library_reads_its_shared_memory(int *data, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + data[1]]; // @read
}

// guilty: init error @read
// data: raw
extern "C" __global__ void library_reads_the_users_memory(int *data, int *out, int n)
{
    out[threadIdx.x] = data[threadIdx.x]; // @read
}

// An exchange whose result nobody uses only writes.
// innocent
// data: raw
extern "C" __global__ void exchange_without_result(int *data, int *out, int n)
{
    atomicExch(&data[threadIdx.x], 1);
    out[threadIdx.x] = data[threadIdx.x];
}

// guilty: init error
// data: raw
extern "C" __global__ void exchange_with_result(int *data, int *out, int n)
{
    out[threadIdx.x] = atomicExch(&data[threadIdx.x], 1);
}

// guilty: init error
// data: raw
extern "C" __global__ void sum_without_result(int *data, int *out, int n)
{
    atomicAdd(&data[threadIdx.x], 1);
}

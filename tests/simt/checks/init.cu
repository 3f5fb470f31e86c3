// Kernels for the check of reads from memory that was never written. test_checks.c reads the comments.
#include "twins.h"

// guilty: init error @read
// data: raw
TWINS(global_unwritten, global_written_first)
{
    if (innocent)
        data[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = data[threadIdx.x]; // @read
}

// guilty: init error @read
// data: raw
TWINS(global_partly_written, global_halves_written)
{
    ((volatile short *)data)[2 * threadIdx.x] = 1;
    if (innocent)
        ((volatile short *)data)[2 * threadIdx.x + 1] = 1;
    out[threadIdx.x] = ((volatile int *)data)[threadIdx.x]; // @read
}

// guilty: init error @atomic
// data: raw
extern "C" __global__ void atomic_unwritten(int *data, int *out, int n)
{
    atomicAdd(&data[threadIdx.x], 1); // @atomic
}

// guilty: init error @read
TWINS(shared_unwritten, shared_written)
{
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    if (innocent)
        s[threadIdx.x + 32] = 0;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + data[1]]; // @read
}

// guilty: init error @read
extern "C" __global__ void shared_partly_written(int *data, int *out, int n)
{
    __shared__ int s[32];
    ((volatile char *)s)[4 * threadIdx.x + 1] = 1;
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x]; // @read
}

// A later block reuses the shared memory of an earlier one, which then counts as unwritten.
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
// guilty: init error @read
TWINS(value_is_not_written, padding_is_not_written)
{
    __shared__ padded s[32];
    s[threadIdx.x].key = (int)threadIdx.x;
    if (innocent)
        s[threadIdx.x].value = 1;
    __syncthreads();
    out[threadIdx.x] = (int)((volatile long long *)&s[31 - threadIdx.x])[!innocent]; // @read
}

// guilty: init error @store
TWINS(variable_of_some_lanes, variable_of_the_same_lanes)
{
    int i = threadIdx.x, v;
    if (i < n / 4)
        v = data[i];
    __syncthreads();
    if (!innocent || i < n / 4)
        out[i] = v; // @store
}

// guilty: init error @store @add
extern "C" __global__ void sum_without_a_start(int *data, int *out, int n)
{
    int sum;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += data[i]; // @add
    out[threadIdx.x] = sum; // @store
}

// The lanes that use the shuffled value get a defined one.
// guilty: init error @store
TWINS(variable_of_another_lane, variable_of_the_right_lane)
{
    int i = threadIdx.x, v;
    if (i % 2)
        v = data[i];
    v = __shfl_xor_sync(0xffffffff, v, 1);
    if (!innocent || i % 2 == 0)
        out[i] = v; // @store
}

// guilty: init error @branch
extern "C" __global__ void condition_without_a_value(int *data, int *out, int n)
{
    int i = threadIdx.x, found;
    for (int k = i; k < n; k += 32)
        if (data[k] > 50)
            found = data[k];
    if (found > 55) // @branch
        out[i] = 1;
}

// guilty: init error @index
// launch: 1 1
extern "C" __global__ void index_without_a_value(int *data, int *out, int n)
{
    int i = threadIdx.x, at;
    for (int k = i; k < n; k += 32)
        if (data[k] == k + data[2] - 1)
            at = k;
    out[at % 32] = i; // @index
}

// innocent
extern "C" __global__ void maximum_of_what_is_there(int *data, int *out, int n)
{
    int i = threadIdx.x, best;
    bool any = false;
    for (int k = i; k < n; k += 32)
        if (data[k] > 40 && (!any || data[k] > best)) {
            best = data[k];
            any = true;
        }
    out[i] = any ? best : -1;
}

// innocent
extern "C" __global__ void set_before_the_second_round(int *data, int *out, int n)
{
    int i = threadIdx.x, previous, sum = 0;
    for (int k = 0; k < n / 32; k++) {
        int v = data[32 * k + i];
        if (k > 0)
            sum += v - previous;
        previous = v;
    }
    out[i] = sum;
}

// guilty: init error @read
TWINS(local_array_not_filled, local_array_filled)
{
    int own[8];
    for (int k = 0; k < data[innocent ? 8 : 7]; k++)
        own[data[k]] = k;
    out[threadIdx.x] = own[data[threadIdx.x % 8]]; // @read
}

// A later block reuses the local memory of an earlier one.
// guilty: init error @read
// launch: 4 32
extern "C" __global__ void local_array_of_an_earlier_block(int *data, int *out, int n)
{
    int own[8];
    for (int k = 0; k < data[8] && blockIdx.x == 0; k++)
        own[data[k]] = k;
    if (blockIdx.x != 1)
        out[32 * blockIdx.x + threadIdx.x] = own[data[threadIdx.x % 8]]; // @read
}

struct small {
    char key;
    int value;
};

// innocent
extern "C" __global__ void struct_with_padding(int *data, small *out, int n)
{
    small own[8];
    for (int k = 0; k < data[8]; k++) {
        own[data[k]].key = (char)k;
        own[data[k]].value = k;
    }
    if (n > 0)
        out[threadIdx.x] = own[data[threadIdx.x % 8]];
}

// guilty: init error @store
TWINS(no_value_by_way_of_shared_memory, no_value_left_in_shared_memory)
{
    __shared__ int s[32];
    int i = threadIdx.x, v;
    if (i < n / 4)
        v = data[i];
    s[i] = v;
    __syncthreads();
    if (!innocent || i >= 32 - n / 4)
        out[i] = s[31 - i]; // @store
}

// innocent
extern "C" __global__ void no_value_fetched_and_dropped(int *data, int *out, int n)
{
    __shared__ int s[32];
    int i = threadIdx.x, v;
    if (i < n / 4)
        v = data[i];
    s[i] = v;
    __syncthreads();
    int w = s[31 - i] + 1;
    if (i >= 32 - n / 4)
        out[i] = w;
}

// at: a word of shared memory that was never written, because n is at most 1000.
#define LOAD_EARLY() \
    __shared__ int first; \
    int i = threadIdx.x; \
    if (i == 0 && n > 1000) \
        first = data[0]; \
    __syncthreads(); \
    int at = *(volatile int *)&first

// A compiler may load a shared word before the condition under which it is used.
// guilty: init error @read @use
TWINS(shared_word_loaded_early_for_an_address, shared_word_loaded_early)
{
    LOAD_EARLY(); // @read
    if (innocent ? n > 1000 : data[i + 32] > 40)
        out[(at + i) & 31] = i; // @use
}

// guilty: init error @read @use
TWINS(shared_word_loaded_early_for_a_condition, shared_word_loaded_early_for_a_condition_that_is_known)
{
    LOAD_EARLY(); // @read
    if ((innocent ? n > 1000 : data[i + 32] > 40) && at + i > 3) // @use
        out[i] = atomicAdd(&data[0], 1);
    if (innocent && (n < 1000 || at == 7))
        out[i] = 1;
}

// guilty: init error @read @use
TWINS(shared_word_loaded_early_and_chosen, shared_word_loaded_early_and_not_chosen)
{
    LOAD_EARLY(); // @read
    out[i] = (n > 1000) == innocent ? at + 1 : 0; // @use
}

// Lanes pass on values that they do not use themselves.
// guilty: init error @read @use
TWINS(shared_word_given_to_other_lanes, shared_word_given_by_the_right_lanes)
{
    __shared__ int s[32];
    int i = threadIdx.x;
    if (i % 2)
        s[i] = data[i];
    __syncthreads();
    int v = *(volatile int *)&s[i]; // @read
    v = __shfl_xor_sync(0xffffffff, v, 1);
    if (i % 2 == !innocent)
        out[i] = v; // @use
}

// guilty: init error @read @use
TWINS(shared_word_moved_and_stored, shared_word_moved_and_dropped)
{
    __shared__ int s[32], t[32];
    int i = threadIdx.x;
    if (i % 2)
        s[i] = data[i];
    __syncthreads();
    int v = *(volatile int *)&s[i]; // @read
    if (n > i)
        t[i] = v;
    __syncthreads();
    if (innocent ? i % 2 : n > i + 1)
        out[i] = t[i]; // @use
}

// Every path from the load uses the value, so it is reported at the load, before anything else.
// guilty: init error @read
extern "C" __global__ void shared_word_used_on_each_way(int *data, int *out, int n)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = data[i];
    __syncthreads();
    int v = *(volatile int *)&s[i + 32]; // @read
    if (n > 1000)
        out[i] = v;
    else
        out[i] = v + 1;
}

// The next line makes the rest look like toolkit code, with unchanged line numbers.
#line 308 "/usr/local/cuda/include/library.cuh"

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

// An exchange whose result is unused only writes.
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

__constant__ int never_copied[4];
__constant__ int given[4] = {1, 2, 3, 4};

// A constant without an initializer, to which the host has copied nothing, is 0.
// information: constant @read
extern "C" __global__ void constant_without_a_copy(int *data, int *out, int n)
{
    out[threadIdx.x] = never_copied[threadIdx.x % 4]; // @read
}

// innocent
extern "C" __global__ void constant_with_values(int *data, int *out, int n)
{
    out[threadIdx.x] = given[threadIdx.x % 4];
}

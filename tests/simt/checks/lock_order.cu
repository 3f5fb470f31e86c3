// Locks that threads take in opposite orders, and orders in which no two threads wait for each other. No thread ever
// waits here if the warps run one after another. test_checks.c reads the comments.
#include "twins.h"

static __device__ void lock(int *word)
{
    while (atomicCAS(word, 0, 1) != 0)
        ;
    __threadfence_block();
}

static __device__ void unlock(int *word)
{
    __threadfence_block();
    atomicExch(word, 0);
}

static __device__ bool try_lock(int *word)
{
    bool taken = atomicCAS(word, 0, 1) == 0;
    __threadfence_block();
    return taken;
}

// guilty: sync warning @second_of_0 @second_of_1
// launch: 1 64 0
TWINS(two_locks_in_opposite_orders, two_locks_in_one_order)
{
    __shared__ int a, b, sum;
    if (threadIdx.x == 0)
        a = b = sum = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        while (atomicCAS(&a, 0, 1) != 0)
            ;
        while (atomicCAS(&b, 0, 1) != 0) // @second_of_0
            ;
        __threadfence_block();
        sum += 1;
        unlock(&b);
        unlock(&a);
    }
    if (threadIdx.x == 32) {
        while (atomicCAS(innocent ? &a : &b, 0, 1) != 0)
            ;
        while (atomicCAS(innocent ? &b : &a, 0, 1) != 0) // @second_of_1
            ;
        __threadfence_block();
        sum += 2;
        unlock(&a);
        unlock(&b);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// Words of global memory, exchanged, and given back by a volatile store.
// guilty: sync warning @second_of_0 @second_of_1
// launch: 1 64 0
TWINS(exchanged_words_in_opposite_orders, exchanged_words_in_one_order)
{
    int *a = data, *b = data + 1, t = threadIdx.x;
    if (t == 0)
        *a = *b = 0;
    __syncthreads();
    if (t == 0) {
        while (atomicExch(a, 1) != 0)
            ;
        while (atomicExch(b, 1) != 0) // @second_of_0
            ;
    }
    if (t == 32) {
        while (atomicExch(innocent ? a : b, 1) != 0)
            ;
        while (atomicExch(innocent ? b : a, 1) != 0) // @second_of_1
            ;
    }
    if (t % 32 == 0) {
        __threadfence();
        *(volatile int *)a = 0;
        *(volatile int *)b = 0;
    }
}

// Bits of one word: a thread holds one if it was the first to set it.
// guilty: sync warning @second_of_0 @second_of_1
// launch: 1 64 0
TWINS(bits_in_opposite_orders, bits_in_one_order)
{
    unsigned *word = (unsigned *)data, t = threadIdx.x, a = innocent ? 2 : 4, b = innocent ? 4 : 2;
    if (t == 0)
        *word = 0;
    __syncthreads();
    if (t == 0) {
        while (atomicOr(word, 2) & 2)
            ;
        while (atomicOr(word, 4) & 4) // @second_of_0
            ;
    }
    if (t == 32) {
        while (atomicOr(word, a) & a)
            ;
        while (atomicOr(word, b) & b) // @second_of_1
            ;
    }
    if (t % 32 == 0) {
        __threadfence();
        atomicAnd(word, ~4u);
        atomicAnd(word, ~2u);
    }
}

// Bits that are set while the lock is free, one in each of two words.
// guilty: sync warning @second_of_0 @second_of_1
// launch: 1 64 0
TWINS(free_bits_in_opposite_orders, free_bits_in_one_order)
{
    __shared__ unsigned words[2];
    int t = threadIdx.x, first = innocent ? 0 : 1;
    if (t < 2)
        words[t] = ~0u;
    __syncthreads();
    if (t == 0) {
        while (!(atomicAnd(&words[0], ~8u) & 8))
            ;
        while (!(atomicAnd(&words[1], ~8u) & 8)) // @second_of_0
            ;
    }
    if (t == 32) {
        while (!(atomicAnd(&words[first], ~8u) & 8))
            ;
        while (!(atomicAnd(&words[1 - first], ~8u) & 8)) // @second_of_1
            ;
    }
    if (t % 32 == 0) {
        __threadfence_block();
        atomicOr(&words[1], 8);
        atomicOr(&words[0], 8);
    }
}

// Accounts: each transfer takes the locks of both, the lower one first, or the giver's.
// guilty: sync warning @second @second
// launch: 1 64 0
TWINS(locks_of_accounts_as_they_come, locks_of_accounts_by_number)
{
    __shared__ int locks[2], money[2];
    int t = threadIdx.x;
    if (t < 2)
        locks[t] = money[t] = 0;
    __syncthreads();
    if (t % 32 == 0) {
        int from = t / 32, to = 1 - from, first = innocent ? min(from, to) : from;
        lock(&locks[first]);
        while (atomicCAS(&locks[1 - first], 0, 1) != 0) // @second
            ;
        __threadfence_block();
        money[from]--;
        money[to]++;
        unlock(&locks[1 - first]);
        unlock(&locks[first]);
    }
    __syncthreads();
    if (t == 0)
        out[0] = money[0];
}

// Two lanes try to take the first lock at once, and one of them has it.
// guilty: sync warning @second_of_0 @second_of_1
// launch: 1 64 0
TWINS(opposite_orders_after_a_contest, one_order_after_a_contest)
{
    __shared__ int a, b;
    int t = threadIdx.x;
    if (t == 0)
        a = b = 0;
    __syncthreads();
    if (t < 2 && atomicCAS(&a, 0, 1) == 0) {
        while (atomicCAS(&b, 0, 1) != 0) // @second_of_0
            ;
        unlock(&b);
        unlock(&a);
    }
    if (t == 32) {
        lock(innocent ? &a : &b);
        while (atomicCAS(innocent ? &b : &a, 0, 1) != 0) // @second_of_1
            ;
        unlock(&a);
        unlock(&b);
    }
}

// Three philosophers: the last one takes his forks as the others do, or the other way round.
// guilty: sync warning @second @second
// launch: 1 96 0
TWINS(three_locks_in_a_circle, three_locks_by_number)
{
    __shared__ int forks[3];
    int t = threadIdx.x, self = t / 32;
    if (t < 3)
        forks[t] = 0;
    __syncthreads();
    if (t % 32 == 0) {
        bool turned = innocent && self == 2;
        lock(&forks[turned ? 0 : self]);
        while (atomicCAS(&forks[turned ? 2 : (self + 1) % 3], 0, 1) != 0) // @second
            ;
        __threadfence_block();
        unlock(&forks[self]);
        unlock(&forks[(self + 1) % 3]);
    }
}

// A thread that gives its first lock back before it tries again blocks no other thread.
// innocent
// launch: 1 64 0
extern "C" __global__ void locks_with_back_off(int *data, int *out, int n)
{
    __shared__ int locks[2];
    int t = threadIdx.x;
    if (t < 2)
        locks[t] = 0;
    __syncthreads();
    for (bool done = t % 32 != 0; !done;) {
        int *first = &locks[t / 32], *second = &locks[1 - t / 32];
        lock(first);
        if (try_lock(second)) {
            done = true;
            unlock(second);
        }
        unlock(first);
    }
}

// A barrier lies between the two orders.
// innocent
// launch: 1 64 0
extern "C" __global__ void opposite_orders_before_and_after_a_barrier(int *data, int *out, int n)
{
    __shared__ int a, b;
    int t = threadIdx.x;
    if (t == 0)
        a = b = 0;
    __syncthreads();
    if (t == 0) {
        lock(&a);
        lock(&b);
        unlock(&b);
        unlock(&a);
    }
    __syncthreads();
    if (t == 32) {
        lock(&b);
        lock(&a);
        unlock(&a);
        unlock(&b);
    }
}

// A third lock guards both orders.
// innocent
// launch: 1 64 0
extern "C" __global__ void opposite_orders_under_a_third_lock(int *data, int *out, int n)
{
    __shared__ int a, b, guard;
    int t = threadIdx.x;
    if (t == 0)
        a = b = guard = 0;
    __syncthreads();
    if (t % 32 == 0) {
        lock(&guard);
        lock(t ? &b : &a);
        lock(t ? &a : &b);
        unlock(&a);
        unlock(&b);
        unlock(&guard);
    }
}

// Words that threads claim and never give back are no locks.
// innocent
// launch: 1 64 0
extern "C" __global__ void claimed_words(int *data, int *out, int n)
{
    __shared__ int table[4];
    int t = threadIdx.x;
    if (t < 4)
        table[t] = 0;
    __syncthreads();
    if (t % 32 == 0)
        for (int k = 0, at = t / 32 * 3; k < 2; k++) {
            while (atomicCAS(&table[at], 0, t + 1) != 0)
                at = (at + 1) % 4;
            at = 3 - at;
        }
}

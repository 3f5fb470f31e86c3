// Kernels for the check of synchronisation: barriers and lanes that never arrive. test_checks.c reads the comments.
#include "twins.h"

// guilty: sync error @here @there
TWINS(barrier_in_both_branches, barrier_in_a_uniform_branch)
{
    if ((innocent ? n : data[threadIdx.x]) < 16) {
        out[threadIdx.x] = 1;
        __syncthreads(); // @here
        out[threadIdx.x] += 2;
    } else {
        out[threadIdx.x] = 3;
        __syncthreads(); // @there
        out[threadIdx.x] *= 4;
    }
}

// guilty: sync error @barrier | sync information @barrier
// launch: 1 64
extern "C" __global__ void return_before_the_barrier(int *data, int *out, int n)
{
    if (threadIdx.x >= 40)
        return;
    out[threadIdx.x] = 1;
    __syncthreads(); // @barrier
    out[threadIdx.x] += 1;
}

// A barrier waits for the threads that have not exited.
// information: sync @barrier
// launch: 1 64
extern "C" __global__ void a_warp_without_work_leaves(int *data, int *out, int n)
{
    if (threadIdx.x >= 32)
        return;
    out[threadIdx.x] = 1;
    __syncthreads(); // @barrier
    out[threadIdx.x] += 1;
}

// innocent
// launch: 1 64
extern "C" __global__ void return_after_the_barrier(int *data, int *out, int n)
{
    out[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x >= 40)
        return;
    out[threadIdx.x] += 1;
}

// guilty: sync error @shuffle
TWINS(mask_without_the_caller, mask_of_the_callers)
{
    if (!innocent || threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0x0000ffff, data[threadIdx.x], 0); // @shuffle
}

// guilty: sync error @shuffle
TWINS(shuffle_from_an_inactive_lane, shuffle_within_the_segment)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_down_sync(0x0000ffff, data[threadIdx.x], 8, innocent ? 16 : 32); // @shuffle
}

// An H200 gives 0 for an absent lane; old-style sums rely on it.
// guilty: sync error @shuffle
// sum: 36
extern "C" __global__ void sum_of_eight_lanes_as_if_of_32(int *data, int *out, int n)
{
    int sum = threadIdx.x + 1;
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 8);
    if (threadIdx.x < 8) {
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(mask, sum, offset); // @shuffle
        out[threadIdx.x] = sum;
    }
}

// guilty: sync warning @shuffle
extern "C" __global__ void mask_names_an_exited_lane(int *data, int *out, int n)
{
    if (threadIdx.x >= 16)
        return;
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, data[threadIdx.x], 1); // @shuffle
}

// guilty: sync warning @vote
TWINS(vote_names_an_exited_lane, vote_of_those_that_stay)
{
    unsigned all = innocent ? __ballot_sync(0xffffffff, data[threadIdx.x] != 7) : 0xffffffff;
    if (data[threadIdx.x] == 7)
        return;
    out[threadIdx.x] = __ballot_sync(all, data[threadIdx.x] & 1); // @vote
}

// guilty: sync error @warp @block | sync error @block
extern "C" __global__ void lanes_that_never_arrive(int *data, int *out, int n)
{
    if (data[threadIdx.x] < 16)
        __syncwarp(); // @warp
    else
        __syncthreads(); // @block
    out[threadIdx.x] = 1;
}

// guilty: sync error @one @two | sync error @two @one
// launch: 1 64
extern "C" __global__ void two_named_barriers_cross(int *data, int *out, int n)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;"); // @one
    else
        asm volatile("bar.sync 2, 64;"); // @two
    out[threadIdx.x] = 1;
}

// innocent
// launch: 1 64
extern "C" __global__ void two_named_barriers_in_order(int *data, int *out, int n)
{
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.sync 2, 64;");
    out[threadIdx.x] = 1;
}

// guilty: sync error @barrier
// launch: 1 64
extern "C" __global__ void one_warp_turns_once_more(int *data, int *out, int n)
{
    int turns = threadIdx.x < 32 ? 3 : 2;
    for (int i = 0; i < turns; i++) {
        out[threadIdx.x] = i;
        __syncthreads(); // @barrier
    }
}

// innocent
// launch: 1 96
extern "C" __global__ void warps_meet_in_different_loops(int *data, int *out, int n)
{
    if (threadIdx.x < 32)
        for (int i = 0; i < 4; i++)
            __syncthreads();
    else
        for (int i = 0; i < 2; i++) {
            __syncthreads();
            out[threadIdx.x] = i;
            __syncthreads();
        }
}

// guilty: sync error @barrier @last
// launch: 1 96
TWINS(a_warp_ends_before_a_named_barrier, a_named_barrier_for_those_that_come)
{
    if (threadIdx.x < 64 && innocent)
        asm volatile("bar.sync 1, 64;");
    else if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 96;"); // @barrier
    out[threadIdx.x] = 1;
    asm volatile("exit;"); // @last
}

// guilty: sync error @shuffle @vote | sync error @vote @shuffle
extern "C" __global__ void lanes_wait_at_a_shuffle_and_a_vote(int *data, int *out, int n)
{
    int i = threadIdx.x;
    if (data[i] < 16)
        out[i] = __shfl_sync(0xffffffff, i, 0); // @shuffle
    else
        out[i] = __ballot_sync(0xffffffff, i); // @vote
}

// Lanes of one branch need not be active together. (By a distance of 0, so that no order finds more.)
// guilty: mask warning @shuffle
TWINS(the_active_mask_in_a_branch, the_mask_of_a_ballot)
{
    int i = threadIdx.x, v = data[i];
    unsigned mask = __ballot_sync(0xffffffff, v < 16);
    if (v < 16)
        v += __shfl_xor_sync(innocent ? mask : __activemask(), v, 0); // @shuffle
    out[i] = v;
}

// The same with a conditional mask; the twin makes the choice for all lanes.
// guilty: mask warning @shuffle
TWINS(the_active_mask_of_a_choice, the_other_mask_of_a_choice)
{
    int i = threadIdx.x, v = data[i];
    if (innocent || v < 16) {
        unsigned mask = __activemask();
        mask = (innocent ? n >= 0 : n < 0) ? 0xffffffff : mask;
        v += __shfl_xor_sync(mask, v, 0); // @shuffle
    }
    out[i] = v;
}

// The active lanes elect one, which adds for all of them; it does not matter which lanes are active.
// innocent
extern "C" __global__ void the_active_mask_elects(int *data, int *out, int n)
{
    if (data[threadIdx.x] % 2)
        return;
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1, old = 0;
    if (threadIdx.x == leader)
        old = atomicAdd(out, __popc(mask));
    old = __shfl_sync(mask, old, leader);
    out[1 + threadIdx.x] = old;
}

// The lanes of a tail scan their values: lanes below the distance ignore what they receive.
// innocent
extern "C" __global__ void absent_lane_is_left_alone(int *data, int *out, int n)
{
    int t = threadIdx.x, last = 19;
    unsigned mask = __ballot_sync(0xffffffff, t < last);
    if (t >= last)
        return;
    int most = data[t];
    for (int offset = 16; offset > 0; offset /= 2) {
        int other = __shfl_down_sync(mask, most, offset);
        if (t + offset < last)
            most = max(most, other);
    }
    out[t] = most;
}

// guilty: sync error @shuffle @use
extern "C" __global__ void absent_lane_is_used(int *data, int *out, int n)
{
    int t = threadIdx.x, last = 19;
    unsigned mask = __ballot_sync(0xffffffff, t < last);
    if (t >= last)
        return;
    int other = __shfl_down_sync(mask, data[t], 8); // @shuffle
    if (t < last - 4)
        out[t] = other; // @use
}

// Right programs with every common form of synchronisation: all checks must be silent, and the results right.
// test_checks.c reads the comments; "sum: k" is what out[0] must be.

__device__ unsigned ticket;
__device__ volatile int partial[64];

// innocent
// launch: 8 64
// sum: 130816
extern "C" __global__ void last_block_done(int *data, int *out, int n)
{
    __shared__ bool last;
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = blockIdx.x * 64 + t;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += partial[b];
        out[0] = sum;
    }
}

__device__ int chain_sum[64];
__device__ volatile int chain_flag[64];

// Each block waits for the one before it, adds its own sum, and passes it on.
// innocent
// launch: 16 32
// sum: 120
extern "C" __global__ void chained_scan(int *data, int *out, int n)
{
    if (threadIdx.x == 0) {
        int before = 0, b = blockIdx.x;
        if (b > 0) {
            while (chain_flag[b - 1] == 0)
                ;
            __threadfence();
            before = chain_sum[b - 1];
        }
        chain_sum[b] = before + b;
        __threadfence();
        chain_flag[b] = 1;
        if (b == 15)
            out[0] = chain_sum[b];
    }
}

__device__ unsigned long long look_back_state[64];
__device__ unsigned look_back_ticket;

// Decoupled look-back: status and value are in one 64-bit word, so no fence is needed.
// innocent
// launch: 16 32
// sum: 120
extern "C" __global__ void look_back(int *data, int *out, int n)
{
    if (threadIdx.x)
        return;
    unsigned b = atomicAdd(&look_back_ticket, 1);
    unsigned long long mine = b, before = 0;
    atomicExch(&look_back_state[b], 1ull << 62 | mine);
    for (int k = (int)b - 1; k >= 0; k--) {
        unsigned long long s;
        while ((s = atomicAdd(&look_back_state[k], 0ull)) >> 62 == 0)
            ;
        before += s & ~(3ull << 62);
        if (s >> 62 == 2)
            break;
    }
    atomicExch(&look_back_state[b], 2ull << 62 | (before + mine));
    if (b == 15)
        out[0] = (int)(before + mine);
}

__device__ unsigned long long relaxed_state[64];

// The same with relaxed loads and stores.
// innocent
// launch: 8 32
// sum: 28
extern "C" __global__ void look_back_relaxed(int *data, int *out, int n)
{
    if (threadIdx.x)
        return;
    unsigned long long before = 0, s;
    unsigned b = blockIdx.x;
    if (b > 0) {
        do
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(s) : "l"(&relaxed_state[b - 1]) : "memory");
        while (s >> 63 == 0);
        before = s & ~(1ull << 63);
    }
    s = 1ull << 63 | (before + b);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&relaxed_state[b]), "l"(s) : "memory");
    if (b == 7)
        out[0] = (int)(before + b);
}

__device__ int release_value, release_flag;

// innocent
// launch: 2 32
// sum: 5
extern "C" __global__ void release_and_acquire(int *data, int *out, int n)
{
    int seen;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        release_value = data[5];
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&release_flag) : "memory");
        return;
    }
    do
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(&release_flag) : "memory");
    while (!seen);
    out[0] = release_value;
}

__device__ unsigned arrived;
__device__ int halo[64];

// A barrier of the whole grid by atomics: every block reads what its neighbour wrote before it.
// innocent
// launch: 8 32
// sum: 28
extern "C" __global__ void grid_barrier(int *data, int *out, int n)
{
    if (threadIdx.x == 0)
        halo[blockIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 1)
        atomicAdd(&out[0], halo[(blockIdx.x + 1) % gridDim.x]);
}

// innocent
// launch: 1 128
// sum: 8128
extern "C" __global__ void double_buffer(int *data, int *out, int n)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, now = 0;
    s[0][t] = t;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = 1 - now;
        __syncthreads();
    }
    if (t == 127)
        out[0] = s[now][t];
}

// innocent
// sum: 496
extern "C" __global__ void syncwarp_reduction(int *data, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = t;
    s[t] = v;
    s[t + 32] = 0;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        v += s[t + d];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
    if (t == 0)
        out[0] = s[0];
}

// Two tiles of 16 lanes work separately, with different numbers of rounds.
// innocent
// sum: 496
extern "C" __global__ void tiles_of_sixteen(int *data, int *out, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x, lane = t % 16;
    unsigned mask = t < 16 ? 0x0000ffffu : 0xffff0000u;
    s[t] = t;
    __syncwarp(mask);
    for (int round = 0; round < (t < 16 ? 1 : 3); round++)
        for (int d = 8; d > 0; d /= 2) {
            int v = lane < d && round == 0 ? s[t + d] : 0;
            __syncwarp(mask);
            s[t] += v;
            __syncwarp(mask);
        }
    int sum = __shfl_sync(mask, s[t], 0, 16);
    if (lane == 0)
        atomicAdd(&out[0], sum);
}

// innocent
// launch: 2 64
// sum: 64
extern "C" __global__ void warp_aggregated_atomics(int *data, int *out, int n)
{
    if (data[threadIdx.x] % 2) {
        unsigned mask = __activemask();
        int leader = __ffs(mask) - 1, old = 0;
        if (threadIdx.x % 32 == leader)
            old = atomicAdd(&out[0], __popc(mask));
        old = __shfl_sync(mask, old, leader) + __popc(mask & ((1u << threadIdx.x % 32) - 1));
        atomicAdd(&out[1 + old % 8], 1);
    }
}

// One warp fills a buffer, the other empties it: two named barriers, full and empty.
// innocent
// launch: 1 64
// sum: 3968
extern "C" __global__ void producer_consumer(int *data, int *out, int n)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int round = 0; round < 8; round++)
        if (threadIdx.x < 32) {
            if (round > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory"); // empty again
            s[lane] = lane;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += s[31 - lane];
            if (round < 7)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    if (threadIdx.x >= 32)
        atomicAdd(&out[0], sum);
}

// innocent
// launch: 1 128
// sum: 128
extern "C" __global__ void atomics_then_barrier(int *data, int *out, int n)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 77)
        out[0] = count;
}

// innocent
// launch: 4 64
// sum: 256
extern "C" __global__ void histogram_in_shared_memory(int *data, int *out, int n)
{
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[data[threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&out[0], bins[threadIdx.x]);
}

__device__ int lock_word, locked_count;

// innocent
// launch: 4 32
// sum: 0
extern "C" __global__ void spin_lock(int *data, int *out, int n)
{
    for (bool done = false; !done;)
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            __threadfence();
            locked_count += 1;
            __threadfence();
            atomicExch(&lock_word, 0);
            done = true;
        }
}

// Every thread changes its own byte; four of them share a word.
// innocent
extern "C" __global__ void bytes_in_place(int *data, int *out, int n)
{
    unsigned char *bytes = (unsigned char *)data;
    bytes[threadIdx.x] = (unsigned char)(255 - bytes[threadIdx.x]);
    __syncthreads();
    short *halves = (short *)out;
    halves[threadIdx.x] = 1;
    halves[threadIdx.x] += bytes[threadIdx.x ^ 1];
}

// A custom atomic, as in the CUDA programming guide: the first read may return an old value.
__device__ int add_by_cas(int *word, int by)
{
    int old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, seen + by);
    } while (old != seen);
    return old;
}

// innocent
// launch: 4 64
// sum: 512
extern "C" __global__ void compare_and_swap_in_a_loop(int *data, int *out, int n)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    add_by_cas(&sum, 1);
    add_by_cas(out, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        add_by_cas(out, sum);
}

__device__ volatile int arrived_at[8], released_at[8];

// A grid barrier without atomics: the first block waits for all others, thread by thread, and then releases them.
__device__ void meet_without_atomics(int goal)
{
    int t = threadIdx.x, b = blockIdx.x;
    __threadfence();
    __syncthreads();
    if (t == 0)
        arrived_at[b] = goal;
    if (b == 0) {
        while (t < gridDim.x && arrived_at[t] != goal)
            ;
        __syncthreads();
        if (t < gridDim.x)
            released_at[t] = goal;
    }
    while (t == 0 && released_at[b] != goal)
        ;
    __syncthreads();
    __threadfence();
}

// innocent
// launch: 4 64
// sum: 3
extern "C" __global__ void grid_barrier_without_atomics(int *data, int *out, int n)
{
    int i = (blockIdx.x * 64 + threadIdx.x) % 64, owner = threadIdx.x / 16 == blockIdx.x;
    for (int round = 0; round < 3; round++) {
        int v = round ? out[(i + 37) % 64] : 0;
        meet_without_atomics(2 * round + 1);
        if (owner)
            out[i] = v + 1;
        meet_without_atomics(2 * round + 2);
    }
}

__device__ unsigned arrived_by_hand;
__device__ unsigned volatile turns_by_hand;

// The block reads the generation before it arrives; the last block publishes the next one by a volatile store.
__device__ void meet_by_hand()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned turn = turns_by_hand;
        __threadfence();
        if (atomicAdd(&arrived_by_hand, 1) == gridDim.x - 1) {
            __threadfence();
            arrived_by_hand = 0;
            __threadfence();
            turns_by_hand = turn + 1;
        } else {
            while (turns_by_hand == turn)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

// innocent
// launch: 4 64
// sum: 3
extern "C" __global__ void grid_barrier_by_hand(int *data, int *out, int n)
{
    int i = (blockIdx.x * 64 + threadIdx.x) % 64, owner = threadIdx.x / 16 == blockIdx.x;
    for (int round = 0; round < 3; round++) {
        int v = round ? out[(i + 37) % 64] : 0;
        meet_by_hand();
        if (owner)
            out[i] = v + 1;
        meet_by_hand();
    }
}

// As in cuda::barrier before compute capability 8.0.
// innocent
// launch: 1 64
// sum: 63
extern "C" __global__ void barrier_word_in_shared_memory(int *data, int *out, int n)
{
    __shared__ int s[64], arrived;
    int t = threadIdx.x, seen;
    if (t == 0)
        arrived = 0;
    __syncthreads();
    s[t] = t;
    unsigned word = (unsigned)__cvta_generic_to_shared(&arrived);
    asm volatile("red.release.cta.shared.add.s32 [%0], 1;" ::"r"(word) : "memory");
    do
        asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"(word) : "memory");
    while (seen < 64);
    out[t] = s[63 - t];
}

#define CROWD 4500 // blocks

__device__ int crowd_sums[CROWD], crowd_count;

// The last of very many blocks: the time for its check must not grow with the square of their number.
// innocent
// launch: 4500 256
// sum: 1152000
extern "C" __global__ void last_of_a_crowd(int *data, int *out, int n)
{
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        *(volatile int *)&crowd_sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&crowd_count, 1) == CROWD - 1;
    }
    __syncthreads();
    for (int i = threadIdx.x; last && i < CROWD; i += blockDim.x)
        atomicAdd(&out[0], *(volatile int *)&crowd_sums[i]);
}

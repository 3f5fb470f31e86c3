// interleaved.h: step 02 of chapter 05-tridiagonal as fast as it gets, beside the step itself in the peer's table.
//
// Step 02 loads a row, waits for it, and loads the next one. Here a thread has AHEAD rows in flight. For short systems
// c' and d' stay in shared memory: 20 bytes of traffic per row, not 36. Include it after the step: BLOCK is the step's.
#define AHEAD 8

// The element that is row i of a system.
static __device__ int place(int system, int i, int /* size */, int systems)
{
    return i * systems + system;
}

// r = rows i to i + AHEAD - 1 of a system; those past its end stand for x = 0.
static __device__ void load_ahead(struct row r[AHEAD], struct bands d, int system, int i, int size, int systems)
{
    if (i + AHEAD <= size) {
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            r[k] = load_row(d, place(system, i + k, size, systems), 1);
    } else {
        for (int k = 0; k < AHEAD; k++)
            r[k] = load_row(d, place(system, i + k, size, systems), i + k < size);
    }
}

// As solve_systems, with c' and d' in shared memory: 8 bytes per row and thread; 20 bytes of traffic per row.
__global__ void solve_short(float *x, struct bands d, int size, int systems)
{
    extern __shared__ float2 cache[]; // [size][blockDim.x]
    int system = blockIdx.x * blockDim.x + threadIdx.x;
    if (system >= systems)
        return;
    float value = 0, c = 0;
    for (int i = 0; i < size; i += AHEAD) {
        struct row r[AHEAD];
        load_ahead(r, d, system, i, size, systems);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            float m = reciprocal(r[k].b - r[k].a * c);
            c = r[k].c * m;
            value = (r[k].f - r[k].a * value) * m;
            if (i + k < size)
                cache[(i + k) * blockDim.x + threadIdx.x] = make_float2(c, value);
        }
    }
    value = 0;
    for (int i = size - 1; i >= 0; i--) {
        float2 cd = cache[i * blockDim.x + threadIdx.x];
        value = cd.y - cd.x * value;
        x[place(system, i, size, systems)] = value;
    }
}

// x = the solution of every system. AHEAD rows are loaded before the first of them is needed.
__global__ void solve_long(float *x, struct bands d, float *c_new, int size, int systems)
{
    int system = blockIdx.x * BLOCK + threadIdx.x;
    if (system >= systems)
        return;
    float value = 0, c = 0;
    for (int i = 0; i < size; i += AHEAD) {
        struct row r[AHEAD];
        load_ahead(r, d, system, i, size, systems);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            float m = reciprocal(r[k].b - r[k].a * c);
            c = r[k].c * m;
            value = (r[k].f - r[k].a * value) * m;
            if (i + k < size) {
                int at = place(system, i + k, size, systems);
                c_new[at] = c;
                x[at] = value;
            }
        }
    }
    value = 0;
    for (int i = (size - 1) / AHEAD * AHEAD; i >= 0; i -= AHEAD) {
        float cs[AHEAD], ds[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            int at = place(system, i + k, size, systems), is = i + k < size;
            cs[k] = is ? c_new[at] : 0, ds[k] = is ? x[at] : 0;
        }
#pragma unroll
        for (int k = AHEAD - 1; k >= 0; k--) {
            value = ds[k] - cs[k] * value;
            if (i + k < size)
                x[place(system, i + k, size, systems)] = value;
        }
    }
}

// Solves all systems; d_tmp takes c'.
static void solve_ahead(float *d_x, struct bands d, float *d_tmp, int size, int systems)
{
    if (size <= 128) {
        int block = 64;
        check_cuda(cudaFuncSetAttribute(solve_short, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * 64 * 8));
        solve_short<<<max(1, ceil_div(systems, block)), block, size * block * sizeof(float2)>>>(d_x, d, size, systems);
        check_cuda(cudaGetLastError());
        return;
    }
    solve_long<<<max(1, ceil_div(systems, BLOCK)), BLOCK>>>(d_x, d, d_tmp, size, systems);
    check_cuda(cudaGetLastError());
}

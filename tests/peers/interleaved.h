// interleaved.h: step 02 of chapter 05-tridiagonal as fast as possible, compared with the step itself in
// the peer's table.
//
// Step 02 loads a row, waits for it, and loads the next one. Here a thread has AHEAD rows in flight. For short systems
// c' and d' stay in shared memory: 20 bytes of traffic per row, not 36. Systems of up to PARTS * PART_ROWS rows are
// split among the warps of a block, as step 07 splits them among lanes. They stay in registers: 20 bytes, too. Include
// it after the step, which defines BLOCK.
#define AHEAD 8
#define PART_ROWS 16 // of a thread
#define PARTS 16     // of a system at most: the warps of a block

// The element that is row i of a system.
static __device__ int place(int system, int i, int /* size */, int systems)
{
    return i * systems + system;
}

// r = rows i to i + AHEAD - 1 of a system; those past its end represent x = 0.
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

// ---- Parts: a lane has a system, and each warp PART_ROWS rows of all 32 -------------------------------------------
// Eliminates down, as step 07 does: all rows but the last become x_i = f[i] - a[i] left - c[i] x_{i+1}, left being the
// last x of the part before. Returns row 0 in terms of left and of the part's last x.
static __device__ struct row eliminate_part(float *a, float *b, float *c, float *f)
{
#pragma unroll
    for (int i = 0; i < PART_ROWS; i++) {
        if (i > 0)
            b[i] -= a[i] * c[i - 1], f[i] -= a[i] * f[i - 1], a[i] *= -a[i - 1];
        float k = i < PART_ROWS - 1 ? reciprocal(b[i]) : 1;
        a[i] *= k, c[i] *= k, f[i] *= k;
    }
    struct row r = make_row(a[PART_ROWS - 2], 1, c[PART_ROWS - 2], f[PART_ROWS - 2]);
#pragma unroll
    for (int i = PART_ROWS - 3; i >= 0; i--)
        r = make_row(a[i] - c[i] * r.a, 1, -c[i] * r.c, f[i] - c[i] * r.f);
    return r;
}

// Solves the system of the parts' last rows, one lane for each system: their f become x.
static __device__ void solve_ends(struct row (*ends)[32], int parts)
{
    int lane = threadIdx.x % 32;
    float c = 0, value = 0;
    for (int p = 0; p < parts; p++) {
        struct row r = ends[p][lane];
        float m = reciprocal(r.b - r.a * c);
        c = r.c * m, value = (r.f - r.a * value) * m;
        ends[p][lane].c = c, ends[p][lane].f = value;
    }
    for (int p = parts - 2; p >= 0; p--) {
        value = ends[p][lane].f - ends[p][lane].c * value;
        ends[p][lane].f = value;
    }
}

__global__ void __launch_bounds__(32 * PARTS) solve_parts(float *x, struct bands d, int size, int systems)
{
    __shared__ struct row firsts[PARTS][32], ends[PARTS][32];
    int lane = threadIdx.x % 32, part = threadIdx.x / 32, parts = blockDim.x / 32, z = PART_ROWS - 1;
    int system = blockIdx.x * 32 + lane, first = part * PART_ROWS;
    float a[PART_ROWS], b[PART_ROWS], c[PART_ROWS], f[PART_ROWS];
#pragma unroll
    for (int i = 0; i < PART_ROWS; i++) {
        struct row r = load_row(d, place(system, first + i, size, systems), system < systems && first + i < size);
        a[i] = r.a, b[i] = r.b, c[i] = r.c, f[i] = r.f;
    }
    firsts[part][lane] = eliminate_part(a, b, c, f);
    __syncthreads();
    struct row next = part + 1 < parts ? firsts[part + 1][lane] : make_row(0, 1, 0, 0); // row 0 of the next part
    ends[part][lane] = make_row(a[z], b[z] - c[z] * next.a, -c[z] * next.c, f[z] - c[z] * next.f);
    __syncthreads();
    if (part == 0)
        solve_ends(ends, parts);
    __syncthreads();
    float left = part > 0 ? ends[part - 1][lane].f : 0;
    f[z] = ends[part][lane].f;
#pragma unroll
    for (int i = PART_ROWS - 2; i >= 0; i--)
        f[i] -= a[i] * left + c[i] * f[i + 1];
#pragma unroll
    for (int i = 0; i < PART_ROWS; i++)
        if (system < systems && first + i < size)
            x[place(system, first + i, size, systems)] = f[i];
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
    if (size <= PARTS * PART_ROWS) {
        solve_parts<<<ceil_div(systems, 32), 32 * ceil_div(size, PART_ROWS)>>>(d_x, d, size, systems);
        check_cuda(cudaGetLastError());
        return;
    }
    solve_long<<<max(1, ceil_div(systems, BLOCK)), BLOCK>>>(d_x, d, d_tmp, size, systems);
    check_cuda(cudaGetLastError());
}

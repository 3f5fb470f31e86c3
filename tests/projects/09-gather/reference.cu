// Project 9, a solution that reaches level 3: points are sorted into cells, two for each on average. A thread searches
// the cells around its point ring by ring, until no nearer point can be outside. Threads follow the order of the cells,
// so that the lanes of a warp search the same ones.
#include "projects/nearest.h"

#define BLOCK 128
#define SCANNERS 1024
#define NONE 0x7fffffffffffffffLL

struct cells {
    int shift, wide;   // a cell's side is 1 << shift; cells in a row
    int *begin, *next; // of each cell, one more than cells
    int2 *points;      // in the order of the cells
    int *number;       // of each such point
};

__device__ int cell_of(struct cells c, int2 p)
{
    return (p.y >> c.shift) * c.wide + (p.x >> c.shift);
}

__global__ void count_points(struct cells c, const int2 *points, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        atomicAdd(&c.begin[cell_of(c, points[i])], 1);
}

// begin = the sums of those before; next the same. One block.
__global__ void scan_cells(struct cells c)
{
    __shared__ int sums[SCANNERS];
    int tid = threadIdx.x, cells = c.wide * c.wide + 1, each = (cells + SCANNERS - 1) / SCANNERS;
    int first = tid * each, end = min(first + each, cells), sum = 0;

    for (int i = first; i < end; i++)
        sum += c.begin[i];
    sums[tid] = sum;
    __syncthreads();
    for (int d = 1; d < SCANNERS; d *= 2) {
        int left = tid >= d ? sums[tid - d] : 0;
        __syncthreads();
        sums[tid] += left;
        __syncthreads();
    }
    int before = sums[tid] - sum;
    for (int i = first; i < end; i++) {
        int own = c.begin[i];
        c.begin[i] = c.next[i] = before;
        before += own;
    }
}

__global__ void place_points(struct cells c, const int2 *points, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i >= n)
        return;
    int at = atomicAdd(&c.next[cell_of(c, points[i])], 1);
    c.points[at] = points[i];
    c.number[at] = i;
}

// Inserts the points of cells (x0, y) to (x1, y), which lie in a row, into best: distance and number in one word.
__device__ void look(long long best[NEIGHBOURS], struct cells c, int2 p, int self, int x0, int x1, int y)
{
    if (y < 0 || y >= c.wide)
        return;
    x0 = max(x0, 0), x1 = min(x1, c.wide - 1);
    for (int i = c.begin[y * c.wide + x0]; x0 <= x1 && i < c.begin[y * c.wide + x1 + 1]; i++) {
        int dx = c.points[i].x - p.x, dy = c.points[i].y - p.y;
        long long key = (long long)(dx * dx + dy * dy) << 32 | c.number[i];
        if (i == self || key >= best[NEIGHBOURS - 1])
            continue;
#pragma unroll
        for (int k = 0; k < NEIGHBOURS; k++) {
            long long low = min(key, best[k]);
            key = max(key, best[k]);
            best[k] = low;
        }
    }
}

__global__ void search(int *nearest, struct cells c, int n)
{
    int self = blockIdx.x * BLOCK + threadIdx.x;
    long long best[NEIGHBOURS], reach = 0; // reach: squared, of the searched surroundings

    if (self >= n)
        return;
    int2 p = c.points[self];
    int x = p.x >> c.shift, y = p.y >> c.shift;
#pragma unroll
    for (int k = 0; k < NEIGHBOURS; k++)
        best[k] = NONE;
    for (int r = 0; r <= c.wide && best[NEIGHBOURS - 1] >> 32 >= reach; r++) {
        look(best, c, p, self, x - r, x + r, y - r);
        if (r > 0)
            look(best, c, p, self, x - r, x + r, y + r);
        for (int row = y - r + 1; row < y + r; row++) {
            if (x - r >= 0)
                look(best, c, p, self, x - r, x - r, row);
            if (x + r < c.wide)
                look(best, c, p, self, x + r, x + r, row);
        }
        long long side = ((long long)r << c.shift) + 1; // points outside are at least as far
        reach = side * side;
    }
#pragma unroll
    for (int k = 0; k < NEIGHBOURS; k++)
        nearest[c.number[self] * NEIGHBOURS + k] = (int)best[k];
}

void find_nearest(int *d_nearest, const int2 *d_points, int n)
{
    struct cells c = {14, 1};
    int blocks = (n + BLOCK - 1) / BLOCK;

    while (2 * c.wide * c.wide < n) {
        c.wide *= 2;
        c.shift--;
    }
    size_t bytes = ((size_t)c.wide * c.wide + 1) * sizeof *c.begin;
    check_cuda(cudaMalloc(&c.begin, bytes));
    check_cuda(cudaMalloc(&c.next, bytes));
    check_cuda(cudaMalloc(&c.points, n * sizeof *c.points));
    check_cuda(cudaMalloc(&c.number, n * sizeof *c.number));
    check_cuda(cudaMemset(c.begin, 0, bytes));
    count_points<<<blocks, BLOCK>>>(c, d_points, n);
    scan_cells<<<1, SCANNERS>>>(c);
    place_points<<<blocks, BLOCK>>>(c, d_points, n);
    search<<<blocks, BLOCK>>>(d_nearest, c, n);
    check_cuda(cudaGetLastError());
    check_cuda(cudaFree(c.number));
    check_cuda(cudaFree(c.points));
    check_cuda(cudaFree(c.next));
    check_cuda(cudaFree(c.begin));
}

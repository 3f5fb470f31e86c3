// Project 7, a solution that reaches level 3: tiles of 32 x 32 cells, a warp for each, a launch for each diagonal of
// tiles. A lane has a row, and each of 63 steps a diagonal of the tile; only the tiles' borders are in memory.
#include "projects/alignment.h"

#define TILE 32
#define ALL 0xffffffff

// top[j], left[i]: D of the last finished row or column, for column j and row i. corner: of each tile's last cell.
struct borders {
    int *top, *left, *corner, tiles; // tiles: of b, in a row of corner
};

// Row i of the tile in each lane: shares of the tile's last row and column are returned in *bottom and as the result.
// asked: the column whose D is stored in *value.
__device__ int walk_tile(int *bottom, int *value, int asked, int top, int left, int corner, int letter_a, int letter_b)
{
    int lane = threadIdx.x, here = left, above = __shfl_up_sync(ALL, left, 1);

    above = lane == 0 ? corner : above; // D(i - 1, j - 1), for the first column
    for (int t = 0; t < 2 * TILE - 1; t++) {
        int c = t - lane, letter = __shfl_sync(ALL, letter_b, c & 31), up = __shfl_up_sync(ALL, here, 1);
        int first = __shfl_sync(ALL, top, t & 31);
        up = lane == 0 ? first : up;
        if (c >= 0 && c < TILE) {
            here = min(min(up, here) + 1, above + (letter != letter_a));
            above = up;
            *value = c == asked ? here : *value;
        }
        int last = __shfl_sync(ALL, here, 31);
        if (lane == t - 31)
            *bottom = last;
    }
    return here;
}

// Tile (first + blockIdx.x, diagonal - first - blockIdx.x).
__global__ void align_tiles(int *distance, struct borders d, const char *a, int m, const char *b, int n, int diagonal,
                            int first)
{
    int y = first + blockIdx.x, x = diagonal - y, lane = threadIdx.x, i = y * TILE + lane, j = x * TILE + lane;
    int top = y == 0 ? j + 1 : j < n ? d.top[j] : 0, left = x == 0 ? i + 1 : i < m ? d.left[i] : 0, bottom = 0;
    int corner = y == 0 ? x * TILE : x == 0 ? y * TILE : d.corner[(y - 1) * d.tiles + x - 1];
    int value = 0, asked = n - 1 - x * TILE; // the last column, if it lies in this tile
    int right = walk_tile(&bottom, &value, asked, top, left, corner, i < m ? a[i] : 0, j < n ? b[j] : 1);

    if (i == m - 1 && asked < TILE)
        *distance = value;
    if (j < n)
        d.top[j] = bottom;
    if (i < m)
        d.left[i] = right;
    if (lane == TILE - 1)
        d.corner[y * d.tiles + x] = right;
}

void align(int *d_distance, const char *d_a, int m, const char *d_b, int n)
{
    int high = (m + TILE - 1) / TILE, wide = (n + TILE - 1) / TILE, most = m > n ? m : n;
    struct borders d = {.tiles = wide};

    if (m == 0 || n == 0) {
        check_cuda(cudaMemcpy(d_distance, &most, sizeof most, cudaMemcpyHostToDevice));
        return;
    }
    check_cuda(cudaMalloc(&d.top, n * sizeof *d.top));
    check_cuda(cudaMalloc(&d.left, m * sizeof *d.left));
    check_cuda(cudaMalloc(&d.corner, (size_t)high * wide * sizeof *d.corner));
    for (int diagonal = 0; diagonal < high + wide - 1; diagonal++) {
        int first = diagonal < wide ? 0 : diagonal - wide + 1, last = diagonal < high ? diagonal : high - 1;
        align_tiles<<<last - first + 1, TILE>>>(d_distance, d, d_a, m, d_b, n, diagonal, first);
        check_cuda(cudaGetLastError());
    }
    check_cuda(cudaFree(d.corner));
    check_cuda(cudaFree(d.left));
    check_cuda(cudaFree(d.top));
}

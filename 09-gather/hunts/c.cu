// Hunt 9/c: the tiles of a map have very different numbers of atoms, so blocks take one tile after
// another from a queue.
#include <stdio.h>
#include <stdlib.h>

#define TILE 128 // points
#define BLOCKS 4

// A point of tile t gets the sum of its atoms' charges, which are atoms[first[t]] to
// atoms[first[t + 1] - 1].
__global__ void sum_tiles(int *map, const int *atoms, const int *first, int tiles, int *next)
{
    __shared__ int tile;

    while (true) {
        if (threadIdx.x == 0)
            tile = atomicAdd(next, 1);
        __syncthreads();
        if (tile >= tiles)
            break;
        for (int point = threadIdx.x; point < TILE; point += blockDim.x) {
            int sum = 0;
            for (int a = first[tile]; a < first[tile + 1]; a++)
                sum += atoms[a];
            map[tile * TILE + point] = sum + point;
        }
    }
}

static void fill_map(int *map, const int *atoms, const int *first, int tiles, int threads)
{
    int *d_map, *d_atoms, *d_first, *d_next;

    cudaMalloc(&d_map, tiles * TILE * sizeof *map);
    cudaMalloc(&d_atoms, first[tiles] * sizeof *atoms);
    cudaMalloc(&d_first, (tiles + 1) * sizeof *first);
    cudaMalloc(&d_next, sizeof *d_next);
    cudaMemset(d_map, 0, tiles * TILE * sizeof *map);
    cudaMemcpy(d_atoms, atoms, first[tiles] * sizeof *atoms, cudaMemcpyHostToDevice);
    cudaMemcpy(d_first, first, (tiles + 1) * sizeof *first, cudaMemcpyHostToDevice);
    cudaMemset(d_next, 0, sizeof *d_next);
    sum_tiles<<<BLOCKS, threads>>>(d_map, d_atoms, d_first, tiles, d_next);
    cudaMemcpy(map, d_map, tiles * TILE * sizeof *map, cudaMemcpyDeviceToHost);
    cudaFree(d_map);
    cudaFree(d_atoms);
    cudaFree(d_first);
    cudaFree(d_next);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int tiles = argc > 1 ? atoi(argv[1]) : 20, threads = argc > 2 ? atoi(argv[2]) : 32, atoms[1000], wrong = 0;
    int *first = (int *)calloc(tiles + 1, sizeof *first), *map = (int *)malloc(tiles * TILE * sizeof *map);

    srand(1);
    for (int a = 0; a < 1000; a++)
        atoms[a] = rand() % 10;
    for (int t = 0; t < tiles; t++)
        first[t + 1] = first[t] + rand() % (900 / tiles);
    fill_map(map, atoms, first, tiles, threads);
    for (int t = 0; t < tiles; t++) {
        int sum = 0;
        for (int a = first[t]; a < first[t + 1]; a++)
            sum += atoms[a];
        for (int p = 0; p < TILE; p++)
            wrong += map[t * TILE + p] != sum + p;
    }
    free(first);
    free(map);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}

// Hunt 9/b: lists the tiles of a map that have atoms near; then a thread for each entry of the list
// works on its tile. Usually most tiles are empty.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128

__global__ void list_tiles(int *list, int *size, const int *atoms_near, int tiles)
{
    int tile = blockIdx.x * BLOCK + threadIdx.x;

    if (tile < tiles && atoms_near[tile] > 0)
        list[atomicAdd(size, 1)] = tile;
}

__global__ void work(int *sums, const int *list, const int *size, const int *atoms_near)
{
    for (int k = blockIdx.x * BLOCK + threadIdx.x; k < *size; k += gridDim.x * BLOCK)
        sums[list[k]] = 3 * atoms_near[list[k]];
}

static void sum_tiles(int *sums, const int *atoms_near, int tiles)
{
    size_t bytes = tiles * sizeof *sums, list_bytes = bytes / 4;
    int *d_near, *d_sums, *d_list, *d_size;

    cudaMalloc(&d_near, bytes);
    cudaMalloc(&d_sums, bytes);
    cudaMalloc(&d_list, list_bytes);
    cudaMalloc(&d_size, sizeof *d_size);
    cudaMemcpy(d_near, atoms_near, bytes, cudaMemcpyHostToDevice);
    cudaMemset(d_sums, 0, bytes);
    cudaMemset(d_size, 0, sizeof *d_size);
    list_tiles<<<(tiles + BLOCK - 1) / BLOCK, BLOCK>>>(d_list, d_size, d_near, tiles);
    work<<<2, BLOCK>>>(d_sums, d_list, d_size, d_near);
    cudaMemcpy(sums, d_sums, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_near);
    cudaFree(d_sums);
    cudaFree(d_list);
    cudaFree(d_size);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int tiles = argc > 1 ? atoi(argv[1]) : 1000, percent = argc > 2 ? atoi(argv[2]) : 15, wrong = 0;
    int *atoms_near = (int *)malloc(tiles * sizeof *atoms_near), *sums = (int *)malloc(tiles * sizeof *sums);

    srand(1);
    for (int t = 0; t < tiles; t++)
        atoms_near[t] = rand() % 100 < percent ? 1 + rand() % 9 : 0;
    sum_tiles(sums, atoms_near, tiles);
    for (int t = 0; t < tiles; t++)
        wrong += sums[t] != 3 * atoms_near[t];
    free(atoms_near);
    free(sums);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}

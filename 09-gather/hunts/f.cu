// Hunt 9/f: a map of the charge of atoms, which are in constant memory, CHUNK at a time. The copies
// and kernels are on a stream, while the host prepares the next chunk.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128
#define CHUNK 256

__constant__ int2 atoms[CHUNK]; // x: the position, y: the charge

__global__ void add_chunk(int *map, int points, int count)
{
    int point = blockIdx.x * BLOCK + threadIdx.x, sum = 0;

    for (int a = 0; a < count; a++)
        sum += atoms[a].y * (1000 - abs(atoms[a].x - point));
    if (point < points)
        map[point] += sum;
}

static void potential(int *map, int points, const int2 *all, int n)
{
    cudaStream_t stream;
    int2 *chunk;
    int *d_map;

    cudaStreamCreate(&stream);
    cudaMallocHost(&chunk, CHUNK * sizeof *chunk);
    cudaMalloc(&d_map, points * sizeof *map);
    cudaMemsetAsync(d_map, 0, points * sizeof *map, stream);
    for (int first = 0; first < n; first += CHUNK) {
        int count = min(CHUNK, n - first);
        for (int a = 0; a < count; a++)
            chunk[a] = all[first + a];
        cudaMemcpyToSymbolAsync(atoms, chunk, count * sizeof *chunk, 0, cudaMemcpyHostToDevice, stream);
        add_chunk<<<(points + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(d_map, points, count);
    }
    cudaMemcpyAsync(map, d_map, points * sizeof *map, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(d_map);
    cudaFreeHost(chunk);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int points = argc > 1 ? atoi(argv[1]) : 300, n = argc > 2 ? atoi(argv[2]) : 200, wrong = 0;
    int2 *all = (int2 *)malloc(n * sizeof *all);
    int *map = (int *)malloc(points * sizeof *map);

    srand(1);
    for (int a = 0; a < n; a++)
        all[a] = make_int2(rand() % 1000, rand() % 10);
    potential(map, points, all, n);
    for (int p = 0; p < points; p++) {
        int sum = 0;
        for (int a = 0; a < n; a++)
            sum += all[a].y * (1000 - abs(all[a].x - p));
        wrong += map[p] != sum;
    }
    free(all);
    free(map);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}

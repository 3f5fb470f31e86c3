// Hunt 9/a: the charge of atoms, spread over the points of a map: a thread for each atom adds to
// the points at most REACH away.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 64
#define SIDE 128 // points of the map in a row, and rows
#define REACH 3

// x, y and charge of an atom; the map is 0 on entry.
__global__ void spread(int *map, const int3 *atoms, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i >= n)
        return;
    int3 atom = atoms[i];
    for (int y = max(atom.y - REACH, 0); y <= min(atom.y + REACH, SIDE - 1); y++)
        for (int x = max(atom.x - REACH, 0); x <= min(atom.x + REACH, SIDE - 1); x++)
            map[y * SIDE + x] += atom.z;
}

static void potential(int *map, const int3 *atoms, int n)
{
    size_t bytes = SIDE * SIDE * sizeof *map;
    int3 *d_atoms;
    int *d_map;

    cudaMalloc(&d_atoms, n * sizeof *atoms);
    cudaMalloc(&d_map, bytes);
    cudaMemcpy(d_atoms, atoms, n * sizeof *atoms, cudaMemcpyHostToDevice);
    cudaMemset(d_map, 0, bytes);
    spread<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_map, d_atoms, n);
    cudaMemcpy(map, d_map, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_atoms);
    cudaFree(d_map);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200, apart = argc > 2 ? atoi(argv[2]) : 8, wrong = 0;
    int3 *atoms = (int3 *)malloc(n * sizeof *atoms);
    int *map = (int *)malloc(SIDE * SIDE * sizeof *map), *wanted = (int *)calloc(SIDE * SIDE, sizeof *map);

    srand(1);
    for (int i = 0; i < n; i++) {
        atoms[i] = make_int3(i * apart % SIDE, i * apart / SIDE * apart % SIDE, 1 + rand() % 9);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                if (abs(x - atoms[i].x) <= REACH && abs(y - atoms[i].y) <= REACH)
                    wanted[y * SIDE + x] += atoms[i].z;
    }
    potential(map, atoms, n);
    for (int i = 0; i < SIDE * SIDE; i++)
        wrong += map[i] != wanted[i];
    free(atoms);
    free(map);
    free(wanted);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}

// Hunt 4/e: sorts n records by a key of four bits; records with the same key stay in order. One
// warp sorts 32 of them at a time.
#include <stdio.h>
#include <stdlib.h>

#define KEYS 16
#define WARP 32

// The key is the record's lowest bits.
__global__ void sort_records(int *out, const int *in, int n)
{
    __shared__ int next[KEYS]; // the place of the next record with each key
    int lane = threadIdx.x;

    if (lane < KEYS) {
        next[lane] = 0;
        for (int i = 0; i < n; i++)
            next[lane] += in[i] % KEYS < lane;
    }
    __syncwarp();
    for (int first = 0; first + lane < n; first += WARP) {
        unsigned int lanes = 0xffffffff; // that have a record
        int record = in[first + lane], key = record % KEYS, start = next[key];
        unsigned int same = __match_any_sync(lanes, key); // the lanes with this key
        int rank = __popc(same & ((1u << lane) - 1));

        __syncwarp(lanes);
        if (rank == 0)
            next[key] = start + __popc(same);
        out[start + rank] = record;
        __syncwarp(lanes);
    }
}

static void sort(int *records, int n)
{
    int *d_in, *d_out;

    cudaMalloc(&d_in, n * sizeof *records);
    cudaMalloc(&d_out, n * sizeof *records);
    cudaMemcpy(d_in, records, n * sizeof *records, cudaMemcpyHostToDevice);
    sort_records<<<1, WARP>>>(d_out, d_in, n);
    cudaMemcpy(records, d_out, n * sizeof *records, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 320, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0, place = 0;
    int *records = (int *)malloc(n * sizeof *records), *wanted = (int *)malloc(n * sizeof *records);

    srand(seed);
    for (int i = 0; i < n; i++)
        records[i] = KEYS * i + rand() % KEYS;
    for (int key = 0; key < KEYS; key++)
        for (int i = 0; i < n; i++)
            if (records[i] % KEYS == key)
                wanted[place++] = records[i];
    sort(records, n);
    for (int i = 0; i < n; i++)
        wrong += records[i] != wanted[i];
    free(records);
    free(wanted);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}

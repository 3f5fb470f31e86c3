// Launches one kernel of tests/simt/checks on a GPU, as test_checks.c does on the SIMT machine; see sanitize.sh
// and kernels.sh. Prints out[0].
//
// Usage: launch CUBIN KERNEL BLOCKS THREADS SHARED DATA CLUSTER, with data: written | raw | freed | host | null;
// CLUSTER: blocks of a cluster, 0: there are none
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 64 // of data; as in test_checks.c

static void check(cudaError_t e, const char *what)
{
    if (e) {
        printf("%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}

static int *make_data(const char *how)
{
    static int host[WORDS];
    int *data = NULL, values[WORDS];
    if (!strcmp(how, "null"))
        return NULL;
    if (!strcmp(how, "host"))
        return host;
    check(cudaMalloc((void **)&data, sizeof values), "data");
    if (!strcmp(how, "freed"))
        check(cudaFree(data), "data");
    for (int i = 0; i < WORDS; i++)
        values[i] = i;
    if (!strcmp(how, "written"))
        check(cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice), "data");
    return data;
}

int main(int argc, char **argv)
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    if (argc != 8)
        return 2;
    int *out = NULL, n = WORDS;
    check(cudaMalloc((void **)&out, 512 * sizeof *out), "out");
    check(cudaMemset(out, 0, 512 * sizeof *out), "out");
    int *data = make_data(argv[6]); // after out, which would otherwise reuse a freed buffer's address
    void *args[] = {&data, &out, &n};
    check(cudaLibraryLoadFromFile(&library, argv[1], NULL, NULL, 0, NULL, NULL, 0), argv[1]);
    check(cudaLibraryGetKernel(&kernel, library, argv[2]), argv[2]);
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = atoi(argv[7]);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(atoi(argv[3]));
    config.blockDim = dim3(atoi(argv[4]));
    config.dynamicSmemBytes = atoi(argv[5]);
    config.attrs = &cluster;
    config.numAttrs = atoi(argv[7]) > 0;
    check(cudaLaunchKernelExC(&config, (const void *)kernel, args), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    int first;
    check(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost), "out");
    printf("%d\n", first);
    return 0;
}

// The host's faults, by the name on the command line: endless recursion that launches kernels, a local array that is
// larger than the stack; and what is neither: a null pointer, also deep in the stack, and deep recursion that ends.
#include <cstdio>
#include <cstring>

__global__ void store(int *p, int value)
{
    *p = value;
}

static int *d_value;

static int recurse(int depth, int last)
{
    volatile char frame[1000];
    frame[depth % 1000] = (char)depth;
    if (depth % 256 == 0)
        store<<<1, 1>>>(d_value, depth);
    return depth == last ? 0 : recurse(depth + 1, last) + frame[depth % 1000] - (char)depth;
}

static int large(int n)
{
    volatile char array[64 << 20];
    for (int i = 0; i < n; i++)
        array[i << 16] = 1;
    return array[0];
}

static int wrong(int depth)
{
    volatile char frame[1000];
    frame[0] = 1;
    return depth == 0 ? *(volatile int *)8 : wrong(depth - 1) + frame[0];
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "none";
    int result = 0;
    cudaMalloc(&d_value, sizeof *d_value);
    if (!strcmp(name, "recursion"))
        result = recurse(0, -1);
    else if (!strcmp(name, "array"))
        result = large(argc + 2);
    else if (!strcmp(name, "pointer"))
        result = wrong(0);
    else if (!strcmp(name, "late"))
        result = wrong(5000);
    else
        result = recurse(0, 5000);
    puts(result == 0 && cudaDeviceSynchronize() == cudaSuccess ? "right" : "wrong");
    return 0;
}

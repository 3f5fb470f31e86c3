// Basics, step 1: a whole program.
//
// y = a x + y on a device. This step hides nothing. A device has its own memory, so the program
// allocates it, copies x and y there, starts one thread for every element, copies y back, and frees
// what it has allocated. Any of these calls can fail, and each returns an error; a launch returns
// none: cudaGetLastError reports it. A program that ignores errors computes with garbage.
//
// Passes when the result is right, nothing is left allocated, a call that fails ends the program
// with a value other than 0, and one kernel does the work, between two copies to the device and one
// back: launches == 1, host_writes == 2, host_reads == 1.
//
//     ctest --test-dir build -R 00-basics.01
#include "basics_program.h" // main's input and output: problem_size, read_x, write_y, ...

#define BLOCK 256 // threads per block

// Ends the program with a message if a CUDA call has failed.
void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

// y[i] = a x[i] + y[i], one element per thread.
__global__ void add(float *y, const float *x, float a, int n)
{
    // TODO: Compute the thread's number in the grid from blockIdx.x, the threads per block,
    // and its number in the block, threadIdx.x. The last block has threads beyond n: they must
    // not touch memory.
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
    // END TODO
}

int main(void)
{
    int n = problem_size();
    float a = problem_factor(), *x = (float *)malloc(n * sizeof *x + 1), *y = (float *)malloc(n * sizeof *y + 1);
    if (!x || !y)
        return EXIT_FAILURE;
    read_x(x, 0, n);
    read_y(y, 0, n);
    // TODO: Allocate d_x and d_y with cudaMalloc and copy x and y there with cudaMemcpy. Launch add
    // with as many blocks as n elements need; if n is 0, launch nothing. Check the launch with
    // cudaGetLastError. Copy y back: this copy waits for the kernel. Free both with cudaFree. Wrap
    // every call in check(..., "its name").
    float *d_x, *d_y;
    size_t bytes = n * sizeof *x;
    check(cudaMalloc(&d_x, bytes), "cudaMalloc");
    check(cudaMalloc(&d_y, bytes), "cudaMalloc");
    check(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    if (n > 0)
        add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_y, d_x, a, n); // returns at once, and no error
    check(cudaGetLastError(), "add");
    check(cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaFree(d_y), "cudaFree");
    check(cudaFree(d_x), "cudaFree");
    // END TODO
    write_y(y, 0, n);
    free(y);
    free(x);
    return EXIT_SUCCESS;
}

graded_program(main, CHECKED)

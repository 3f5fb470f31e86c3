// The same kernel in OpenCL, for Oclgrind (run under `oclgrind`) and POCL. Prints the same figures as blocksum.cu.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 256
#define N (1 << 20)

static const char *const SOURCE = "__kernel void block_sum(__global int *partial, __global const int *in)\n"
                                  "{\n"
                                  "    __local int cache[256];\n"
                                  "    int tid = get_local_id(0);\n"
                                  "    cache[tid] = in[get_global_id(0)];\n"
                                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    for (int stride = 128; stride > 0; stride /= 2) {\n"
                                  "        if (tid < stride)\n"
                                  "            cache[tid] += cache[tid + stride];\n"
                                  "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    }\n"
                                  "    if (tid == 0)\n"
                                  "        partial[get_group_id(0)] = cache[0];\n"
                                  "}\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, error);
    exit(1);
}

int main(int argc, char **argv)
{
    static int in[N], partial[N / BLOCK];
    int repetitions = argc > 1 ? atoi(argv[1]) : 5;
    size_t global = N, local = BLOCK;
    double best = 1e30;
    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    for (int i = 0; i < N; i++)
        in[i] = i % 1009;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&SOURCE, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "block_sum", &error);
    check(error, "kernel");
    cl_mem d_in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, &error);
    cl_mem d_partial = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof partial, NULL, &error);
    check(clSetKernelArg(kernel, 0, sizeof d_partial, &d_partial), "argument");
    check(clSetKernelArg(kernel, 1, sizeof d_in, &d_in), "argument");
    for (int r = 0; r < repetitions; r++) {
        double start = now();
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
        check(clFinish(queue), "finish");
        best = now() - start < best ? now() - start : best;
    }
    check(clEnqueueReadBuffer(queue, d_partial, CL_TRUE, 0, sizeof partial, partial, 0, NULL, NULL), "read");
    for (int b = 0; b < N / BLOCK; b++) {
        int sum = 0;
        for (int i = 0; i < BLOCK; i++)
            sum += in[b * BLOCK + i];
        if (sum != partial[b])
            return 2;
    }
    printf("%.3f\n", best);
    return 0;
}

// Kernels that driver.cu loads at run time, as PTX and as a fat binary.
extern "C" {

__device__ int calls = 3;
__constant__ float factor = 1;

__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
    if (i == 0)
        calls++;
}

// Parameters of all sizes, with padding between them.
__global__ void mixed(double *out, char c, double d, short s, int i)
{
    extern __shared__ double parts[];
    parts[threadIdx.x] = c + d + s + i;
    __syncthreads();
    out[threadIdx.x] = parts[threadIdx.x ^ 1];
}

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 1.0f, 0.5f);
}

__global__ void outside(int *x)
{
    x[1 << 20] = 1;
}
}

// Mistakes with arrays, textures and surfaces, one case for each name on the command line; `innocent` does everything
// right.
#include <cstdio>
#include <cstring>

#define WIDTH 32

__global__ void put(cudaSurfaceObject_t s, int from)
{
    surf1Dwrite((float)threadIdx.x, s, ((int)threadIdx.x + from) * (int)sizeof(float));
}

// x is counted in bytes.
__global__ void put_by_elements(cudaSurfaceObject_t s)
{
    surf1Dwrite(1.0f, s, (int)threadIdx.x);
}

__global__ void get(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f);
}

__global__ void get_flat(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}

// A texture's cache does not see writes to the surface.
__global__ void put_and_get(cudaSurfaceObject_t s, cudaTextureObject_t t, float *out)
{
    surf1Dwrite(2.0f, s, (int)(threadIdx.x * sizeof(float)));
    __syncthreads();
    out[threadIdx.x] = tex1D<float>(t, WIDTH - 0.5f - threadIdx.x);
}

__global__ void neighbours(cudaSurfaceObject_t s, float *out)
{
    surf1Dwrite(2.0f, s, (int)(threadIdx.x * sizeof(float)));
    out[threadIdx.x] = surf1Dread<float>(s, (int)((threadIdx.x ^ 1) * sizeof(float)));
}

static cudaArray_t array;

static cudaResourceDesc resource()
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

static cudaTextureObject_t texture(cudaTextureFilterMode filter)
{
    cudaResourceDesc r = resource();
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    d.addressMode[0] = cudaAddressModeClamp;
    d.filterMode = filter;
    cudaCreateTextureObject(&t, &r, &d, NULL);
    return t;
}

static void launch(const char *name, cudaSurfaceObject_t s, float *out)
{
    if (!strcmp(name, "outside"))
        put<<<1, WIDTH>>>(s, 1);
    else if (!strcmp(name, "elements"))
        put_by_elements<<<1, WIDTH>>>(s);
    else if (!strcmp(name, "unwritten"))
        get<<<1, WIDTH>>>(texture(cudaFilterModePoint), out);
    else if (!strcmp(name, "cached"))
        put_and_get<<<1, WIDTH>>>(s, texture(cudaFilterModePoint), out);
    else if (!strcmp(name, "race"))
        neighbours<<<1, WIDTH>>>(s, out);
    else
        put<<<1, WIDTH>>>(s, 0);
    if (!strcmp(name, "shape"))
        get_flat<<<1, WIDTH>>>(texture(cudaFilterModePoint), out);
    if (!strcmp(name, "kind"))
        get<<<1, WIDTH>>>(s, out);
    if (!strcmp(name, "innocent"))
        get<<<1, WIDTH>>>(texture(cudaFilterModeLinear), out);
}

static void free_and_get(float *out)
{
    cudaTextureObject_t t = texture(cudaFilterModePoint);
    cudaFreeArray(array);
    get<<<1, WIDTH>>>(t, out);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "innocent";
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    unsigned flags = strcmp(name, "flag") ? cudaArraySurfaceLoadStore : cudaArrayDefault;
    cudaSurfaceObject_t s = 0;
    float host[WIDTH + 1], *out;
    cudaMallocArray(&array, &desc, WIDTH, 0, flags);
    cudaMalloc(&out, sizeof host);
    cudaResourceDesc r = resource();
    cudaError_t e = cudaCreateSurfaceObject(&s, &r);
    launch(name, s, out);
    if (!strcmp(name, "freed"))
        free_and_get(out);
    if (!strcmp(name, "beyond"))
        e = cudaMemcpy2DFromArray(host, sizeof host, array, 0, 0, sizeof host, 1, cudaMemcpyDeviceToHost);
    e = e ? e : cudaDeviceSynchronize();
    fflush(stderr);
    puts(e ? cudaGetErrorName(e) : "ok");
    return 0;
}

// Texture objects as programs use them for sparse matrices, tables and stencils: tex1Dfetch over linear memory, tex2D
// over pitched memory.
#include <cstring>

#include "program.h"

#define N 1000

static cudaTextureObject_t linear(const void *p, size_t bytes, cudaChannelFormatDesc desc, cudaTextureReadMode mode)
{
    cudaResourceDesc resource;
    cudaTextureDesc sampler;
    cudaTextureObject_t texture = 0;
    memset(&resource, 0, sizeof resource);
    memset(&sampler, 0, sizeof sampler);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)p;
    resource.res.linear.sizeInBytes = bytes;
    resource.res.linear.desc = desc;
    sampler.readMode = mode;
    CUDA(cudaCreateTextureObject(&texture, &resource, &sampler, NULL));
    return texture;
}

template <typename T> static cudaTextureObject_t texture_of(const T *p, size_t n)
{
    return linear(p, n * sizeof(T), cudaCreateChannelDesc<T>(), cudaReadModeElementType);
}

// y = A x for CSR, one thread per row.
__global__ void spmv(cudaTextureObject_t x, const int *start, const int *column, const float *value, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (row >= n)
        return;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += value[k] * tex1Dfetch<float>(x, column[k]);
    y[row] = sum;
}

static void test_spmv()
{
    int *start = managed<int>(N + 1), *column = managed<int>(3 * N), count = 0;
    float *value = managed<float>(3 * N), *x = managed<float>(N), *y = managed<float>(N);
    for (int row = 0; row < N; row++) {
        for (int c = row - 1; c <= row + 1; c++)
            if (c >= 0 && c < N)
                column[count] = c, value[count++] = c == row ? 2 : -1;
        start[row + 1] = count;
        x[row] = row * row;
    }
    cudaTextureObject_t texture = texture_of(x, N);
    spmv<<<(N + 127) / 128, 128>>>(texture, start, column, value, y, N);
    CUDA(cudaDeviceSynchronize());
    for (int row = 1; row + 1 < N; row++)
        EXPECT(y[row] == -2);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaDestroyTextureObject(0));
    EXPECT(cudaDestroyTextureObject(texture) == cudaErrorInvalidValue);
}

template <typename T> __global__ void fetch(cudaTextureObject_t t, T *out, int from)
{
    out[threadIdx.x] = tex1Dfetch<T>(t, (int)threadIdx.x + from);
}

__global__ void fetch_double(cudaTextureObject_t t, double *out)
{
    int2 halves = tex1Dfetch<int2>(t, threadIdx.x);
    out[threadIdx.x] = __hiloint2double(halves.y, halves.x);
}

static void test_texels()
{
    float4 *four = managed<float4>(64), *out4 = managed<float4>(64);
    signed char *bytes = managed<signed char>(64), *out1 = managed<signed char>(64);
    unsigned short *shorts = managed<unsigned short>(64);
    float *outf = managed<float>(64);
    double *reals = managed<double>(64), *outd = managed<double>(64);
    for (int i = 0; i < 64; i++) {
        four[i] = make_float4(i, 2 * i, 3 * i, -i);
        bytes[i] = (signed char)(4 * i - 128);
        shorts[i] = (unsigned short)(i * 1040);
        reals[i] = i / 3.0;
    }
    cudaTextureObject_t t4 = texture_of(four, 64), t1 = texture_of(bytes, 64), td = texture_of((int2 *)reals, 64);
    cudaTextureObject_t t8 = linear(bytes, 64, cudaCreateChannelDesc<signed char>(), cudaReadModeNormalizedFloat);
    cudaTextureObject_t t16 = linear(shorts, 128, cudaCreateChannelDesc<unsigned short>(), cudaReadModeNormalizedFloat);
    fetch<<<1, 64>>>(t4, out4, 0);
    fetch<<<1, 64>>>(t1, out1, 0);
    fetch_double<<<1, 64>>>(td, outd);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        EXPECT(out4[i].y == 2 * i && out4[i].w == -i && out1[i] == bytes[i] && outd[i] == reals[i]);
    fetch<<<1, 64>>>(t8, outf, 0);
    CUDA(cudaDeviceSynchronize());
    EXPECT(outf[0] == -1 && outf[1] == -124 / 127.0f && outf[63] == 124 / 127.0f);
    fetch<<<1, 64>>>(t16, outf, -2); // texels before and after are 0
    CUDA(cudaDeviceSynchronize());
    EXPECT(outf[0] == 0 && outf[1] == 0 && outf[3] == 1040 / 65535.0f && outf[63] == 61 * 1040 / 65535.0f);
    fetch<<<1, 64>>>(t16, outf, 62);
    CUDA(cudaDeviceSynchronize());
    EXPECT(outf[1] == 63 * 1040 / 65535.0f && outf[2] == 0 && outf[63] == 0);
}

__global__ void laplace(cudaTextureObject_t t, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x + 0.5f, v = y + 0.5f;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(t, u - 1, v) + tex2D<float>(t, u + 1, v) + tex2D<float>(t, u, v - 1) +
                             tex2D<float>(t, u, v + 1) - 4 * tex2D<float>(t, u, v);
}

__global__ void across(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, (threadIdx.x + 0.5f) / 8 - 1, 0.5f);
}

static void test_pitched()
{
    const int width = 50, height = 20;
    float host[height][width], *d, *out = managed<float>(width * height);
    size_t pitch;
    cudaResourceDesc resource;
    cudaTextureDesc sampler;
    cudaTextureObject_t t;
    for (int i = 0; i < width * height; i++)
        host[i / width][i % width] = (float)(i * i % 101);
    CUDA(cudaMallocPitch(&d, &pitch, width * sizeof(float), height));
    CUDA(cudaMemcpy2D(d, pitch, host, sizeof host[0], sizeof host[0], height, cudaMemcpyHostToDevice));
    memset(&resource, 0, sizeof resource);
    memset(&sampler, 0, sizeof sampler);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {d, cudaCreateChannelDesc<float>(), (size_t)width, (size_t)height, pitch};
    for (cudaTextureAddressMode mode : {cudaAddressModeClamp, cudaAddressModeBorder}) {
        sampler.addressMode[0] = sampler.addressMode[1] = mode;
        CUDA(cudaCreateTextureObject(&t, &resource, &sampler, NULL));
        laplace<<<dim3(4, 5), dim3(16, 4)>>>(t, out, width, height);
        CUDA(cudaDeviceSynchronize());
        auto at = [&](int y, int x) {
            bool inside = x >= 0 && y >= 0 && x < width && y < height;
            x = x < 0 ? 0 : x >= width ? width - 1 : x;
            y = y < 0 ? 0 : y >= height ? height - 1 : y;
            return inside || mode == cudaAddressModeClamp ? host[y][x] : 0;
        };
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                EXPECT(out[y * width + x] == at(y, x - 1) + at(y, x + 1) + at(y - 1, x) + at(y + 1, x) - 4 * at(y, x));
        CUDA(cudaDestroyTextureObject(t));
    }
    resource.res.pitch2D.width = 8;
    sampler.normalizedCoords = 1;
    for (cudaTextureAddressMode mode : {cudaAddressModeWrap, cudaAddressModeMirror}) {
        sampler.addressMode[0] = mode;
        CUDA(cudaCreateTextureObject(&t, &resource, &sampler, NULL));
        across<<<1, 24>>>(t, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 24; i++) {
            int x = mode == cudaAddressModeWrap || i / 8 == 1 ? i % 8 : 7 - i % 8;
            EXPECT(out[i] == host[height / 2][x]);
        }
    }
}

int main()
{
    test_spmv();
    test_texels();
    test_pitched();
    return finish();
}

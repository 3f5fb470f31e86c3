// CUDA arrays as programs use them for images and volumes: copies from and to them, textures with filters and every
// address mode, layers, cube maps, surfaces. Expected results of filters follow the CUDA programming guide, "Texture
// Fetching".
#include <cmath>
#include <cstring>
#include <vector>

#include "program.h"

#define W 13
#define H 7
#define D 5

// ---- creating them

template <typename T> static cudaArray_t make_array(cudaExtent e, unsigned flags, const T *from)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    cudaMemcpy3DParms p = {};
    cudaArray_t a;
    CUDA(cudaMalloc3DArray(&a, &desc, e, flags));
    p.srcPtr = make_cudaPitchedPtr((void *)from, e.width * sizeof(T), e.width, e.height ? e.height : 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(e.width, e.height ? e.height : 1, e.depth ? e.depth : 1);
    p.kind = cudaMemcpyHostToDevice;
    if (from)
        CUDA(cudaMemcpy3D(&p));
    return a;
}

static cudaResourceDesc resource_of(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static cudaTextureObject_t texture_of(cudaArray_t a, cudaTextureAddressMode mode, bool linear, bool normalized,
                                      cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaResourceDesc r = resource_of(a);
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = mode;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.normalizedCoords = normalized;
    d.readMode = read;
    for (int k = 0; k < 4; k++)
        d.borderColor[k] = 0.5f + k;
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static cudaSurfaceObject_t surface_of(cudaArray_t a)
{
    cudaResourceDesc r = resource_of(a);
    cudaSurfaceObject_t s;
    CUDA(cudaCreateSurfaceObject(&s, &r));
    return s;
}

static std::vector<float> numbers(int n)
{
    std::vector<float> v(n);
    for (int i = 0; i < n; i++)
        v[i] = (float)(i * 37 % 101) - 20.25f * (i % 3);
    return v;
}

// ---- the guide's formulas

// Number of the texel that stands for i; -1: the border.
static int texel(int i, int n, cudaTextureAddressMode mode)
{
    if (mode == cudaAddressModeBorder)
        return i < 0 || i >= n ? -1 : i;
    if (mode == cudaAddressModeWrap)
        return ((i % n) + n) % n;
    if (mode == cudaAddressModeMirror) {
        int k = ((i % (2 * n)) + 2 * n) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// The texels along one dimension and the weight of the second one, in units of 1/256. The coordinate is not folded
// here; at_edge does that.
static void place(float x, int n, bool linear, int *first, int *part)
{
    double at = linear ? (double)x - 0.5 : (double)x;
    int places = (int)floor(at * 256 + (linear ? 0.5 : 0));
    *first = places >= 0 ? places / 256 : -((255 - places) / 256);
    *part = linear ? places - *first * 256 : 0;
}

static float reference(const float *data, const int size[3], int dims, const float x[3], bool linear,
                       cudaTextureAddressMode mode)
{
    int first[3] = {0, 0, 0}, part[3] = {0, 0, 0};
    double sum = 0;
    for (int k = 0; k < dims; k++)
        place(x[k], size[k], linear, &first[k], &part[k]);
    for (int corner = 0; corner < (linear ? 1 << dims : 1); corner++) {
        double weight = 1;
        long at[3] = {0, 0, 0};
        bool border = false;
        for (int k = 0; k < dims; k++) {
            weight *= (corner >> k & 1 ? part[k] : 256 - part[k]) / 256.0;
            at[k] = texel(first[k] + (corner >> k & 1), size[k], mode);
            border |= at[k] < 0;
        }
        if (weight > 0)
            sum += weight * (border ? 0.5 : data[(at[2] * size[1] + at[1]) * size[0] + at[0]]);
    }
    return (float)sum;
}

// ---- fetches of one, two and three dimensions

__global__ void fetch(cudaTextureObject_t t, int dims, const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *at = x + 3 * i;
    out[i] = dims == 1   ? tex1D<float>(t, at[0])
             : dims == 2 ? tex2D<float>(t, at[0], at[1])
                         : tex3D<float>(t, at[0], at[1], at[2]);
}

static void expect_near(float got, float want, const float *x, int dims, bool linear, int mode)
{
    if (fabsf(got - want) <= 1e-4f)
        return;
    printf("%d dimensions, %s, address mode %d, at %.8g %.8g %.8g: got %.8g, wanted %.8g\n", dims,
           linear ? "linear" : "nearest", mode, x[0], x[1], x[2], got, want);
    wrong++;
}

static void test_fetch(int dims)
{
    const int size[3] = {W, dims > 1 ? H : 1, dims > 2 ? D : 1}, n = 300;
    std::vector<float> data = numbers(size[0] * size[1] * size[2]);
    cudaArray_t a = make_array(make_cudaExtent(W, dims > 1 ? H : 0, dims > 2 ? D : 0), 0, data.data());
    float *x = managed<float>(3 * n), *out = managed<float>(n);
    for (cudaTextureAddressMode mode :
         {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder})
        for (int form = 0; form < 4; form++) {
            bool linear = form & 1, normalized = form & 2;
            if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
                continue;
            // powers of two, so that a normalized coordinate and its texel are the same number
            std::vector<float> texels(3 * n);
            for (int i = 0; i < 3 * n; i++) {
                texels[i] = (float)(i * 173 % 2700 - 900) / 64 + 1.0f / 1024;
                x[i] = normalized ? texels[i] / size[i % 3] : texels[i];
            }
            cudaTextureObject_t t = texture_of(a, mode, linear, normalized);
            fetch<<<5, 64>>>(t, dims, x, out, n);
            CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < n; i++) {
                float want = reference(data.data(), size, dims, &texels[3 * i], linear, mode);
                expect_near(out[i], want, &texels[3 * i], dims, linear, mode);
            }
            CUDA(cudaDestroyTextureObject(t));
        }
    CUDA(cudaFreeArray(a));
}

// ---- kinds of texels

template <typename T> __global__ void fetch_as(cudaTextureObject_t t, float x, float y, T *out)
{
    *out = tex2D<T>(t, x, y);
}

template <typename T, typename R>
static R fetch_one(const T *four, float x, float y, bool linear, cudaTextureReadMode read)
{
    cudaArray_t a = make_array(make_cudaExtent(2, 2, 0), 0, four);
    cudaTextureObject_t t = texture_of(a, cudaAddressModeClamp, linear, false, read);
    R *out = managed<R>(1), result;
    fetch_as<R><<<1, 1>>>(t, x, y, out);
    CUDA(cudaDeviceSynchronize());
    result = *out;
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFreeArray(a));
    CUDA(cudaFree(out));
    return result;
}

static void test_texels()
{
    const uchar4 colors[4] = {{0, 51, 102, 255}, {255, 51, 0, 0}, {0, 0, 0, 0}, {255, 255, 255, 255}};
    const short2 pairs[4] = {{-7, 8}, {100, -100}, {32767, -32768}, {1, 2}};
    const float4 reals[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
    const unsigned words[4] = {0, 4000000000u, 7, 9};
    uchar4 c = fetch_one<uchar4, uchar4>(colors, 1.5f, 1.5f, false, cudaReadModeElementType);
    EXPECT(c.x == 255 && c.w == 255);
    float4 mean = fetch_one<uchar4, float4>(colors, 1, 0.5f, true, cudaReadModeNormalizedFloat);
    EXPECT(mean.x == 0.5f && fabsf(mean.y - 0.2f) < 1e-6f && fabsf(mean.z - 0.2f) < 1e-6f && mean.w == 0.5f);
    short2 s = fetch_one<short2, short2>(pairs, 0.5f, 1.5f, false, cudaReadModeElementType);
    EXPECT(s.x == 32767 && s.y == -32768);
    float2 parts = fetch_one<short2, float2>(pairs, 0.5f, 1.5f, false, cudaReadModeNormalizedFloat);
    EXPECT(parts.x == 1 && parts.y == -1);
    float4 r = fetch_one<float4, float4>(reals, 1, 1, true, cudaReadModeElementType);
    EXPECT(r.x == 7 && r.y == 8 && r.z == 9 && r.w == 10);
    EXPECT((fetch_one<unsigned, unsigned>(words, 1.5f, 0.5f, false, cudaReadModeElementType) == 4000000000u));
}

// ---- layers, cubes, gathers

__global__ void fetch_layers(cudaTextureObject_t flat, cudaTextureObject_t lines, float *out)
{
    int layer = (int)threadIdx.x - 1; // one before the first, one after the last
    out[2 * threadIdx.x] = tex2DLayered<float>(flat, 2, 1.5f, layer);
    out[2 * threadIdx.x + 1] = tex1DLayered<float>(lines, 2.5f, layer);
}

static void test_layers()
{
    std::vector<float> data = numbers(W * H * D);
    cudaArray_t flat = make_array(make_cudaExtent(W, H, D), cudaArrayLayered, data.data());
    cudaArray_t lines = make_array(make_cudaExtent(W, 0, D), cudaArrayLayered, data.data());
    float *out = managed<float>(2 * (D + 2));
    fetch_layers<<<1, D + 2>>>(texture_of(flat, cudaAddressModeClamp, true, false),
                               texture_of(lines, cudaAddressModeClamp, false, false), out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < D + 2; i++) {
        int layer = i == 0 ? 0 : i > D ? D - 1 : i - 1;
        const float *row = &data[(layer * H + 1) * W];
        EXPECT(out[2 * i] == (row[1] + row[2]) / 2 && out[2 * i + 1] == data[layer * W + 2]);
    }
    CUDA(cudaFreeArray(flat));
    CUDA(cudaFreeArray(lines));
}

// The middle of each face, and its corner towards the face's first texel.
__global__ void fetch_cube(cudaTextureObject_t t, cudaTextureObject_t many, float *out)
{
    const float3 to[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const float3 corner[6] = {{1, .9f, .9f},   {-1, .9f, -.9f}, {-.9f, 1, -.9f},
                              {-.9f, -1, .9f}, {-.9f, .9f, 1},  {.9f, .9f, -1}};
    float3 v = to[threadIdx.x], c = corner[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(t, v.x, v.y, v.z);
    out[threadIdx.x + 6] = texCubemap<float>(t, c.x, c.y, c.z);
    out[threadIdx.x + 12] = texCubemapLayered<float>(many, 3 * c.x, 3 * c.y, 3 * c.z, 1);
}

static void test_cubes()
{
    float data[12 * 9], *out = managed<float>(18);
    for (int i = 0; i < 12 * 9; i++)
        data[i] = 10 * (i / 9) + i % 9;
    cudaArray_t a = make_array(make_cudaExtent(3, 3, 6), cudaArrayCubemap, data);
    cudaArray_t many = make_array(make_cudaExtent(3, 3, 12), cudaArrayCubemap | cudaArrayLayered, data);
    fetch_cube<<<1, 6>>>(texture_of(a, cudaAddressModeClamp, false, true),
                         texture_of(many, cudaAddressModeClamp, false, true), out);
    CUDA(cudaDeviceSynchronize());
    for (int face = 0; face < 6; face++)
        EXPECT(out[face] == 10 * face + 4 && out[face + 6] == 10 * face && out[face + 12] == 10 * (face + 6));
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(many));
}

__global__ void gather(cudaTextureObject_t t, float4 *out)
{
    out[0] = tex2Dgather<float4>(t, 2, 1, 0);
    out[1] = tex2Dgather<float4>(t, 0, 0, 0);
}

static void test_gather()
{
    std::vector<float> data = numbers(W * H);
    cudaArray_t a = make_array(make_cudaExtent(W, H, 0), cudaArrayTextureGather, data.data());
    float4 *out = managed<float4>(2);
    gather<<<1, 1>>>(texture_of(a, cudaAddressModeClamp, false, false), out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0].x == data[W + 1] && out[0].y == data[W + 2] && out[0].z == data[2] && out[0].w == data[1]);
    EXPECT(out[1].x == data[0] && out[1].w == data[0]);
    CUDA(cudaFreeArray(a));
}

// ---- surfaces

__global__ void fill(cudaSurfaceObject_t s, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(make_float2(x, y), s, x * (int)sizeof(float2), y);
}

__global__ void mirror(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(surf2Dread<float2>(from, x * (int)sizeof(float2), y), to, (width - 1 - x) * (int)sizeof(float2), y);
}

static void test_surfaces()
{
    const cudaExtent e = make_cudaExtent(40, 10, 0);
    cudaArray_t a = make_array<float2>(e, cudaArraySurfaceLoadStore, NULL);
    cudaArray_t b = make_array<float2>(e, cudaArraySurfaceLoadStore, NULL);
    cudaSurfaceObject_t from = surface_of(a), to = surface_of(b);
    float2 host[10][40], *out = managed<float2>(1);
    fill<<<dim3(3, 3), dim3(16, 4)>>>(from, 40, 10);
    mirror<<<dim3(3, 3), dim3(16, 4)>>>(from, to, 40, 10);
    CUDA(cudaMemcpy2DFromArray(host, sizeof host[0], b, 0, 0, sizeof host[0], 10, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 40; x++)
            EXPECT(host[y][x].x == 39 - x && host[y][x].y == y);
    fetch_as<float2><<<1, 1>>>(texture_of(b, cudaAddressModeClamp, true, false), 20, 3.5f, out); // the kernel's
    CUDA(cudaDeviceSynchronize());
    EXPECT(out->x == 19.5f && out->y == 3);
    CUDA(cudaDestroySurfaceObject(from));
    EXPECT(cudaDestroySurfaceObject(from) == cudaErrorInvalidValue &&
           cudaDestroyTextureObject(to) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(b));
}

// Bytes, halves and double words; out of bounds: the edge, or nothing.
__global__ void edges(cudaSurfaceObject_t flat, cudaSurfaceObject_t deep, cudaSurfaceObject_t layers, int *out)
{
    surf1Dwrite((unsigned char)7, flat, -3, cudaBoundaryModeClamp);
    surf1Dwrite((unsigned char)9, flat, 1000, cudaBoundaryModeClamp);
    surf1Dwrite((unsigned char)1, flat, 5, cudaBoundaryModeZero);
    surf1Dwrite((unsigned char)2, flat, 16, cudaBoundaryModeZero);
    out[0] = surf1Dread<unsigned char>(flat, 0);
    out[1] = surf1Dread<unsigned char>(flat, 15);
    out[2] = surf1Dread<unsigned char>(flat, 5);
    out[3] = surf1Dread<unsigned char>(flat, 16, cudaBoundaryModeZero);
    surf3Dwrite(make_short4(1, -2, 3, -4), deep, 8, 1, 1);
    short4 s = surf3Dread<short4>(deep, 8, 1, 1);
    out[4] = s.y == -2 && s.w == -4;
    surf2DLayeredwrite(0x123456789abcdefLL, layers, 8, 1, 2);
    out[5] = surf2DLayeredread<long long>(layers, 8, 1, 2) == 0x123456789abcdefLL;
    int width, height, depth, count;
    asm("suq.width.b32 %0, [%1];" : "=r"(width) : "l"(deep));
    asm("suq.height.b32 %0, [%1];" : "=r"(height) : "l"(deep));
    asm("suq.depth.b32 %0, [%1];" : "=r"(depth) : "l"(deep));
    asm("suq.array_size.b32 %0, [%1];" : "=r"(count) : "l"(layers));
    out[6] = width == 2 && height == 2 && depth == 2 && count == 3;
}

__global__ void sizes(cudaTextureObject_t t, int *out)
{
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
}

static void test_edges()
{
    cudaArray_t flat = make_array<unsigned char>(make_cudaExtent(16, 0, 0), cudaArraySurfaceLoadStore, NULL);
    cudaArray_t deep = make_array<short4>(make_cudaExtent(2, 2, 2), cudaArraySurfaceLoadStore, NULL);
    cudaArray_t layers = make_array<int2>(make_cudaExtent(2, 2, 3), cudaArraySurfaceLoadStore | cudaArrayLayered, NULL);
    int *out = managed<int>(7);
    edges<<<1, 1>>>(surface_of(flat), surface_of(deep), surface_of(layers), out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] == 7 && out[1] == 9 && out[2] == 1 && out[3] == 0 && out[4] && out[5] && out[6]);
    std::vector<float> data = numbers(W * H);
    cudaArray_t plain = make_array(make_cudaExtent(W, H, 0), 0, data.data());
    sizes<<<1, 1>>>(texture_of(plain, cudaAddressModeClamp, false, false), out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] == W && out[1] == H);
}

// ---- copies

static void test_copies()
{
    int in[6][8], out[6][8] = {};
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>(), got;
    cudaArray_t a, b;
    cudaExtent e;
    unsigned flags;
    for (int i = 0; i < 48; i++)
        in[i / 8][i % 8] = i;
    CUDA(cudaMallocArray(&a, &desc, 8, 6, cudaArrayDefault));
    CUDA(cudaMallocArray(&b, &desc, 8, 6, cudaArraySurfaceLoadStore));
    CUDA(cudaArrayGetInfo(&got, &e, &flags, b));
    EXPECT(got.x == 32 && got.y == 0 && e.width == 8 && e.height == 6 && e.depth == 0 && flags == 2);
    CUDA(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], sizeof in[0], 6, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, sizeof in[0], 6, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy2DToArray(b, 8, 1, &in[3][4], sizeof in[0], 12, 2, cudaMemcpyHostToDevice)); // 3 x 2, from column 2
    CUDA(cudaMemcpy2DFromArray(out, sizeof out[0], b, 0, 0, sizeof out[0], 6, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 8; x++) {
            bool part = (y == 1 || y == 2) && x >= 2 && x < 5;
            EXPECT(out[y][x] == (part ? in[y + 2][x + 2] : in[y][x]));
        }
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.srcPos = make_cudaPos(3, 2, 0);
    p.dstPtr = make_cudaPitchedPtr(out, sizeof out[0], 8, 6);
    p.extent = make_cudaExtent(4, 3, 1); // of elements, as an array takes part
    p.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&p));
    EXPECT(out[0][0] == 19 && out[2][3] == 38 && out[0][4] == 4);
    EXPECT(cudaMemcpy2DFromArray(out, 32, a, 4, 0, 32, 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMallocArray(&a, &desc, 0, 4) == cudaErrorInvalidValue);
    EXPECT(cudaFreeArray(b) == cudaSuccess && cudaFreeArray(b) == cudaErrorInvalidValue && !cudaFreeArray(NULL));
    (void)cudaGetLastError();
}

int main()
{
    for (int dims = 1; dims <= 3; dims++)
        test_fetch(dims);
    test_texels();
    test_layers();
    test_cubes();
    test_gather();
    test_surfaces();
    test_edges();
    test_copies();
    return finish();
}

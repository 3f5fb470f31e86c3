// Half and bfloat16 as programs use them: arithmetic, pairs, comparisons, conversions, a dot product, a scan.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "program.h"

#define N 512

__global__ void dot(const __half2 *a, const __half2 *b, float *out, int pairs)
{
    __shared__ float sums[8];
    __half2 sum = __float2half2_rn(0.0f);
    for (int i = threadIdx.x; i < pairs; i += blockDim.x)
        sum = __hfma2(a[i], b[i], sum);
    float v = __low2float(sum) + __high2float(sum);
    for (int i = 16; i > 0; i /= 2)
        v += __shfl_down_sync(0xffffffffu, v, i);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        v = 0;
        for (unsigned i = 0; i < blockDim.x / 32; i++)
            v += sums[i];
        *out = v;
    }
}

template <typename T> __global__ void arithmetic(T *out, const T *in)
{
    int t = threadIdx.x;
    T a = in[t], b = in[t + 32];
    out[t] = a + b;
    out[32 + t] = a - b;
    out[64 + t] = a * b;
    out[96 + t] = a / b;
    out[128 + t] = __hfma(a, b, a);
    out[160 + t] = __hmin(a, b);
    out[192 + t] = __hmax(a, b);
    out[224 + t] = -a;
    out[256 + t] = __habs(a);
    out[288 + t] = hsqrt(__habs(a));
    out[320 + t] = hexp2(b);
    out[352 + t] = hfloor(a);
    out[384 + t] = __shfl_xor_sync(0xffffffffu, a, 1);
}

template <typename T> __global__ void comparisons(int *out, const T *in)
{
    int t = threadIdx.x;
    T a = in[t], b = in[t + 32];
    out[t] = (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b) + 64 * __hisnan(a);
}

__global__ void pairs(unsigned *out)
{
    __half2 a = __floats2half2_rn(1.0f, 2.0f), b = __floats2half2_rn(2.0f, 2.0f);
    __half2 e = __heq2(a, b), l = __hlt2(a, b), m = __hmul2(a, b), s = __hadd2_sat(a, b), n = __hneg2(a);
    out[0] = *(unsigned *)&e;
    out[1] = *(unsigned *)&l;
    out[2] = *(unsigned *)&m;
    out[3] = *(unsigned *)&s;
    out[4] = *(unsigned *)&n;
    out[5] = __heq2_mask(a, b);
    out[6] = __hbeq2(a, b) + 2 * __hbge2(b, a) + 4 * __hble2(a, b);
    __half2 x = __lowhigh2highlow(a), y = __hmin2(a, x), z = __h2div(a, b);
    out[7] = *(unsigned *)&x;
    out[8] = *(unsigned *)&y;
    out[9] = *(unsigned *)&z;
    out[10] = __half2int_rz(__float2half(-7.9f)) + 100 * __half2int_rn(__float2half(2.5f));
    out[11] = __half_as_ushort(__int2half_rn(2049)) | (unsigned)__half_as_ushort(__double2half(65519.0)) << 16;
}

// Expected results of one operation on two numbers: the host computes in double and rounds once.
template <typename T> static double number(T v);
template <> double number(__half v)
{
    return __half2float(v);
}
template <> double number(__nv_bfloat16 v)
{
    return __bfloat162float(v);
}
template <typename T> static T rounded(double v);
template <> __half rounded(double v)
{
    return __double2half(v);
}
template <> __nv_bfloat16 rounded(double v)
{
    return __double2bfloat16(v);
}

template <typename T> static bool near(T got, double want, double relative)
{
    return std::fabs(number(got) - want) <= relative * std::fabs(want) + 1e-7;
}

template <typename T> static void check_arithmetic(double relative)
{
    T *in = managed<T>(64), *out = managed<T>(416);
    int *flags = managed<int>(32);
    for (int i = 0; i < 64; i++)
        in[i] = rounded<T>((i * 37 % 64 - 31.5) * 0.25);
    in[5] = in[37];
    arithmetic<T><<<1, 32>>>(out, in);
    comparisons<T><<<1, 32>>>(flags, in);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        double a = number(in[t]), b = number(in[t + 32]);
        EXPECT(number(out[t]) == number(rounded<T>(a + b)) && number(out[32 + t]) == number(rounded<T>(a - b)));
        EXPECT(number(out[64 + t]) == number(rounded<T>(a * b)) && near(out[96 + t], a / b, relative));
        EXPECT(number(out[128 + t]) == number(rounded<T>(a * b + a)));
        EXPECT(number(out[160 + t]) == (a < b ? a : b) && number(out[192 + t]) == (a < b ? b : a));
        EXPECT(number(out[224 + t]) == -a && number(out[256 + t]) == std::fabs(a));
        EXPECT(near(out[288 + t], std::sqrt(std::fabs(a)), relative) && near(out[320 + t], std::exp2(b), relative));
        EXPECT(number(out[352 + t]) == std::floor(a) && number(out[384 + t]) == number(in[t ^ 1]));
        EXPECT(flags[t] == (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b));
    }
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    CUDA(cudaFree(flags));
}

static void check_pairs()
{
    unsigned *out = managed<unsigned>(12);
    pairs<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    const unsigned want[12] = {0x3c000000, 0x00003c00, 0x44004000, 0x3c003c00, 0xc000bc00, 0xffff0000,
                               6,          0x3c004000, 0x3c003c00, 0x3c003800, 193,        0x7bff6800};
    for (int i = 0; i < 12; i++)
        if (out[i] != want[i]) {
            printf("pair %d: 0x%x, wanted 0x%x\n", i, out[i], want[i]);
            wrong++;
        }
    CUDA(cudaFree(out));
}

int main()
{
    __half2 *a = managed<__half2>(N / 2), *b = managed<__half2>(N / 2);
    float *out = managed<float>(1), want = 0;
    for (int i = 0; i < N / 2; i++) {
        a[i] = __floats2half2_rn((float)(i % 5), 1.0f);
        b[i] = __floats2half2_rn(0.5f, (float)(i % 3));
        want += 0.5f * (i % 5) + i % 3;
    }
    dot<<<1, 64>>>(a, b, out, N / 2);
    CUDA(cudaDeviceSynchronize());
    EXPECT(*out == want);
    check_arithmetic<__half>(1.0 / 512);
    check_arithmetic<__nv_bfloat16>(1.0 / 64);
    check_pairs();
    return finish();
}

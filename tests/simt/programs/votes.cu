// Warp votes, matches, shuffles and reductions with full and partial masks, on paths that diverge and reconverge.
#include "program.h"

__global__ void votes(unsigned *out)
{
    unsigned t = threadIdx.x, all = 0xffffffffu;
    out[t] = __ballot_sync(all, t % 3 == 0);
    if (t < 20) {
        unsigned mask = __activemask(), named = 0xfffff;
        out[32 + t] = __ballot_sync(named, t & 1) ^ (mask & ~named);
        out[64 + t] = __any_sync(named, t == 19) * 2 + __all_sync(named, t < 19);
    } else {
        unsigned named = 0xfff00000u;
        out[32 + t] = __ballot_sync(named, t & 1);
        out[64 + t] = __any_sync(named, t == 19) * 2 + __all_sync(named, t > 19);
    }
    __syncwarp();
    out[96 + t] = __match_any_sync(all, t / 5);
    int same;
    out[128 + t] = __match_all_sync(all, 7ull << 40, &same) + same;
    out[160 + t] = __match_all_sync(all, t == 3, &same) + same;
    unsigned half = t < 16 ? 0xffffu : 0xffff0000u;
    out[192 + t] = __match_any_sync(half, (double)(t % 2));
}

__global__ void shuffles(int *out, double *wide)
{
    int t = threadIdx.x;
    unsigned all = 0xffffffffu;
    out[t] = __shfl_sync(all, t * t, 31 - t);
    out[32 + t] = __shfl_up_sync(all, t, 3, 8);
    out[64 + t] = __shfl_down_sync(all, t, 5, 16);
    out[96 + t] = __shfl_xor_sync(all, t, 9);
    if (t & 1)
        out[128 + t] = __shfl_sync(0xaaaaaaaau, t, (t + 2) % 32);
    else
        out[128 + t] = __shfl_sync(0x55555555u, -t, (t + 4) % 32);
    wide[t] = __shfl_xor_sync(all, t * 0.5, 1) + __shfl_down_sync(all, (long long)t << 40, 1);
}

__global__ void reductions(unsigned *out)
{
    unsigned t = threadIdx.x, mask = t < 12 ? 0xfff : 0xfffff000u;
    out[t] = __reduce_add_sync(mask, t);
    out[32 + t] = __reduce_max_sync(mask, (int)t - 20);
    out[64 + t] = __reduce_min_sync(mask, t - 20u);
    out[96 + t] = __reduce_or_sync(mask, 1u << t % 7) ^ __reduce_and_sync(mask, t | 64) ^ __reduce_xor_sync(mask, t);
}

static unsigned or_and_xor(int from, int to)
{
    unsigned o = 0, a = ~0u, x = 0;
    for (int t = from; t < to; t++) {
        o |= 1u << t % 7;
        a &= t | 64;
        x ^= t;
    }
    return o ^ a ^ x;
}

static void check_votes()
{
    unsigned *out = managed<unsigned>(224);
    votes<<<1, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        EXPECT(out[t] == 0x49249249u);
        EXPECT(out[32 + t] == (t < 20 ? 0xaaaaau : 0xaaa00000u) && out[64 + t] == (t < 20 ? 2u : 1u));
        EXPECT(out[96 + t] == (0x1fu << t / 5 * 5));
        EXPECT(out[128 + t] == 0u && out[160 + t] == 0);
        EXPECT(out[192 + t] == ((t & 1 ? 0xaaaaaaaau : 0x55555555u) & (t < 16 ? 0xffffu : 0xffff0000u)));
    }
    CUDA(cudaFree(out));
}

static void check_shuffles()
{
    int *out = managed<int>(160);
    double *wide = managed<double>(32);
    shuffles<<<1, 32>>>(out, wide);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        EXPECT(out[t] == (31 - t) * (31 - t) && out[32 + t] == (t % 8 >= 3 ? t - 3 : t));
        EXPECT(out[64 + t] == (t % 16 + 5 < 16 ? t + 5 : t) && out[96 + t] == (t ^ 9));
        EXPECT(out[128 + t] == (t & 1 ? (t + 2) % 32 : -((t + 4) % 32)));
        EXPECT(wide[t] == (t ^ 1) * 0.5 + (double)((long long)(t < 31 ? t + 1 : t) << 40));
    }
    CUDA(cudaFree(out));
    CUDA(cudaFree(wide));
}

static void check_reductions()
{
    unsigned *out = managed<unsigned>(128);
    reductions<<<1, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        EXPECT(out[t] == (t < 12 ? 66u : 430u) && (int)out[32 + t] == (t < 12 ? -9 : 11));
        EXPECT(out[64 + t] == (t < 12 ? (unsigned)-20 : 0u));
        EXPECT(out[96 + t] == (t < 12 ? or_and_xor(0, 12) : or_and_xor(12, 32)));
    }
    CUDA(cudaFree(out));
}

int main()
{
    check_votes();
    check_shuffles();
    check_reductions();
    return finish();
}

// __activemask() in a random order: lanes of one path may arrive in parts. A program that treats its lanes as a group
// and uses only that group (opportunistic aggregation) is right; one that assumes all lanes of the branch is not.
//
//     activemask aggregates|leads|sums
#include "../programs/program.h"

#include <cstring>

#define ALL 0xffffffff

__device__ unsigned total;

// Among the active lanes with equal keys one lane is elected, and adds for all of them.
__global__ void aggregates()
{
    unsigned same = __match_any_sync(__activemask(), threadIdx.x % 4);
    if (threadIdx.x % 32 == __ffs(same) - 1)
        atomicAdd(&total, __popc(same));
}

// The leader is chosen among the converged lanes, but adds for all.
__global__ void leads()
{
    unsigned same = __match_any_sync(ALL, threadIdx.x % 4);
    if (threadIdx.x % 32 == __ffs(same & __activemask()) - 1)
        atomicAdd(&total, __popc(same));
}

// Assumes that all 32 lanes are active.
__global__ void sums()
{
    unsigned mask = __activemask(), v = 1;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(mask, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, v);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "aggregates";
    unsigned got, want = 16 * 256;
    if (!strcmp(name, "aggregates"))
        aggregates<<<16, 256>>>();
    else if (!strcmp(name, "leads"))
        leads<<<16, 256>>>();
    else
        sums<<<16, 256>>>();
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpyFromSymbol(&got, total, sizeof got));
    if (got != want && ++wrong)
        printf("total %u, wanted %u\n", got, want);
    return finish();
}

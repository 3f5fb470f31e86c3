// The part of CUB's interface that the projects' peer calls.
#include "../call.cuh"

namespace cub
{
struct DeviceSegmentedReduce {
    template <class Word>
    static cudaError_t Sum(void *room, size_t &bytes, const Word *, Word *, long long, const int *, const int *)
    {
        return cub_declared(room, bytes);
    }
};
}

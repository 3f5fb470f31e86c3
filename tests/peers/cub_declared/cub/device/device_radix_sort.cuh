// The part of CUB's interface that the peers of the sort and of the projects call.
#include "../call.cuh"

namespace cub
{
struct DeviceRadixSort {
    template <class Key> static cudaError_t SortKeys(void *room, size_t &bytes, const Key *, Key *, long long)
    {
        return cub_declared(room, bytes);
    }

    template <class Key> static cudaError_t SortKeysDescending(void *room, size_t &bytes, const Key *, Key *, long long)
    {
        return cub_declared(room, bytes);
    }

    template <class Key, class Value>
    static cudaError_t SortPairs(void *room, size_t &bytes, const Key *, Key *, const Value *, Value *, long long)
    {
        return cub_declared(room, bytes);
    }
};
}

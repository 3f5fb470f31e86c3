// The part of CUB's interface that the peers of the basics, of the gather and of the projects call.
#include "../call.cuh"

namespace cub
{
struct DeviceSelect {
    template <class In, class Out, class Count, class Kept>
    static cudaError_t If(void *room, size_t &bytes, In in, Out *, Count *, long long, Kept kept)
    {
        bool fits = sizeof kept(*in) > 0;
        return fits ? cub_declared(room, bytes) : cudaSuccess;
    }
};
}

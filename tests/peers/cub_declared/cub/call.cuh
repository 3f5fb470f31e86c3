// A call of the declarations in these folders does nothing. A peer compiled with them alone is never run; it shows in 3
// s, where all of CUB takes 15, that the peer's own code compiles and links (tests/peers/CMakeLists.txt).
#pragma once

inline cudaError_t cub_declared(void * /* room */, size_t & /* bytes */)
{
    return cudaErrorNotSupported;
}

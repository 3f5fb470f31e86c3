// bulk_copy.h: bulk copies, from step 2 of chapter 10-hopper.
//
// One thread issues a copy of many bytes, and continues at once: the copy engine moves them (NVIDIA calls it the Tensor
// Memory Accelerator). Both addresses and the number of bytes are multiples of 16. Compute capability 9.0.
#pragma once

#include "device/mbarrier.h"

// Copies bytes from global memory to the block's shared memory. They count at the mbarrier, in the phase
// that expects them.
static inline __device__ void bulk_load(void *shared, const void *global, unsigned bytes, mbarrier *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

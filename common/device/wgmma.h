// wgmma.h: products of a warpgroup, from step 7 of chapter 10-hopper. Compute capability 9.0, compiled for sm_90a.
//
// All 128 threads of a warpgroup issue a product together, and continue: tensor cores read both matrices from shared
// memory while the threads wait for the next stage. A product goes through these calls:
//
//     products_fence();          the registers of the sums are ready
//     add_product_async(...);    one or more
//     products_commit();         they are a group
//     products_wait(n);          all groups but the newest n are complete: sums may be read, matrices overwritten
#pragma once

#include <stdint.h>

#include "device/mbarrier.h"

static inline __device__ void products_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static inline __device__ void products_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// A macro, since n is a part of the instruction.
#define products_wait(n) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")

// The 64 bits that tell tensor cores where a matrix lies: in rows of 128 bytes with the swizzle of tensor_map.h, eight
// rows in 1024 bytes. first: the address of its first word, without the swizzle. eights: bytes from a row to the eighth
// one after it. strips: bytes from 64 columns to the next 64; not used by a matrix with less than 128 bytes in a row.
static inline __device__ uint64_t matrix_at(const void *first, unsigned eights, unsigned strips)
{
    const uint64_t swizzle = (uint64_t)1 << 62; // of 128 bytes
    uint64_t address = (shared_address(first) & 0x3ffff) / 16;
    return swizzle | (uint64_t)(eights / 16) << 32 | (uint64_t)(strips / 16) << 16 | address;
}

#define FOUR_SUMS(x, i) "+f"(x[i]), "+f"(x[i + 1]), "+f"(x[i + 2]), "+f"(x[i + 3])
#define SIXTEEN_SUMS(x, i) FOUR_SUMS(x, i), FOUR_SUMS(x, i + 4), FOUR_SUMS(x, i + 8), FOUR_SUMS(x, i + 12)

// sum += a b, or sum = a b if add is 0: 64 x 256 sums, a 64 x 16, b 16 x 256 bf16 words. Rows of b lie along
// rows in shared memory (transposed, to the tensor cores).
// Warp w of the warpgroup has rows 16 w to 16 w + 15. Of each 8 columns e a lane has two neighbours, from column
// 8 e + 2 (lane % 4) on, in the rows lane / 4 and lane / 4 + 8: sum[4 e], sum[4 e + 1] and sum[4 e + 2], sum[4 e + 3].
static inline __device__ void add_product_async(float sum[128], uint64_t a, uint64_t b, int add)
{
    asm volatile("{ .reg .pred p;\n setp.ne.b32 p, %130, 0;\n"
                 " wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, p, 1, 1, 0, 1; }"
                 : SIXTEEN_SUMS(sum, 0), SIXTEEN_SUMS(sum, 16), SIXTEEN_SUMS(sum, 32), SIXTEEN_SUMS(sum, 48),
                   SIXTEEN_SUMS(sum, 64), SIXTEEN_SUMS(sum, 80), SIXTEEN_SUMS(sum, 96), SIXTEEN_SUMS(sum, 112)
                 : "l"(a), "l"(b), "r"(add));
}

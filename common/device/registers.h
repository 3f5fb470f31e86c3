// registers.h: moves registers between the warpgroups of a block, from step 6 of chapter 10-hopper. Compute capability
// 9.0, compiled for sm_90a.
//
// A launch gives all threads of a block equally many registers. A warpgroup (warps 4 n to 4 n + 3) can give some back,
// and another one takes them. All four warps execute the instruction. The number is a multiple of 8, from 24 to 256.
#pragma once

// Each thread of the warpgroup keeps this many registers.
#define keep_registers(number) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(number))

// Each thread of the warpgroup gets this many registers. Waits until the block has enough of them.
#define take_registers(number) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(number))

// Registers of asynchronous products (wgmma.mma_async): what reads or writes one while it is in
// flight, or without a wgmma.fence, is reported. So every other instruction that names one tells exec/warpgroup.c
// first.
#pragma once

// How an instruction touches a register that is followed: with its number, in the list of RUN_touch_registers. That
// list begins with their count.
enum { TOUCH_READS = 1, TOUCH_WRITES = 2, TOUCH_BITS = 2 };

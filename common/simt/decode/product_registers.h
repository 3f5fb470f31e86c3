// Registers of asynchronous products (wgmma.mma_async): an instruction that reads or writes one while it is in flight,
// or without a wgmma.fence, is reported. So every other instruction that names one first notifies exec/warpgroup.c.
#pragma once

// How an instruction touches a tracked register: an entry, with the register's number, in the list of
// RUN_touch_registers. The list begins with its length.
enum { TOUCH_READS = 1, TOUCH_WRITES = 2, TOUCH_BITS = 2 };

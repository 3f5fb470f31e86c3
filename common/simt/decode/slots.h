// Places of registers: PTX has any number of registers, but the warp's register file should fit the host's L1 cache.
#pragma once

#include "decode/cfg.h"

// Bytes of a register's row of 32 lanes: 4 for a predicate (one bit per lane), else 32 times the size.
uint32_t row_bytes(enum ptx_type type);

// Gives every register of f a place (byte offset from base, rows aligned to 64 bytes); registers that are never live at
// the same time may share one. Returns the bytes used, base included. places has f->reg_count elements. unwritten: per
// register, whether it may be read before it is written.
uint32_t slots_assign(const struct ptx_function *f, const struct cfg *cfg, uint32_t base, uint32_t *places,
                      bool *unwritten);

// Visits the registers of an instruction: those that it reads, then those that it writes.
typedef void visit(void *data, int reg, bool defines);
void visit_instr(const struct ptx_instr *in, visit *see, void *data);

// Whether it reads operand 0, too.
bool accumulates(const struct ptx_instr *in);

// Per register of f: whether an asynchronous product (wgmma.mma_async) reads or writes it, or whether it is a copy of
// such a register, because compilers copy accumulators freely. NULL: f has no products. The caller frees the result.
bool *followed_registers(const struct ptx_function *f);

// Whether it is a plain copy of a register or a constant.
bool copies_register(const struct ptx_instr *in);

// Whether operand 0 receives the result.
bool defines_first(const struct ptx_instr *in);

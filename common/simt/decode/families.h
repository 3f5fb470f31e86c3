// The families of instructions, whose mnemonics need more than a row of opcodes.def: decode_<family>, in arithmetic.c,
// memory.c, async.c and control.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct decoder;
typedef void decode_function(struct decoder *d);

#define FAMILY(id, word, class, decoder) decode_function decode_##decoder;
#include "decode/opcodes.def"

// ---- bulk.c: cp.async.bulk, st.async
void decode_bulk(struct decoder *d);
void decode_bulk_tensor(struct decoder *d);
void decode_store_async(struct decoder *d);

// ---- undefined.c: registers and local variables that a thread may read before they are written

// Finds these registers, and those that their values reach. unwritten: per register, whether it may be read before it
// is written.
void undefined_begin(struct decoder *d, const bool *unwritten);
void undefined_end(struct decoder *d);

// Called before and after an instruction: emits code that tracks such values, if needed.
void undefined_follow(struct decoder *d);
void undefined_follow_load(struct decoder *d);

// The place of a register's shadow; NONE: it has none.
uint32_t undefined_place(const struct decoder *d, int reg);

// For a shuffle: the list with the shadows of its result and of its value; 0: it needs none.
uint32_t undefined_shuffle(struct decoder *d);

// fence.proxy.tensormap (tensor_map.c)
void decode_map_fence(struct decoder *d);

// fence.proxy (wgmma.c)
void decode_proxy_fence(struct decoder *d);

// ---- product_registers.c: registers of asynchronous products

void follow_begin(struct decoder *d);
void follow_registers(struct decoder *d); // called before an instruction that reads or writes some of them

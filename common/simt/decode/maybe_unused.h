// Which registers are used on every path: a backward analysis over the control-flow graph (maybe_unused.c).
#pragma once

#include "decode/cfg.h"
#include "ptx/ptx.h"

// Per PTX instruction of f, for a load of shared memory or a shuffle whose mask is computed: whether its result goes
// unused on some path to the function's end. NULL: there is no such instruction.
bool *find_maybe_unused_loads(const struct ptx_function *f, const struct cfg *cfg);

// Whether one of its two sources may determine its result: and.pred, or.pred.
bool merges_predicates(const struct ptx_instr *in);

// Whether it reads, or writes, memory of the block or the thread; family: ld or st.
bool is_own_access(const struct ptx_instr *in, const char *family);

// Per register of f: how many operands of its instructions read it. The caller frees the result.
uint32_t *count_reads(const struct ptx_function *f);

// Whether another instruction reads the result of `in`; reads: the counts of its function, updated.
bool is_result_read(uint32_t *reads, const struct ptx_instr *in);

// Whether f makes this call, whose result is a .param variable, and no instruction reads the result.
bool is_call_ignored(const struct ptx_function *f, const struct ptx_instr *call);

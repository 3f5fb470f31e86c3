// Handlers that the decoder puts into instructions by name, by the file that defines them.
#ifndef SIMT_HANDLERS_H
#define SIMT_HANDLERS_H

#include "machine.h"

// move.c
handler op_guarded, op_special, op_frame_address, op_dynamic_shared, op_module_shared;
handler op_select_16, op_select_32, op_select_64;
handler op_mov_predicate, op_logic, op_pack, op_unpack, op_cvta, op_isspacep, op_testp, op_slct, op_bfi, op_nothing;
handler op_carry, op_compare_halves, op_lop3_bool;

// convert.c
handler op_convert;
handler op_cvt_64_u32, op_cvt_64_s32, op_cvt_32_u64, op_cvt_f32_s32, op_cvt_f32_u32, op_cvt_f64_f32;

// access.c, atomic.c
handler op_load, op_load_row, op_store, op_store_row, op_load_param, op_atomic;

// texture.c
handler op_texture;

// async.c
handler op_copy_async, op_commit_group, op_wait_group, op_mbarrier, op_copies_arrive, op_pending_count;

// control.c
handler op_goto, op_branch, op_branch_index, op_exit, op_ret, op_call, op_call_indirect, op_trap;
handler op_print, op_assert_fail, op_device_malloc, op_device_free;

// sync.c; block.c: op_whole_barrier
handler op_whole_barrier;
handler op_barrier, op_warp_barrier, op_shuffle, op_vote, op_match, op_redux, op_elect, op_activemask, op_fence;
handler op_sleep;

// sub of op_special: what imm-less special register is read.
enum special {
    SPECIAL_TID_X, SPECIAL_TID_Y, SPECIAL_TID_Z, SPECIAL_NTID_X, SPECIAL_NTID_Y, SPECIAL_NTID_Z,
    SPECIAL_CTAID_X, SPECIAL_CTAID_Y, SPECIAL_CTAID_Z, SPECIAL_NCTAID_X, SPECIAL_NCTAID_Y, SPECIAL_NCTAID_Z,
    SPECIAL_LANEID, SPECIAL_WARPID, SPECIAL_NWARPID, SPECIAL_SMID, SPECIAL_NSMID, SPECIAL_GRIDID,
    SPECIAL_MASK_EQ, SPECIAL_MASK_LE, SPECIAL_MASK_LT, SPECIAL_MASK_GE, SPECIAL_MASK_GT,
    SPECIAL_CLOCK, SPECIAL_CLOCK_HI, SPECIAL_CLOCK64, SPECIAL_TIME_LO, SPECIAL_TIME_HI, SPECIAL_TIME,
    SPECIAL_DYNAMIC_SHARED, SPECIAL_TOTAL_SHARED, SPECIAL_RESERVED_SHARED, SPECIAL_ZERO,
    SPECIAL_GRID_LO, SPECIAL_GRID_HI, // halves of the address of a cooperative launch's workspace
};

// sub of op_vote and op_barrier (bar.red)
enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum barrier_kind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_AND, BARRIER_OR, BARRIER_POPC };
enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum logic { LOGIC_AND, LOGIC_OR, LOGIC_XOR, LOGIC_NOT };
enum atomic_op { ATOM_ADD, ATOM_INC, ATOM_DEC, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS };
#define NEGATE_A 0x10 // with sub: the predicate source is negated
#define NEGATE_B 0x20

#endif

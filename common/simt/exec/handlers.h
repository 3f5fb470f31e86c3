// The handlers of instructions, by enum action. The decoder stores them in the code.
#pragma once

#include "decode/forms.h"
#include "decode/opcodes.h"
#include "exec/machine.h"

// One for every action.
handler *const *exec_handlers(void);

// Rows of opcodes.def; NULL where the row belongs to the other file.
extern handler *const alu_handlers[OPCODES];   // alu.c
extern handler *const round_handlers[OPCODES]; // alu_round.c

// Actions of the families.
#define ACTION(name) handler op_##name;
#include "decode/actions.def"

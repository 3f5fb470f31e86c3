// What instructions run: the handlers, by enum action. The decoder puts them into the code.
#pragma once

#include "decode/forms.h"
#include "decode/opcodes.h"
#include "exec/machine.h"

// One for every action.
handler *const *exec_handlers(void);

// Rows of opcodes.def; NULL where the row is not of the file's kind.
extern handler *const alu_handlers[OPCODES];   // alu.c
extern handler *const round_handlers[OPCODES]; // alu_round.c

// Actions of the families.
#define ACTION(name) handler op_##name;
#include "decode/actions.def"

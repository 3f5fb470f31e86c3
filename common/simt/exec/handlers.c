// Builds the table of handlers at its first use. The rows of opcodes.def compile in two files, since alu_round.c needs
// its own compiler options, so neither file has them all.
#include "exec/handlers.h"

#include <pthread.h>

static handler *table[ACTIONS] = {
#define ACTION(name) [RUN_##name] = op_##name,
#include "decode/actions.def"
};

static void add_rows(void)
{
    for (int op = 0; op < OPCODES; op++)
        table[op] = alu_handlers[op] ? alu_handlers[op] : round_handlers[op];
}

handler *const *exec_handlers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_rows);
    return table;
}

// Fuzz target of the PTX parser: any input must give a module with all indices in range, or a one-line error.
// fuzz.sh builds and runs it.
#include "../../common/simt/ptx/ptx.h"
#include "fuzz_replay.h"

#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_operands(const struct ptx_function *f, const struct ptx_operand *operands, int count)
{
    for (int i = 0; i < count; i++) {
        const struct ptx_operand *o = &operands[i];

        require(o->reg >= -1 && o->reg < f->reg_count && (o->count == 0 || o->list));
        require(o->kind != PTX_OP_REG || o->reg >= 0);
        require(o->kind != PTX_OP_LABEL || (o->value >= 0 && o->value <= f->instr_count));
        require((o->kind != PTX_OP_SYMBOL && o->kind != PTX_OP_SPECIAL) || o->symbol);
        check_operands(f, o->list, o->count);
    }
}

static void check_variables(const struct ptx_variable *vars, int count)
{
    for (int i = 0; i < count; i++) {
        require(vars[i].name && vars[i].align > 0 && vars[i].type != PTX_NONE);
        for (const struct ptx_reloc *r = vars[i].relocs; r; r = r->next)
            require(r->symbol && r->offset + r->size <= vars[i].size && r->size >= 1 && r->shift < 64);
        if (vars[i].init && vars[i].size > 0)
            vars[i].init[vars[i].size - 1] ^= 1;
    }
}

static void check_function(const struct ptx_module *module, const struct ptx_function *f)
{
    check_variables(f->params, f->param_count);
    check_variables(f->rets, f->ret_count);
    check_variables(f->vars, f->var_count);
    for (int i = 0; i < f->reg_count; i++)
        require(f->regs[i].name && f->regs[i].type != PTX_NONE);
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *instr = &f->instrs[i];

        require(instr->op && instr->guard >= -1 && instr->guard < f->reg_count);
        require(instr->loc.file == 0 || (instr->loc.file < module->file_count && module->files[instr->loc.file]));
        require((instr->loc.file == 0) == (instr->loc.line == 0) && instr->loc.line >= 0);
        check_operands(f, instr->operands, instr->count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[128] = "";
    struct ptx_module *module = ptx_parse((const char *)data, size, error, sizeof error);

    if (!module) {
        require(strncmp(error, "PTX line ", 9) == 0 && !strchr(error, '\n'));
        return 0;
    }
    check_variables(module->vars, module->var_count);
    for (int i = 0; i < module->func_count; i++)
        check_function(module, &module->funcs[i]);
    ptx_free(module);
    return 0;
}

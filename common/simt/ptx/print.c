// Prints an instruction as the parser stores it, in one line.
#include <inttypes.h>

#include "ptx/ptx.h"

static void print_operand(FILE *to, const struct ptx_function *f, const struct ptx_operand *o);

static void print_list(FILE *to, const struct ptx_function *f, const struct ptx_operand *list, int n,
                       const char *between)
{
    for (int k = 0; k < n; k++) {
        fputs(k ? between : "", to);
        print_operand(to, f, &list[k]);
    }
}

static void print_reg(FILE *to, const struct ptx_function *f, int reg)
{
    fputs(reg >= 0 && reg < f->reg_count ? f->regs[reg].name : "?", to);
}

static void print_address(FILE *to, const struct ptx_function *f, const struct ptx_operand *o)
{
    fputc('[', to);
    if (o->reg >= 0)
        print_reg(to, f, o->reg);
    else if (o->symbol)
        fputs(o->symbol, to);
    if (o->value || (o->reg < 0 && !o->symbol))
        fprintf(to, o->reg >= 0 || o->symbol ? "%+" PRId64 : "%" PRId64, o->value);
    if (o->list)
        fputs(", ", to);
    print_list(to, f, o->list, o->list ? o->count : 0, ", ");
    fputc(']', to);
}

static void print_label(FILE *to, const struct ptx_function *f, int64_t at)
{
    if (at < f->instr_count)
        fprintf(to, "line_%d", f->instrs[at].line);
    else
        fputs("end", to);
}

static void print_operand(FILE *to, const struct ptx_function *f, const struct ptx_operand *o)
{
    fputs(o->negated ? "!" : "", to);
    switch (o->kind) {
    case PTX_OP_REG: print_reg(to, f, o->reg); break;
    case PTX_OP_INT: fprintf(to, "%" PRId64, o->value); break;
    case PTX_OP_F32: fprintf(to, "0f%08" PRIX32, (uint32_t)o->value); break;
    case PTX_OP_F64: fprintf(to, "0d%016" PRIX64, (uint64_t)o->value); break;
    case PTX_OP_SPECIAL: fputs(o->symbol, to); break;
    case PTX_OP_SYMBOL:
        fputs(o->symbol, to);
        if (o->value)
            fprintf(to, "%+" PRId64, o->value);
        break;
    case PTX_OP_ADDRESS: print_address(to, f, o); break;
    case PTX_OP_LABEL: print_label(to, f, o->value); break;
    case PTX_OP_PAIR: print_list(to, f, o->list, 2, "|"); break;
    case PTX_OP_SINK: fputc('_', to); break;
    case PTX_OP_VECTOR:
        fputc('{', to);
        print_list(to, f, o->list, o->count, ", ");
        fputc('}', to);
        break;
    }
}

void ptx_print(FILE *to, const struct ptx_function *f, const struct ptx_instr *in)
{
    if (in->guard >= 0) {
        fputs(in->guard_negated ? "@!" : "@", to);
        print_reg(to, f, in->guard);
        fputc(' ', to);
    }
    fputs(in->op, to);
    fputs(in->count ? " " : "", to);
    print_list(to, f, in->operands, in->count, ", ");
}

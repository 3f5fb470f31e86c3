// Rare comparisons: set, which writes a row, and setp with a second or combined predicate. alu.c has the usual setp.
#include "exec/compare.h"

#include "decode/forms.h"
#include "exec/rows.h"

void finish_compare(struct warp *w, const struct insn *in, uint32_t bits)
{
    if (in->sub == COMBINE_ROW) {
        uint64_t values[LANES];
        for (int l = 0; l < LANES; l++)
            values[l] = bits >> l & 1 ? (uint64_t)in->imm : 0;
        write_row(w, in->dst, in->size, values);
        return;
    }
    uint32_t other = ~bits, c;
    enum combine how = in->sub & 7;
    if (how != COMBINE_SECOND) {
        c = predicate_maybe_not(w, in->c, in->sub & COMBINE_NOT);
        bits = how == COMBINE_AND ? bits & c : how == COMBINE_OR ? bits | c : bits ^ c;
        other = how == COMBINE_AND ? other & c : how == COMBINE_OR ? other | c : other ^ c;
    }
    set_predicate(w, in->dst, bits);
    if (in->target != NONE)
        set_predicate(w, in->target, other);
}

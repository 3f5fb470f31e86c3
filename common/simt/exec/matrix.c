// ldmatrix, stmatrix and movmatrix: matrices of 8 x 8 elements of 16 bits. Of each matrix a lane holds one word, two
// neighbours of a row: lane 4 i + j has row i, columns 2 j and 2 j + 1.
//
// In memory a row is 16 bytes, and one lane gives its address; checks and counters see an access of 16 bytes by that
// lane.
#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/sync.h"

#define SIDE 8 // of a matrix

typedef uint16_t matrix[SIDE][SIDE];

// The word of lane l in matrix `m`; transposed: rows and columns are swapped.
static uint32_t matrix_word(matrix m, uint32_t l, bool transposed)
{
    uint32_t i = l / 4, j = l % 4 * 2;
    return transposed ? m[j][i] | (uint32_t)m[j + 1][i] << 16 : m[i][j] | (uint32_t)m[i][j + 1] << 16;
}

static void set_matrix_word(matrix m, uint32_t l, bool transposed, uint32_t word)
{
    uint32_t i = l / 4, j = l % 4 * 2;
    *(transposed ? &m[j][i] : &m[i][j]) = (uint16_t)word;
    *(transposed ? &m[j + 1][i] : &m[i][j + 1]) = (uint16_t)(word >> 16);
}

// The lanes whose addresses are used.
static uint32_t row_lanes(const struct insn *in)
{
    return in->count == 4 ? ALL_LANES : (1u << SIDE * in->count) - 1;
}

void op_load_matrices(struct warp *w, const struct insn *in)
{
    matrix rows[4] = {{{0}}};
    if (!meet_warp(w, in))
        return;
    const uint32_t *places = w->path->frame->code->lists + in->target;
    access_rows(w, in, LOAD, row_lanes(in), rows, perform_read);
    for (uint32_t k = 0; k < in->count; k++) {
        uint32_t *d = row(w, places[k]);
        FOR_LANES(l, w->mask)
        d[l] = matrix_word(rows[k], l, in->sub);
    }
    finish_meeting(w, in);
}

void op_store_matrices(struct warp *w, const struct insn *in)
{
    matrix rows[4] = {{{0}}};
    if (!meet_warp(w, in))
        return;
    const uint32_t *places = w->path->frame->code->lists + in->target;
    for (uint32_t k = 0; k < in->count; k++) {
        const uint32_t *a = row(w, places[k]);
        FOR_LANES(l, w->mask)
        set_matrix_word(rows[k], l, in->sub, a[l]);
    }
    access_rows(w, in, STORE, row_lanes(in), rows, perform_write);
    finish_meeting(w, in);
}

void op_move_matrix(struct warp *w, const struct insn *in)
{
    matrix m = {{0}};
    if (!meet_warp(w, in))
        return;
    const uint32_t *a = row(w, in->a);
    uint32_t *d = row(w, in->dst);
    FOR_LANES(l, w->mask)
    set_matrix_word(m, l, false, a[l]);
    FOR_LANES(l, w->mask)
    d[l] = matrix_word(m, l, true);
    finish_meeting(w, in);
}

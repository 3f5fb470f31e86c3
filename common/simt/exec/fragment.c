// wmma.load and wmma.store: a fragment of a matrix in memory. If a register's elements are contiguous, one access moves
// them; otherwise each element is a separate access.
#include <string.h>

#include "decode/tensor.h"
#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/sync.h"

// One instruction: where each lane's matrix begins, and its leading dimension in elements.
struct fragment_access {
    const struct matrix_form *form;
    const struct insn *in;
    uint64_t start[LANES];
    uint32_t stride[LANES];
};

static void begin_fragment(struct warp *w, const struct insn *in, struct fragment_access *f)
{
    const uint32_t *stride = row(w, in->b), *narrow = in->a == NONE ? NULL : row(w, in->a);
    const uint64_t *wide = (const uint64_t *)(const void *)narrow;
    f->form = matrix_form_of(w->path->frame->code, in);
    f->in = in;
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t base = !narrow ? 0 : in->order & ADDRESS_32 ? narrow[l] : wide[l];
        f->start[l] = base + (uint64_t)in->imm;
        f->stride[l] = stride[l];
    }
}

// Address of element e of lane l.
static uint64_t element_address(const struct fragment_access *f, uint32_t l, uint32_t e)
{
    const struct matrix_form *m = f->form;
    uint64_t at = (uint64_t)m->fragment.lane_at[l] + m->fragment.element_at[e], line = at / m->length;
    uint64_t place = at % m->length, stride = f->stride[l];
    uint64_t bits = m->along ? line * stride * m->bits + place * m->unit : place * stride * m->unit + line * m->bits;
    return f->start[l] + bits / 8;
}

// Whether the elements of a register are contiguous.
static bool is_together(const struct matrix_form *m)
{
    uint32_t step = m->fragment.per_register > 1 ? (uint32_t)m->fragment.element_at[1] : 0;
    return m->fragment.per_register == 1 || (m->along ? step == 1 : step == m->length);
}

// Elements e to e + n of every lane, which are contiguous; words holds them from its lowest bit on.
static void access_elements(struct warp *w, const struct fragment_access *f, enum access_kind kind, uint32_t e,
                            uint32_t n, uint64_t *words)
{
    uint64_t addr[LANES] __attribute__((aligned(64)));
    for (uint32_t l = 0; l < LANES; l++)
        addr[l] = element_address(f, l, e);
    access_at(w, f->in, kind, addr, n * f->form->unit / 8, words, kind == LOAD ? perform_read : perform_write);
}

static void load_register(struct warp *w, const struct fragment_access *f, uint32_t r, uint64_t *words)
{
    uint32_t per = f->form->fragment.per_register, parts = is_together(f->form) ? 1 : per;
    memset(words, 0, LANES * sizeof *words);
    for (uint32_t i = 0; i < parts; i++) {
        uint64_t some[LANES] = {0};
        access_elements(w, f, LOAD, r * per + i, per / parts, some);
        for (uint32_t l = 0; l < LANES; l++)
            words[l] |= some[l] << i * f->form->unit;
    }
}

static void store_register(struct warp *w, const struct fragment_access *f, uint32_t r, uint64_t *words)
{
    uint32_t per = f->form->fragment.per_register, parts = is_together(f->form) ? 1 : per;
    for (uint32_t i = 0; i < parts; i++) {
        access_elements(w, f, STORE, r * per + i, per / parts, words);
        for (uint32_t l = 0; l < LANES; l++)
            words[l] >>= f->form->unit % 64;
    }
}

void op_load_fragment(struct warp *w, const struct insn *in)
{
    struct fragment_access f;
    uint64_t words[MAX_REGISTERS][LANES];
    if (!meet_warp(w, in))
        return;
    const uint32_t *places = w->path->frame->code->lists + in->target;
    begin_fragment(w, in, &f);
    for (uint32_t r = 0; r < in->sub; r++)
        load_register(w, &f, r, words[r]);
    for (uint32_t r = 0; r < in->sub; r++) {
        uint8_t *d = row(w, places[r]);
        FOR_LANES(l, w->mask)
        memcpy(d + l * in->size, &words[r][l], in->size);
    }
    finish_meeting(w, in);
}

void op_store_fragment(struct warp *w, const struct insn *in)
{
    struct fragment_access f;
    uint64_t words[LANES] = {0};
    if (!meet_warp(w, in))
        return;
    const uint32_t *places = w->path->frame->code->lists + in->target;
    begin_fragment(w, in, &f);
    for (uint32_t r = 0; r < in->sub; r++) {
        const uint8_t *a = row(w, places[r]);
        FOR_LANES(l, w->mask)
        memcpy(&words[l], a + l * in->size, in->size);
        store_register(w, &f, r, words);
    }
    finish_meeting(w, in);
}

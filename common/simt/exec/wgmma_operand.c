// Factors of wgmma in shared memory (PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Shared Memory Layout").
//
// A descriptor says where a matrix of lines begins and how it continues, in units of 16 contiguous bytes:
//
//     13..0 start   29..16 leading offset   45..32 stride offset   51..49 base offset   63..62 swizzle
//
// Eight lines lie one after another, `width` bytes apart: 16 without a swizzle, else 32, 64 or 128. With lines along k
// a line has two units, adjacent or, without a swizzle, the leading offset apart; the next eight lines follow after the
// stride offset. With lines along m or n (transposed) a line holds width bytes, 8 elements in each unit. The line
// continues after the leading offset, and the next eight lines (of k) follow after the stride offset; without a swizzle
// the two offsets swap roles. The swizzle permutes units within width bytes, by the number of the 128 bytes in which
// they lie.
#include <stdio.h>
#include <string.h>

#include "exec/access.h"
#include "exec/finding.h"
#include "exec/warpgroup.h"
#include "report/errors.h"
#include "report/settings.h"

#define UNIT 16
#define FIELD 0x3fff
#define UNUSED_BITS UINT64_C(0x3ff1c000c000c000)

struct layout {
    uint64_t start, leading, stride;
    uint32_t width, base;
    uint32_t lines; // lines of the matrix, along m or n
    bool transposed;
};

static struct layout layout_of(uint64_t descriptor, uint32_t lines, bool transposed)
{
    static const uint8_t widths[] = {16, 128, 64, 32};
    return (struct layout){.start = (descriptor & FIELD) * UNIT,
                           .leading = (descriptor >> 16 & FIELD) * UNIT,
                           .stride = (descriptor >> 32 & FIELD) * UNIT,
                           .base = descriptor >> 49 & 7,
                           .width = widths[descriptor >> 62],
                           .lines = lines,
                           .transposed = transposed};
}

static uint32_t swizzled(const struct layout *y, uint64_t at)
{
    return (uint32_t)(at ^ (((at >> 7) - y->base) & (y->width / UNIT - 1)) * UNIT);
}

// The address of unit i: of line i / 2 along k or, transposed, of line i % 16 of k.
static uint32_t unit_at(const struct layout *y, uint32_t i)
{
    uint32_t line = y->transposed ? i % 16 : i / 2, along = y->transposed ? i / 16 : i % 2;
    uint64_t at = y->start + line % 8 * y->width, next = line / 8, per = y->width / UNIT;
    if (y->width > UNIT)
        at += next * y->stride + (y->transposed ? along % per * UNIT + along / per * y->leading : along * UNIT);
    else
        at += y->transposed ? along * y->stride + next * y->leading : next * y->stride + along * y->leading;
    return swizzled(y, at);
}

// ---- what is wrong with a descriptor

static void report_descriptor(struct warp *w, const struct product *p, int which, const char *what)
{
    const struct scene s = scene_of_lane(w, 0);
    report_scene(w->block, &s, FINDING_MEMORY, ERROR, p->in->id, NONE - 4 - (uint32_t)which,
                 "Invalid matrix descriptor of %c at %s: %s", "AB"[which],
                 origin_place(w->block->launch->module, p->in->id), what);
}

// The swizzle depends on addresses: eight lines begin where its pattern does, or as far after it as the base offset
// says. A copy of a tensor, whose swizzle goes by addresses as well, may begin anywhere: base offset 0 (CUTLASS).
static uint8_t shift_of(const struct layout *y)
{
    uint32_t first = (uint32_t)(y->start / y->width * y->width), mask = y->width / UNIT - 1;
    return y->width == UNIT ? 0
                            : ((y->base & mask) != 0) * SHIFTED_IF_COPIED |
                                  ((first >> 7 & mask) != (y->base & mask)) * SHIFTED_IF_STORED;
}

static void check_layout(struct warp *w, const struct product *p, int which, const struct layout *y)
{
    char why[160] = "";
    uint32_t repeats = 8 * y->width;
    bool more = y->transposed || y->lines > 8; // than eight lines
    if (p->descriptor[which] & UNUSED_BITS)
        snprintf(why, sizeof why, "0x%llx has bits set that mean nothing; start and offsets are bytes / 16, of 14 bits",
                 (unsigned long long)p->descriptor[which]);
    else if (y->width > UNIT && more && y->stride % repeats)
        snprintf(why, sizeof why,
                 "its stride offset of %llu bytes is not a multiple of %u, after which the %u-byte swizzle repeats",
                 (unsigned long long)y->stride, repeats, y->width);
    if (*why && settings()->check_memory)
        report_descriptor(w, p, which, why);
}

static bool find_operand(struct warp *w, struct product *p, int which, const struct layout *y)
{
    struct operand *o = &p->operand[which];
    const struct launch *launch = w->block->launch;
    o->count = 2 * y->lines;
    o->layout = (uint8_t)(LAYOUT_PLAIN + __builtin_ctz(y->width / UNIT));
    o->shift = shift_of(y);
    o->low = UINT32_MAX;
    o->high = 0;
    check_layout(w, p, which, y);
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t at = o->at[i] = unit_at(y, i);
        o->low = at < o->low ? at : o->low;
        o->high = at + UNIT > o->high ? at + UNIT : o->high;
        if (shared_holds(launch, at, at + UNIT))
            continue;
        char why[120];
        snprintf(why, sizeof why, "it reads 16 bytes at byte %u, which no variable of the block's shared memory holds",
                 at);
        report_descriptor(w, p, which, why);
        fail_launch(w->block->launch, CUDA_ERROR_ILLEGAL_ADDRESS);
        return false;
    }
    return true;
}

bool product_find(struct warp *w, struct product *p)
{
    const struct wgmma_form *f = p->form;
    struct layout a = layout_of(p->descriptor[0], GROUP_ROWS, f->transposed[0]);
    struct layout b = layout_of(p->descriptor[1], f->n, f->transposed[1]);
    p->operand[0].count = 0;
    return (f->registers || find_operand(w, p, 0, &a)) && find_operand(w, p, 1, &b);
}

// ---- reading

// Reads the units of an operand, 32 at a time.
static void notify_units(struct warp *w, const struct product *p, const struct operand *o, enum async_part part)
{
    struct insn in = *p->in;
    in.space = PTX_SHARED;
    in.size = UNIT;
    in.count = 1;
    in.order = in.sub = 0;
    for (uint32_t i = 0; i < o->count; i += LANES) {
        uint64_t addr[LANES] __attribute__((aligned(64))) = {0};
        uint32_t n = o->count - i < LANES ? o->count - i : LANES;
        for (uint32_t l = 0; l < n; l++)
            addr[l] = o->at[i + l];
        struct access a = {.in = &in, .kind = LOAD, .space = PTX_SHARED, .size = UNIT, .addr = addr, .async = part};
        a.layout = o->layout;
        a.shift = o->shift;
        a.mask = n == LANES ? ALL_LANES : (1u << n) - 1;
        repeat_access(w, &a, access_nothing);
    }
}

void product_notify(struct warp *w, const struct product *p, enum async_part part)
{
    for (int which = 0; which < 2 && w->block->launch->watched; which++)
        notify_units(w, p, &p->operand[which], part);
}

// Element e of a unit.
static uint32_t element_of(const uint8_t *unit, uint32_t e, uint32_t bits)
{
    uint32_t x = 0;
    memcpy(&x, unit + e * bits / 8, bits / 8);
    return x;
}

static void unpack(const struct block *b, const struct product *p, int which, uint32_t *to)
{
    const struct wgmma_form *f = p->form;
    const struct operand *o = &p->operand[which];
    uint32_t bits = f->bits, per = UNIT * 8 / bits, k = f->product.k;
    uint32_t sign = f->negated[which] ? 1u << (bits - 1) : 0;
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t e = 0; e < per; e++) {
            uint32_t at = f->transposed[which] ? (i / k * per + e) * k + i % k : i / 2 * k + i % 2 * per + e;
            to[at] = element_of(b->shared + o->at[i], e, bits) ^ sign;
        }
}

void product_take(struct warp *w, struct product *p)
{
    for (int which = 0; which < 2 && !p->taken; which++)
        unpack(w->block, p, which, which ? p->b : p->a);
    p->taken = true;
}

const struct insn *product_reading(const struct warp *w, uint64_t low, uint64_t high)
{
    const struct group_warp *g = w->block->groups ? group_warp_of(w) : NULL;
    for (uint32_t i = 0; g && i < g->count; i++)
        for (int which = 0; which < 2 && g->pending[i].product; which++) {
            const struct operand *o = &g->pending[i].product->operand[which];
            for (uint32_t u = 0; u < o->count && high > o->low && low < o->high; u++)
                if (low < o->at[u] + UNIT && high > o->at[u])
                    return g->pending[i].product->in;
        }
    return NULL;
}

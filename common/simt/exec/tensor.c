// mma: D = A B + C. It gathers the matrices from the warp's registers, multiplies them as a whole, and scatters the
// result to registers. tensor_sum.c rounds sums of floats.
#include "exec/tensor.h"

#include <string.h>

#include "exec/handlers.h"
#include "exec/lane.h"
#include "exec/sync.h"
#include "exec/tensor_sum.h"

#define MAX_FACTOR 1024 // elements of A or B
#define MAX_SUM 256     // of C or D
#define MAX_WIDE 256    // of 64 bits, of any of them

// ---- registers

void tensor_gather(const struct warp *w, const struct fragment *f, const uint32_t *places, uint32_t *out)
{
    uint32_t per = f->per_register, bits = 32 / per, mask = UINT32_MAX >> (32 - bits);
    for (uint32_t r = 0; r < f->registers; r++) {
        const uint32_t *from = row(w, places[r]);
        for (uint32_t e = 0; e < per; e++) {
            uint32_t *to = out + f->element_at[r * per + e];
            for (uint32_t l = 0; l < LANES; l++)
                to[f->lane_at[l]] = from[l] >> e * bits & mask;
        }
    }
}

void tensor_spread(struct warp *w, const struct fragment *f, const uint32_t *places, const uint32_t *in)
{
    uint32_t per = f->per_register, bits = 32 / per, words[LANES];
    for (uint32_t r = 0; r < f->registers; r++) {
        uint32_t *to = row(w, places[r]);
        memset(words, 0, sizeof words);
        for (uint32_t e = 0; e < per; e++) {
            const uint32_t *from = in + f->element_at[r * per + e];
            for (uint32_t l = 0; l < LANES; l++)
                words[l] |= from[f->lane_at[l]] << e * bits;
        }
        FOR_LANES(l, w->mask)
        to[l] = words[l];
    }
}

static void gather_wide(const struct warp *w, const struct fragment *f, const uint32_t *places, double *out)
{
    for (uint32_t r = 0; r < f->registers; r++) {
        const double *from = row(w, places[r]);
        for (uint32_t l = 0; l < LANES; l++)
            out[f->element_at[r] + f->lane_at[l]] = from[l];
    }
}

static void spread_wide(struct warp *w, const struct fragment *f, const uint32_t *places, const double *in)
{
    for (uint32_t r = 0; r < f->registers; r++) {
        double *to = row(w, places[r]);
        FOR_LANES(l, w->mask)
        to[l] = in[f->element_at[r] + f->lane_at[l]];
    }
}

// ---- products

// Each sum is a chain of fused multiply-adds.
static void multiply_wide(const struct tensor_form *f, const double *a, const double *b, const double *c, double *d)
{
    for (uint32_t i = 0; i < f->m; i++)
        for (uint32_t j = 0; j < f->n; j++) {
            double sum = c[i * f->n + j];
            for (uint32_t l = 0; l < f->k; l++) {
                double x = a[i * f->k + l], y = b[j * f->k + l];
                sum = keep_three_f64(fma_f64(x, y, sum), 0, x, y, sum);
            }
            d[i * f->n + j] = sum;
        }
}

static void extend(enum tensor_type type, uint32_t *x, uint32_t n)
{
    uint32_t unused = type == TENSOR_S8 ? 24 : type == TENSOR_S4 ? 28 : 0;
    for (uint32_t i = 0; i < n; i++)
        x[i] = (uint32_t)((int32_t)(x[i] << unused) >> unused);
}

// c + sum, saturated to 32 bits if the instruction says so.
static uint32_t add_whole(uint32_t c, int32_t sum, bool saturate)
{
    return saturate ? (uint32_t)saturate_s32((int64_t)(int32_t)c + sum) : c + (uint32_t)sum;
}

static void multiply_whole(const struct tensor_form *f, uint32_t *a, uint32_t *b, const uint32_t *c, uint32_t *d)
{
    extend(f->part[PART_A].type, a, f->m * f->k);
    extend(f->part[PART_B].type, b, f->n * f->k);
    for (uint32_t i = 0; i < f->m; i++)
        for (uint32_t j = 0; j < f->n; j++) {
            const int32_t *x = (const int32_t *)a + i * f->k, *y = (const int32_t *)b + j * f->k;
            int32_t sum = 0;
            for (uint32_t l = 0; l < f->k; l++)
                sum += x[l] * y[l];
            d[i * f->n + j] = add_whole(c[i * f->n + j], sum, f->saturate);
        }
}

static void multiply_bits(const struct tensor_form *f, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                          uint32_t *d)
{
    for (uint32_t i = 0; i < f->m; i++)
        for (uint32_t j = 0; j < f->n; j++) {
            uint32_t sum = c[i * f->n + j];
            for (uint32_t l = 0; l < f->k; l++) {
                uint32_t x = a[i * f->k + l], y = b[j * f->k + l];
                sum += (uint32_t)__builtin_popcount(f->bits == BITS_XOR ? x ^ y : x & y);
            }
            d[i * f->n + j] = sum;
        }
}

void tensor_multiply(const struct tensor_form *f, uint32_t *a, uint32_t *b, const uint32_t *c, uint32_t *d)
{
    if (f->part[PART_A].type == TENSOR_B1)
        multiply_bits(f, a, b, c, d);
    else if (f->part[PART_D].type == TENSOR_S32)
        multiply_whole(f, a, b, c, d);
    else
        multiply_floats(f, a, b, c, d);
}

// ---- the instruction

static void mma_wide(struct warp *w, const struct tensor_form *f, const uint32_t *const *places)
{
    double a[MAX_WIDE], b[MAX_WIDE], c[MAX_WIDE], d[MAX_WIDE];
    gather_wide(w, &f->part[PART_A], places[PART_A], a);
    gather_wide(w, &f->part[PART_B], places[PART_B], b);
    gather_wide(w, &f->part[PART_C], places[PART_C], c);
    multiply_wide(f, a, b, c, d);
    spread_wide(w, &f->part[PART_D], places[PART_D], d);
}

static void mma_narrow(struct warp *w, const struct tensor_form *f, const uint32_t *const *places)
{
    uint32_t a[MAX_FACTOR], b[MAX_FACTOR], c[MAX_SUM], d[MAX_SUM];
    tensor_gather(w, &f->part[PART_A], places[PART_A], a);
    tensor_gather(w, &f->part[PART_B], places[PART_B], b);
    tensor_gather(w, &f->part[PART_C], places[PART_C], c);
    tensor_multiply(f, a, b, c, d);
    tensor_spread(w, &f->part[PART_D], places[PART_D], d);
}

// imm: its form; target: the registers of D, A, B and C.
void op_mma(struct warp *w, const struct insn *in)
{
    const uint32_t *places[PARTS];
    if (!meet_warp(w, in))
        return;
    const struct code *code = w->path->frame->code;
    const struct tensor_form *f = tensor_form_of(code, in);
    const uint32_t *at = code->lists + in->target;
    w->multiplies = true;
    w->block->products += (uint32_t)f->m * f->n * f->k * f->count;
    for (int part = 0; part < PARTS; at += f->part[part++].registers)
        places[part] = at;
    if (f->part[PART_D].type == TENSOR_F64)
        mma_wide(w, f, places);
    else
        mma_narrow(w, f, places);
    finish_meeting(w, in);
}

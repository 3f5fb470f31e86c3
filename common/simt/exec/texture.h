// Textures and surfaces: what a texel is made of, where it lies, and how coordinates become texels. Handles are given
// out here, too.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode/forms.h"

enum texture_edge { EDGE_WRAP, EDGE_CLAMP, EDGE_MIRROR, EDGE_BORDER }; // as cudaTextureAddressMode counts
enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };

struct texture {
    uint64_t base, width, height, depth; // texels; depth: slices, layers or faces
    uint64_t pitch;                      // bytes from row to row; slices are height rows
    enum texture_shape shape;
    uint32_t channels, bits; // 1, 2 or 4 of 8, 16 or 32 bits
    enum texel_kind kind;
    bool surface;    // written and read by bytes, not sampled
    bool to_float;   // integers become [0, 1] or [-1, 1]
    bool normalized; // coordinates run from 0 to 1
    bool linear;     // filtered between texels
    enum texture_edge edge[3];
    float border[4]; // what lies outside with EDGE_BORDER
    void *made_from; // the descriptors, for those who query them
};

static inline uint32_t texel_bytes(const struct texture *t)
{
    return t->channels * t->bits / 8;
}

// A handle for a copy of the texture; 0 where there are too many.
uint64_t texture_open(const struct texture *t);
const struct texture *texture_find(uint64_t handle); // NULL: there is none, or it is closed
bool texture_close(uint64_t handle);
uint32_t textures_live(void); // how many are open

// Along one edge: the texel that a coordinate falls on, or the two that it lies between and the part of the second one.
// -1: outside, in the border.
struct axis_sample {
    int64_t at[2];
    double part;
};
struct axis_sample sample_axis(double x, uint64_t n, bool normalized, enum texture_edge edge, bool linear);

// The same for a row of lanes, without a filter: the texel of each, or -1.
void sample_row(const float *x, uint64_t n, bool normalized, enum texture_edge edge, int32_t *at);

// The face of a cube that the vector v points at, and where on it, each from 0 to 1.
uint32_t cube_face(const float v[3], float on[2]);

// Textures and surfaces: the format of texels, their addresses, and the mapping from coordinates to texels. Also issues
// handles.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode/forms.h"

enum texture_edge { EDGE_WRAP, EDGE_CLAMP, EDGE_MIRROR, EDGE_BORDER }; // numbered as in cudaTextureAddressMode
enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };

struct texture {
    uint64_t base, width, height, depth; // texels; depth: slices, layers or faces
    uint64_t pitch;                      // bytes from row to row; slices are height rows
    enum texture_shape shape;
    uint32_t channels, bits; // 1, 2 or 4 of 8, 16 or 32 bits
    enum texel_kind kind;
    bool surface;    // a surface: addressed in bytes, not sampled
    bool to_float;   // integers become [0, 1] or [-1, 1]
    bool normalized; // coordinates run from 0 to 1
    bool linear;     // filtered between texels
    enum texture_edge edge[3];
    float border[4]; // the border color with EDGE_BORDER
    void *made_from; // the descriptors, for programs that query them
};

static inline uint32_t texel_bytes(const struct texture *t)
{
    return t->channels * t->bits / 8;
}

// Returns a handle for a copy of the texture; 0: there are too many.
uint64_t texture_open(const struct texture *t);
const struct texture *texture_find(uint64_t handle); // NULL: no such object, or it is closed
bool texture_close(uint64_t handle);
uint32_t textures_live(void); // the number of open objects

// Along one dimension: the texel that a coordinate selects, or the two that it lies between and the weight of the
// second. -1: outside, in the border.
struct axis_sample {
    int64_t at[2];
    double part;
};
struct axis_sample sample_axis(double x, uint64_t n, bool normalized, enum texture_edge edge, bool linear);

// The same for a row of lanes, without filtering: the texel of each lane, or -1.
void sample_row(const float *x, uint64_t n, bool normalized, enum texture_edge edge, int32_t *at);

// The cube face that the vector v points at, and the position on it, each coordinate from 0 to 1.
uint32_t cube_face(const float v[3], float on[2]);

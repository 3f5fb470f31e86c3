// Texture objects over linear and pitched memory, read at points: what a texel is made of, and where it lies.
#ifndef SIMT_TEXTURE_H
#define SIMT_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum texture_edge { EDGE_WRAP, EDGE_CLAMP, EDGE_MIRROR, EDGE_BORDER }; // as cudaTextureAddressMode counts
enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };

struct texture {
    uint64_t base, width, height, pitch; // texels; bytes from row to row
    uint32_t dimensions;                 // 1: read by tex1Dfetch; 2
    uint32_t channels, bits;             // 1, 2 or 4 of 8, 16 or 32 bits
    enum texel_kind kind;
    bool to_float;   // integers become [0, 1] or [-1, 1]
    bool normalized; // coordinates run from 0 to 1
    enum texture_edge edge[2];
};

// A handle for a copy of the texture; 0 where there are too many.
uint64_t texture_open(const struct texture *t);
const struct texture *texture_find(uint64_t handle); // NULL: there is none, or it is closed
bool texture_close(uint64_t handle);

#endif

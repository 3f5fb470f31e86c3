// image.h: images in pitched memory, as chapter 00-basics uses them.
#pragma once

#include <cuda_runtime.h>

struct image {
    unsigned char *data; // row r begins at data + r * pitch
    int width, height;   // in pixels
    size_t pitch;        // in bytes
};

// The brightness of a pixel: green looks brightest, blue darkest. The weights add up to 256.
__host__ __device__ static inline unsigned char grey_of(uchar4 pixel)
{
    return (unsigned char)((77 * pixel.x + 150 * pixel.y + 29 * pixel.z + 128) >> 8);
}

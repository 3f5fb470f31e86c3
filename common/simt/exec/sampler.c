// From coordinates to texels, as defined in the CUDA programming guide, "Texture Fetching".
#include <math.h>

#include "exec/texture.h"

// ---- along one edge

// Maps the coordinate of a repeated, or repeated and mirrored, texture back to 0 to 1.
static double fold(double x, enum texture_edge edge)
{
    double part = x - floor(x);
    if (edge == EDGE_MIRROR)
        return fmod(floor(x), 2) == 0 ? part : 1 - part;
    return edge == EDGE_WRAP ? part : x;
}

// Converts to an integer, clamped to -2 to n + 1; NaN becomes 0.
static int64_t to_index(double x, uint64_t n)
{
    double most = (double)n + 1;
    return !(x == x) ? 0 : x < -2 ? -2 : x > most ? (int64_t)most : (int64_t)x;
}

// The texel for index i, which may be out of range.
static int64_t at_edge(int64_t i, uint64_t n, enum texture_edge edge)
{
    int64_t size = (int64_t)n;
    if (i >= 0 && i < size)
        return i;
    switch (edge) {
    case EDGE_BORDER: return -1;
    case EDGE_WRAP: return i < 0 ? size - 1 : 0;
    default: return i < 0 ? 0 : size - 1; // a mirror repeats the texel at the edge
    }
}

// The hardware's interpolation weight has 8 bits: 256 positions between two texels.
static struct axis_sample between(double x, uint64_t n, enum texture_edge edge)
{
    double places = floor((x - 0.5) * 256 + 0.5), first = floor(places / 256);
    int64_t i = to_index(first, n);
    bool inside = first == (double)i;
    double part = inside ? (places - first * 256) / 256 : 0;
    return (struct axis_sample){{at_edge(i, n, edge), at_edge(i + 1, n, edge)}, part};
}

struct axis_sample sample_axis(double x, uint64_t n, bool normalized, enum texture_edge edge, bool linear)
{
    x = normalized ? fold(x, edge) * (double)n : x;
    if (linear)
        return between(x, n, edge);
    bool outside = edge == EDGE_BORDER && !(x >= 0 && x < (double)n);
    int64_t i = outside ? -1 : at_edge(to_index(floor(x), n), n, edge == EDGE_WRAP ? EDGE_CLAMP : edge);
    return (struct axis_sample){{i, i}, 0};
}

// ---- a row of lanes, in loops that the compiler vectorises

#define ROW 32

static void scale_row(const float *x, double size, bool normalized, enum texture_edge edge, double *to)
{
    if (!normalized)
        for (int l = 0; l < ROW; l++)
            to[l] = x[l];
    else if (edge == EDGE_WRAP)
        for (int l = 0; l < ROW; l++)
            to[l] = ((double)x[l] - floor((double)x[l])) * size;
    else if (edge == EDGE_MIRROR)
        for (int l = 0; l < ROW; l++)
            to[l] = fold(x[l], edge) * size;
    else
        for (int l = 0; l < ROW; l++)
            to[l] = (double)x[l] * size;
}

void sample_row(const float *x, uint64_t n, bool normalized, enum texture_edge edge, int32_t *at)
{
    double v[ROW], size = (double)n;
    scale_row(x, size, normalized, edge, v);
    if (edge == EDGE_BORDER)
        for (int l = 0; l < ROW; l++)
            at[l] = v[l] >= 0 && v[l] < size ? (int32_t)v[l] : -1;
    else
        for (int l = 0; l < ROW; l++) {
            double inside = v[l] > 0 ? v[l] : 0; // NaN is 0
            at[l] = (int32_t)(inside < size ? inside : size - 1);
        }
}

// ---- cubes

uint32_t cube_face(const float v[3], float on[2])
{
    float x = v[0], y = v[1], z = v[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    uint32_t axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
    bool negative = v[axis] < 0;
    float s = axis == 0 ? (negative ? z : -z) : axis == 1 ? x : negative ? -x : x;
    float t = axis == 1 ? (negative ? -z : z) : -y, m = axis == 0 ? ax : axis == 1 ? ay : az;
    on[0] = m > 0 ? (s / m + 1) / 2 : 0.5f;
    on[1] = m > 0 ? (t / m + 1) / 2 : 0.5f;
    return 2 * axis + negative;
}

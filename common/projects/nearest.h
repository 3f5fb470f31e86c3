// nearest.h: project 9, the nearest neighbours of every point. Write
//
//     void find_nearest(int *d_nearest, const int2 *d_points, int n);
//
// d_nearest[i * NEIGHBOURS], ..., d_nearest[i * NEIGHBOURS + NEIGHBOURS - 1] become the numbers of the points nearest
// to point i, other than i, the nearest first; of two at the same distance the one with the lower number comes first.
// Coordinates are from 0 to SIDE - 1, so that squared distances fit an int. n is above NEIGHBOURS. Points may coincide,
// and may be crowded.
//
//     a.out N SEED PERCENT     PERCENT of the points in a corner
#pragma once

#include "projects/check.h"

#define NEIGHBOURS 4
#define SIDE 16384

void find_nearest(int *d_nearest, const int2 *d_points, int n);

static inline void nearest_on_host(int *nearest, const int2 *points, int n, int i)
{
    long long best[NEIGHBOURS + 1];
    int count = 0;
    for (int j = 0; j < n; j++) {
        long long dx = points[j].x - points[i].x, dy = points[j].y - points[i].y, key = (dx * dx + dy * dy) * n + j;
        int at = count;
        if (j == i || (count == NEIGHBOURS && key > best[count - 1]))
            continue;
        for (; at > 0 && best[at - 1] > key; at--)
            best[at] = best[at - 1];
        best[at] = key;
        count += count < NEIGHBOURS;
    }
    for (int k = 0; k < NEIGHBOURS; k++)
        nearest[k] = (int)(best[k] % n);
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 200), percent = argument(argc, argv, 3, 0), right;
    uint64_t state = (uint64_t)argument(argc, argv, 2, 1);
    int2 *points = (int2 *)host_buffer(n * sizeof *points), *d_points;
    int *want = (int *)host_buffer(n * NEIGHBOURS * sizeof *want), *d_nearest;

    for (int i = 0; i < n; i++) {
        int side = random_below(&state, 99) < percent ? SIDE / 64 : SIDE;
        points[i] = make_int2(random_below(&state, side - 1), random_below(&state, side - 1));
    }
    for (int i = 0; i < n; i++)
        nearest_on_host(want + i * NEIGHBOURS, points, n, i);
    d_points = (int2 *)device_buffer(points, n * sizeof *points);
    d_nearest = (int *)device_buffer(NULL, n * NEIGHBOURS * sizeof *d_nearest);
    begin_counted();
    find_nearest(d_nearest, d_points, n);
    end_counted();
    right = are_words("nearest", d_nearest, want, (size_t)n * NEIGHBOURS) &&
            is_unchanged("d_points", d_points, points, n * sizeof *points);
    check_cuda(cudaFree(d_nearest));
    check_cuda(cudaFree(d_points));
    free(want);
    free(points);
    return verdict(right);
}

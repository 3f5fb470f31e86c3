// alignment.h: project 7, the edit distance of two sequences. Write
//
//     void align(int *d_distance, const char *d_a, int m, const char *d_b, int n);
//
// *d_distance becomes the least number of edits that turn the m letters of a into the n letters of b; an edit inserts,
// deletes or replaces one letter. With D(i, 0) = i and D(0, j) = j, the table
//
//     D(i, j) = min(D(i-1, j) + 1, D(i, j-1) + 1, D(i-1, j-1) + (a[i-1] == b[j-1] ? 0 : 1))
//
// has the answer in D(m, n). Cells with the same i + j do not depend on one another. m and n are 0 or more.
//
//     a.out M N SEED PERCENT     b is a with PERCENT of its letters edited, and cut or filled up to N
#pragma once

#include "projects/check.h"

void align(int *d_distance, const char *d_a, int m, const char *d_b, int n);

static inline void draw_letters(char *a, int m, char *b, int n, uint64_t *state, int percent)
{
    for (int i = 0; i < m; i++)
        a[i] = "ACGT"[random_below(state, 3)];
    for (int i = 0, j = 0; j < n; j++) {
        int edit = random_below(state, 99) < percent ? 1 + random_below(state, 2) : 0;
        i += edit == 2; // left out
        b[j] = i < m && edit != 1 ? a[i] : "ACGT"[random_below(state, 3)];
        i += edit != 3; // 3: inserted
    }
}

static inline int align_on_host(const char *a, int m, const char *b, int n)
{
    int *row = (int *)host_buffer((n + 1) * sizeof *row), distance;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; i <= m; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    distance = row[n];
    free(row);
    return distance;
}

int main(int argc, char **argv)
{
    int m = argument(argc, argv, 1, 100), n = argument(argc, argv, 2, 90), percent = argument(argc, argv, 4, 20);
    uint64_t state = (uint64_t)argument(argc, argv, 3, 1);
    char *a = (char *)host_buffer(m), *b = (char *)host_buffer(n), *d_a, *d_b;
    int want, *d_distance, right;

    draw_letters(a, m, b, n, &state, percent);
    want = align_on_host(a, m, b, n);
    d_a = (char *)device_buffer(a, m);
    d_b = (char *)device_buffer(b, n);
    d_distance = (int *)device_buffer(NULL, sizeof *d_distance);
    begin_counted();
    align(d_distance, d_a, m, d_b, n);
    end_counted();
    right =
        are_words("distance", d_distance, &want, 1) && is_unchanged("d_a", d_a, a, m) && is_unchanged("d_b", d_b, b, n);
    check_cuda(cudaFree(d_distance));
    check_cuda(cudaFree(d_b));
    check_cuda(cudaFree(d_a));
    free(b);
    free(a);
    return verdict(right);
}

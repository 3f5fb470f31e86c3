// solvers/sparse_problem.h: the matrix of step 05 of chapter 06; common/solvers_05.h says how it is stored.
#pragma once

#define SLICE 32

struct sparse {
    int rows;
    const int *start, *column; // CSR
    const float *value;
    const int *slice;  // (rows + SLICE - 1) / SLICE + 1 of them
    int *slice_column; // slice[last] of them, and of the next
    float *slice_value;
};

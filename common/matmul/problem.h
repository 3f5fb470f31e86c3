// matmul/problem.h: the types of chapter 07-matmul; common/matmul.h states its problem.
#ifndef MATMUL_PROBLEM_H
#define MATMUL_PROBLEM_H

enum storage { PLAIN, TRANSPOSED }; // of A
#endif

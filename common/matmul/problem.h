// matmul/problem.h: the types of chapter 07-matmul; common/matmul.h states its problem.
#pragma once

enum storage { PLAIN, TRANSPOSED }; // of A

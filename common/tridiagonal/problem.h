// tridiagonal/problem.h: the types of chapter 05-tridiagonal; common/tridiagonal.h states its problem.
#pragma once

enum layout { CONTIGUOUS, INTERLEAVED };
enum method { DIRECT, PARALLEL }; // with or without parallel cyclic reduction, which decides the bound on the residual
#define LONG (1 << 30)            // rows of a system: as many as there are in all

// tridiagonal/problem.h: the types of chapter 05-tridiagonal; common/tridiagonal.h states its problem.
#pragma once

enum layout { CONTIGUOUS, INTERLEAVED };
enum method { DIRECT, PARALLEL }; // with parallel cyclic reduction or without: what residual is right
#define LONG (1 << 30)            // rows of a system: as many as there are in all

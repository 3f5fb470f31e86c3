// gather/problem.h: the types of chapter 09-gather; common/gather.h states its problem.
#ifndef GATHER_PROBLEM_H
#define GATHER_PROBLEM_H

enum reach { UNLIMITED, WITHIN_CUTOFF };
enum spread { EVEN, CROWDED }; // of the atoms whose counters are read
#endif

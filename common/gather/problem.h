// gather/problem.h: the types of chapter 09-gather; common/gather.h states its problem.
#pragma once

enum reach { UNLIMITED, WITHIN_CUTOFF };
enum spread { EVEN, CROWDED }; // of the atoms whose counters are read

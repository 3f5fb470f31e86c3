// scan/problem.h: the types of chapter 02-scan; common/scan.h states its problem.
#ifndef SCAN_PROBLEM_H
#define SCAN_PROBLEM_H

#include <limits.h>

enum kind { INCLUSIVE, EXCLUSIVE };
#define WHOLE INT_MAX // a tile that holds any array
#endif

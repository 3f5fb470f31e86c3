// scan/problem.h: the types of chapter 02-scan; common/scan.h states its problem.
#pragma once

#include <limits.h>

enum kind { INCLUSIVE, EXCLUSIVE };
#define WHOLE INT_MAX // a tile that holds any array

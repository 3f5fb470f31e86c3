// reduction/problem.h: the types of chapter 01-reduction; common/reduction.h states its problem.
#pragma once

enum order { ANY_ORDER, PAIRWISE }; // in which floats are added: it decides the tolerance
// reduction/problem.h: the types of chapter 01-reduction; common/reduction.h states its problem.
#ifndef REDUCTION_PROBLEM_H
#define REDUCTION_PROBLEM_H

enum order { ANY_ORDER, PAIRWISE }; // in which floats are added: what they are held to
#endif

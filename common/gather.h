// gather.h: chapter 09-gather: the problem, its inputs, its tolerance and the driver of its programs.
//
// The problem. A map of the electric potential of n atoms: at every point of a grid the sum of charge over distance.
// The grid's points are (x, y, 0) with x = 0 ... width - 1, y = 0 ... height - 1; their spacing is the unit of length.
//
//     V(x, y) = q[0] / r[0] + ... + q[n-1] / r[n-1],     r[i]^2 = (x - x[i])^2 + (y - y[i])^2 + z[i]^2 + SOFTENING
//
// An exercise passes its function to gather_main or, if atoms are sorted into cells, to binned_main:
//
//     void potential(float *d_map, const float4 *d_atoms, int n, struct plane p)
//     void potential(float *d_map, const float4 *d_atoms, int n, struct plane p, struct bins bins)
//
//   d_map    takes V(x, y) as word y * width + x, which may be more than an int holds: use size_t. Before the call it
//            holds garbage.
//   d_atoms  atom i is the float4 (x[i], y[i], z[i], q[i]). Not to be modified. Atoms may lie anywhere: outside the
//            map, on its points, several at one place. Charges have either sign. No coordinate is above 2^20.
//   n        0 to 2^24. Without atoms the map is 0.
//   p        width and height: each from 0 to 65535.
//   bins     room for the sorted atoms and their cells; holds garbage at first: see device/bins.h.
//   Work goes to the default stream; the driver waits for it.
//
// Atoms on points. An atom is a small cloud of charge, not a point: SOFTENING = 1/16 is added to each squared distance,
// as in simulations of stars. So an atom on a point contributes 4 q there, and no division by 0 occurs.
//
// Cutoff (WITHIN_CUTOFF, binned_main). Only atoms with (x - x[i])^2 + (y - y[i])^2 + z[i]^2 < CUTOFF^2 count, CUTOFF =
// 16; an atom at exactly this distance does not.
//
// Inputs: gather/inputs.h. One set has whole numbers for coordinates: their squared distances are exact in floats, so
// that the side of the cutoff on which a pair lies is certain. In one most charges are 0, so that the loss of a single
// other atom shows beside the rounding. In one they are 2^-100 times as large: no sum may be taken for 0.
//
// Tolerance. u = 2^-24 is half the distance of neighbouring floats. A difference of coordinates is rounded once. A
// squared distance is off by 6 u (differences count twice, a square, three sums; none is negative), its root by half of
// that. rsqrtf errs by 2 units in the last place, 4 u, a product with the charge by u. The sum of k such terms rounds
// each of them at most k times, in any order. In total, to first order, with two more for the terms left out:
//
//     |V - exact| <= (k + 10) u (|q[0]| / r[0] + ...)
//
// k counts the atoms whose charge is not 0. A difference may also be computed in two steps, (x - x[i]) + 32: then
// it errs by d = 2 u (|x| + |x[i]|), which adds (|x - x[i]| + |y - y[i]|) d / r^2 to the relative error of the
// term. A pair so near the cutoff that these errors decide may count or not; with whole-number differences there
// is no such pair.
#pragma once

#include "device/atoms.h"
#include "device/bins.h"
#include "gather/problem.h"

// gather_main(argc, argv, potential, reach), binned_main(argc, argv, potential, spread)
#include "gather/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "gather/driver.h"
#endif

// basics.h: chapter 00-basics, steps 02 to 06: the problems, their inputs and the driver of their
// programs. Steps 01 and 07 are whole programs: basics_program.h.
//
// An exercise passes its function to the driver of its problem. Work goes to the default stream; the driver waits for
// it. const data must not be modified. Output holds garbage before the call.
//
//     saxpy_main       void saxpy(float *d_y, const float *d_x, float a, size_t n)
//
//   d_y[i] = a d_x[i] + d_y[i] for every i below n. n may be above 2^31: an index is a size_t.
//
//     grey_main        void to_grey(struct image grey, struct image colour)
//
//   Both images are width x height. Row r of an image begins `pitch` bytes after row r - 1; the bytes
//   between the end of a row and the next one are padding, and must not be written. A pixel of colour is
//   a uchar4: red, green, blue, and an unused byte; a pixel of grey is one byte, grey_of() the pixel of
//   colour.
//
//     drift_main       void drift(float *d_particles, int n, float dt, enum layout layout)
//
//   n particles of FIELDS floats: X, Y, Z, VX, VY, VZ, MASS. Each coordinate grows by dt times its
//   velocity. The layout determines where the fields are: see enum layout.
//
//     transpose_main   void transpose(float *d_out, const float *d_in, int width, int height)
//
//   d_in has height rows of width floats, d_out has width rows of height floats, both without gaps:
//   d_out[column * height + row] = d_in[row * width + column].
//
//     keep_main        void keep(int *d_out, int *d_count, const int *d_in, int n)
//
//   *d_count = how many values of d_in are kept: those above 0. They go to d_out[0], ..., in any order,
//   each as often as in d_in. The rest of d_out, which has room for n, is not written.
//
// Inputs. Every set at every size. With --n N images and matrices are N x N, else their widths and heights differ. On
// the SIMT machine also sizes around the tile that an exercise uses, and the largest n, sampled.
//
// Tolerance. None: floats are whole numbers, or multiples of 1/2, below 2^22, so
// no operation rounds them.
#pragma once

#include "device/image.h"
#include "device/launch.h"
#include "device/particles.h"

// saxpy_main(argc, argv, saxpy), grey_main(argc, argv, to_grey), ... as above
#include "basics/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "basics/driver.h"
#endif

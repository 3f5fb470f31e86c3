// basics_program.h: steps 01 and 07 of chapter 00-basics: whole programs, whose main is the student's.
//
// The problem. y = a x + y. main queries n and a, reads x and y, and writes the new y: device/program.h. It allocates
// host and device memory, copies, launches, and frees. The last line of the file, graded_program(main, kind), lets
// the grader in:
//
//   main is renamed, and the driver calls it once for every n and input; exit() in it ends that call.
//   Its input is in its own process, and its output is fetched from there when it has ended. So no
//   copy of the driver's is counted, and none of the driver's memory is on the device meanwhile.
//   Then some of its CUDA calls are made to fail, one in each run: main must end with a value other than 0.
//
// Every main ends with 0 if no call has failed, n = 0 included; has written each y once; has freed all device memory;
// and has checked every error, the launch's by cudaGetLastError.
//
// Inputs. Random whole numbers; small n, n around 2^k, and larger ones. --fail K makes CUDA call number K fail.
// Tolerance. None: floats are whole numbers, or multiples of 1/2, below 2^22, so no operation rounds them.
#pragma once

// program_main(argc, argv, main, kind)
#include "basics/program_calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "basics/program_driver.h"
#endif

// The program's real main, which lets the grader in.
#define graded_program(function, kind) \
    int graded_main(int argc, char **argv) __asm__("main"); \
    int graded_main(int argc, char **argv) \
    { \
        return program_main(argc, argv, function, kind); \
    }

#define main student_main
#define exit(status) end_program(status)

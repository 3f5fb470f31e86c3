// What main's last line does: it passes the step's functions to a driver. Each chapter has a table, its calls.h, which
// defines both sides of a call between two processes:
//
//     typedef void scan_function(int *d_out, ...);      parameters and result of the function: see arguments.h
//     #define CHAPTER_DRIVERS(X) X(scan)                each driver's name; it is drive_scan(own, functions, numbers)
//     #define CHAPTER_CONSTANTS(X) X(INCLUSIVE)         numbers that the course table names; optional
//     #define scan_main(argc, argv, function, kind, tile) DRIVER_MAIN(scan, argc, argv, function, kind, tile)
#ifndef REMOTE_MAIN_H
#define REMOTE_MAIN_H

// DRIVER_MAINS passes several functions; `types` is the list of their types, in parentheses.
#ifdef WORKBOOK_SERVED // the driver is a separate object: driver.cu
#include "remote/arguments.h"
#define DRIVER_TYPES(...) __VA_ARGS__
#define DRIVER_MAINS(types, name, argc, argv, ...) \
    remote::submission<DRIVER_TYPES types>::serve(INVOCATION(argc, argv), #name, __VA_ARGS__)
#define DRIVER_MAIN(name, argc, argv, ...) \
    remote::submission<name##_function>::serve(INVOCATION(argc, argv), #name, __VA_ARGS__)
#else
#include "harness/todo.h"
#define DRIVER_MAINS(types, name, argc, argv, ...) drive_##name(INVOCATION(argc, argv), __VA_ARGS__)
#define DRIVER_MAIN(name, argc, argv, ...) drive_##name(INVOCATION(argc, argv), __VA_ARGS__)
#endif

#ifndef CROSSES_WHOLE // arguments.h defines it if objects cross
#define CROSSES_WHOLE(type)
#endif
#endif

// In a program of several chapters, the last table counts.
#undef CHAPTER_DRIVERS
#undef CHAPTER_CONSTANTS

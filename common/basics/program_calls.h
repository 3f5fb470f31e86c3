// basics/program_calls.h: the functions of the whole programs of chapter 00-basics, and their driver: see
// remote/main.h.
#pragma once

#include "basics/program_problem.h"
#include "device/program_run.h"
#include "remote/main.h"

typedef void load_function(struct program_input *from);
typedef int run_function(long long *written);
typedef void fetch_function(struct program_output *to);
CROSSES_WHOLE(struct program_input)
CROSSES_WHOLE(struct program_output)
CROSSES_WHOLE(long long)

#define CHAPTER_DRIVERS(X) X(program)
#define CHAPTER_CONSTANTS(X) X(CHECKED) X(PIPELINE)
#define program_main(argc, argv, function, kind) \
    (main_of_program = function, DRIVER_MAINS((load_function, run_function, fetch_function), program, argc, argv, \
                                              load_files, run_program, fetch_files, kind))

// basics/program_problem.h: the kinds of whole programs; common/basics_program.h states their problem.
#pragma once

enum program_kind {
    CHECKED, // its calls are made to fail
    PIPELINE // larger inputs; copies and kernels overlap
};

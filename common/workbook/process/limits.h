// The limits of graded programs, except for a run's time and memory, which the course table has
// (common/cmake/exercise.cmake). docs/grading.md lists them all.
#pragma once

enum {
    // Seconds of CPU time after which a launch ends if a block has not finished. The reference solutions need 3 at most
    // (06/09 on a slow computer), with all checks. SIMT_TIMEOUT in the environment overrides them.
    ENDLESS = 20,   // if no user waits
    WAITING = 8,    // in `run` and `watch`
    EXPLAINING = 1, // in the second run that explains the first
    // Seconds of CPU time of a process.
    EXPLAIN_SECONDS = 10,   // of that second run
    BUILD_SECONDS = 120,    // of the compiler in `grade`
    PROJECT_SECONDS = 1200, // of all runs of a project in `grade`
    // Bytes.
    OUTPUT_LIMIT = 1 << 20,   // of a graded program's output
    OBJECT_LIMIT = 256 << 20, // of a file that the compiler may write
    SOURCE_LIMIT = 256 << 10, // of a submission
    // Depth of folders below a student's that `grade` searches.
    DEPTH_LIMIT = 6
};

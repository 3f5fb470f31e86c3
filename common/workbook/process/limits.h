// The limits of what is graded, but for time and memory of a run, which the course table has
// (common/cmake/exercise.cmake). docs/grading.md lists them all.
#pragma once

enum {
    // Seconds of computing in which a block of a launch must end, or the launch is ended. The reference solutions need
    // 3 at most (06/09 on a slow computer), with all checks. SIMT_TIMEOUT in the environment overrules them.
    ENDLESS = 20,   // where no user waits
    WAITING = 8,    // in `run` and `watch`
    EXPLAINING = 1, // in the second run that explains the first
    // Seconds of a process.
    EXPLAIN_SECONDS = 10, // of that second run
    BUILD_SECONDS = 120,  // of the compiler in `grade`
    // Bytes.
    OUTPUT_LIMIT = 1 << 20,   // that a graded program may print
    OBJECT_LIMIT = 256 << 20, // of a file that the compiler may write
    SOURCE_LIMIT = 256 << 10, // of a submission
    // Folders below a student's in which `grade` looks.
    DEPTH_LIMIT = 6
};

// The judge's end of the wire: a chapter's driver calls functions that run in the submission's process (message.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct asked { // requested by the submission's main; set by the course table
    const char *driver;
    int64_t numbers[4];
    const char *file;
    int todo_open;
};

// A constant that the course table names.
struct name {
    const char *text;
    int64_t number;
};

// Handles a failed CUDA call of the submission: ends the process, or returns.
typedef void judge_failed(int error, const char *call, const char *file, int line);

// A chapter's driver: driver.cu. It reaches the student's functions by remote_call.
struct driver {
    const struct name *names;
    judge_failed *failed;
    void (*drive)(int argc, char **argv, const struct asked *asked) __attribute__((noreturn));
};
extern const struct driver chapter_driver;

// Takes --submission FILE and --driver "NAME NUMBER..." out of the arguments, starts that program without rights,
// closes the sandbox for this process too, and waits until its main has requested a driver. Ends the process if that is
// not the course table's. A number may be one of the names, which end with NULL, or *: the submission's choice.
void judge_start(int *argc, char **argv, const struct name *names, judge_failed *failed, struct asked *asked);

// Calls function number `which` of the submission and serves its CUDA calls until it returns. The arguments, of a
// struct known to both sides, come back changed. Ends the process if the submission ends.
void remote_call(int which, void *arguments, size_t size);

#ifdef __cplusplus
}
#endif

// The program's own code on the host: lines, from the line table (DWARF) of the file that an address lies in, where the
// program is compiled with -g or -g1; and the call of the runtime that a thread is in, from the table of symbols.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { HOST_LINE = 320, HOST_FRAMES = 20 };

// Where a thread called the machine: addresses of code, from the inside out; 0: no more.
struct host_frames {
    uint64_t at[HOST_FRAMES];
};
void host_frames(struct host_frames *out); // takes 3 us

// "sum.cu:29": the innermost line that is the program's own. False: not known.
bool host_frames_line(const struct host_frames *f, char out[HOST_LINE]);
bool host_line(uint64_t address, char out[HOST_LINE]);

// The same of this thread's call.
bool host_caller(char out[HOST_LINE]);

// "; called at sum.cu:29", of this thread's call, or "".
const char *host_called_at(void);

// The function of CUDA that the program called in this thread; false: not known.
bool host_call_name(char out[HOST_LINE]);

// The <<<...>>> that this thread's call belongs to, by the address that follows it; 0: none.
void host_launch(uint64_t address);
uint64_t host_launch_now(void);

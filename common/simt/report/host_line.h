// The program's own code on the host: lines, from the DWARF line table of a program compiled with -g or -g1; and the
// runtime call that a thread is in, from the symbol table.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { HOST_LINE = 320, HOST_FRAMES = 20 };

// Where a thread called the machine: return addresses, innermost first; 0 ends them.
struct host_frames {
    uint64_t at[HOST_FRAMES];
};
void host_frames(struct host_frames *out); // takes 3 us

// "sum.cu:29": the innermost line of the program itself. False: unknown.
bool host_frames_line(const struct host_frames *f, char out[HOST_LINE]);
bool host_line(uint64_t address, char out[HOST_LINE]);

// The same for this thread's call.
bool host_caller(char out[HOST_LINE]);

// "; called at sum.cu:29" for this thread's call, or "".
const char *host_called_at(void);

// The CUDA function that the program called in this thread; false: unknown.
bool host_call_name(char out[HOST_LINE]);

// The <<<...>>> that this thread's call belongs to, as the address after it; 0: none.
void host_launch(uint64_t address);
uint64_t host_launch_now(void);

// A driver for tests of the SIMT machine: PTX text in; results, counters, findings and reports out.
//
//     struct module *m = machine_load(ptx);
//     uint32_t *out = machine_buffer(32 * sizeof *out, 0);
//     int error = machine_run(m, "k", machine_line(1, 32), &out);
//
// A buffer is both device memory and host memory, so a test reads its results where the kernel wrote them. machine.c
// runs the kernels on the SIMT machine; gpu.c runs the same tests on a GPU, to show that they expect what the hardware
// does.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module;

struct machine_shape {
    uint32_t grid[3], block[3];
    uint32_t shared; // dynamic, in bytes
    bool cooperative;
    unsigned cluster; // blocks of a cluster; 0: there are none
};

// A grid and blocks in one dimension, without dynamic shared memory.
static inline struct machine_shape machine_line(uint32_t blocks, uint32_t threads)
{
    return (struct machine_shape){{blocks, 1, 1}, {threads, 1, 1}, 0, false, 0};
}

// Loads PTX. If the text is refused, ends the test with the parser's message.
struct module *machine_load(const char *ptx);
void machine_unload(struct module *m);

// Launches a kernel and waits for it: 0 or a cudaError_t. arguments: pointers to the parameters.
int machine_launch(struct module *m, const char *kernel, struct machine_shape shape, void **arguments);
#define machine_run(m, kernel, shape, ...) machine_launch(m, kernel, shape, (void *[]){__VA_ARGS__})

// Receives the events of the launches, after all others; NULL: nothing does. Not on a GPU.
struct observer;
extern const struct observer *machine_observer;

// Device memory. A buffer counts as written, with the byte `fill`; a raw one counts as never written.
void *machine_buffer(size_t size, int fill);
void *machine_raw(size_t size);
void machine_free(void *buffer);

// Captures stderr from now on, until machine_heard returns it (and prints nothing).
void machine_listen(void);
const char *machine_heard(void);

// The text of a file, terminated by 0; the caller frees it. Ends the test if it cannot be read.
char *read_text(const char *path);

// Counts failed checks, each a line on stdout that begins with where it failed.
extern int failures;
__attribute__((format(printf, 3, 4))) bool check(bool holds, const char *where, const char *format, ...);

// Whether case number i belongs to part K/N, the Kth of N; "1/1" contains all.
bool in_part(const char *part, int i);

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

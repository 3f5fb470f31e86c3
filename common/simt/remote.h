// For a process that runs the machine and serves the CUDA calls of another process, its host (common/remote).
//
// Device memory lies at the same addresses in both. The host reserves the range and can touch only managed and
// page-locked memory in it, which is a piece of `window` in both processes.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct simt_other_host {
    pid_t process; // the thread whose time counts as the host's
    int window;    // a file in memory, as large as the range of device memory

    // Access to the host's own memory. The host waits while these are called.
    void (*read)(void *to, uint64_t from, uint64_t size);
    void (*write)(uint64_t to, const void *from, uint64_t size);

    void (*map)(uint64_t address, uint64_t size, uint64_t offset);      // maps a piece of the window at address
    void (*protect)(uint64_t address, uint64_t size, int protection); // protection of such pages: PROT_NONE, ...
};

// Called once, before any CUDA call.
void simt_other_host(const struct simt_other_host *host);

// Later calls are the other host's (on), or this process's own.
void simt_serve(int on);

// Where device memory lies.
void simt_device_range(uint64_t *first, uint64_t *size);

// The host faulted at an address in that range: reports why it must not touch it and returns 0, or lets it continue.
int simt_host_fault(uint64_t address, int write);

// Same as __cudaRegisterFatBinary, for a container of `size` bytes, which must stay valid.
void **simt_register(const void *container, size_t size);

// Adds to what simt_register returned the container of a file that it was linked from (nvcc -rdc=true).
void simt_register_part(void **handle, const void *container, size_t size);

// The program ends without exit(): writes the output of SIMT_PROFILE.
void simt_ends(void);

// The result of cudaPeekAtLastError, without a call; 0: no error.
int simt_kept_error(void);

// How many bytes kernels may print; one line reports that the rest is omitted.
void simt_print_limit(uint64_t bytes);

// Sizes in bytes of a kernel's parameters, at most `most` of them. Returns how many there are; -1: no such kernel.
int simt_parameters(const void *function, uint32_t *sizes, int most);

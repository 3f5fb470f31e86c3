// For a process that holds the machine and serves the CUDA calls of another one, its host (common/remote).
//
// Device memory lies at the same addresses in both. The host reserves the range and can touch nothing in it, but for
// managed and page-locked memory: that is a piece of `window` in both processes.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct simt_other_host {
    pid_t process; // whose time counts as the host's
    int window;    // a file in memory, as large as the range of device memory

    // Bytes of its own memory. It waits for us while they are called.
    void (*read)(void *to, uint64_t from, uint64_t size);
    void (*write)(uint64_t to, const void *from, uint64_t size);

    void (*map)(uint64_t address, uint64_t size, uint64_t offset);      // that piece of the window is at address
    void (*protect)(uint64_t address, uint64_t size, int protection); // of such pages: PROT_NONE, ...
};

// Called once, before any CUDA call.
void simt_other_host(const struct simt_other_host *host);

// Calls from here on are the other host's (on), or this process's own.
void simt_serve(int on);

// Where device memory lies.
void simt_device_range(uint64_t *first, uint64_t *size);

// The host was stopped at an address in that range: reports why it must not be touched and returns 0, or lets it
// continue.
int simt_host_fault(uint64_t address, int write);

// What __cudaRegisterFatBinary does, for a container of `size` bytes, which is to be kept.
void **simt_register(const void *container, size_t size);

// Adds to what simt_register returned the container of a file that it was linked from (nvcc -rdc=true).
void simt_register_part(void **handle, const void *container, size_t size);

// The program ends without exit(): what SIMT_PROFILE asks for is written.
void simt_ends(void);

// The result of cudaPeekAtLastError, without a call; 0: no error.
int simt_kept_error(void);

// How many bytes kernels may print; one line says that the rest is left out.
void simt_print_limit(uint64_t bytes);

// Sizes in bytes of a kernel's parameters, at most `most` of them; returns how many there are, -1: no such kernel.
int simt_parameters(const void *function, uint32_t *sizes, int most);

// The driver of machine.h on the SIMT machine.
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"
#include "memory.h"
#include "module.h"

struct module *machine_load(const char *ptx)
{
    char error[512];
    struct module *m = module_parse(ptx, strlen(ptx), error, sizeof error);
    if (!m || !module_place(m, 0)) {
        printf("the machine refuses this PTX: %s\n%s\n", m ? "no memory for its variables" : error, ptx);
        exit(1);
    }
    return m;
}

// A module whose kernels were launched stays: counters and findings point into it.
void machine_unload(struct module *m)
{
    (void)m;
}

int machine_launch(struct module *m, const char *kernel, struct machine_shape shape, void **arguments)
{
    struct launch_request q = {.module = m, .kernel = kernel, .dynamic_shared = shape.shared, .args = arguments,
                               .shared_limit = shape.shared > 48 << 10 ? shape.shared : 0,
                               .cooperative = shape.cooperative};
    memcpy(q.grid, shape.grid, sizeof q.grid);
    memcpy(q.dim, shape.block, sizeof q.dim);
    return launch_kernel(&q);
}

void *machine_raw(size_t size)
{
    struct allocation *a = memory_alloc(size, MEMORY_DEVICE, 0);
    if (!a) {
        printf("no %zu bytes of device memory\n", size);
        exit(1);
    }
    return (void *)(uintptr_t)a->base;
}

void *machine_buffer(size_t size, int fill)
{
    void *p = machine_raw(size);
    memset(p, fill, size);
    memory_mark_written((uintptr_t)p, size);
    return p;
}

void machine_free(void *buffer)
{
    const struct allocation *found;
    if (!memory_free((uintptr_t)buffer, &found)) {
        printf("machine_free: %p is no buffer\n", buffer);
        exit(1);
    }
}

// ---- reports

static FILE *ear;
static int own_stderr = -1;

void machine_listen(void)
{
    fflush(stderr);
    if (own_stderr < 0)
        own_stderr = dup(2);
    if (!ear)
        ear = tmpfile();
    if (!ear || ftruncate(fileno(ear), 0) || lseek(fileno(ear), 0, SEEK_SET) || dup2(fileno(ear), 2) < 0) {
        printf("cannot listen to stderr\n");
        exit(1);
    }
}

const char *machine_heard(void)
{
    static char text[1 << 16];
    fflush(stderr);
    dup2(own_stderr, 2);
    ssize_t n = pread(fileno(ear), text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return text;
}

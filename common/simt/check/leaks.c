// When the program ends, lists the live allocations that it made itself.
#include "check/leaks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "memory/memory.h"
#include "report/report.h"
#include "report/settings.h"

bool is_of_program(const struct allocation *a)
{
    return a->kind != MEMORY_VARIABLE && a->kind != MEMORY_GRAPH && a->kind != MEMORY_IMPORTED && !a->name;
}

// What kernels allocated at one place.
struct at_place {
    const char *place;
    uint64_t count, bytes;
};

struct places {
    struct at_place *list;
    uint32_t count, capacity;
};

static void add_to_place(struct places *p, const struct allocation *a)
{
    uint32_t i = 0;
    while (i < p->count && p->list[i].place != a->place)
        i++;
    if (i == p->capacity) {
        p->capacity = 2 * p->capacity + 8;
        p->list = alloc_resize(p->list, p->capacity, sizeof *p->list);
    }
    if (i == p->count)
        p->list[p->count++] = (struct at_place){.place = a->place};
    p->list[i].count++;
    p->list[i].bytes += a->size;
}

static void report_leak(const struct allocation *a, void *data)
{
    if (is_of_program(a) && a->place)
        add_to_place(data, a);
    else if (is_of_program(a))
        report_at_end("Leaked %llu bytes of %s memory at %p on device %d (allocation %llu of the program)",
                      (unsigned long long)a->size, memory_kind_word(a->kind), (void *)(uintptr_t)a->base, a->device,
                      (unsigned long long)a->number);
}

void report_leaks(void)
{
    struct places p = {0};
    if (!settings()->check_leaks)
        return;
    memory_each(report_leak, &p);
    for (uint32_t i = 0; i < p.count; i++)
        report_at_end("Leaked %llu bytes of device heap memory: kernels allocated them at %s, in %llu calls of malloc",
                      (unsigned long long)p.list[i].bytes, p.list[i].place, (unsigned long long)p.list[i].count);
    free(p.list);
}

// Lists, when the program ends, the live allocations that it made itself.
#include "check/leaks.h"

#include <stddef.h>

#include "memory/memory.h"
#include "report/report.h"
#include "report/settings.h"

bool is_of_program(const struct allocation *a)
{
    return a->kind != MEMORY_VARIABLE && a->kind != MEMORY_GRAPH && a->kind != MEMORY_IMPORTED && !a->name;
}

static void report_leak(const struct allocation *a, void *data)
{
    (void)data;
    if (is_of_program(a))
        report_at_end("Leaked %llu bytes of %s memory at %p on device %d (allocation %llu of the program)",
                      (unsigned long long)a->size, memory_kind_word(a->kind), (void *)(uintptr_t)a->base, a->device,
                      (unsigned long long)a->number);
}

void report_leaks(void)
{
    if (settings()->check_leaks)
        memory_each(report_leak, NULL);
}

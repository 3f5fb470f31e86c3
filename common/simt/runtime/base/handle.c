// Handles of streams, events, graphs: small numbers with a kind and a generation, so that a handle that was destroyed
// or never created is recognised without touching memory.
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "runtime/base/base.h"

#define SLOTS_MAX (1u << 24)

// A handle: generation (32 bits), slot (24), kind (4), and a 4-bit mark that no default stream (0, 1, 2) has.
#define MARK 0x8u

static struct {
    pthread_mutex_t lock;
    struct slot {
        void *object;
        uint32_t age;
        enum handle_kind kind;
        uint32_t next_free;
    } * slots;
    uint32_t count, capacity, free; // slot 0 is unused; free 0: no free slot
    uint32_t live;
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 1};

static void *make_handle(uint32_t slot)
{
    const struct slot *s = &handles.slots[slot];
    return (void *)(uintptr_t)((uint64_t)s->age << 32 | slot << 8 | (uint32_t)s->kind << 4 | MARK);
}

static struct slot *find_slot(enum handle_kind kind, const void *handle)
{
    uint32_t slot = (uint32_t)(uintptr_t)handle >> 8;
    bool known = slot && slot < handles.count && handles.slots[slot].object && handles.slots[slot].kind == kind;
    return known && make_handle(slot) == handle ? &handles.slots[slot] : NULL;
}

void *handle_open(enum handle_kind kind, void *object)
{
    void *handle = NULL;
    pthread_mutex_lock(&handles.lock);
    uint32_t slot = handles.free ? handles.free : handles.count;
    if (slot >= handles.capacity) {
        handles.capacity = handles.capacity * 2 + 64;
        handles.slots = alloc_resize(handles.slots, handles.capacity, sizeof *handles.slots);
    }
    if (slot < SLOTS_MAX) {
        bool again = slot == handles.free;
        handles.free = again ? handles.slots[slot].next_free : 0;
        handles.count += !again;
        handles.slots[slot] = (struct slot){object, again ? handles.slots[slot].age + 1 : 1, kind, 0};
        handles.live++;
        handle = make_handle(slot);
    }
    pthread_mutex_unlock(&handles.lock);
    return handle;
}

void *handle_object(enum handle_kind kind, const void *handle)
{
    pthread_mutex_lock(&handles.lock);
    const struct slot *s = find_slot(kind, handle);
    void *object = s ? s->object : NULL;
    pthread_mutex_unlock(&handles.lock);
    return object;
}

void handle_close(enum handle_kind kind, const void *handle)
{
    pthread_mutex_lock(&handles.lock);
    struct slot *s = find_slot(kind, handle);
    if (s) {
        handles.live--;
        s->object = NULL;
        s->next_free = handles.free;
        handles.free = (uint32_t)(s - handles.slots);
    }
    pthread_mutex_unlock(&handles.lock);
}

uint32_t handles_live(void)
{
    pthread_mutex_lock(&handles.lock);
    uint32_t live = handles.live;
    pthread_mutex_unlock(&handles.lock);
    return live;
}

// Observers' state: each launch, host thread, block and warp holds the bytes that an observer declares, zeroed when it
// is opened; no two observers share any.
#include <stdio.h>
#include <string.h>

#include "exec/launch.h"
#include "machine.h"

#define BLOCKS 64
#define WARPS 3

// An observer with this state, which fills every byte with its tag.
struct watcher {
    struct observer_state *state;
    uint8_t tag;
    atomic_uint opened, blocks, clashes; // number of pieces of memory that were neither zeroed nor the observer's
};

static struct observer_state of_first = {.bytes = {8, 8, 40, 24}}, of_second = {.bytes = {0, 72, 8, 1}};
static struct watcher first = {.state = &of_first, .tag = 0x11}, second = {.state = &of_second, .tag = 0x22};

// All bytes hold the tag; in new memory all are zero.
static void watch(struct watcher *t, void *state, enum state_level level, bool may_be_new)
{
    uint8_t *bytes = state;
    uint32_t n = t->state->bytes[level];
    uint8_t was = n ? bytes[0] : t->tag;
    bool clash = was != t->tag && !(may_be_new && was == 0);
    for (uint32_t i = 0; i < n; i++)
        clash |= bytes[i] != was;
    atomic_fetch_add(&t->clashes, clash);
    atomic_fetch_add(&t->opened, was == 0);
    memset(bytes, t->tag, n);
}

static void watch_block(struct watcher *t, struct block *b, bool starts)
{
    atomic_fetch_add(&t->blocks, starts);
    watch(t, worker_state(b->worker, t->state), OF_WORKER, starts);
    watch(t, block_state(b, t->state), OF_BLOCK, starts);
    for (uint32_t i = 0; i < b->warp_count; i++)
        watch(t, warp_state(&b->warps[i], t->state), OF_WARP, starts);
}

#define WATCHER(name) \
    static void name##_launch_start(struct launch *l) \
    { \
        watch(&name, launch_state(l, name.state), OF_LAUNCH, true); \
    } \
    static void name##_block_start(struct block *b) \
    { \
        watch_block(&name, b, true); \
    } \
    static void name##_block_end(struct block *b) \
    { \
        watch_block(&name, b, false); \
    } \
    static void name##_launch_end(struct launch *l, const struct worker *workers) \
    { \
        (void)workers; \
        watch(&name, launch_state(l, name.state), OF_LAUNCH, false); \
    }

#define OBSERVER(name, its_state) \
    { \
        .state = its_state, .launch_start = name##_launch_start, .block_start = name##_block_start, \
        .block_end = name##_block_end, .launch_end = name##_launch_end \
    }

WATCHER(first)
WATCHER(second)
static const struct observer watches_first = OBSERVER(first, &of_first), watches_second = OBSERVER(second, &of_second);

static void run(struct module *m, const struct observer *a, const struct observer *b)
{
    struct launch_request q = {.module = m, .kernel = "k", .grid = {BLOCKS, 1, 1}, .dim = {32 * WARPS, 1, 1}};
    q.observers.list[q.observers.count++] = a;
    if (b)
        q.observers.list[q.observers.count++] = b;
    struct watcher *all[] = {&first, &second};
    for (int i = 0; i < 2; i++)
        all[i]->opened = all[i]->blocks = all[i]->clashes = 0;
    check(launch_kernel(&q) == 0, "launch", "the kernel fails");
}

static bool is_clean(const struct watcher *t, const char *where)
{
    return check(t->clashes == 0, where, "%u times its state was not its own", t->clashes) &
           check(t->blocks == BLOCKS, where, "%u of %u blocks", t->blocks, BLOCKS) &
           check(t->opened > 0, where, "no state was zeroed");
}

int main(void)
{
    struct module *m = machine_load(PTX_HEAD ".visible .entry k() { bar.sync 0; ret; }");
    run(m, &watches_first, NULL);
    is_clean(&first, "alone");
    run(m, &watches_first, &watches_second);
    is_clean(&first, "first of two");
    is_clean(&second, "second of two");
    run(m, &watches_second, NULL);
    is_clean(&second, "alone later");
    // Guilty: an observer with another observer's state.
    second.state = &of_first;
    run(m, &watches_first, &watches_second);
    check(first.clashes > 0, "shared", "two observers with one state are not seen");
    machine_unload(m);
    return failures != 0;
}

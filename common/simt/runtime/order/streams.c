// Streams, events and their timelines. Timelines are few, so streams reuse them: a returned timeline stays unused as
// long as possible, so that its old operations are not mistaken for the new stream's.
#include "runtime/order/streams.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

static struct {
    pthread_mutex_t lock;
    struct stream *legacy[MAX_DEVICES];
    unsigned long long ids; // ids of streams; the default streams have 1 and 2
    struct stream *all;
    uint32_t users[TIMELINES], turn; // of the timelines
} streams = {.lock = PTHREAD_MUTEX_INITIALIZER, .ids = 2};

static _Thread_local struct stream *per_thread[MAX_DEVICES];

void lock_streams(void)
{
    pthread_mutex_lock(&streams.lock);
}

void unlock_streams(void)
{
    pthread_mutex_unlock(&streams.lock);
}

// ---- timelines

// Takes timelines in turn, so that a released one stays unused for a while.
uint32_t take_timeline(void)
{
    uint32_t t = streams.turn;
    for (uint32_t i = 0; i < TIMELINES && streams.users[t]; i++)
        t = (t + 1) % TIMELINES;
    streams.users[t]++;
    streams.turn = (t + 1) % TIMELINES;
    return t;
}

void give_back_timeline(uint32_t timeline)
{
    streams.users[timeline]--;
}

// ---- streams

static void join_streams(struct stream *s)
{
    s->timeline = take_timeline();
    s->next = streams.all;
    streams.all = s;
}

struct stream *open_stream(unsigned flags)
{
    struct stream *s = alloc_zeroed(1, sizeof *s);
    s->id = ++streams.ids;
    s->device = current_device();
    s->flags = flags;
    join_streams(s);
    return s;
}

void close_stream(struct stream *s)
{
    struct stream **link = &streams.all;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    give_back_timeline(s->timeline);
    free(s);
}

struct stream *all_streams(void)
{
    return streams.all;
}

struct stream *find_stream(cudaStream_t stream)
{
    if ((uintptr_t)stream > (uintptr_t)cudaStreamPerThread)
        return handle_object(HANDLE_STREAM, stream);
    int d = current_device();
    struct stream **s = stream == cudaStreamPerThread ? &per_thread[d] : &streams.legacy[d];
    lock_streams();
    if (!*s) { // never freed: others may still wait for its work after its thread has ended
        *s = alloc_zeroed(1, sizeof **s);
        (*s)->device = d;
        (*s)->legacy = stream != cudaStreamPerThread;
        (*s)->id = (*s)->legacy ? 1 : 2;
        join_streams(*s);
    }
    unlock_streams();
    return *s;
}

bool is_capturing(struct stream *s)
{
    lock_streams();
    bool capturing = s->capture != NULL;
    unlock_streams();
    return capturing;
}

// ---- events

struct event *find_event(cudaEvent_t event)
{
    return event ? handle_object(HANDLE_EVENT, event) : NULL;
}

void free_front(struct node ***front, size_t *count)
{
    free(*front);
    *front = NULL;
    *count = 0;
}

void mark_event(struct event *e)
{
    lock_streams();
    free_front(&e->front, &e->front_count);
    e->capture = NULL;
    e->recorded = true;
    e->time = clock_seconds(CLOCK_MONOTONIC);
    unlock_streams();
}

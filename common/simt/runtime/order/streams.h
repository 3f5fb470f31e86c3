// Streams and events. Work runs when it is submitted, so a stream only keeps what the program may query, and an event
// only the host's clock. Times are those of this machine, never a GPU's.
#pragma once

#include "check/streams.h"
#include "runtime/base/base.h"

struct node;
struct capture;

// One lock for the state of streams, events and captures. Do not hold it while work runs.
void lock_streams(void);
void unlock_streams(void);

struct stream {
    int device;
    unsigned flags;
    int priority;
    unsigned long long id;
    bool legacy;           // the device's default stream
    uint32_t timeline;
    struct order known;    // what later work waits for
    uint64_t asked;        // sum of the numbers in `known` at the host's last query
    struct stream *next;   // next in the list of all streams
    struct capture *capture; // NULL: runs its work
    struct node **front;     // in a capture: the nodes that its next node follows
    size_t front_count;
};

struct event {
    int device;
    unsigned flags;
    bool recorded;
    double time;             // seconds, host clock
    struct order known;      // what has ended when it has happened
    uint64_t asked;          // as in struct stream
    struct capture *capture; // recorded within this capture, which may have ended since
    unsigned long long capture_id;
    struct node **front;
    size_t front_count;
};

// NULL: no such stream. The default streams (0, 1, 2) are streams too.
struct stream *find_stream(cudaStream_t stream);
struct event *find_event(cudaEvent_t event);
bool is_capturing(struct stream *s);

void mark_event(struct event *e); // the event happens now
void free_front(struct node ***front, size_t *count);

// Opens a stream on the current device; closes one. Call with the streams locked.
struct stream *open_stream(unsigned flags);
void close_stream(struct stream *s);
struct stream *all_streams(void); // a list by `next`

// Returns a timeline that no stream uses, while one is left. Call with the streams locked.
uint32_t take_timeline(void);
void give_back_timeline(uint32_t timeline);

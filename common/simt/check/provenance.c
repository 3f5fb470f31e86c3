// From a word on the host to a kernel's last store: the copy that brought the word shows where it lay on the device,
// and the race check's record of that word shows which thread wrote it.
#include "check/provenance.h"

#include <pthread.h>

#include "check/origin.h"
#include "check/race.h"
#include "report/settings.h"
#include "trace/calls.h"

#define COPIES 64 // copies that are remembered

static struct {
    pthread_mutex_t lock;
    struct copied {
        struct region from, to;
        uint64_t number;
    } ring[COPIES];
    uint32_t next;
} copies = {.lock = PTHREAD_MUTEX_INITIALIZER};

void provenance_copied(const struct operation *op)
{
    origin_moved(op);
    if (!(settings()->traces || settings()->check_origin) || op->module || !op->reads.width)
        return;
    pthread_mutex_lock(&copies.lock);
    copies.ring[copies.next++ % COPIES] = (struct copied){op->reads, op->writes, op->number};
    pthread_mutex_unlock(&copies.lock);
}

// The device address from which this copy brought the byte; 0: it did not.
static uint64_t origin_of(const struct copied *c, uint64_t address)
{
    const struct region *to = &c->to, *from = &c->from;
    uint64_t offset = address - to->base, slice = to->pitch * to->rows;
    uint64_t z = to->depth > 1 && slice ? offset / slice : 0;
    uint64_t y = to->height > 1 && to->pitch ? (offset - z * slice) / to->pitch : 0;
    uint64_t x = offset - z * slice - y * to->pitch;
    if (!to->width || address < to->base || x >= to->width || y >= to->height || z >= to->depth)
        return 0;
    return from->base + (z * from->rows + y) * from->pitch + x;
}

// The latest copy that brought the byte; NULL: none. *device: its device address.
static const struct copied *find_copy(uint64_t address, uint64_t *device)
{
    for (uint32_t i = 0; i < COPIES && i < copies.next; i++) {
        const struct copied *c = &copies.ring[(copies.next - 1 - i) % COPIES];
        if ((*device = origin_of(c, address)))
            return c;
    }
    return NULL;
}

void provenance_word(const void *word, const char *words)
{
    uint64_t device;
    const struct operation *op;
    struct traced_store wrong = {.name = "", .place = "", .words = words};
    if (!settings()->traces && !settings()->check_origin)
        return;
    pthread_mutex_lock(&copies.lock);
    const struct copied *c = settings()->check_race ? find_copy((uint64_t)(uintptr_t)word, &device) : NULL;
    if (c && settings()->check_origin)
        origin_wrong(device, c->number);
    if (c && settings()->traces && memory_holds(device, 4)) {
        const struct record *r = race_write_of(device & ~UINT64_C(3));
        wrong.address = device;
        wrong.block = r->block;
        wrong.thread = r->thread;
        op = operation_stamped(r->stamp);
        if (op && op->module && op->number < c->number) {
            wrong.number = op->number;
            wrong.name = op->name;
            wrong.place = origin_place(op->module, r->id);
        }
    }
    if (settings()->traces)
        trace_wrong(&wrong);
    pthread_mutex_unlock(&copies.lock);
}

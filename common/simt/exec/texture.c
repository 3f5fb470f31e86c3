// A table of objects by handle. A handle includes the generation of its slot, so a destroyed object's handle is
// refused.
#include "exec/texture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define TEXTURES 4096   // that exist at a time
#define MARK 0x7e000000u // so that no address ends like a handle and no handle is 0

// Slots are taken in turn, so a closed one stays unused for a while.
static struct {
    pthread_mutex_t lock;
    struct texture slots[TEXTURES];
    atomic_uint ages[TEXTURES]; // odd: open
    uint32_t turn;
} textures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t make_handle(uint32_t slot, unsigned age)
{
    return (uint64_t)age << 32 | MARK | slot;
}

uint64_t texture_open(const struct texture *t)
{
    uint64_t handle = 0;
    pthread_mutex_lock(&textures.lock);
    for (uint32_t i = 0; i < TEXTURES && !handle; i++) {
        uint32_t slot = textures.turn++ % TEXTURES;
        unsigned age = atomic_load(&textures.ages[slot]);
        if (age & 1)
            continue;
        textures.slots[slot] = *t;
        atomic_store(&textures.ages[slot], age + 1);
        handle = make_handle(slot, age + 1);
    }
    pthread_mutex_unlock(&textures.lock);
    return handle;
}

static bool is_open(uint64_t handle, uint32_t *slot)
{
    *slot = (uint32_t)handle & (TEXTURES - 1);
    unsigned age = atomic_load(&textures.ages[*slot]);
    return age & 1 && make_handle(*slot, age) == handle;
}

const struct texture *texture_find(uint64_t handle)
{
    uint32_t slot;
    return is_open(handle, &slot) ? &textures.slots[slot] : NULL;
}

bool texture_close(uint64_t handle)
{
    uint32_t slot;
    pthread_mutex_lock(&textures.lock);
    bool open = is_open(handle, &slot);
    if (open)
        atomic_fetch_add(&textures.ages[slot], 1);
    pthread_mutex_unlock(&textures.lock);
    return open;
}

uint32_t textures_live(void)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < TEXTURES; i++)
        live += atomic_load(&textures.ages[i]) & 1;
    return live;
}

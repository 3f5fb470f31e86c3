// The graph is one array of nodes, so that a register's shadow is a 32-bit index; words of memory are in a hash table.
#include "check/origin_graph.h"

#include <stdlib.h>

#include "base/alloc.h"

#define MAX_NODES (UINT32_C(1) << 23) // at most 128 MiB
#define MOST_WORDS (UINT32_C(1) << 21) // 80 MiB, and half as much again while the table grows

// A leaf; or with size 0 a join of two nodes, the halves of word.
struct node {
    uint64_t word;
    uint32_t size;
};

static struct {
    struct node *nodes;
    uint32_t count, room; // node 0 is none
    struct origin_word *words;
    uint32_t used, slots; // slots: a power of two
    bool full;
} graph;

static uint32_t add_node(uint64_t word, uint32_t size)
{
    if (graph.count >= MAX_NODES) {
        graph.full = true;
        return 0;
    }
    if (graph.count + 1 >= graph.room) {
        graph.room = graph.room * 2 + 1024;
        graph.nodes = alloc_resize(graph.nodes, graph.room, sizeof *graph.nodes);
    }
    graph.nodes[++graph.count] = (struct node){word, size};
    return graph.count;
}

uint32_t graph_leaf(uint64_t address, uint32_t size)
{
    return add_node(address, size);
}

uint32_t graph_join(uint32_t a, uint32_t b)
{
    return !a || a == b ? b : !b ? a : add_node((uint64_t)a << 32 | b, 0);
}

static struct origin_word *slot_of(uint64_t key)
{
    uint64_t at = (key >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    while (graph.words[at & (graph.slots - 1)].key && graph.words[at & (graph.slots - 1)].key != key)
        at++;
    return &graph.words[at & (graph.slots - 1)];
}

struct origin_word *graph_find(uint64_t key)
{
    struct origin_word *w = graph.slots ? slot_of(key) : NULL;
    return w && w->key ? w : NULL;
}

static void grow(void)
{
    struct origin_word *old = graph.words;
    uint32_t slots = graph.slots;
    graph.slots = slots ? 2 * slots : 4096;
    graph.words = alloc_zeroed(graph.slots, sizeof *graph.words);
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].key)
            *slot_of(old[i].key) = old[i];
    free(old);
}

struct origin_word *graph_word(uint64_t key)
{
    static struct origin_word spare;
    if (2 * graph.used >= graph.slots && graph.used < MOST_WORDS)
        grow();
    struct origin_word *w = slot_of(key);
    if (w->key)
        return w;
    if (graph.used >= MOST_WORDS) {
        graph.full = true;
        return &spare;
    }
    graph.used++;
    w->key = key;
    return w;
}

bool graph_full(void)
{
    return graph.full;
}

void graph_reset(void)
{
    free(graph.nodes);
    free(graph.words);
    graph.nodes = NULL;
    graph.words = NULL;
    graph.count = graph.room = graph.used = graph.slots = 0;
    graph.full = false;
}

void graph_each(void (*see)(struct origin_word *w, void *data), void *data)
{
    for (uint32_t i = 0; i < graph.slots; i++)
        if (graph.words[i].key)
            see(&graph.words[i], data);
}

static int by_address(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

// Keeps the largest leaf for each address, since a word may have been read several times. Returns how many remain.
static uint32_t drop_repeated(struct leaf *leaves, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || leaves[i].address != leaves[kept - 1].address)
            leaves[kept++] = leaves[i];
        else if (leaves[i].size > leaves[kept - 1].size)
            leaves[kept - 1] = leaves[i];
    return kept;
}

struct leaf *graph_leaves(uint32_t node, uint32_t *count)
{
    uint8_t *seen = alloc_zeroed(graph.count + 1, 1);
    uint32_t *open = alloc_zeroed(2 * (size_t)graph.count + 2, sizeof *open), left = 0;
    struct leaf *found = alloc_zeroed(graph.count + 1, sizeof *found);
    *count = 0;
    for (open[left++] = node; left;) {
        uint32_t at = open[--left];
        const struct node *n = &graph.nodes[at];
        if (!at || seen[at]++)
            continue;
        if (n->size) {
            found[(*count)++] = (struct leaf){n->word, n->size};
            continue;
        }
        open[left++] = (uint32_t)(n->word >> 32);
        open[left++] = (uint32_t)n->word;
    }
    qsort(found, *count, sizeof *found, by_address);
    *count = drop_repeated(found, *count);
    free(open);
    free(seen);
    return found;
}

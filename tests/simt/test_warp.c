// Shuffles, votes, matches, reductions and elections, compared with the definitions of the PTX ISA: with all lanes,
// with some lanes after a branch, and in several groups with different masks.
#include <stdio.h>
#include <string.h>

#include "machine.h"

#define LANES 32

// One lane: its inputs, and the results that the ISA requires.
struct lane {
    uint32_t a, b, c, mask, on; // on: the lane takes part
    uint32_t d, p;              // p: predicate
};

struct warp_test {
    const char *text; // reads %a, %aa (64 bits: a twice), %b, %c, %m, %q (a odd); writes %d and %p
    void (*model)(struct lane *lanes, uint32_t l, int sub);
    int sub;
};

#define POISON 0x77777777u

static uint32_t random_state = 12345;

static uint32_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static uint32_t group_of(const struct lane *lanes, uint32_t l)
{
    uint32_t group = 0;
    for (uint32_t k = 0; k < LANES; k++)
        group |= (uint32_t)(lanes[k].on && lanes[k].mask == lanes[l].mask) << k;
    return group;
}

// ---- models: each is one paragraph of the ISA

enum { UP, DOWN, BFLY, IDX };

static void shfl(struct lane *lanes, uint32_t l, int mode)
{
    struct lane *self = &lanes[l];
    int lane = (int)l, bval = self->b & 31, cval = self->c & 31, segmask = self->c >> 8 & 31;
    int max_lane = (lane & segmask) | (cval & ~segmask & 31), min_lane = lane & segmask, j;
    switch (mode) {
    case UP:
        j = lane - bval;
        self->p = j >= max_lane;
        break;
    case DOWN:
        j = lane + bval;
        self->p = j <= max_lane;
        break;
    case BFLY:
        j = lane ^ bval;
        self->p = j <= max_lane;
        break;
    default: j = min_lane | (bval & ~segmask & 31); self->p = j <= max_lane;
    }
    self->d = lanes[self->p ? j : lane].a;
}

enum { ALL, ANY, UNI, BALLOT, NOT_ALL, NOT_BALLOT };

static void vote(struct lane *lanes, uint32_t l, int mode)
{
    uint32_t group = group_of(lanes, l), bits = 0;
    for (uint32_t k = 0; k < LANES; k++)
        bits |= (lanes[k].a & 1) << k;
    bits = (mode >= NOT_ALL ? ~bits : bits) & group;
    switch (mode) {
    case ALL:
    case NOT_ALL: lanes[l].p = bits == group; break;
    case ANY: lanes[l].p = bits != 0; break;
    case UNI: lanes[l].p = bits == group || bits == 0; break;
    default: lanes[l].d = bits;
    }
}

static void match(struct lane *lanes, uint32_t l, int all)
{
    uint32_t group = group_of(lanes, l), same = 0;
    for (uint32_t k = 0; k < LANES; k++)
        same |= (uint32_t)(group >> k & 1 && lanes[k].a == lanes[l].a) << k;
    lanes[l].d = !all ? same : same == group ? group : 0;
    if (all)
        lanes[l].p = same == group;
}

enum { ADD, MIN_U, MAX_U, MIN_S, MAX_S, AND, OR, XOR };

static uint32_t combine(uint32_t x, uint32_t y, int op)
{
    switch (op) {
    case ADD: return x + y;
    case MIN_U: return x < y ? x : y;
    case MAX_U: return x > y ? x : y;
    case MIN_S: return (int32_t)x < (int32_t)y ? x : y;
    case MAX_S: return (int32_t)x > (int32_t)y ? x : y;
    case AND: return x & y;
    case OR: return x | y;
    default: return x ^ y;
    }
}

static void redux(struct lane *lanes, uint32_t l, int op)
{
    uint32_t group = group_of(lanes, l), first = (uint32_t)__builtin_ctz(group);
    lanes[l].d = lanes[first].a;
    for (uint32_t k = first + 1; k < LANES; k++)
        if (group >> k & 1)
            lanes[l].d = combine(lanes[l].d, lanes[k].a, op);
}

// The ISA lets the machine choose any lane of the group: the lowest one here and on an H200.
static void elect(struct lane *lanes, uint32_t l, int sub)
{
    (void)sub;
    lanes[l].d = (uint32_t)__builtin_ctz(group_of(lanes, l));
    lanes[l].p = l == lanes[l].d;
}

static const struct warp_test tests[] = {
    {"shfl.sync.up.b32 %d|%p, %a, %b, %c, %m", shfl, UP},
    {"shfl.sync.down.b32 %d|%p, %a, %b, %c, %m", shfl, DOWN},
    {"shfl.sync.bfly.b32 %d|%p, %a, %b, %c, %m", shfl, BFLY},
    {"shfl.sync.idx.b32 %d|%p, %a, %b, %c, %m", shfl, IDX},
    {"vote.sync.all.pred %p, %q, %m", vote, ALL},
    {"vote.sync.any.pred %p, %q, %m", vote, ANY},
    {"vote.sync.uni.pred %p, %q, %m", vote, UNI},
    {"vote.sync.all.pred %p, !%q, %m", vote, NOT_ALL},
    {"vote.sync.ballot.b32 %d, %q, %m", vote, BALLOT},
    {"vote.sync.ballot.b32 %d, !%q, %m", vote, NOT_BALLOT},
    {"match.any.sync.b32 %d, %a, %m", match, 0},
    {"match.any.sync.b64 %d, %aa, %m", match, 0},
    {"match.all.sync.b32 %d|%p, %a, %m", match, 1},
    {"match.all.sync.b64 %d|%p, %aa, %m", match, 1},
    {"redux.sync.add.u32 %d, %a, %m", redux, ADD},
    {"redux.sync.add.s32 %d, %a, %m", redux, ADD},
    {"redux.sync.min.u32 %d, %a, %m", redux, MIN_U},
    {"redux.sync.max.u32 %d, %a, %m", redux, MAX_U},
    {"redux.sync.min.s32 %d, %a, %m", redux, MIN_S},
    {"redux.sync.max.s32 %d, %a, %m", redux, MAX_S},
    {"redux.sync.and.b32 %d, %a, %m", redux, AND},
    {"redux.sync.or.b32 %d, %a, %m", redux, OR},
    {"redux.sync.xor.b32 %d, %a, %m", redux, XOR},
    {"elect.sync %d|%p, %m", elect, 0},
};

// ---- groups of lanes

struct grouping {
    const char *name;
    uint32_t on;
    uint32_t tile; // lanes of a tile have their own mask; 0: one mask for all
};

static const struct grouping groupings[] = {
    {"all", 0xffffffff, 0},   {"halves", 0xffffffff, 16},    {"quarters", 0xffffffff, 8},      {"pairs", 0xffffffff, 2},
    {"lanes", 0xffffffff, 1}, {"lower half", 0x0000ffff, 0}, {"upper quarter", 0xff000000, 0}, {"odd", 0xaaaaaaaa, 0},
    {"one", 0x00000400, 0},   {"two tiles", 0x00ff00ff, 8},  {"scattered", 0x5a0f3c69, 0},
};

// Sources of shuffles must take part: groups that are not whole tiles shuffle by index among themselves.
static void choose_shuffle(struct lane *lanes, uint32_t l, const struct grouping *g, uint32_t round, int mode)
{
    uint32_t tile = g->tile ? g->tile : g->on == 0xffffffff ? 32 : g->on == 0xffff ? 16 : g->on == 0xff000000 ? 8 : 1;
    uint32_t width = 1u << round % 6;
    width = width < tile ? width : tile;
    lanes[l].c = (32 - width) << 8 | (mode == UP ? 0 : 31);
    lanes[l].b = mode != IDX ? round / 6 * 7 + 1 : round == 11 ? 19 : random_bits(); // from one lane, or from many
    if (mode == BFLY && width > 1) // stays within the segment, or leaves it and keeps its own value
        lanes[l].b = round & 1 ? (round / 6 + 1) % width : width;
    if (mode == BFLY && lanes[l].b >= tile)
        lanes[l].b = 0;
    if (tile == 1 && mode == IDX && g->tile == 0) {
        uint32_t k = random_bits() % LANES;
        while (!(g->on >> k & 1))
            k = (k + 1) % LANES;
        lanes[l].c = 31;
        lanes[l].b = k;
    }
}

static void fill(struct lane *lanes, const struct grouping *g, const struct warp_test *t, uint32_t round)
{
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t tile = g->tile ? g->tile : 32, first = l / tile * tile;
        uint32_t ones = tile == 32 ? 0xffffffff : ((1u << tile) - 1) << first;
        lanes[l] = (struct lane){.on = g->on >> l & 1, .mask = ones & g->on};
        lanes[l].a = t->model != match ? random_bits() : round % 3 ? random_bits() % 3 : 7;
        if (t->model == vote && round % 4 < 2)
            lanes[l].a = round % 4;
        if (t->model == shfl)
            choose_shuffle(lanes, l, g, round, t->sub);
    }
    for (uint32_t l = 0; l < LANES; l++) {
        lanes[l].d = POISON;
        lanes[l].p = l & 1;
    }
}

// ---- running

static const char *const frame = PTX_HEAD
    ".visible .entry k(.param .u64 data)\n{\n.reg .b32 %l, %a, %b, %c, %m, %on, %d, %t;\n.reg .b64 %at, %aa;\n"
    ".reg .pred %p, %q, %off;\nmov.u32 %l, %tid.x;\nld.param.u64 %at, [data];\nmad.wide.u32 %at, %l, 28, %at;\n"
    "ld.global.u32 %a, [%at];\nld.global.u32 %b, [%at+4];\nld.global.u32 %c, [%at+8];\nld.global.u32 %m, [%at+12];\n"
    "ld.global.u32 %on, [%at+16];\nld.global.u32 %d, [%at+20];\nld.global.u32 %t, [%at+24];\nsetp.ne.u32 %p, %t, 0;\n"
    "setp.eq.u32 %off, %on, 0;\nand.b32 %t, %a, 1;\nsetp.ne.u32 %q, %t, 0;\nmov.b64 %aa, {%a, %a};\n"
    "@%off bra SKIP;\n#INSTRUCTION#;\nSKIP:\nst.global.u32 [%at+20], %d;\nselp.u32 %t, 1, 0, %p;\n"
    "st.global.u32 [%at+24], %t;\nret;\n}\n";

static struct module *load(const char *instruction)
{
    static char text[4096];
    const char *hole = strstr(frame, "#INSTRUCTION#");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - frame), frame, instruction, hole + strlen("#INSTRUCTION#"));
    return machine_load(text);
}

static void run(struct module *m, const struct warp_test *t, const struct grouping *g, uint32_t round)
{
    struct lane want[LANES], *data = machine_buffer(sizeof want, 0);
    char where[160];
    fill(want, g, t, round);
    memcpy(data, want, sizeof want);
    for (uint32_t l = 0; l < LANES; l++)
        if (want[l].on)
            t->model(want, l, t->sub);
    int error = machine_run(m, "k", machine_line(1, LANES), &data);
    snprintf(where, sizeof where, "%s, %s, round %u", t->text, g->name, round);
    check(error == 0, where, "launch error %d", error);
    for (uint32_t l = 0; l < LANES && !error; l++)
        if (!check(data[l].d == want[l].d && data[l].p == want[l].p, where, "lane %u: d 0x%x p %u, wanted 0x%x %u", l,
                   data[l].d, data[l].p, want[l].d, want[l].p))
            break;
    machine_free(data);
}

int main(void)
{
    const uint32_t n = sizeof tests / sizeof *tests, m = sizeof groupings / sizeof *groupings;
    for (uint32_t i = 0; i < n; i++) {
        struct module *module = load(tests[i].text);
        for (uint32_t k = 0; k < m; k++)
            for (uint32_t round = 0; round < 12; round++)
                run(module, &tests[i], &groupings[k], round);
        machine_unload(module);
    }
    printf("%u instructions, %u groupings, %d failures\n", n, m, failures);
    return failures != 0;
}

// Loads, stores, atomics and fences: reads every modifier, and refuses unknown ones.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "decode/families.h"
#include "decode/flag_load.h"

struct memory_words {
    enum ptx_space space;
    uint8_t order, scope, count;
    enum ptx_type type;
};

static bool is_hint(const char *word)
{
    static const char *const words[] = {"ca", "cg", "cs", "lu", "wb", "unified", "weak"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i]))
            return true;
    return !strncmp(word, "L1::", 4) || !strncmp(word, "L2::", 4);
}

static bool read_space(const char *word, enum ptx_space *space)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } spaces[] = {{"global", PTX_GLOBAL},      {"shared", PTX_SHARED},
                  {"shared::cta", PTX_SHARED}, {"shared::cluster", SPACE_CLUSTER},
                  {"local", PTX_LOCAL},        {"const", PTX_CONST},
                  {"param", PTX_PARAM},        {"param::entry", PTX_PARAM},
                  {"param::func", PTX_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (!strcmp(word, spaces[i].word)) {
            *space = spaces[i].space;
            return true;
        }
    return false;
}

static bool read_scope(const char *word, uint8_t *scope)
{
    if (!strcmp(word, "cta"))
        *scope = SCOPE_BLOCK;
    else if (!strcmp(word, "cluster"))
        *scope = SCOPE_CLUSTER;
    else if (!strcmp(word, "gpu") || !strcmp(word, "gl"))
        *scope = SCOPE_DEVICE;
    else if (!strcmp(word, "sys"))
        *scope = SCOPE_SYSTEM;
    else
        return false;
    return true;
}

static bool read_order(const char *word, uint8_t *order)
{
    static const struct {
        const char *word;
        uint8_t order;
    } orders[] = {{"volatile", ORDER_VOLATILE},
                  {"cv", ORDER_VOLATILE},
                  {"wt", ORDER_VOLATILE},
                  {"mmio", ORDER_VOLATILE},
                  {"nc", ORDER_READ_ONLY},
                  {"relaxed", ORDER_STRONG},
                  {"acquire", ORDER_STRONG | ORDER_ACQUIRE},
                  {"release", ORDER_STRONG | ORDER_RELEASE},
                  {"acq_rel", ORDER_STRONG | ORDER_ACQUIRE | ORDER_RELEASE},
                  {"sc", ORDER_STRONG | ORDER_ACQUIRE | ORDER_RELEASE}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (!strcmp(word, orders[i].word)) {
            *order |= orders[i].order;
            return true;
        }
    return false;
}

// Whether the word is the number of a vector's elements.
static bool read_count(const char *word, uint8_t *count)
{
    bool is = !strcmp(word, "v2") || !strcmp(word, "v4") || !strcmp(word, "v8");
    if (is)
        *count = (uint8_t)(word[1] - '0');
    return is;
}

// Reads the modifiers from word 1 to the type, which is the last word.
static struct memory_words read_words(struct decoder *d)
{
    struct memory_words m = {PTX_GENERIC, 0, SCOPE_SYSTEM, 1, PTX_NONE};
    m.type = ptx_type_parse(last_word(d), strlen(last_word(d)));
    if (ptx_type_size(m.type) == 0 || m.type == PTX_B128)
        refuse(d, "moves a type that this machine does not execute");
    for (int i = 1; i < d->word_count - 1; i++) {
        const char *word = d->words[i];
        if (!is_hint(word) && !read_space(word, &m.space) && !read_scope(word, &m.scope) &&
            !read_order(word, &m.order) && !read_count(word, &m.count))
            refuse(d, "has the modifier .%s, which this machine does not know", word);
    }
    if (m.order & (ORDER_ACQUIRE | ORDER_RELEASE))
        d->code->orders = true;
    if (m.order & (ORDER_STRONG | ORDER_VOLATILE))
        d->code->strong = true;
    return m;
}

void note_access(struct decoder *d, const struct insn *in)
{
    d->module->origins[in->id].size = in->size;
    d->module->origins[in->id].order = in->order;
    d->module->origins[in->id].spins = in->spins;
}

static void set_address(struct insn *in, struct address at, struct memory_words m)
{
    in->a = at.place;
    in->imm = at.imm;
    in->space = (uint8_t)at.space;
    in->order = (uint8_t)(m.order | (at.narrow ? ADDRESS_32 : 0));
    in->scope = m.scope;
}

uint32_t value_places(struct decoder *d, const struct ptx_operand *o, enum ptx_type type, int count, uint32_t *places,
                      bool load)
{
    const struct ptx_operand *list = o->kind == PTX_OP_VECTOR ? o->list : o;
    int n = o->kind == PTX_OP_VECTOR ? o->count : 1;
    uint32_t width = ptx_type_size(type) < 2 ? 2 : ptx_type_size(type);
    if (n != count) {
        refuse(d, "has %d registers for %d elements", n, count);
        return width;
    }
    for (int k = 0; k < n; k++) // registers may be wider than the elements
        if (register_size(d, &list[k]) > width)
            width = register_size(d, &list[k]);
    for (int k = 0; k < n; k++) {
        enum lane_type lanes = width == 2 ? LANE_u16 : width == 4 ? LANE_u32 : LANE_u64;
        if (!load && (list[k].kind == PTX_OP_F32 || list[k].kind == PTX_OP_F64))
            lanes = lane_type_of(type) == LANE_u32 || lane_type_of(type) == LANE_u64 ? lanes : lane_type_of(type);
        places[k] = load ? destination(d, &list[k], width) : source(d, &list[k], lanes);
    }
    return width;
}

static bool is_signed(enum ptx_type type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

static void note_shared_size(struct decoder *d, enum ptx_space space, enum ptx_type type)
{
    if ((space == PTX_SHARED || space == SPACE_CLUSTER || space == PTX_GENERIC) && ptx_type_size(type) < 4)
        d->code->sub_words = true;
}

// Whether contiguous elements in memory may have the layout of a register's row.
static bool may_be_row(const struct insn *in)
{
    bool known_space = in->space == PTX_SHARED || in->space == PTX_GLOBAL;
    return known_space && in->count == 1 && in->size > 1 && (in->sub & 0x7f) == in->size && in->a != NONE &&
           !(in->order & (ORDER_VOLATILE | ORDER_STRONG));
}

void decode_load(struct decoder *d)
{
    struct memory_words m = read_words(d);
    if (d->failed)
        return;
    uint32_t places[8];
    struct address at = read_address(d, operand(d, 1), m.space);
    uint32_t width = value_places(d, operand(d, 0), m.type, m.count, places, true);
    uint32_t list = m.count > 1 ? add_list(d, places, m.count) : 0;
    bool param = at.space == PTX_PARAM && at.place == NONE;
    struct insn *in = emit(d, param ? RUN_load_param : RUN_load);
    set_address(in, at, m);
    bool cas_start = d->cas_starts && d->cas_starts[d->ptx - d->f->instrs];
    if (!m.order && cas_start)
        in->order |= ORDER_CAS_START;
    if (m.order & (ORDER_VOLATILE | ORDER_STRONG)) {
        in->order |= d->data && data_in(operand(d, 0), d->data) ? ORDER_DATA : 0;
        in->spins = cas_start || load_spins(d->f, &d->cfg, (int)(d->ptx - d->f->instrs));
    }
    in->dst = places[0];
    in->target = list;
    in->size = (uint8_t)ptx_type_size(m.type);
    in->count = m.count;
    in->sub = (uint8_t)(width | (is_signed(m.type) ? 0x80 : 0));
    note_access(d, in);
    if (may_be_row(in))
        replace_action(d, in, RUN_load_row);
    note_shared_size(d, at.space, m.type);
}

void decode_store(struct decoder *d)
{
    if (has_word(d, "async")) {
        decode_store_async(d);
        return;
    }
    struct memory_words m = read_words(d);
    if (d->failed)
        return;
    uint32_t places[8];
    struct address at = read_address(d, operand(d, 0), m.space);
    uint32_t width = value_places(d, operand(d, 1), m.type, m.count, places, false);
    uint32_t list = m.count > 1 ? add_list(d, places, m.count) : 0;
    struct insn *in = emit(d, RUN_store);
    set_address(in, at, m);
    in->b = places[0];
    in->target = list;
    in->size = (uint8_t)ptx_type_size(m.type);
    in->count = m.count;
    in->sub = (uint8_t)width;
    note_access(d, in);
    if (may_be_row(in))
        replace_action(d, in, RUN_store_row);
    note_shared_size(d, at.space, m.type);
}

bool read_operation(const char *word, uint8_t *op)
{
    static const char *const names[] = {"add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"};
    for (uint8_t k = 0; k < 10; k++)
        if (!strcmp(word, names[k])) {
            *op = k;
            return true;
        }
    return false;
}

// Whether another instruction of the function names the register, and so most likely reads it.
static bool is_used(const struct decoder *d, const struct ptx_operand *o)
{
    bool *holds = alloc_zeroed((size_t)d->f->reg_count + 1, sizeof *holds), used = o->kind != PTX_OP_REG;
    if (!used)
        holds[o->reg] = true;
    for (int i = 0; i < d->f->instr_count && !used; i++) {
        const struct ptx_instr *in = &d->f->instrs[i];
        used = in != d->ptx && in->guard >= 0 && holds[in->guard];
        for (int k = 0; in != d->ptx && k < in->count; k++)
            used |= names_any(&in->operands[k], holds);
    }
    free(holds);
    return used;
}

// Whether the machine executes the operation on elements of the type, count of them.
static bool has_atomic(enum ptx_type type, uint8_t op, uint8_t count)
{
    enum lane_type lanes = lane_type_of(type);
    bool half = type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
    bool real = type == PTX_F32 || type == PTX_F64; // exch of reals is written .b32
    if (!lanes || op == 0xff)
        return false;
    if (count > 1)
        return (half && (op == ATOM_ADD || op == ATOM_MIN || op == ATOM_MAX)) || (type == PTX_F32 && op == ATOM_ADD);
    if (half || real)
        return op == ATOM_ADD || (real && op == ATOM_EXCH);
    return lane_size(lanes) >= 4 || (op == ATOM_CAS && type == PTX_B16);
}

static struct memory_words read_atomic_words(struct decoder *d, uint8_t *op)
{
    struct memory_words m = {PTX_GENERIC, ORDER_STRONG, SCOPE_DEVICE, 1, PTX_NONE};
    m.type = ptx_type_parse(last_word(d), strlen(last_word(d)));
    *op = 0xff;
    for (int i = 1; i < d->word_count - 1; i++) {
        const char *word = d->words[i];
        if (!read_count(word, &m.count) && !read_operation(word, op) && !read_space(word, &m.space) &&
            !read_scope(word, &m.scope) && !read_order(word, &m.order) && strcmp(word, "noftz"))
            refuse(d, "has the modifier .%s, which this machine does not know", word);
    }
    if (!has_atomic(m.type, *op, m.count))
        refuse(d, "is an atomic operation that this machine does not execute");
    return m;
}

// One element of an atomic; a vector is as many instructions, since only each element is atomic. whole: the bytes of
// the vector that begins with it, or 0.
static void emit_atomic(struct decoder *d, struct memory_words m, uint8_t op, struct address at, uint32_t b, uint32_t c,
                        uint32_t dst, uint8_t whole)
{
    struct insn *in = emit(d, RUN_atomic);
    set_address(in, at, m);
    in->dst = dst;
    in->b = b;
    in->c = c;
    in->size = (uint8_t)lane_size(lane_type_of(m.type));
    in->count = (uint8_t)m.type;
    in->sub = op;
    in->align = whole;
    in->spins = dst != NONE && load_spins(d->f, &d->cfg, (int)(d->ptx - d->f->instrs));
    d->code->locks |= in->spins && (op == ATOM_CAS || op == ATOM_EXCH || op == ATOM_OR || op == ATOM_AND);
    note_access(d, in);
}

// atom{.order}{.scope}{.space}.op{.noftz}{.v2,.v4,.v8}.type d, [a], b{, c}; red without d.
void decode_atomic(struct decoder *d)
{
    bool gives = !strcmp(d->words[0], "atom");
    uint8_t op;
    struct memory_words m = read_atomic_words(d, &op);
    if (d->failed)
        return;
    enum lane_type type = lane_type_of(m.type);
    uint32_t size = (uint32_t)lane_size(type), b[8], dst[8];
    struct address at = read_address(d, operand(d, gives), m.space);
    bool wanted = gives && (op != ATOM_EXCH || is_used(d, operand(d, 0)));
    if (m.count == 1)
        b[0] = source(d, operand(d, gives + 1), type);
    else
        value_places(d, operand(d, gives + 1), m.type, m.count, b, false);
    uint32_t c = op == ATOM_CAS ? source(d, operand(d, gives + 2), type) : NONE;
    dst[0] = wanted && m.count == 1 ? destination(d, operand(d, 0), size) : NONE;
    if (wanted && m.count > 1)
        value_places(d, operand(d, 0), m.type, m.count, dst, true);
    if (m.order & (ORDER_ACQUIRE | ORDER_RELEASE))
        d->code->orders = true;
    note_shared_size(d, at.space, m.type);
    for (uint32_t k = 0; k < m.count && !d->failed; k++, at.imm += size)
        emit_atomic(d, m, op, at, b[k], c, wanted ? dst[k] : NONE, (uint8_t)(k || m.count == 1 ? 0 : m.count * size));
}

void decode_red(struct decoder *d)
{
    if (has_word(d, "async"))
        decode_store_async(d);
    else
        decode_atomic(d);
}

// membar.{cta,gl,sys}, which are fence.sc; fence{.sc,.acq_rel,.acquire,.release}.scope; fence.mbarrier_init, which
// orders only the thread's mbarrier.init.
void decode_fence(struct decoder *d)
{
    uint8_t scope = SCOPE_SYSTEM, order = 0;
    if (has_word(d, "proxy")) {
        decode_proxy_fence(d);
        return;
    }
    for (int i = 1; i < d->word_count; i++)
        if (!read_scope(d->words[i], &scope) && !read_order(d->words[i], &order) &&
            strcmp(d->words[i], "mbarrier_init"))
            refuse(d, "has the modifier .%s, which this machine does not know", d->words[i]);
    d->code->orders = true;
    struct insn *in = emit(d, RUN_fence);
    in->scope = scope;
    in->sub = has_word(d, "mbarrier_init")                          ? FENCE_OF_INIT
              : !strcmp(d->words[0], "membar") || has_word(d, "sc") ? FENCE_SC
                                                                    : FENCE_PLAIN;
}

// Textures and surfaces: reads every modifier, and refuses unknown ones.
#include "decode/decode.h"
#include "decode/families.h"

// clang-format off
// A geometry of PTX, and the number of its coordinate operands, some of which only pad the vector.
static const struct geometry {
    const char *word;
    enum texture_shape shape;
    int operands, coordinates;
} geometries[] = {{"1d", SHAPE_1D, 1, 1},           {"2d", SHAPE_2D, 2, 2},    {"3d", SHAPE_3D, 4, 3},
                  {"a1d", SHAPE_LAYERED_1D, 2, 2},  {"a2d", SHAPE_LAYERED_2D, 4, 3},
                  {"cube", SHAPE_CUBE, 4, 3},       {"acube", SHAPE_LAYERED_CUBE, 4, 4}};

static const struct geometry *find_geometry(const char *word)
{
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
        if (!strcmp(word, geometries[i].word))
            return &geometries[i];
    return NULL;
}
// clang-format on

static const struct geometry *read_geometry(struct decoder *d, const char *word)
{
    const struct geometry *g = find_geometry(word);
    if (!g)
        refuse(d, "has the geometry .%s, which this machine does not know", word);
    return g;
}

// Reads [object, {x, y, ...}]: the object and its coordinates; for a layered one the layer comes first.
static bool read_object(struct decoder *d, const struct ptx_operand *from, const struct geometry *g, bool integers,
                        uint32_t *handle, uint32_t *places)
{
    bool shaped = from->kind == PTX_OP_ADDRESS && from->reg >= 0 && from->count == 1 &&
                  from->list[0].kind == PTX_OP_VECTOR &&
                  (from->list[0].count == g->operands || from->list[0].count == g->coordinates);
    if (!shaped) {
        refuse(d, "is an access that this machine does not execute: it needs [object, {%d coordinates}]", g->operands);
        return false;
    }
    const struct ptx_operand object = {.kind = PTX_OP_REG, .reg = from->reg};
    bool layered = g->word[0] == 'a';
    *handle = source(d, &object, LANE_u64);
    for (int k = 0; k < g->coordinates; k++)
        places[k] = source(d, &from->list[0].list[k], integers || (layered && k == 0) ? LANE_s32 : LANE_f32);
    return true;
}

static struct insn *emit_object(struct decoder *d, enum action run, uint32_t handle, enum texture_shape shape, int form)
{
    struct insn *in = emit(d, run);
    in->a = handle;
    in->imm = (int64_t)shape | (int64_t)form << OBJECT_FORM;
    in->space = PTX_GLOBAL;
    return in;
}

// ---- tex{.level,.grad}.geometry.v4.type.type {d, d, d, d}, [texture, {x, ...}]; tld4.channel.2d.v4.type.f32

// Reads the words before the geometry. There are no mipmaps, so the level and gradients do not matter. Returns the
// number of the geometry's word.
static int read_fetch(struct decoder *d, enum fetch_form *form, int *channel)
{
    static const char channels[] = "rgba";
    const char *word = d->words[d->word_count > 1];
    *form = strcmp(d->words[0], "tld4") ? FETCH_TEXEL : FETCH_GATHER;
    *channel = 0;
    if (d->word_count < 5)
        return d->word_count;
    if (*form == FETCH_TEXEL)
        return strcmp(word, "level") && strcmp(word, "grad") ? 1 : 2;
    if (!word[0] || word[1] || !strchr(channels, word[0]))
        refuse(d, "gathers .%s, which is not a channel", word);
    else
        *channel = (int)(strchr(channels, word[0]) - channels);
    return 2;
}

static bool is_fetch(struct decoder *d, int at, bool integers)
{
    static const char *const types[] = {"u32", "s32", "f32"};
    bool known = d->word_count == at + 4 && !strcmp(d->words[at + 1], "v4") && operand(d, 0)->count == 4;
    bool typed = false;
    for (size_t i = 0; known && i < sizeof types / sizeof *types; i++)
        typed |= !strcmp(d->words[at + 2], types[i]);
    return typed && operand(d, 0)->kind == PTX_OP_VECTOR &&
           (integers ? !strcmp(d->words[at], "1d") && at == 1 : !strcmp(last_word(d), "f32"));
}

void decode_texture(struct decoder *d)
{
    enum fetch_form form;
    int channel, at = read_fetch(d, &form, &channel);
    bool integers = !strcmp(last_word(d), "s32");
    if (at >= d->word_count)
        refuse(d, "has too few modifiers");
    const struct geometry *g = d->failed ? NULL : read_geometry(d, d->words[at]);
    if (g && (!is_fetch(d, at, integers) || (form == FETCH_GATHER && g->shape != SHAPE_2D)))
        refuse(d, "is a fetch that this machine does not execute: it executes tex on objects and two-dimensional tld4");
    uint32_t handle, places[8];
    if (!g || d->failed || !read_object(d, operand(d, 1), g, integers, &handle, places + 4))
        return;
    for (int k = 0; k < 4; k++)
        places[k] = destination(d, &operand(d, 0)->list[k], 4);
    uint32_t list = add_list(d, places, 4 + (uint32_t)g->coordinates);
    struct insn *in = emit_object(d, RUN_texture, handle, integers ? SHAPE_LINEAR : g->shape, (int)form);
    in->target = list;
    in->size = 4;
    in->count = (uint8_t)channel;
    in->order = ORDER_READ_ONLY;
}

// ---- suld.b.geometry{.cop}{.vec}.type.clamp {d, ...}, [surface, {x, ...}]; sust.b with the values after

static bool read_edge(const char *word, enum surface_edge *edge)
{
    static const char *const words[] = {"trap", "clamp", "zero"};
    for (int k = 0; k < 3; k++)
        if (!strcmp(word, words[k])) {
            *edge = (enum surface_edge)k;
            return true;
        }
    return false;
}

// Reads the words between the geometry and the edge.
static void read_element(struct decoder *d, enum ptx_type *type, int *count)
{
    static const char *const hints[] = {"ca", "cg", "cs", "cv", "wb", "wt"};
    *type = PTX_NONE;
    *count = 1;
    for (int i = 3; i < d->word_count - 1; i++) {
        const char *word = d->words[i];
        if (!strcmp(word, "v2") || !strcmp(word, "v4"))
            *count = word[1] - '0';
        else if (word[0] == 'b')
            *type = ptx_type_parse(word, strlen(word));
        else if (!is_one_of(word, hints, sizeof hints / sizeof *hints))
            refuse(d, "has the modifier .%s, which this machine does not know", word);
    }
    uint32_t bytes = ptx_type_size(*type);
    if (!bytes || bytes > 8 || bytes * (uint32_t)*count > 16)
        refuse(d, "moves a type that this machine does not execute");
}

void decode_surface(struct decoder *d)
{
    bool load = !strcmp(d->words[0], "suld");
    enum surface_edge edge = SURFACE_TRAPS;
    enum ptx_type type = PTX_NONE;
    int count = 1;
    uint32_t handle, places[8];
    if (d->word_count < 5 || strcmp(d->words[1], "b") || !read_edge(last_word(d), &edge))
        refuse(d, "is an access that this machine does not execute: it executes only .b, without a format");
    const struct geometry *g = d->failed ? NULL : read_geometry(d, d->words[2]);
    if (g)
        read_element(d, &type, &count);
    if (!g || d->failed || !read_object(d, operand(d, load), g, true, &handle, places + count))
        return;
    uint32_t width = value_places(d, operand(d, !load), type, count, places, load);
    uint32_t list = add_list(d, places, (uint32_t)(count + g->coordinates));
    struct insn *in = emit_object(d, load ? RUN_surface_load : RUN_surface_store, handle, g->shape, (int)edge);
    *(load ? &in->dst : &in->b) = places[0];
    in->target = list;
    in->size = (uint8_t)ptx_type_size(type);
    in->count = (uint8_t)count;
    in->sub = (uint8_t)width;
    note_access(d, in);
}

// ---- txq.width.b32 d, [texture]; suq

void decode_query(struct decoder *d)
{
    static const char *const words[] = {
        [SIZE_WIDTH] = "width", [SIZE_HEIGHT] = "height", [SIZE_DEPTH] = "depth", [SIZE_LAYERS] = "array_size"};
    const struct ptx_operand *from = operand(d, 1);
    int what = 0;
    while (what < 4 && d->word_count == 3 && strcmp(d->words[1], words[what]))
        what++;
    if (what == 4 || d->word_count != 3 || strcmp(d->words[2], "b32") || from->kind != PTX_OP_ADDRESS || from->reg < 0)
        refuse(d, "is a query that this machine does not execute: it answers width, height, depth and array_size");
    if (d->failed)
        return;
    const struct ptx_operand object = {.kind = PTX_OP_REG, .reg = from->reg};
    uint32_t handle = source(d, &object, LANE_u64), dst = destination(d, operand(d, 0), 4);
    bool texture = !strcmp(d->words[0], "txq");
    emit_object(d, texture ? RUN_query_texture : RUN_query_surface, handle, SHAPE_ANY, what)->dst = dst;
}

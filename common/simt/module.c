// Modules: parsing, variables, lazy decoding, and names for reports.
#include "module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fatbin.h"
#include "memory.h"

struct module *module_parse(const char *ptx, size_t length, char *error, size_t error_size)
{
    struct ptx_module *tree = ptx_parse(ptx, length, error, error_size);
    if (!tree)
        return NULL;
    struct module *m = calloc(1, sizeof *m);
    m->ptx = tree;
    m->codes = calloc((size_t)tree->func_count + 1, sizeof *m->codes);
    m->var_address = calloc((size_t)tree->var_count + 1, sizeof *m->var_address);
    return m;
}

struct module *module_load(const void *wrapper, char *error, size_t error_size)
{
    size_t length;
    const char *ptx = fatbin_ptx(wrapper, &length, error, error_size);
    return ptx ? module_parse(ptx, length, error, error_size) : NULL;
}

void free_code(struct code *c)
{
    if (!c)
        return;
    free(c->insns);
    free(c->blocks);
    free(c->lists);
    free(c->constants);
    free(c->shared_names);
    free(c->shared_offsets);
    free(c);
}

void module_free(struct module *m)
{
    const struct allocation *found;
    for (int i = 0; i < m->ptx->func_count; i++)
        free_code(m->codes[i]);
    for (int i = 0; i < m->ptx->var_count; i++)
        if (m->ptx->vars[i].space != PTX_SHARED && m->var_address[i])
            memory_free(m->var_address[i], &found);
    ptx_free(m->ptx);
    free(m->codes);
    free(m->var_address);
    free(m->origins);
    free(m->shared);
    free(m);
}

// ---- variables

static void fill_variable(struct module *m, const struct ptx_variable *v, uint64_t address)
{
    uint8_t *to = (uint8_t *)(uintptr_t)address;
    if (v->init)
        memcpy(to, v->init, v->size);
    else
        memset(to, 0, v->size);
    for (const struct ptx_reloc *r = v->relocs; r; r = r->next) {
        struct symbol s = module_symbol(m, r->symbol);
        uint64_t value = (s.value + r->addend) >> r->shift;
        memcpy(to + r->offset, &value, r->size);
    }
    memory_mark_written(address, v->size);
}

bool module_place(struct module *m, int device)
{
    for (int i = 0; i < m->ptx->var_count; i++) {
        const struct ptx_variable *v = &m->ptx->vars[i];
        if (v->space == PTX_SHARED || v->external)
            continue;
        struct allocation *a = memory_alloc(v->size, MEMORY_VARIABLE, device);
        if (!a)
            return false;
        a->name = v->name;
        m->var_address[i] = a->base;
    }
    for (int i = 0; i < m->ptx->var_count; i++)
        if (m->ptx->vars[i].space != PTX_SHARED && m->var_address[i])
            fill_variable(m, &m->ptx->vars[i], m->var_address[i]);
    return true;
}

static int find_function(const struct module *m, const char *name)
{
    int declared = -1;
    for (int i = 0; i < m->ptx->func_count; i++)
        if (!strcmp(m->ptx->funcs[i].name, name)) {
            if (m->ptx->funcs[i].defined)
                return i;
            declared = i;
        }
    return declared;
}

uint32_t module_shared_id(struct module *m, const struct ptx_variable *v)
{
    for (uint32_t i = 0; i < m->shared_count; i++)
        if (m->shared[i] == v)
            return i;
    m->shared = realloc(m->shared, (m->shared_count + 1) * sizeof *m->shared);
    m->shared[m->shared_count] = v;
    return m->shared_count++;
}

struct symbol module_symbol(struct module *m, const char *name)
{
    for (int i = 0; i < m->ptx->var_count; i++) {
        const struct ptx_variable *v = &m->ptx->vars[i];
        if (strcmp(v->name, name))
            continue;
        if (v->space == PTX_SHARED && !v->external)
            return (struct symbol){.space = PTX_SHARED, .value = module_shared_id(m, v), .module_shared = true};
        return (struct symbol){v->space, m->var_address[i], .dynamic_shared = v->space == PTX_SHARED};
    }
    int f = find_function(m, name);
    if (f >= 0)
        return (struct symbol){PTX_GENERIC, TAG_CODE + (uint64_t)f, .function = true};
    return (struct symbol){.space = PTX_REG};
}

// ---- code

uint32_t module_add_origin(struct module *m, const struct code *c, const struct ptx_instr *ptx, uint32_t block)
{
    if (m->origin_count == m->origin_capacity) {
        m->origin_capacity = m->origin_capacity * 2 + 256;
        m->origins = realloc(m->origins, m->origin_capacity * sizeof *m->origins);
    }
    m->origins[m->origin_count] = (struct origin){c, ptx, block, 0};
    return m->origin_count++;
}

static bool decode_reachable(struct module *m, uint64_t index, char *error, size_t error_size);

static bool decode_all_functions(struct module *m, char *error, size_t error_size)
{
    for (int f = 0; f < m->ptx->func_count; f++)
        if (!m->ptx->funcs[f].entry && m->ptx->funcs[f].defined && !decode_reachable(m, (uint64_t)f, error, error_size))
            return false;
    return true;
}

// Decodes what c calls; a call by address may reach every function of the module.
static bool decode_callees(struct module *m, const struct code *c, char *error, size_t error_size)
{
    for (int i = 0; i < c->ptx->instr_count; i++) {
        const struct ptx_instr *in = &c->ptx->instrs[i];
        if (!is_family(in->op, "call") || in->count < 2)
            continue;
        if (in->operands[1].kind == PTX_OP_REG)
            return decode_all_functions(m, error, error_size);
        int f = find_function(m, in->operands[1].symbol);
        if (f >= 0 && m->ptx->funcs[f].defined && !decode_reachable(m, (uint64_t)f, error, error_size))
            return false;
    }
    return true;
}

static bool decode_reachable(struct module *m, uint64_t index, char *error, size_t error_size)
{
    if (m->codes[index])
        return true;
    struct code *c = decode(m, &m->ptx->funcs[index], error, error_size);
    if (!c)
        return false;
    m->codes[index] = c;
    return !c->calls || decode_callees(m, c, error, error_size);
}

// ---- .shared variables outside kernels: those that a kernel, or what it can reach, names come behind its own

static void gather_shared(struct module *m, int function, struct code *kernel, bool *seen)
{
    const struct code *c = m->codes[function];
    if (!c || seen[function])
        return;
    seen[function] = true;
    for (uint32_t k = 0; k < c->shared_name_count; k++) {
        uint32_t i = c->shared_names[k], align = m->shared[i]->align, at = kernel->shared_bytes;
        if (kernel->shared_offsets[i] != NONE)
            continue;
        kernel->shared_offsets[i] = align > 1 ? (at + align - 1) / align * align : at;
        kernel->shared_bytes = kernel->shared_offsets[i] + (uint32_t)m->shared[i]->size;
    }
    for (int i = 0; i < c->ptx->instr_count; i++) {
        const struct ptx_instr *in = &c->ptx->instrs[i];
        if (!is_family(in->op, "call") || in->count < 2)
            continue;
        bool direct = in->operands[1].kind != PTX_OP_REG;
        int to = direct && in->operands[1].symbol ? find_function(m, in->operands[1].symbol) : -1;
        if (to >= 0)
            gather_shared(m, to, kernel, seen);
        for (int f = 0; f < m->ptx->func_count && !direct; f++) // a call by address may reach all
            if (!m->ptx->funcs[f].entry)
                gather_shared(m, f, kernel, seen);
    }
}

static void place_shared(struct module *m, int function)
{
    struct code *kernel = m->codes[function];
    if (!kernel->ptx->entry || kernel->shared_offsets)
        return;
    size_t bytes = ((size_t)m->shared_count + 1) * sizeof *kernel->shared_offsets;
    bool *seen = calloc((size_t)m->ptx->func_count + 1, sizeof *seen);
    kernel->shared_offsets = malloc(bytes);
    memset(kernel->shared_offsets, 0xff, bytes);
    gather_shared(m, function, kernel, seen);
    free(seen);
}

const struct code *module_code_at(struct module *m, uint64_t index, char *error, size_t error_size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (index >= (uint64_t)m->ptx->func_count || !m->ptx->funcs[index].defined) {
        snprintf(error, error_size, "a call leads to no function of the program");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    bool done = decode_reachable(m, index, error, error_size);
    if (done)
        place_shared(m, (int)index);
    pthread_mutex_unlock(&lock);
    return done ? m->codes[index] : NULL;
}

const struct code *module_code(struct module *m, const char *name, char *error, size_t error_size)
{
    int f = find_function(m, name);
    if (f >= 0)
        return module_code_at(m, (uint64_t)f, error, error_size);
    snprintf(error, error_size, "kernel %s is not in the program's PTX", kernel_name(name));
    return NULL;
}

// ---- names

enum { NAME_SIZE = 1024 }; // of a buffer

// One of a few buffers in turn.
static char *next_buffer(void)
{
    static _Thread_local char buffers[4][NAME_SIZE];
    static _Thread_local unsigned turn;
    return buffers[turn++ % 4];
}

extern char *__cxa_demangle(const char *, char *, size_t *, int *) __attribute__((weak));

// For programs that need no libstdc++: _Z3putPii is put, _ZN1a3putIiEEvPT_ is a::put. Empty for what is no such name.
static void plain_name(const char *mangled, char out[256])
{
    size_t end = 0;
    const char *at = mangled + 2 + strspn(mangled + 2, "NLKVr");
    int length, digits;
    for (out[0] = 0; sscanf(at, "%3d%n", &length, &digits) == 1 && length > 0; at += digits + length) {
        if ((size_t)length > strlen(at + digits) || end + (size_t)length + 3 > 256)
            return;
        end += (size_t)snprintf(out + end, 256 - end, "%s%.*s", end ? "::" : "", length, at + digits);
    }
}

const char *kernel_name(const char *mangled)
{
    char *out = next_buffer(), *full = __cxa_demangle ? __cxa_demangle(mangled, NULL, NULL, NULL) : NULL;
    out[0] = 0;
    if (full)
        snprintf(out, 256, "%s", full);
    else if (strncmp(mangled, "_Z", 2) == 0)
        plain_name(mangled, out);
    if (!out[0])
        snprintf(out, 256, "%s", mangled);
    free(full);
    size_t end = 0; // the parameters say nothing to the reader: cut at the first bracket outside < >
    for (int depth = 0; out[end] && (depth || out[end] != '('); end++)
        depth += out[end] == '<' ? 1 : out[end] == '>' ? -1 : 0;
    if (end)
        out[end] = 0;
    return out;
}

const char *source_path(const struct module *m, int number)
{
    const char *file = number > 0 && number < m->ptx->file_count ? m->ptx->files[number] : "?";
    char here[1024];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = length > 0 && strncmp(file, here, length) == 0 && file[length] == '/';
    return below ? file + length + 1 : file;
}

const char *place_name(const struct module *m, struct ptx_loc loc)
{
    char *out = next_buffer();
    if (loc.file > 0)
        snprintf(out, NAME_SIZE, "%s:%d", source_path(m, loc.file), loc.line);
    else
        snprintf(out, 256, "(no line; compile with -lineinfo)");
    return out;
}

const char *origin_place(const struct module *m, uint32_t id)
{
    if (id >= m->origin_count)
        return "(unknown place)";
    const struct ptx_instr *in = m->origins[id].ptx;
    if (in->loc.file > 0)
        return place_name(m, in->loc);
    char *out = next_buffer();
    snprintf(out, 256, "PTX line %d", in->line);
    return out;
}

const char *refusal_hint(const char *mnemonic)
{
    static const struct {
        const char *word, *hint;
    } hints[] = {{"wmma", " (tensor cores: use ordinary arithmetic, or a GPU)"},
                 {"mma", " (tensor cores: use ordinary arithmetic, or a GPU)"},
                 {"wgmma", " (tensor cores: use ordinary arithmetic, or a GPU)"},
                 {"ldmatrix", " (tensor cores: use ordinary shared loads, or a GPU)"},
                 {"suld", " (surfaces: use plain memory, or a GPU)"},
                 {"sust", " (surfaces: use plain memory, or a GPU)"},
                 {"mapa", " (clusters: use plain blocks, or a GPU)"},
                 {"getctarank", " (clusters: use plain blocks, or a GPU)"}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (is_family(mnemonic, hints[i].word))
            return hints[i].hint;
    return "";
}

// Modules: parsing, variables, lazy decoding.
#include "decode/module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "memory/memory.h"
#include "report/report.h"

static struct ptx_module *parse_all(const struct ptx_text *texts, int count, char *error, size_t error_size)
{
    struct ptx_module **trees = alloc_zeroed((size_t)count, sizeof(struct ptx_module *)), *all = NULL;
    int parsed = 0;
    while (parsed < count && (trees[parsed] = ptx_parse(texts[parsed].text, texts[parsed].length, error, error_size)))
        parsed++;
    if (parsed == count)
        all = count == 1 ? trees[0] : ptx_link(trees, count, error, error_size);
    for (int i = 0; i < parsed && parsed < count; i++)
        ptx_free(trees[i]);
    free(trees);
    return all;
}

struct module *module_parse(const struct ptx_text *texts, int count, handler *const *handlers, char *error,
                            size_t error_size)
{
    struct ptx_module *tree = parse_all(texts, count, error, error_size);
    if (!tree)
        return NULL;
    struct module *m = alloc_zeroed(1, sizeof *m);
    m->ptx = tree;
    m->handlers = handlers;
    m->codes = alloc_zeroed((size_t)tree->func_count + 1, sizeof *m->codes);
    m->var_address = alloc_zeroed((size_t)tree->var_count + 1, sizeof *m->var_address);
    return m;
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
    if (v->space == PTX_CONST && !v->init && !v->relocs)
        memset(memory_written(address), ZEROED, v->size);
}

bool module_place(struct module *m, int device)
{
    for (int i = 0; i < m->ptx->var_count; i++) {
        const struct ptx_variable *v = &m->ptx->vars[i];
        if (v->space == PTX_SHARED || v->external)
            continue;
        struct allocation *a = memory_alloc(v->size, v->managed ? MEMORY_MANAGED : MEMORY_VARIABLE, device);
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

// ---- code

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
        int f = module_function(m, in->operands[1].symbol);
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

// ---- .shared variables outside kernels: those that a kernel, or code that it can reach, names follow its own

static void gather_shared(struct module *m, int function, struct code *kernel, bool *seen)
{
    const struct code *c = m->codes[function];
    if (!c || seen[function])
        return;
    seen[function] = true;
    for (uint32_t k = 0; k < c->shared_name_count; k++) {
        uint32_t i = c->shared_names[k];
        if (kernel->shared_offsets[i] == NONE)
            kernel->shared_offsets[i] = code_place_shared(kernel, m->shared[i]);
    }
    for (int i = 0; i < c->ptx->instr_count; i++) {
        const struct ptx_instr *in = &c->ptx->instrs[i];
        if (!is_family(in->op, "call") || in->count < 2)
            continue;
        bool direct = in->operands[1].kind != PTX_OP_REG;
        int to = direct && in->operands[1].symbol ? module_function(m, in->operands[1].symbol) : -1;
        if (to >= 0)
            gather_shared(m, to, kernel, seen);
        for (int f = 0; f < m->ptx->func_count && !direct; f++) // a call by address may reach all
            if (!m->ptx->funcs[f].entry)
                gather_shared(m, f, kernel, seen);
    }
}

// Fills in properties that only a kernel has.
static void complete_kernel(struct module *m, int function)
{
    struct code *kernel = m->codes[function];
    if (!kernel->ptx->entry || kernel->shared_offsets)
        return;
    size_t bytes = ((size_t)m->shared_count + 1) * sizeof *kernel->shared_offsets;
    bool *seen = alloc_zeroed((size_t)m->ptx->func_count + 1, sizeof *seen);
    if (kernel->dynamic_names[1])
        complain("%s and %s of %s are the same memory: "
                 "every extern __shared__ array begins where dynamic shared memory does",
                 variable_name(kernel->dynamic_names[0]), variable_name(kernel->dynamic_names[1]),
                 kernel_name(kernel->name));
    kernel->registers = cubin_registers(m->cubin, kernel->name);
    uint32_t stack = cubin_stack(m->cubin, kernel->name), declared = kernel->local_bytes - kernel->ret_offset;
    kernel->spilled = stack > declared ? stack - declared : 0;
    kernel->shared_offsets = alloc_zeroed(1, bytes);
    memset(kernel->shared_offsets, 0xff, bytes);
    gather_shared(m, function, kernel, seen);
    free(seen);
    kernel->shared_owner = alloc_zeroed(shared_extent(kernel) + 1, 1);
    for (uint32_t i = 0; i < kernel->shared_count; i++) // beyond 255 variables share numbers, neighbours never
        memset(kernel->shared_owner + kernel->shared[i].offset, (int)(i % 255 + 1), kernel->shared[i].size);
}

static const struct code *code_at(struct module *m, uint64_t index, char *error, size_t error_size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (index >= (uint64_t)m->ptx->func_count || !m->ptx->funcs[index].defined) {
        snprintf(error, error_size, "a call has no target function in the program");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    bool done = decode_reachable(m, index, error, error_size);
    if (done)
        complete_kernel(m, (int)index);
    pthread_mutex_unlock(&lock);
    return done ? m->codes[index] : NULL;
}

const struct code *module_code(struct module *m, const char *name, char *error, size_t error_size)
{
    int f = module_function(m, name);
    if (f >= 0)
        return code_at(m, (uint64_t)f, error, error_size);
    snprintf(error, error_size, "kernel %s is not in the program's PTX", kernel_name(name));
    return NULL;
}

// Positions of functions, variables and origins in a module, for the decoder and the module loader.
#include "decode/code.h"

#include <stdlib.h>

#include "base/alloc.h"

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
    free(c->shared);
    free(c->shared_owner);
    free(c->followed);
    free(c);
}

int module_function(const struct module *m, const char *name)
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

uint32_t code_place_shared(struct code *c, const struct ptx_variable *v)
{
    uint32_t at = align_up(c->shared_bytes, v->align), apart = v->align > ALL_BANKS ? v->align : ALL_BANKS;
    if (c->shared_count)
        c->shared_gaps = align_up(c->shared_gaps + SHARED_GAP, apart);
    c->shared_bytes = at + (uint32_t)v->size;
    c->shared = alloc_resize(c->shared, c->shared_count + 1, sizeof *c->shared);
    c->shared[c->shared_count++] = (struct shared_variable){v, at + c->shared_gaps, (uint32_t)v->size};
    return at + c->shared_gaps;
}

uint32_t module_shared_id(struct module *m, const struct ptx_variable *v)
{
    for (uint32_t i = 0; i < m->shared_count; i++)
        if (m->shared[i] == v)
            return i;
    m->shared = alloc_resize(m->shared, m->shared_count + 1, sizeof *m->shared);
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
    int f = module_function(m, name);
    if (f >= 0)
        return (struct symbol){PTX_GENERIC, TAG_CODE + (uint64_t)f, .function = true};
    return (struct symbol){.space = PTX_REG};
}

uint32_t module_add_origin(struct module *m, const struct code *c, const struct ptx_instr *ptx, uint32_t block)
{
    if (m->origin_count == m->origin_capacity) {
        m->origin_capacity = m->origin_capacity * 2 + 256;
        m->origins = alloc_resize(m->origins, m->origin_capacity, sizeof *m->origins);
    }
    m->origins[m->origin_count] = (struct origin){.code = c, .ptx = ptx, .block = block};
    return m->origin_count++;
}

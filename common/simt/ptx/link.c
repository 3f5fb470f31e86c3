// Links modules that were compiled separately (-rdc=true): ptx_link. Names are looked up in a tree of the C library
// (tsearch). The modules' lists are copied into the result; what they point to stays in place.
#define _GNU_SOURCE // tdestroy
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/arena.h"
#include "ptx/ptx.h"

// A name of the result: a variable, a function, or both while two modules disagree.
struct global {
    const char *name;
    const struct ptx_variable *variable;
    const struct ptx_function *function;
};

// A local name of one module that another module has, too.
struct renaming {
    const char *from, *to;
    struct renaming *next;
};

struct linker {
    struct ptx_module *result;
    struct ptx_arena *arena;
    void *globals; // a tree of struct global
    char *error;
    size_t error_size;
};

static bool fail(struct linker *linker, const char *format, const char *name)
{
    if (linker->error_size > 0)
        snprintf(linker->error, linker->error_size, format, name);
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct global *)a)->name, ((const struct global *)b)->name);
}

// The entry of that name, created if needed; NULL: no memory.
static struct global *find(struct linker *linker, const char *name)
{
    struct global key = {.name = name}, **found = tfind(&key, &linker->globals, compare);
    struct global *fresh = found ? NULL : ptx_arena_alloc(linker->arena, sizeof *fresh);

    if (fresh) {
        fresh->name = name;
        found = tsearch(fresh, &linker->globals, compare);
    }
    return found ? *found : NULL;
}

// ---- names that modules share

static bool is_weak(enum ptx_linkage linkage)
{
    return linkage == LINK_WEAK || linkage == LINK_COMMON;
}

// Whether the second of two definitions of a name replaces the first. *twice: the two definitions conflict.
static bool replaces_definition(bool defined, enum ptx_linkage linkage, bool other_defined, enum ptx_linkage other,
                                bool *twice)
{
    *twice = defined && other_defined && !is_weak(linkage) && !is_weak(other);
    return other_defined && (!defined || (is_weak(linkage) && !is_weak(other)));
}

static bool add_variable(struct linker *linker, const struct ptx_variable *v)
{
    struct global *g = find(linker, v->name);
    const struct ptx_variable *old = g ? g->variable : NULL;
    bool twice = false;

    if (!g)
        return fail(linker, "out of memory for '%.60s'", v->name);
    if (g->function || (old && old->space != v->space))
        return fail(linker, "'%.60s' is declared in two ways in the files that are linked", v->name);
    if (old && old->size && v->size && old->size != v->size && v->space != PTX_SHARED)
        return fail(linker, "variable '%.60s' has two sizes in the files that are linked", v->name);
    if (!old || replaces_definition(!old->external, old->linkage, !v->external, v->linkage, &twice))
        g->variable = v;
    return twice ? fail(linker, "variable '%.60s' is defined in two of the files that are linked", v->name) : true;
}

static bool add_function(struct linker *linker, const struct ptx_function *f)
{
    struct global *g = find(linker, f->name);
    const struct ptx_function *old = g ? g->function : NULL;
    bool twice = false;

    if (!g)
        return fail(linker, "out of memory for '%.60s'", f->name);
    if (g->variable ||
        (old && (old->entry != f->entry || old->param_count != f->param_count || old->ret_count != f->ret_count)))
        return fail(linker, "'%.60s' is declared in two ways in the files that are linked", f->name);
    if (!old || replaces_definition(old->defined, old->linkage, f->defined, f->linkage, &twice))
        g->function = f;
    return twice ? fail(linker, "function '%.60s' is defined in two of the files that are linked", f->name) : true;
}

static bool add_shared_names(struct linker *linker, const struct ptx_module *m)
{
    for (int i = 0; i < m->var_count; i++)
        if (m->vars[i].linkage != LINK_NONE && !add_variable(linker, &m->vars[i]))
            return false;
    for (int i = 0; i < m->func_count; i++)
        if (m->funcs[i].linkage != LINK_NONE && !add_function(linker, &m->funcs[i]))
            return false;
    return true;
}

// ---- names of one module

// The name of a local symbol in the result, which is recorded: its own, if no other module has it.
static const char *local_name(struct linker *linker, const char *name, int number, struct renaming **renamings)
{
    static const struct ptx_function taken;
    struct global *g = find(linker, name);
    size_t size = strlen(name) + 16;

    if (g && !g->variable && !g->function) {
        g->function = &taken;
        return name;
    }
    struct renaming *r = g ? ptx_arena_alloc(linker->arena, sizeof *r) : NULL;
    char *to = r ? ptx_arena_alloc(linker->arena, size) : NULL;

    if (!to) {
        fail(linker, "out of memory for '%.60s'", name);
        return NULL;
    }
    snprintf(to, size, "%s.%d", name, number);
    *r = (struct renaming){name, to, *renamings};
    *renamings = r;
    return to;
}

static const char *new_name(const struct renaming *r, const char *name)
{
    for (; r; r = r->next)
        if (!strcmp(r->from, name))
            return r->to;
    return name;
}

static void rename_operands(const struct renaming *r, struct ptx_operand *o, int count)
{
    for (int i = 0; i < count; i++) {
        if (o[i].symbol && (o[i].kind == PTX_OP_SYMBOL || o[i].kind == PTX_OP_ADDRESS))
            o[i].symbol = new_name(r, o[i].symbol);
        rename_operands(r, o[i].list, o[i].count);
    }
}

// The parser guarantees that a function's variables do not have the name of a module variable.
static void rename_uses(struct ptx_module *m, const struct renaming *r)
{
    for (int i = 0; r && i < m->func_count; i++)
        for (int k = 0; k < m->funcs[i].instr_count; k++)
            rename_operands(r, m->funcs[i].instrs[k].operands, m->funcs[i].instrs[k].count);
    for (int i = 0; r && i < m->var_count; i++)
        for (struct ptx_reloc *reloc = m->vars[i].relocs; reloc; reloc = reloc->next)
            reloc->symbol = new_name(r, reloc->symbol);
}

static bool add_local_names(struct linker *linker, struct ptx_module *m, int number)
{
    struct renaming *renamings = NULL;

    for (int i = 0; i < m->var_count; i++)
        if (m->vars[i].linkage == LINK_NONE &&
            !(m->vars[i].name = local_name(linker, m->vars[i].name, number, &renamings)))
            return false;
    for (int i = 0; i < m->func_count; i++)
        if (m->funcs[i].linkage == LINK_NONE &&
            !(m->funcs[i].name = local_name(linker, m->funcs[i].name, number, &renamings)))
            return false;
    rename_uses(m, renamings);
    return true;
}

// ---- source files, which each module numbers separately

static int file_number(struct ptx_module *result, const char *name)
{
    for (int i = 0; i < result->file_count; i++)
        if (result->files[i] && !strcmp(result->files[i], name))
            return i;
    result->files[result->file_count] = name;
    return result->file_count++;
}

static void renumber(struct ptx_loc *loc, const int *numbers, int count)
{
    loc->file = loc->file > 0 && loc->file < count ? numbers[loc->file] : 0;
    loc->line = loc->file ? loc->line : 0;
}

static bool add_files(struct linker *linker, struct ptx_module *m)
{
    int *numbers = ptx_arena_alloc(linker->arena, ((size_t)m->file_count + 1) * sizeof *numbers);

    if (!numbers)
        return fail(linker, "out of memory%s", "");
    for (int i = 0; i < m->file_count; i++)
        numbers[i] = m->files[i] ? file_number(linker->result, m->files[i]) : 0;
    for (int f = 0; f < m->func_count; f++)
        for (int k = 0; k < m->funcs[f].instr_count; k++)
            renumber(&m->funcs[f].instrs[k].loc, numbers, m->file_count);
    for (struct ptx_call *call = m->calls; call; call = call->next)
        renumber(&call->at, numbers, m->file_count);
    return true;
}

// ---- the result

// Whether the module's entry for a name is the definition that all modules use.
static bool is_meant(struct linker *linker, const char *name, enum ptx_linkage linkage, const void *entry)
{
    const struct global *g = linkage == LINK_NONE ? NULL : find(linker, name);

    return linkage == LINK_NONE || (g && (g->variable == entry || g->function == entry));
}

static bool copy_module(struct linker *linker, const struct ptx_module *m)
{
    struct ptx_module *result = linker->result;

    for (int i = 0; i < m->var_count; i++) {
        const struct ptx_variable *v = &m->vars[i];

        if (!is_meant(linker, v->name, v->linkage, v))
            continue;
        if (v->external && v->space != PTX_SHARED)
            return fail(linker, "variable '%.60s' is defined in none of the files that are linked", v->name);
        result->vars[result->var_count++] = *v;
    }
    for (int i = 0; i < m->func_count; i++)
        if (is_meant(linker, m->funcs[i].name, m->funcs[i].linkage, &m->funcs[i]))
            result->funcs[result->func_count++] = m->funcs[i];
    return true;
}

// Allocates room for the lists of all modules.
static bool reserve_modules(struct linker *linker, struct ptx_module **modules, int count)
{
    struct ptx_module *result = ptx_arena_alloc(linker->arena, sizeof *result);
    size_t vars = 0, funcs = 0, files = 1;

    for (int i = 0; i < count; i++) {
        vars += (size_t)modules[i]->var_count;
        funcs += (size_t)modules[i]->func_count;
        files += (size_t)modules[i]->file_count;
    }
    if (!result)
        return fail(linker, "out of memory%s", "");
    *result = (struct ptx_module){.version_major = modules[0]->version_major,
                                  .version_minor = modules[0]->version_minor,
                                  .target = modules[0]->target,
                                  .vars = ptx_arena_alloc(linker->arena, vars * sizeof *result->vars),
                                  .funcs = ptx_arena_alloc(linker->arena, funcs * sizeof *result->funcs),
                                  .files = ptx_arena_alloc(linker->arena, files * sizeof *result->files),
                                  .file_count = 1,
                                  .arena = linker->arena};
    linker->result = result;
    return result->vars && result->funcs && result->files ? true : fail(linker, "out of memory%s", "");
}

static bool link_all(struct linker *linker, struct ptx_module **modules, int count)
{
    bool done = reserve_modules(linker, modules, count);

    for (int i = 0; i < count && done; i++)
        done = add_shared_names(linker, modules[i]);
    for (int i = 0; i < count && done; i++)
        done = add_local_names(linker, modules[i], i + 1) && add_files(linker, modules[i]);
    for (int i = 0; i < count && done; i++)
        done = copy_module(linker, modules[i]);
    return done;
}

static void keep(void *global)
{
    (void)global; // it belongs to the arena
}

struct ptx_module *ptx_link(struct ptx_module **modules, int count, char *error, size_t error_size)
{
    struct linker linker = {.arena = ptx_arena_new(), .error = error, .error_size = error_size};
    bool done = linker.arena ? link_all(&linker, modules, count) : fail(&linker, "out of memory%s", "");

    tdestroy(linker.globals, keep);
    for (int i = 0; i < count; i++)
        if (linker.arena)
            ptx_arena_join(linker.arena, modules[i]->arena);
        else
            ptx_free(modules[i]);
    if (!done)
        ptx_arena_free(linker.arena);
    return done ? linker.result : NULL;
}

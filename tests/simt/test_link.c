// PTX of several files linked into one module: ptx_link. Names that are linked, names that stay separate, and modules
// that cannot be linked.
#include <stdio.h>
#include <string.h>

#include "ptx/ptx.h"

static int failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("line %d: failed: %s\n", __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define BODY "{\n ret;\n}\n"

static char error[256];

static struct ptx_module *link_texts(const char *const *texts, int count)
{
    struct ptx_module *modules[4];

    for (int i = 0; i < count; i++) {
        char text[2048];
        int length = snprintf(text, sizeof text, HEAD "%s", texts[i]);

        modules[i] = ptx_parse(text, (size_t)length, error, sizeof error);
        if (!modules[i]) {
            printf("text %d: %s\n", i, error);
            failures++;
            return NULL;
        }
    }
    error[0] = 0;
    return ptx_link(modules, count, error, sizeof error);
}

#define LINK(...) \
    link_texts((const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static const struct ptx_variable *find_variable(const struct ptx_module *m, const char *name)
{
    for (int i = 0; m && i < m->var_count; i++)
        if (!strcmp(m->vars[i].name, name))
            return &m->vars[i];
    return NULL;
}

static const struct ptx_function *find_function(const struct ptx_module *m, const char *name)
{
    for (int i = 0; m && i < m->func_count; i++)
        if (!strcmp(m->funcs[i].name, name))
            return &m->funcs[i];
    return NULL;
}

static void test_meeting(void)
{
    struct ptx_module *m = LINK(".extern .func f;\n.extern .global .u32 v;\n.visible .entry k() " BODY,
                                ".visible .func f " BODY ".visible .global .u32 v = 7;\n");

    CHECK(m && m->func_count == 2 && m->var_count == 1);
    CHECK(find_function(m, "f") && find_function(m, "f")->defined);
    CHECK(find_variable(m, "v") && find_variable(m, "v")->init && !find_variable(m, "v")->external);
    ptx_free(m);
    m = LINK(".weak .func f " BODY ".weak .global .u32 v = 1;\n",
             ".weak .func f " BODY ".visible .global .u32 v = 2;\n");
    CHECK(m && m->func_count == 1 && m->var_count == 1 && m->vars[0].init[0] == 2);
    ptx_free(m);
    m = LINK(".extern .shared .b8 s[];\n", ".extern .shared .b8 s[];\n"); // dynamic: shared by all
    CHECK(m && m->var_count == 1);
    ptx_free(m);
    m = LINK(".extern .func vprintf;\n", ".visible .entry k() " BODY); // the caller detects it
    CHECK(m && find_function(m, "vprintf") && !find_function(m, "vprintf")->defined);
    ptx_free(m);
}

// Names that two files use for different things.
static void test_apart(void)
{
    struct ptx_module *m =
        LINK(".global .u32 a = 1;\n.func f " BODY,
             ".global .u32 a = 2;\n.global .u64 p = a;\n.func f " BODY
             ".visible .entry k() {\n.reg .u32 %r<2>;\n.reg .u64 %rd<2>;\n mov.u64 %rd1, a;\n ld.global.u32 %r1, [a];\n"
             " call f;\n ret;\n}\n.visible .entry own() {\n.reg .u64 %rd<2>;\n.local .b8 a[4];\n mov.u64 %rd1, a;\n "
             "ret;\n}\n");
    const struct ptx_function *k = find_function(m, "k"), *own = find_function(m, "own");

    CHECK(m && m->var_count == 3 && m->func_count == 4);
    CHECK(find_variable(m, "a") && find_variable(m, "a")->init[0] == 1);
    CHECK(find_variable(m, "a.2") && find_variable(m, "a.2")->init[0] == 2);
    CHECK(find_variable(m, "p") && !strcmp(find_variable(m, "p")->relocs->symbol, "a.2"));
    CHECK(k && !strcmp(k->instrs[0].operands[1].symbol, "a.2") && !strcmp(k->instrs[1].operands[1].symbol, "a.2"));
    CHECK(k && !strcmp(k->instrs[2].operands[1].symbol, "f.2"));
    CHECK(own && !strcmp(own->instrs[0].operands[1].symbol, own->vars[0].name)); // its own
    ptx_free(m);
    m = LINK(".global .u32 a;\n", ".visible .global .u32 a = 3;\n"); // the shared one keeps its name
    CHECK(find_variable(m, "a") && find_variable(m, "a")->init && find_variable(m, "a.1"));
    ptx_free(m);
}

static void test_places(void)
{
    struct ptx_module *m =
        LINK(".visible .entry k() {\n.loc 1 5 0\n ret;\n}\n.file 1 \"/a/one.cu\"\n.file 2 \"/a/both.h\"\n",
             ".visible .entry l() {\n.loc 1 6 0\n bar.sync 0;\n.loc 2 7 0\n ret;\n}\n.file 1 \"/a/both.h\"\n.file 2 "
             "\"/a/two.cu\"\n");
    const struct ptx_function *l = find_function(m, "l");

    CHECK(m && l && l->instr_count == 2);
    if (l) {
        CHECK(!strcmp(m->files[l->instrs[0].loc.file], "/a/both.h") && l->instrs[0].loc.line == 6);
        CHECK(!strcmp(m->files[l->instrs[1].loc.file], "/a/two.cu") && l->instrs[1].loc.line == 7);
        CHECK(!strcmp(m->files[find_function(m, "k")->instrs[0].loc.file], "/a/one.cu"));
        CHECK(m->file_count == 4); // both.h once
    }
    ptx_free(m);
}

#define REFUSES(words, ...) \
    do { \
        struct ptx_module *m = LINK(__VA_ARGS__); \
        CHECK(!m); \
        CHECK(strstr(error, words)); \
    } while (0)

static void test_refusals(void)
{
    REFUSES("function 'f' is defined in two of the files", ".visible .func f " BODY, ".visible .func f " BODY);
    REFUSES("variable 'v' is defined in two of the files", ".visible .global .u32 v;\n", ".visible .global .u32 v;\n");
    REFUSES("variable 'v' is defined in none of the files", ".extern .global .u32 v;\n", ".visible .entry k() " BODY);
    REFUSES("variable 'v' has two sizes", ".extern .global .u32 v;\n", ".visible .global .u64 v;\n");
    REFUSES("'v' is declared in two ways", ".extern .const .u32 v;\n", ".visible .global .u32 v;\n");
    REFUSES("'v' is declared in two ways", ".visible .func v " BODY, ".extern .global .u32 v;\n");
    REFUSES("'f' is declared in two ways", ".extern .func f(.param .u32 x);\n", ".visible .func f " BODY);
}

int main(void)
{
    test_meeting();
    test_apart();
    test_places();
    test_refusals();
    printf("test_link: %s\n", failures ? "FAILED" : "passed");
    return failures ? 1 : 0;
}

// Tests of the PTX parser: what it must accept and how it must read it, what it must refuse and with what message.
// Usage: test_ptx DIRECTORY, where nvcc has put features.ptx and inline.ptx. Exit 0: all hold; 1: one line per check
// that failed.
//
// Each construct has a guilty and an innocent input. Short texts are in this file, between BODY_START and BODY_END if
// they are statements; nvcc compiles the programs in ptx/.
#include "../../common/simt/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define BODY_START \
    HEAD ".global .u32 var[4];\n.func (.param .b32 r) callee (.param .b32 x);\n.entry k(.param .u64 p)\n{\n"
#define BODY_LINE 8 // the line of the first statement after BODY_START
#define REGS ".reg .pred p, q; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
#define BODY_END "}\n"

static int failures;

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(bool holds, const char *what, int line)
{
    if (!holds) {
        printf("%s:%d: %s\n", __FILE__, line, what);
        failures++;
    }
}

// Parses text, which must be valid.
static struct ptx_module *parse(const char *text, int line)
{
    char error[256] = "";
    struct ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);

    if (!module) {
        printf("%s:%d: refused: %s\n", __FILE__, line, error);
        failures++;
    }
    return module;
}

static void accepts_at(const char *text, int line)
{
    ptx_free(parse(text, line));
}

// Checks that text is refused with a message that starts with "PTX line L: " and contains expected.
static void refuses_at(const char *text, int at, const char *expected, int line)
{
    char error[256] = "", prefix[32];
    struct ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);

    snprintf(prefix, sizeof prefix, "PTX line %d: ", at);
    if (module || strncmp(error, prefix, strlen(prefix)) != 0 || !strstr(error, expected) || strchr(error, '\n')) {
        printf("%s:%d: got '%s', expected '%s...%s'\n", __FILE__, line, module ? "no error" : error, prefix, expected);
        failures++;
    }
    ptx_free(module);
}

#define ACCEPTS(text) accepts_at(HEAD text, __LINE__)
#define ACCEPTS_BODY(text) accepts_at(BODY_START REGS text BODY_END, __LINE__)
#define REFUSES(text, expected) refuses_at(HEAD text, 4, expected, __LINE__)
#define REFUSES_BODY(text, expected) refuses_at(BODY_START REGS text BODY_END, BODY_LINE + 1, expected, __LINE__)

// Parses these statements as the only function body of a module. The caller frees *module.
static struct ptx_function *parse_body(const char *text, struct ptx_module **module, int line)
{
    static struct ptx_function none;

    *module = parse(text, line);
    for (int i = 0; *module && i < (*module)->func_count; i++)
        if ((*module)->funcs[i].defined)
            return &(*module)->funcs[i];
    return &none;
}

#define BODY(text) parse_body(BODY_START REGS text BODY_END, &module, __LINE__)

// Instruction i of the function, or one without operands.
static struct ptx_instr *instruction(struct ptx_function *function, int i)
{
    static struct ptx_instr none = {.op = "none", .guard = -1};

    return i < function->instr_count ? &function->instrs[i] : &none;
}

// Operand i of an instruction, or one of an impossible kind.
static struct ptx_operand *operand(struct ptx_instr *instr, int i)
{
    static struct ptx_operand none = {.kind = PTX_OP_SINK, .reg = -2, .value = -1};

    return i < instr->count ? &instr->operands[i] : &none;
}

static struct ptx_variable *variable(struct ptx_module *module, const char *name)
{
    static struct ptx_variable none;

    for (int i = 0; module && i < module->var_count; i++)
        if (strcmp(module->vars[i].name, name) == 0)
            return &module->vars[i];
    return &none;
}

static struct ptx_function *function(struct ptx_module *module, const char *name)
{
    static struct ptx_function none;

    for (int i = 0; module && i < module->func_count; i++)
        if (strcmp(module->funcs[i].name, name) == 0)
            return &module->funcs[i];
    return &none;
}

static bool is_symbol(const struct ptx_operand *o, enum ptx_operand_kind kind, const char *symbol, int64_t value)
{
    return o->kind == kind && o->symbol && strcmp(o->symbol, symbol) == 0 && o->value == value;
}

static void test_types(void)
{
    CHECK(ptx_type_parse("u32", 3) == PTX_U32);
    CHECK(ptx_type_parse("u32x", 3) == PTX_U32);
    CHECK(ptx_type_parse("u32", 2) == PTX_NONE);
    CHECK(ptx_type_parse("f16x2", 5) == PTX_F16X2 && ptx_type_parse("f16x2", 3) == PTX_F16);
    CHECK(ptx_type_parse("none", 4) == PTX_NONE);
    CHECK(ptx_type_size(PTX_B128) == 16 && ptx_type_size(PTX_PRED) == 0 && ptx_type_size((enum ptx_type)99) == 0);
    CHECK(strcmp(ptx_type_name(PTX_BF16X2), "bf16x2") == 0);
}

static void test_module(void)
{
    struct ptx_module *module =
        parse(".version 8.4\n.target sm_90a, debug\n.address_size 64\n/* a\n */ // b\n", __LINE__);

    CHECK(module && module->version_major == 8 && module->version_minor == 4);
    CHECK(module && strcmp(module->target, "sm_90a") == 0);
    ptx_free(module);
    ptx_free(NULL);
    ACCEPTS(".section .debug_info\n{\n.b8 1, 2\n.b32 .debug_str\n.b64 $L1-$L2\n}\n.pragma \"a\", \"b\";");
    refuses_at("", 1, "the text ends", __LINE__);
    refuses_at(".target sm_75\n", 1, "expected .version", __LINE__);
    refuses_at(".version 8.0\n\n", 3, "no .target", __LINE__);
    REFUSES(".address_size 32", "-m64");
    REFUSES(".frobnicate 3;", "got '.frobnicate'");
    REFUSES("add.u32 %r1, %r1, %r1;", "got 'add.u32'");
    REFUSES(".alias a, b;", "'.alias' is not supported");
    REFUSES(".section .text { }", "debug information");
    REFUSES(".section .debug_x { .b8 1", "the text ends");
    REFUSES("/* no end", "a comment without end");
    REFUSES(".file 1 \"no end", "a string without end");
    REFUSES("\x01", "no PTX token");
}

static void test_variables(void)
{
    struct ptx_module *module =
        parse(HEAD ".extern .shared .align 16 .b8 dyn[];\n.global .align 8 .b8 a[2][3] = {{1, 2}, {0xFF, -1}};\n"
                   ".global .f32 f[2] = {1.5, 0f40000000};\n.const .f64 d = 0d3FF8000000000000;\n"
                   ".global .u64 big = 0x8000000000000000;\n"
                   ".visible .global .attribute(.managed) .align 4 .u32 m = 9;\n"
                   ".global .u16 e[3] = {1 + 2 * 3, ~0, (7 > 3) ? 5 : 6};\n"
                   ".global .s32 n, o[4];\n.common .global .b8 c[16];\n.global .b8 g[2][3] = {1, 2, 3, 4, 5, 6};\n",
              __LINE__);
    struct ptx_variable *a = variable(module, "a"), *f = variable(module, "f"), *g = variable(module, "g");
    float floats[2] = {0, 0};
    double d = 0;
    uint16_t e[3] = {0, 0, 0};

    CHECK(variable(module, "dyn")->external && variable(module, "dyn")->size == 0);
    CHECK(variable(module, "dyn")->space == PTX_SHARED && variable(module, "dyn")->align == 16);
    CHECK(a->size == 6 && a->init && memcmp(a->init, "\1\2\0\xFF\xFF\0", 6) == 0);
    CHECK(g->size == 6 && g->init && memcmp(g->init, "\1\2\3\4\5\6", 6) == 0);
    if (f->init)
        memcpy(floats, f->init, sizeof floats);
    CHECK(floats[0] == 1.5f && floats[1] == 2.0f && f->align == 4);
    if (variable(module, "d")->init)
        memcpy(&d, variable(module, "d")->init, sizeof d);
    CHECK(d == 1.5 && variable(module, "d")->space == PTX_CONST);
    CHECK(variable(module, "big")->init && variable(module, "big")->init[7] == 0x80);
    CHECK(variable(module, "m")->managed && !variable(module, "n")->managed);
    if (variable(module, "e")->init)
        memcpy(e, variable(module, "e")->init, sizeof e);
    CHECK(e[0] == 7 && e[1] == 0xFFFF && e[2] == 5);
    CHECK(variable(module, "o")->size == 16 && !variable(module, "o")->init);
    ptx_free(module);
}

static void test_bad_variables(void)
{
    REFUSES(".global .b8 a[2] = {1, 2, 3};", "more values than 'a' has");
    REFUSES(".global .b8 a[2] = {{1}, 2};", "expected a value");
    REFUSES(".global .b8 a[2] = {1,};", "got '}', expected a constant");
    REFUSES(".global .b8 a[];", "no size");
    REFUSES(".global .b8 a[1099511627777];", "larger than");
    REFUSES(".global .b64 a[4294967296][4294967296][4294967296];", "larger than");
    REFUSES(".global .b8 a[1073741824] = {1};", "bytes of initialised");
    REFUSES(".global .align 3 .b8 a;", "not a power of two");
    REFUSES(".global .pred a;", "cannot have type .pred");
    REFUSES(".global .v4 .f32 a;", "vector variables");
    REFUSES(".global .texref t;", "textures");
    REFUSES(".global .u32 a = 0f3F800000;", "floating-point constant for 'a'");
    REFUSES(".shared .u32 a = 1;", "cannot be initialised");
    REFUSES(".global .u32 a; .global .u32 a;", "declared twice");
    REFUSES(".global .u32 a = 1 / 0;", "divides by zero");
    REFUSES(".global .u64 a = 18446744073709551616;", "does not fit 64 bits");
    REFUSES(".global .u32 a = 12x;", "not a number");
    REFUSES(".local .u32 a;", "expected a directive of a PTX module");
    ACCEPTS(".extern .global .u32 a; .visible .global .u32 a = 1; .extern .global .u32 a;");
}

static void test_relocations(void)
{
    struct ptx_module *module =
        parse(HEAD ".func f(.param .u32 x);\n.global .u64 p[4] = {generic(v)+4, v-8, f, generic(v+2)+1};\n"
                   ".global .b8 b[3] = {1, 0xFF(v), 0XFF00(generic(v)+12)};\n.global .u32 v;\n",
              __LINE__);
    struct ptx_reloc *r = variable(module, "b")->relocs; // in reverse order

    CHECK(r && r->offset == 2 && r->size == 1 && r->shift == 8 && r->generic && r->addend == 12);
    r = r ? r->next : NULL;
    CHECK(r && r->offset == 1 && r->size == 1 && r->shift == 0 && !r->generic && r->addend == 0 && !r->next);
    r = variable(module, "p")->relocs;
    CHECK(r && r->offset == 24 && r->size == 8 && r->addend == 3 && r->generic);
    r = r ? r->next : NULL;
    CHECK(r && r->offset == 16 && strcmp(r->symbol, "f") == 0);
    r = r ? r->next : NULL;
    CHECK(r && r->offset == 8 && r->addend == (uint64_t)-8 && !r->generic);
    r = r ? r->next : NULL;
    CHECK(r && r->offset == 0 && r->addend == 4 && r->generic && strcmp(r->symbol, "v") == 0 && !r->next);
    CHECK(variable(module, "b")->init && variable(module, "b")->init[0] == 1);
    ptx_free(module);
    REFUSES(".global .u64 p = nowhere;", "names 'nowhere', which is not declared");
    REFUSES(".global .u64 p = generic(p;", "')' after generic");
    REFUSES(".global .b8 p = p;", "does not fit an element of type .b8");
    REFUSES(".global .b8 p = 0xFF0(p);", "mask 0xff0");
    REFUSES(".global .b8 p = 0xFFFF(p);", "mask 0xffff");
    REFUSES(".global .b8 p = 0(p);", "mask 0x0");
}

static void test_functions(void)
{
    struct ptx_module *module = parse(
        HEAD ".func (.param .align 8 .b8 ret[96]) late (.param .b32 late_0);\n"
             ".visible .entry k(.param .u64 .ptr .global .align 4 k_0, .param .align 8 .b8 k_1[24])\n"
             ".maxntid 256, 2\n.reqntid 8\n.minnctapersm 2\n.maxnreg 64\n.maxclusterrank 4\n.noreturn\n{\nret;\n}\n"
             ".func (.param .align 8 .b8 ret[96]) late (.param .b32 late_0) { ret; }\n"
             ".extern .func vprintf (.param .b64 f, .param .b64 v);\n"
             ".entry c() .explicitcluster .reqnctapercluster 2, 1, 1 { }\n",
        __LINE__);
    struct ptx_function *k = function(module, "k"), *late = function(module, "late");

    CHECK(module && module->func_count == 4);
    CHECK(k->entry && k->defined && k->noreturn && !k->cluster && k->param_count == 2 && k->ret_count == 0);
    CHECK(k->param_count == 2 && k->params[0].size == 8 && k->params[0].type == PTX_U64 && k->params[0].align == 8);
    CHECK(k->param_count == 2 && k->params[1].size == 24 && k->params[1].align == 8);
    CHECK(k->max_threads[0] == 256 && k->max_threads[1] == 2 && k->max_threads[2] == 1);
    CHECK(k->required_threads[0] == 8 && k->required_threads[2] == 1 && k->min_blocks == 2);
    CHECK(!late->entry && late->defined && late->ret_count == 1 && late->rets[0].size == 96 && late->instr_count == 1);
    CHECK(!function(module, "vprintf")->defined && function(module, "vprintf")->param_count == 2);
    CHECK(function(module, "c")->cluster && function(module, "c")->max_threads[0] == 0 && k->max_cluster == 4);
    CHECK(function(module, "c")->cluster_blocks[0] == 2 && function(module, "c")->cluster_blocks[2] == 1);
    ptx_free(module);
    REFUSES(".entry k() { ret; } .entry k() { ret; }", "two bodies");
    REFUSES(".func f(); .func f(.param .u32 x) { ret; }", "declared differently in line 4");
    REFUSES(".entry k(.param .u32 a, .param .u32 a) { ret; }", "'a' is declared twice");
    REFUSES(".func f(.reg .u32 a);", "parameters in registers");
    REFUSES(".entry k() .frob 3 { ret; }", "got '.frob'");
    REFUSES(".extern .func f() { ret; }", "after an .extern function");
    REFUSES(".visible .func f( { ret; }", "expected a parameter");
    REFUSES(".global .u32 f; .func f() { ret; }", "declared twice");
    REFUSES(".entry k() {", "the text ends");
}

static void test_registers(void)
{
    struct ptx_module *module;
    struct ptx_function *f = BODY("add.u32 %r8, %r0, %r8;\n{ .reg .f64 %r8; .reg .pred %r<3>; mov.f64 %r8, %r8; "
                                  "not.pred %r2, %r1; mov.u32 %r4, 1; }\nmov.u32 %r2, %r8;\n");

    CHECK(f->reg_count == 7);
    CHECK(operand(instruction(f, 0), 0)->reg == operand(instruction(f, 0), 2)->reg);
    CHECK(operand(instruction(f, 0), 0)->reg == operand(instruction(f, 4), 1)->reg);
    CHECK(operand(instruction(f, 1), 0)->reg != operand(instruction(f, 0), 0)->reg);
    CHECK(f->reg_count == 7 && f->regs[operand(instruction(f, 1), 0)->reg].type == PTX_F64);
    CHECK(f->reg_count == 7 && f->regs[operand(instruction(f, 2), 0)->reg].type == PTX_PRED);
    CHECK(f->reg_count == 7 && f->regs[operand(instruction(f, 3), 0)->reg].type == PTX_B32);
    CHECK(f->reg_count == 7 && f->regs[operand(instruction(f, 4), 0)->reg].type == PTX_B32);
    ptx_free(module);
    f = BODY("mov.u32 %r1, 1;\n{ .reg .pred %r<3>; not.pred %r1, %r1; { mov.u32 %r5, 1; } }\nmov.u32 %r1, 2;\n");
    CHECK(f->reg_count == 3 && f->regs[operand(instruction(f, 1), 0)->reg].type == PTX_PRED); // a range shadows a name
    CHECK(operand(instruction(f, 0), 0)->reg == operand(instruction(f, 3), 0)->reg);
    ptx_free(module);
    ACCEPTS_BODY(".reg .b32 %many<2000000000>; mov.u32 %many1999999999, 1;");
    REFUSES_BODY(".reg .b32 %x<4000000000>;", "below 2^31");
    REFUSES_BODY("mov.u32 %r9, 1;", "'%r9' is not declared");
    REFUSES_BODY("mov.u32 %r01, 1;", "'%r01' is not declared");
    REFUSES_BODY("{ .reg .b32 t; mov.u32 t, 1; } mov.u32 t, 1;", "'t' is not declared");
    REFUSES_BODY(".reg .b32 p;", "'p' is declared twice");
    REFUSES_BODY(".reg .v2 .f32 v;", "vector registers");
    REFUSES_BODY(".reg .c32 v;", "expected a type");
}

static void test_operands(void)
{
    struct ptx_module *module;
    struct ptx_function *f = BODY("ld.v4.u32 {%r0, _, %r1, 7}, [%rd0+-4];\nst.u32 [var+8], -5;\nld.u32 %r0, [16];\n"
                                  "shfl.sync.down.b32 %r0|p, %r1, 1, 31, -1;\nmov.f32 %f0, -0f3F800000;\n"
                                  "mov.f64 %rd0, 0.5;\n"
                                  "mov.u64 %rd1, var+4;\nselp.u32 %r0, 1, WARP_SZ, !q;\nmov.u32 %r1, %ntid.y;\n"
                                  "mov.u64 %rd2, callee;\n"
                                  "and.b32 %r0, %r0, (1 << 4 | 3) - 0x10U;");
    struct ptx_instr *i = instruction(f, 0);

    CHECK(strcmp(i->op, "ld.v4.u32") == 0 && i->count == 2 && operand(i, 0)->kind == PTX_OP_VECTOR);
    CHECK(operand(i, 0)->count == 4 && operand(i, 0)->list[1].kind == PTX_OP_SINK);
    CHECK(operand(i, 0)->count == 4 && operand(i, 0)->list[3].value == 7);
    CHECK(operand(i, 1)->kind == PTX_OP_ADDRESS && operand(i, 1)->value == -4 && operand(i, 1)->reg >= 0);
    CHECK(is_symbol(operand(instruction(f, 1), 0), PTX_OP_ADDRESS, "var", 8));
    CHECK(operand(instruction(f, 1), 0)->reg == -1 && operand(instruction(f, 1), 1)->value == -5);
    i = instruction(f, 2);
    CHECK(operand(i, 1)->kind == PTX_OP_ADDRESS && operand(i, 1)->reg == -1 && !operand(i, 1)->symbol);
    CHECK(operand(i, 1)->value == 16);
    i = instruction(f, 3);
    CHECK(operand(i, 0)->kind == PTX_OP_PAIR && operand(i, 0)->list[1].kind == PTX_OP_REG && i->count == 5);
    CHECK(operand(instruction(f, 4), 1)->kind == PTX_OP_F32 && operand(instruction(f, 4), 1)->value == 0xBF800000);
    CHECK(operand(instruction(f, 5), 1)->kind == PTX_OP_F64);
    CHECK(operand(instruction(f, 5), 1)->value == 0x3FE0000000000000);
    CHECK(is_symbol(operand(instruction(f, 6), 1), PTX_OP_SYMBOL, "var", 4));
    CHECK(operand(instruction(f, 7), 2)->value == 32 && operand(instruction(f, 7), 3)->negated);
    CHECK(is_symbol(operand(instruction(f, 8), 1), PTX_OP_SPECIAL, "%ntid.y", 0));
    CHECK(is_symbol(operand(instruction(f, 9), 1), PTX_OP_SYMBOL, "callee", 0));
    CHECK(operand(instruction(f, 10), 2)->value == 3);
    ptx_free(module);
}

static void test_rare_operands(void)
{
    struct ptx_module *module;
    struct ptx_function *f = BODY("cp.x.tile [%r0], [%rd0, {%r1, %r2}], [%r3];\nmov.u32 %r0, 0b101 + 017;\n"
                                  "mov.u32 %r0, %envreg31;\nelect.sync _|q, -1;\nmbarrier.a::b.c _, [%rd0 - 8];");
    struct ptx_instr *i = instruction(f, 0);

    CHECK(operand(i, 1)->kind == PTX_OP_ADDRESS && operand(i, 1)->count == 1 && operand(i, 1)->list[0].count == 2);
    CHECK(operand(instruction(f, 1), 1)->value == 20);
    CHECK(is_symbol(operand(instruction(f, 2), 1), PTX_OP_SPECIAL, "%envreg31", 0));
    i = instruction(f, 3);
    CHECK(operand(i, 0)->kind == PTX_OP_PAIR && operand(i, 0)->list[0].kind == PTX_OP_SINK);
    CHECK(strcmp(instruction(f, 4)->op, "mbarrier.a::b.c") == 0 && operand(instruction(f, 4), 1)->value == -8);
    ptx_free(module);
}

static void test_bad_operands(void)
{
    REFUSES_BODY("mov.u32 %r0 1;", "got '1', expected ';' after operand");
    REFUSES_BODY("mov.u32 %r0, ;", "got ';', expected an operand");
    REFUSES_BODY("ld.v2.u32 {%r0, %r1,}, [%rd0];", "got '}', expected an operand");
    REFUSES_BODY("mov.u32 %r0, nothing;", "'nothing' is not declared");
    REFUSES_BODY("mov.u32 %r0, %tid.q;", "'%tid.q' is not declared");
    REFUSES_BODY("mov.u32 %r0, %laneid.x;", "'%laneid.x' is not declared");
    REFUSES_BODY("vadd.u32.u32.u32 %r0, %r1.b0, %r2;", "'%r1.b0' is not declared");
    REFUSES_BODY("ld.u32 %r0, [%tid.x];", "an address must start");
    REFUSES_BODY("ld.u32 %r0, [%rd0;", "'+' or ']'");
    REFUSES_BODY("ld.u32 %r0, [%rd0,];", "got ']', expected an operand");
    REFUSES_BODY("ld.u32 %r0, [%rd0 4];", "'+' or ']'");
    REFUSES_BODY("ld.u32 %r0, [4 %rd0];", "got '%rd0', expected ',' or ']' in an address");
    REFUSES_BODY("ld.u32 %r0, [];", "expected an address");
    REFUSES_BODY("ld.v2.u32 {%r0, %r1, [%rd0];", "'}' in a list");
    REFUSES_BODY("shfl.b32 %r0|7, %r1;", "both sides of '|'");
    REFUSES_BODY("add.u32 %r0, !var, 1;", "'!' must stand before");
    REFUSES_BODY("%r0 = 1;", "'%r0'");
    REFUSES_BODY("@%r0 ret;", "a guard must be a register of type .pred");
    REFUSES_BODY("@p", "after its guard");
    REFUSES_BODY("@p { ret; }", "after its guard");
    REFUSES_BODY("mov.f32 %f0, 0f3F80;", "8 hexadecimal digits");
    REFUSES_BODY("mov.u32 %r0, (1;", "expected ')'");
    REFUSES_BODY(".frob 1;", "got '.frob'");
    REFUSES_BODY(".shared .u32 a = 1;", "cannot be initialised");
    REFUSES_BODY("add.u32 (%r0), %r1;", "expected");
}

// clang-format off
static void test_expressions(void)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},       {"(1 + 2) * 3", 9},        {"7 - 2 - 1", 4},         {"-7 / 2", -3},
        {"-7 % 3", -1},         {"1 << 3 >> 1", 4},        {"1 << 64", 0},           {"-8 >> 1", -4},
        {"-8 >> 99", -1},       {"-1 < 0", 1},             {"-1 < 0U", 0},           {"~0 == -1", 1},
        {"5 & 3 | 8 ^ 1", 9},   {"1 && 0 || 1", 1},        {"!5", 0},                {"!0 ? 2 : 3", 2},
        {"0 ? 1 : 0 ? 2 : 3", 3}, {"3 != 3", 0},           {"2 >= 2", 1},            {"2 <= 1", 0},
        {"(.s64)0xFFFFFFFFFFFFFFFFU < 0", 1},              {"+ -4 + 2", -2},         {"-2 - -3", 1},
        {"(-9223372036854775807 - 1) / -1", INT64_MIN},    {"0xFFFFFFFFFFFFFFFF / 2", INT64_MAX},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        struct ptx_module *module;

        snprintf(text, sizeof text, "%s%smov.u64 %%rd0, %s;%s", BODY_START, REGS, cases[i].text, BODY_END);
        struct ptx_function *f = parse_body(text, &module, __LINE__);

        struct ptx_operand *o = operand(instruction(f, 0), 1);

        if (o->kind != PTX_OP_INT || o->value != cases[i].value) {
            printf("%s:%d: %s: got %lld, wanted %lld\n", __FILE__, __LINE__, cases[i].text, (long long)o->value,
                   (long long)cases[i].value);
            failures++;
        }
        ptx_free(module);
    }
}
// clang-format on

static void test_labels(void)
{
    struct ptx_module *module;
    struct ptx_function *f = BODY("@!p bra END;\nL: bra.uni L;\n{ L: bra L; bra END; }\n"
                                  "ts: .branchtargets L, END;\nbrx.idx %r0, ts;\n{ bra IN; IN: ret; }\nEND:\n");

    CHECK(instruction(f, 0)->guard >= 0 && instruction(f, 0)->guard_negated && instruction(f, 1)->guard == -1);
    CHECK(is_symbol(operand(instruction(f, 0), 0), PTX_OP_LABEL, "END", 7));
    CHECK(is_symbol(operand(instruction(f, 1), 0), PTX_OP_LABEL, "L", 1));
    CHECK(is_symbol(operand(instruction(f, 2), 0), PTX_OP_LABEL, "L", 2));
    CHECK(is_symbol(operand(instruction(f, 3), 0), PTX_OP_LABEL, "END", 7));
    CHECK(operand(instruction(f, 4), 1)->kind == PTX_OP_VECTOR && operand(instruction(f, 4), 1)->count == 2);
    CHECK(is_symbol(&operand(instruction(f, 4), 1)->list[0], PTX_OP_LABEL, "L", 1));
    CHECK(is_symbol(&operand(instruction(f, 4), 1)->list[1], PTX_OP_LABEL, "END", 7));
    CHECK(is_symbol(operand(instruction(f, 5), 0), PTX_OP_LABEL, "IN", 6));
    CHECK(f->instr_count == 7);
    ptx_free(module);
    f = BODY("L: { { bra L; } ret; L: ret; }"); // the nearest block with the label, though that comes later
    CHECK(is_symbol(operand(instruction(f, 0), 0), PTX_OP_LABEL, "L", 2));
    ptx_free(module);
    ACCEPTS_BODY("brx.idx.uni %r0, ts; A: ts: .branchtargets A;"); // the list may follow
    REFUSES_BODY("bra NOWHERE;", "label 'NOWHERE' is not defined");
    REFUSES_BODY("{ IN: ret; } bra IN;", "label 'IN' is not defined");
    REFUSES_BODY("A: ret; A: ret;", "'A' is declared twice");
    REFUSES_BODY("ts: .branchtargets A; A: bra ts;", "'ts' is not what 'bra' can name");
    REFUSES_BODY("A: brx.idx %r0, A;", "'A' is not what 'brx.idx' can name");
    REFUSES_BODY("bra 7;", "bra: expected one label");
    REFUSES_BODY("brx.idx %r0;", "brx.idx: expected");
    REFUSES_BODY("a.b: ret;", "cannot be a label");
}

static void test_calls(void)
{
    struct ptx_module *module;
    struct ptx_function *f = BODY(
        "{ .param .b32 a; .param .b32 r; st.param.b32 [a+0], 1; call.uni (r), callee, (a); ld.param.b32 %r0, [r+0]; }\n"
        "{ .param .b32 a; .param .b32 r; st.param.b32 [a+0], 1;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (r), %rd0, (a), proto; ld.param.b32 %r0, [r]; }\n"
        "call callee;\ncall %rd1, none; none: .callprototype ()_ ();\n");
    struct ptx_instr *call = instruction(f, 1);

    CHECK(call->count == 3 && operand(call, 0)->count == 1 && operand(call, 2)->count == 1);
    CHECK(is_symbol(operand(call, 1), PTX_OP_SYMBOL, "callee", 0));
    CHECK(is_symbol(&operand(call, 2)->list[0], PTX_OP_SYMBOL, "a", 0));
    call = instruction(f, 4);
    CHECK(call->count == 4 && operand(call, 1)->kind == PTX_OP_REG);
    CHECK(is_symbol(operand(call, 3), PTX_OP_SYMBOL, "proto", 0));
    CHECK(operand(call, 2)->count == 1 && strcmp(operand(call, 2)->list[0].symbol, "a") != 0); // renamed
    CHECK(operand(instruction(f, 3), 0)->symbol == operand(call, 2)->list[0].symbol);
    CHECK(f->var_count == 4 && strcmp(f->vars[2].name, operand(call, 2)->list[0].symbol) == 0);
    call = instruction(f, 6);
    CHECK(call->count == 3 && operand(call, 0)->kind == PTX_OP_VECTOR && operand(call, 0)->count == 0);
    CHECK(operand(call, 2)->kind == PTX_OP_VECTOR && operand(call, 2)->count == 0);
    CHECK(instruction(f, 7)->count == 4 && operand(instruction(f, 7), 1)->kind == PTX_OP_REG);
    ptx_free(module);
    ACCEPTS_BODY("t: .calltargets callee; call %rd0, t;");
    REFUSES_BODY("call missing, (p);", "no function of this name");
    REFUSES_BODY("call callee, missing;", "label 'missing' is not defined");
    REFUSES_BODY("call;", "no function of this name");
    REFUSES_BODY("call callee, (p), (q);", "call: expected");
    REFUSES_BODY("t: .calltargets missing;", "'missing' is not declared");
    REFUSES_BODY("t: .callprototype (.param .b32 _) _ (.param .b32 _", "',' or ')'");
}

// A block's variable must not be mistaken for a module variable, nor two variables of one function for each other.
static void test_renaming(void)
{
    struct ptx_module *module;
    struct ptx_function *f = BODY("{ .local .b32 var; ld.u32 %r0, [var]; } ld.u32 %r0, [var];\n"
                                  "{ .param .b32 var$1; ld.u32 %r0, [var$1]; }\n"
                                  "{ .local .b32 var; ld.u32 %r0, [var]; }");

    CHECK(f->var_count == 3 && strcmp(f->vars[0].name, "var") != 0);
    for (int i = 0; i < f->var_count; i++)
        for (int j = 0; j < i; j++)
            CHECK(strcmp(f->vars[i].name, f->vars[j].name) != 0);
    CHECK(f->var_count == 3 && is_symbol(operand(instruction(f, 0), 1), PTX_OP_ADDRESS, f->vars[0].name, 0));
    CHECK(is_symbol(operand(instruction(f, 1), 1), PTX_OP_ADDRESS, "var", 0));
    CHECK(f->var_count == 3 && is_symbol(operand(instruction(f, 2), 1), PTX_OP_ADDRESS, f->vars[1].name, 0));
    CHECK(f->var_count == 3 && is_symbol(operand(instruction(f, 3), 1), PTX_OP_ADDRESS, f->vars[2].name, 0));
    ptx_free(module);
}

#define TOOLKIT "/usr/local/cuda/bin/../targets/x86_64-linux/include/a.hpp"

// The line that an instruction after these .loc lines gets; file 1 is the user's, file 2 lies in other.
static struct ptx_loc loc_of(const char *locs, const char *other)
{
    char text[1024];
    struct ptx_module *module;
    struct ptx_loc loc = {-1, -1};

    snprintf(text, sizeof text, "%s.entry k()\n{\n%s\nret;\n}\n.file 1 \"/home/me/k.cu\"\n.file 2 \"%s\", 123, 45\n",
             HEAD, locs, other);
    struct ptx_function *f = parse_body(text, &module, __LINE__);

    if (f->instr_count > 0)
        loc = instruction(f, f->instr_count - 1)->loc;
    ptx_free(module);
    return loc;
}

static bool is_loc(struct ptx_loc loc, int file, int line)
{
    return loc.file == file && loc.line == line;
}

static void test_locs(void)
{
    const char *const deep = ".loc 1 10 5\n.loc 1 20 5, function_name $L1, inlined_at 1 10 5\n"
                             ".loc 2 30 5, function_name $L2+12, inlined_at 1 20 5\n"
                             ".loc 2 40 5, function_name .debug_str + 16, inlined_at 2 30 5\n";
    const char *const twice = ".loc 1 10 5\n.loc 2 30 5, function_name $L1, inlined_at 1 10 5\n"
                              ".loc 2 40 5, function_name $L2, inlined_at 2 30 5\nbar.sync 0;\n"
                              ".loc 1 11 5\n.loc 2 30 5, function_name $L1, inlined_at 1 11 5\n"
                              ".loc 2 40 5, function_name $L2, inlined_at 2 30 5\n";

    CHECK(is_loc(loc_of("", TOOLKIT), 0, 0));
    CHECK(is_loc(loc_of(".loc 1 10 5", TOOLKIT), 1, 10));
    CHECK(is_loc(loc_of(deep, TOOLKIT), 1, 20));
    CHECK(is_loc(loc_of(deep, "/home/me/a.h"), 2, 40));
    CHECK(is_loc(loc_of(deep, "/home/cuda/include/a.h"), 2, 40));
    CHECK(is_loc(loc_of(deep, "/usr/include/a.h"), 1, 20));
    CHECK(is_loc(loc_of(deep, "/opt/cuda-12.4/include/a.h"), 1, 20));
    CHECK(is_loc(loc_of(deep, "/home/me/cuda/bin/../include/a.h"), 1, 20));
    CHECK(is_loc(loc_of(twice, TOOLKIT), 1, 11));
    CHECK(is_loc(loc_of(".loc 2 30 5\n.loc 2 40 5, function_name $L, inlined_at 2 30 5", TOOLKIT), 2, 40));
    CHECK(is_loc(loc_of(".loc 1 0 5", TOOLKIT), 0, 0));
    CHECK(is_loc(loc_of(".loc 1 10 5\n.loc 1 0 0", TOOLKIT), 1, 10)); // one instruction for several lines
    CHECK(is_loc(loc_of(".loc 1 0 5, function_name $L, inlined_at 1 9 1", TOOLKIT), 1, 9));
    CHECK(is_loc(loc_of(".loc 2 9 9, function_name $L, inlined_at 2 9 9", TOOLKIT), 2, 9));
    CHECK(is_loc(loc_of(".loc 7 9 9", TOOLKIT), 0, 0)); // no such file
    REFUSES_BODY(".loc 1 2;", "a source column");
    REFUSES_BODY(".loc 1 2 3, frob 4", "expected function_name or inlined_at");
    REFUSES(".file x \"y\"", "the number of a file");
    REFUSES(".file 99999999 \"y\"", "the number of a file");
}

// Whether .file with this string, as it stands in PTX, names the file path.
static void names_file_at(const char *string, const char *path, int line)
{
    char text[256];
    struct ptx_module *module;
    const char *got;

    snprintf(text, sizeof text, "%s.file 1 \"%s\"\n", HEAD, string);
    module = parse(text, line);
    got = module && module->file_count > 1 ? module->files[1] : "nothing";
    if (strcmp(got, path) != 0) {
        printf("%s:%d: got '%s', expected '%s'\n", __FILE__, line, got, path);
        failures++;
    }
    ptx_free(module);
}

#define NAMES_FILE(string, path) names_file_at(string, path, __LINE__)

// Paths are bytes: a .file holds them escaped as nvcc does.
static void test_file_names(void)
{
    NAMES_FILE("/home/me/W\\303\\266rk buch/k.cu", "/home/me/W\303\266rk buch/k.cu");
    NAMES_FILE("\\320\\234\\320\\276\\321\\217/k.cu", "\320\234\320\276\321\217/k.cu");
    NAMES_FILE("\\360\\237\\230\\2001/k.cu", "\360\237\230\2001/k.cu"); // a digit follows
    NAMES_FILE("a\\001\\177\\377", "a\001\177\377");
    NAMES_FILE("a\\tb\\nc\\rd\\be\\ff", "a\tb\nc\rd\be\ff");
    NAMES_FILE("\\\"q\\\"/k.cu", "\"q\"/k.cu");
    NAMES_FILE("a\\\\303b/k.cu", "a\\303b/k.cu"); // a backslash and digits, not an escape
    NAMES_FILE("a\\\\", "a\\");
    // Innocent: a path without an escape stays unchanged.
    NAMES_FILE("/home/me/my book/50% #1; $x & (y)/k.cu", "/home/me/my book/50% #1; $x & (y)/k.cu");
    NAMES_FILE("/home/me/W\303\266rk/k.cu", "/home/me/W\303\266rk/k.cu");
    NAMES_FILE("a\\000b", "a\\000b");
    NAMES_FILE("a\\777b", "a\\777b");
    NAMES_FILE("a\\30", "a\\30");
    NAMES_FILE("a\\q", "a\\q");
}

// Parses start followed by many copies of repeat: refused with expected, or accepted if that is NULL.
static void repeats(const char *start, const char *repeat, const char *expected, int line)
{
    const size_t count = 50000, first = strlen(start), step = strlen(repeat);
    char *text = malloc(first + count * step + 1), error[256] = "";

    if (!text)
        exit(1);
    memcpy(text, start, first);
    for (size_t i = 0; i < count; i++)
        memcpy(text + first + i * step, repeat, step);
    struct ptx_module *module = ptx_parse(text, first + count * step, error, sizeof error);

    if (expected ? module || !strstr(error, expected) : !module) {
        printf("%s:%d: many '%s': got '%s'\n", __FILE__, line, repeat, error);
        failures++;
    }
    ptx_free(module);
    free(text);
}

// Input that would take long, use much memory or exhaust the stack in a careless parser.
static void test_hostile(void)
{
    repeats(BODY_START REGS, "{", "nested blocks", __LINE__);
    repeats(BODY_START REGS "mov.u32 %r0, ", "(", "nested deeper", __LINE__);
    repeats(BODY_START REGS "mov.u32 %r0, ", "-", "nested deeper", __LINE__);
    repeats(BODY_START REGS "mov.u32 %r0, 1 ", "? 1 : 1 ", "nested deeper", __LINE__);
    repeats(BODY_START REGS "mov.u32 ", "{", "nested deeper", __LINE__);
    repeats(BODY_START REGS "mov.u32 ", "%r0|", "nested deeper", __LINE__);
    repeats(BODY_START REGS "ld.u32 ", "[%rd0, ", "nested deeper", __LINE__);
    repeats(HEAD ".global .b8 a", "[1]", "more than 8 dimensions", __LINE__);
    repeats(HEAD ".global .b8 a[2][2] = ", "{", "expected a value", __LINE__);
    repeats(BODY_START REGS "bra", ".x", "longer than", __LINE__);
    repeats(HEAD, ".func f();", NULL, __LINE__);
    repeats(HEAD ".entry k() { L: ", "bra L; {bra L;}", "the text ends", __LINE__);
    repeats(HEAD ".entry k() {", "{ .param .b32 x; }", "the text ends", __LINE__);
    repeats(HEAD ".entry k() {", ".loc 1 5 5, function_name x, inlined_at 1 5 5\nret;", "the text ends", __LINE__);
}

// Parses prefixes of a valid text, ever sparser, with an error buffer of 8 bytes and with none: no memory error may
// occur.
static void test_prefixes(const char *text, size_t length)
{
    char error[8];

    for (size_t i = 0; i < length; i += 1 + i / 512) {
        char *copy = malloc(i + 1); // the sanitizer detects a read past it

        if (!copy)
            exit(1);
        char *start = copy + 1;

        memcpy(start, text, i);
        ptx_free(ptx_parse(start, i, error, sizeof error));
        ptx_free(ptx_parse(start, i, error, 0));
        free(copy);
    }
}

static struct ptx_module *parse_file(const char *directory, const char *name)
{
    char path[512], error[256] = "";
    static char text[1 << 20];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    struct ptx_module *module = ptx_parse(text, length, error, sizeof error);

    if (file)
        fclose(file);
    if (!module) {
        printf("%s:%d: %s: %s\n", __FILE__, __LINE__, path, file ? error : "cannot be opened");
        failures++;
    }
    test_prefixes(text, length);
    return module;
}

// The line of the function's first instruction with mnemonic op, from instruction *from on.
static struct ptx_loc line_of(struct ptx_function *f, const char *op, int *from)
{
    for (; *from < f->instr_count; ++*from)
        if (strcmp(f->instrs[*from].op, op) == 0)
            return f->instrs[(*from)++].loc;
    return (struct ptx_loc){-1, -1};
}

static void test_inline(const char *directory)
{
    struct ptx_module *module = parse_file(directory, "inline.ptx");
    struct ptx_function *first = function(module, "_Z5firstPi"), *second = function(module, "_Z6secondPi");
    int from = 0;

    CHECK(module && module->file_count > 2 && strstr(module->files[2], "inline.h"));
    for (int call = 0; call < 2; call++) { // atomicAdd and __syncwarp are in leaf, the shuffle in mid
        CHECK(is_loc(line_of(first, "atom.global.add.u32", &from), 2, 4));
        CHECK(is_loc(line_of(first, "bar.warp.sync", &from), 2, 5));
        CHECK(is_loc(line_of(first, "shfl.sync.bfly.b32", &from), 1, 6));
        CHECK(is_loc(line_of(first, "st.global.u32", &from), 1, 11 + call));
    }
    from = 0;
    CHECK(is_loc(line_of(second, "bar.sync", &from), 1, 19));
    CHECK(is_loc(line_of(second, "atom.global.max.s32", &from), 1, 20));
    CHECK(first->instr_count > 15 && second->instr_count > 10);
    ptx_free(module);
}

static void test_features(const char *directory)
{
    struct ptx_module *module = parse_file(directory, "features.ptx");
    struct ptx_function *kernel = function(module, "_Z8features3bigPii");
    int instructions = 0, relocs = 0;

    for (int i = 0; module && i < module->func_count; i++)
        instructions += module->funcs[i].instr_count;
    for (struct ptx_reloc *r = variable(module, "packed")->relocs; r; r = r->next)
        relocs += r->size == 1 && r->generic && r->addend == 12 && r->shift == 8 * (r->offset - 1);
    CHECK(instructions > 150 && relocs == 8);
    CHECK(variable(module, "managed")->managed && variable(module, "dynamic")->external);
    CHECK(variable(module, "pointers")->relocs && variable(module, "pointers")->relocs->addend == 4);
    CHECK(variable(module, "numbers")->init && variable(module, "numbers")->init[8] == 3);
    CHECK(kernel->max_threads[0] == 128 && kernel->min_blocks == 2);
    CHECK(kernel->param_count == 3 && kernel->params[0].size == 88);
    ptx_free(module);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    test_types();
    test_module();
    test_variables();
    test_bad_variables();
    test_relocations();
    test_functions();
    test_registers();
    test_operands();
    test_rare_operands();
    test_bad_operands();
    test_expressions();
    test_labels();
    test_calls();
    test_renaming();
    test_locs();
    test_file_names();
    test_hostile();
    test_inline(argv[1]);
    test_features(argv[1]);
    printf("test_ptx: %s\n", failures ? "FAILED" : "passed");
    return failures ? 1 : 0;
}

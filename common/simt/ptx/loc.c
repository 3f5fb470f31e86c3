// .file and .loc: from an instruction to the line of the user's own source.
//
// nvcc writes an inlined call as a chain of .loc lines, outermost first, and repeats the outer ones only for a chain
// that is new in this function:
//
//     .loc 1 16 5                                        the kernel
//     .loc 1 12 5, function_name $L0, inlined_at 1 16 5  top(), called there
//     .loc 2 409 9, function_name $L1, inlined_at 1 12 5 a function of a header, called by top()
//
// A position alone does not tell who called its function; the last .loc line of the same function with this position
// does. So each .loc line becomes a place whose caller is the latest place at inlined_at. One case is ambiguous: if a
// function was inlined at two places and the text returns to the older one without repeating its chain, the outer
// callers are those of the newer one.
//
// .file lines stand at the end of the text, so ptx_resolve_locs chooses last: the innermost place outside the toolkit.
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

#define MAX_CHAIN 256 // maximum of inlined calls that are followed outwards

// Reads "file line column" (for .loc and inlined_at).
static struct ptx_place read_position(struct ptx_parser *parser)
{
    struct ptx_place place = {0};

    place.file = (int)ptx_expect_int(parser, PTX_MAX_FILES, "the number of a file");
    place.line = (int)ptx_expect_int(parser, INT32_MAX, "a source line");
    place.column = (int)ptx_expect_int(parser, INT32_MAX, "a source column");
    place.function = parser->function_number;
    return place;
}

static struct ptx_name *position_name(struct ptx_parser *parser, const struct ptx_place *place)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%d:%d:%d", place->file, place->line, place->column);

    return ptx_intern(parser, &parser->positions, text, (size_t)length);
}

// The latest place at this position in this function, created if needed.
static struct ptx_place *find_place(struct ptx_parser *parser, const struct ptx_place *wanted)
{
    struct ptx_name *name = position_name(parser, wanted);

    if (!name->place || name->place->function != wanted->function) {
        name->place = ptx_alloc(parser, sizeof *name->place);
        *name->place = *wanted;
    }
    return name->place;
}

// Reads ", function_name LABEL[+offset]" and ", inlined_at file line column", in any order. Returns the caller's place.
static struct ptx_place *read_attributes(struct ptx_parser *parser)
{
    struct ptx_place *caller = NULL;

    while (ptx_accept_mark(parser, ',')) {
        struct ptx_name *attribute = ptx_expect_name(parser, "function_name or inlined_at");

        if (strcmp(attribute->text, "function_name") == 0) {
            if (parser->token.kind == TOKEN_DIRECTIVE) // .debug_str+16
                ptx_advance(parser);
            else
                ptx_expect_name(parser, "a label after function_name");
            if (ptx_accept_mark(parser, '+'))
                ptx_expect_int(parser, UINT64_MAX, "an offset after '+'");
        } else if (strcmp(attribute->text, "inlined_at") == 0) {
            struct ptx_place position = read_position(parser);

            caller = find_place(parser, &position);
        } else {
            ptx_fail(parser, parser->token.line, "got '%.60s', expected function_name or inlined_at", attribute->text);
        }
    }
    return caller;
}

// Whether the last .loc belongs to this function.
static bool stays_in_function(const struct ptx_parser *parser)
{
    struct ptx_place *const *places = (struct ptx_place *const *)parser->places.items;

    return parser->place && places[parser->place - 1]->function == parser->function_number;
}

void ptx_loc_directive(struct ptx_parser *parser)
{
    struct ptx_place place = read_position(parser);
    struct ptx_name *name = position_name(parser, &place);

    place.caller = read_attributes(parser);
    if (place.line == 0 && !place.caller && stays_in_function(parser)) // the last of several lines
        return;
    if (!name->place || name->place->function != place.function || name->place->caller != place.caller) {
        name->place = ptx_alloc(parser, sizeof place);
        *name->place = place;
    }
    *(struct ptx_place **)ptx_push(parser, &parser->places) = name->place;
    parser->place = parser->places.count; // counts from 1
}

// The byte that three octal digits encode; 0, which occurs in no path: they are not digits.
static int octal_byte(const char *text, size_t length)
{
    int value = 0;

    for (int i = 0; i < 3; i++) {
        if (length < 3 || text[i] < '0' || text[i] > '7')
            return 0;
        value = value * 8 + text[i] - '0';
    }
    return value < 256 ? value : 0;
}

// Decodes the path in the string of a .file. nvcc writes \" and \\, \b \f \n \r \t, and in octal (\303) every other
// byte that is not printable ASCII. A backslash before anything else is literal.
static const char *file_name(struct ptx_parser *parser, const char *text, size_t length)
{
    static const char from[] = "\"\\bfnrt", to[] = "\"\\\b\f\n\r\t";
    char *name = ptx_alloc(parser, length + 1), *out = name;

    for (size_t i = 0; i < length; i++) {
        bool escape = text[i] == '\\' && i + 1 < length;
        const char *known = escape ? strchr(from, text[i + 1]) : NULL;
        int byte = escape ? octal_byte(text + i + 1, length - i - 1) : 0;

        *out++ = known ? to[known - from] : byte ? (char)byte : text[i];
        i += known ? 1 : byte ? 3 : 0;
    }
    return name;
}

void ptx_file_directive(struct ptx_parser *parser)
{
    int number = (int)ptx_expect_int(parser, PTX_MAX_FILES, "the number of a file");

    if (parser->token.kind != TOKEN_STRING)
        ptx_expected(parser, "the name of a file");
    while (parser->files.count <= number)
        ptx_push(parser, &parser->files);
    ((const char **)parser->files.items)[number] = file_name(parser, parser->token.text, parser->token.length);
    ptx_advance(parser);
    if (ptx_accept_mark(parser, ',')) {
        ptx_expect_int(parser, UINT64_MAX, "a time stamp");
        ptx_expect_mark(parser, ',', "',' after the time stamp");
        ptx_expect_int(parser, UINT64_MAX, "the size of the file");
    }
}

// Whether a file belongs to the toolkit or the system rather than to the user. nvcc names its own headers
// ".../targets/x86_64-linux/include/..." or, as seen from itself, ".../bin/../include/..."; packages of distributions
// and Python use the other paths in this list. A path below a home directory is the user's even if a part of it is
// called "cuda" or "include".
static bool is_toolkit_file(const char *path)
{
    const char *targets = strstr(path, "/targets/");
    const char *cuda = strstr(path, "/cuda");

    if ((targets && strstr(targets, "-linux/include/")) || strstr(path, "/bin/../include/"))
        return true;
    if (strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib/", 9) == 0)
        return true;
    if ((strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/opt/", 5) == 0) && cuda && strstr(cuda, "/include/"))
        return true;
    return strstr(path, "-packages/nvidia/") != NULL;
}

bool ptx_in_toolkit(const struct ptx_module *module, struct ptx_loc loc)
{
    return loc.file > 0 && loc.file < module->file_count && module->files[loc.file] &&
           is_toolkit_file(module->files[loc.file]);
}

// The innermost place of the chain that has a line (0: generated by the compiler) and lies in the user's files; if all
// lie in the toolkit, as in a kernel of CUB, the innermost one.
static struct ptx_loc choose_loc(const struct ptx_place *place, const struct ptx_module *module, const bool *toolkit)
{
    struct ptx_loc fallback = {0, 0};

    for (int i = 0; place && i < MAX_CHAIN; i++, place = place->caller) {
        if (place->line == 0 || place->file >= module->file_count || !module->files[place->file])
            continue;
        struct ptx_loc loc = {place->file, place->line};

        if (!toolkit[place->file])
            return loc;
        if (fallback.line == 0)
            fallback = loc;
    }
    return fallback;
}

// The calls of the chain after loc that have a user line; consecutive duplicates count once.
static const struct ptx_call *choose_calls(struct ptx_parser *parser, const struct ptx_place *place,
                                           const bool *toolkit, struct ptx_loc loc)
{
    struct ptx_module *module = parser->module;
    const struct ptx_call *first = NULL, **link = &first;

    for (int i = 0; place && i < MAX_CHAIN; i++, place = place->caller) {
        bool known = place->line > 0 && place->file < module->file_count && module->files[place->file];
        struct ptx_call *call;

        if (!known || toolkit[place->file] || (place->file == loc.file && place->line == loc.line))
            continue;
        call = ptx_alloc(parser, sizeof *call);
        loc = call->at = (struct ptx_loc){place->file, place->line};
        call->next = module->calls;
        module->calls = call;
        *link = call;
        link = &call->outer;
    }
    return first;
}

void ptx_resolve_locs(struct ptx_parser *parser)
{
    const struct ptx_module *module = parser->module;
    struct ptx_place **places = parser->places.items;
    bool *toolkit = ptx_alloc(parser, (size_t)module->file_count);

    for (int i = 0; i < module->file_count; i++)
        toolkit[i] = module->files[i] && is_toolkit_file(module->files[i]);
    for (int f = 0; f < module->func_count; f++) {
        for (int i = 0; i < module->funcs[f].instr_count; i++) {
            struct ptx_instr *in = &module->funcs[f].instrs[i];
            struct ptx_place *place = in->loc.line ? places[in->loc.line - 1] : NULL;

            in->loc = (struct ptx_loc){0, 0};
            if (place && !place->resolved) {
                place->loc = choose_loc(place, module, toolkit);
                place->call = choose_calls(parser, place, toolkit, place->loc);
                place->resolved = true;
            }
            if (place)
                in->loc = place->loc, in->call = place->call;
        }
    }
}

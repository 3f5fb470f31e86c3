// Lines and names of the host's code. Each new query reads the files again, since queries are few; without malloc,
// since signal handlers make queries, too.
#define _GNU_SOURCE
#include "report/host_line.h"

#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptx/elf.h"
#include "report/names.h"

#define KNOWN 64 // cached answers

// ---- bytes of a file

struct reader {
    const uint8_t *at, *end;
    bool bad; // a read went past the end and returned zeros
};

static uint64_t read_word(struct reader *r, unsigned size)
{
    uint64_t value = 0;
    if ((uint64_t)(r->end - r->at) < size) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, size);
    r->at += size;
    return value;
}

static void skip(struct reader *r, uint64_t size)
{
    r->bad |= (uint64_t)(r->end - r->at) < size;
    r->at = r->bad ? r->end : r->at + size;
}

static uint64_t read_uleb(struct reader *r)
{
    uint64_t value = 0, byte = 0x80;
    for (unsigned shift = 0; byte & 0x80 && shift < 64; shift += 7) {
        byte = read_word(r, 1);
        value |= (byte & 0x7f) << shift;
    }
    return value;
}

static int64_t read_sleb(struct reader *r)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80 && shift < 64; shift += 7) {
        byte = read_word(r, 1);
        value |= (byte & 0x7f) << shift;
    }
    return (int64_t)(byte & 0x40 && shift < 64 ? value | UINT64_MAX << shift : value);
}

static const char *read_text(struct reader *r)
{
    const char *text = (const char *)r->at;
    const uint8_t *end = memchr(r->at, 0, (size_t)(r->end - r->at));
    skip(r, end ? (uint64_t)(end - r->at) + 1 : UINT64_MAX);
    return end ? text : "";
}

static const char *text_at(struct elf_bytes section, uint64_t offset)
{
    const uint8_t *end = section.data + section.size;
    struct reader r = {offset < section.size ? section.data + offset : end, end, false};
    return read_text(&r);
}

// ---- the line table

struct line_file {
    struct elf_bytes lines, line_texts, texts; // .debug_line, .debug_line_str, .debug_str
};

// A unit of the table, with the parameters of its line program.
struct unit {
    const struct line_file *file;
    struct reader tables, program;
    unsigned version, offset_size, least, base, range;
    int8_t first; // line_base
    const uint8_t *lengths;
};

struct row {
    uint64_t address, file, line;
};

static bool open_unit(struct reader *r, const struct line_file *file, struct unit *u)
{
    *u = (struct unit){.file = file, .offset_size = 4};
    uint64_t length = read_word(r, 4);
    if (length == 0xffffffff) {
        length = read_word(r, 8);
        u->offset_size = 8;
    }
    struct reader in = {r->at, r->at, false};
    skip(r, length);
    in.end = r->at;
    u->version = (unsigned)read_word(&in, 2);
    if (u->version >= 5)
        skip(&in, 2); // sizes of an address and of a segment
    uint64_t header = read_word(&in, u->offset_size);
    u->program = in;
    skip(&u->program, header);
    u->least = (unsigned)read_word(&in, 1);
    skip(&in, u->version >= 4 ? 2 : 1); // operations in an instruction, is_stmt
    u->first = (int8_t)read_word(&in, 1);
    u->range = (unsigned)read_word(&in, 1);
    u->base = (unsigned)read_word(&in, 1);
    u->lengths = in.at;
    skip(&in, u->base ? u->base - 1 : 0);
    u->tables = in;
    return !r->bad && !in.bad && !u->program.bad && u->version >= 2 && u->version <= 5 && u->range && u->base;
}

// Opcodes that only change the row: the standard ones except copy. False: only an operand was skipped.
static void standard_opcode(struct unit *u, struct row *row, unsigned op)
{
    struct reader *p = &u->program;
    switch (op) {
    case 2: row->address += u->least * read_uleb(p); return;
    case 3: row->line += (uint64_t)read_sleb(p); return;
    case 4: row->file = read_uleb(p); return;
    case 8: row->address += u->least * ((255 - u->base) / u->range); return;
    case 9: row->address += read_word(p, 2); return;
    }
    for (unsigned i = 0; i < u->lengths[op - 1]; i++)
        read_uleb(p);
}

// True: the sequence of rows ends.
static bool extended_opcode(struct unit *u, struct row *row)
{
    struct reader *p = &u->program;
    uint64_t length = read_uleb(p), op = length ? read_word(p, 1) : 0;
    if (op == 2 && length <= 9)
        row->address = read_word(p, (unsigned)length - 1);
    else
        skip(p, length ? length - 1 : 0);
    return op == 1;
}

// The row that contains the address; and the last row before it from another file, with line 0 if there is none.
static bool find_row(struct unit *u, uint64_t address, struct row *out, struct row *other)
{
    struct row row = {0, 1, 1}, last = row;
    *other = (struct row){0, 1, 0};
    bool any = false;
    while (u->program.at < u->program.end && !u->program.bad) {
        unsigned op = (unsigned)read_word(&u->program, 1);
        bool end = false, copy = op == 1 || op >= u->base;
        if (op >= u->base) {
            row.address += u->least * ((op - u->base) / u->range);
            row.line += (uint64_t)(int64_t)(u->first + (int)((op - u->base) % u->range));
        } else if (op == 0) {
            end = extended_opcode(u, &row);
        } else if (op > 1) {
            standard_opcode(u, &row, op);
        }
        if (!copy && !end)
            continue;
        if (any && last.address <= address && address < row.address) {
            *out = last;
            return true;
        }
        if (any && last.file != row.file)
            *other = last;
        last = row;
        any = !end;
        if (end) {
            row = (struct row){0, 1, 1};
            other->line = 0;
        }
    }
    return false;
}

// ---- names of files

struct entry {
    const char *name;
    uint64_t directory;
};

static const char *read_form(struct unit *u, uint64_t form, uint64_t *number)
{
    struct reader *t = &u->tables;
    *number = 0;
    switch (form) {
    case 0x08: return read_text(t);
    case 0x0e: return text_at(u->file->texts, read_word(t, u->offset_size));
    case 0x1f: return text_at(u->file->line_texts, read_word(t, u->offset_size));
    case 0x0b: *number = read_word(t, 1); return NULL;
    case 0x05: *number = read_word(t, 2); return NULL;
    case 0x06: *number = read_word(t, 4); return NULL;
    case 0x07: *number = read_word(t, 8); return NULL;
    case 0x0f: *number = read_uleb(t); return NULL;
    case 0x1e: skip(t, 16); return NULL;
    case 0x09: skip(t, read_uleb(t)); return NULL;
    }
    t->bad = true;
    return NULL;
}

// Version 5: reads a table and finds its entry `wanted`.
static struct entry read_entries(struct unit *u, uint64_t wanted)
{
    struct entry found = {"", 0};
    struct reader *t = &u->tables;
    uint64_t forms = read_word(t, 1);
    struct reader format = *t;
    for (uint64_t i = 0; i < 2 * forms; i++)
        read_uleb(t);
    uint64_t count = read_uleb(t);
    for (uint64_t i = 0; i < count && !t->bad; i++) {
        struct reader f = format;
        for (uint64_t k = 0; k < forms; k++) {
            uint64_t content = read_uleb(&f), number;
            const char *text = read_form(u, read_uleb(&f), &number);
            if (i == wanted && content == 1 && text)
                found.name = text;
            if (i == wanted && content == 2)
                found.directory = number;
        }
    }
    return found;
}

// Earlier versions: directories and files count from 1, and an empty name ends them.
static struct entry read_old_entries(struct unit *u, uint64_t wanted, bool files)
{
    struct entry found = {"", 0};
    struct reader *t = &u->tables;
    for (uint64_t i = 1; !t->bad; i++) {
        struct entry e = {read_text(t), 0};
        if (!e.name[0])
            break;
        if (files) {
            e.directory = read_uleb(t);
            read_uleb(t);
            read_uleb(t);
        }
        if (i == wanted)
            found = e;
    }
    return found;
}

static struct entry find_name(const struct unit *unit, uint64_t number, bool file)
{
    struct unit u = *unit;
    if (u.version >= 5) {
        struct entry directory = read_entries(&u, file ? UINT64_MAX : number);
        return file ? read_entries(&u, number) : directory;
    }
    struct entry directory = read_old_entries(&u, file ? 0 : number, false);
    return file ? read_old_entries(&u, number, true) : directory;
}

// Whether the file is the program's own, not the machine's, the toolkit's, or generated by nvcc for a launch.
static bool is_of_program(const char *path)
{
    static const char *const others[] = {"common/simt/",
                                         "common/remote/",
                                         ".cudafe1.",
                                         "/include/cuda_runtime.h",
                                         "/include/crt/",
                                         "/include/cuda_runtime_api.h",
                                         "/include/cooperative_groups"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(path, others[i]))
            return false;
    return path[0] != 0;
}

static bool describe(const struct unit *u, const struct row *row, char out[HOST_LINE])
{
    struct entry file = find_name(u, row->file, true), directory = find_name(u, file.directory, false);
    char path[HOST_LINE - 16];
    bool bare = file.name[0] == '/' || !directory.name[0];
    snprintf(path, sizeof path, "%s%s%s", bare ? "" : directory.name, bare ? "" : "/", file.name);
    const char *shorter = name_below(path);
    snprintf(out, HOST_LINE, "%s:%llu", shorter ? shorter : path, (unsigned long long)row->line);
    return is_of_program(path);
}

// near: for code of an inlined toolkit function, accepts the line before it.
static bool find_line(const struct line_file *file, uint64_t address, bool near, char out[HOST_LINE])
{
    struct reader r = {file->lines.data, file->lines.data + file->lines.size, false};
    struct unit u;
    struct row row, other;
    while (r.at < r.end && !r.bad)
        if (open_unit(&r, file, &u) && find_row(&u, address, &row, &other))
            return describe(&u, &row, out) || (near && other.line && describe(&u, &other, out));
    return false;
}

// ---- files of the process

// The file from which an address is loaded, and its offset from the addresses in the file's table.
struct object {
    uint64_t address, offset;
    char path[256];
    bool found;
};

static int see_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct object *o = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || o->address - info->dlpi_addr - p->p_vaddr >= p->p_memsz)
            continue;
        o->offset = info->dlpi_addr;
        snprintf(o->path, sizeof o->path, "%s", info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
        return o->found = true;
    }
    return 0;
}

// The bytes of a section in the file, ready to read; size 0: the file has no such section.
static struct elf_bytes section_of(struct elf_bytes file, const Elf64_Ehdr *head, const char *name)
{
    Elf64_Shdr s;
    bool found = elf_find(file, head, 0, name, &s) && s.sh_type != SHT_NOBITS && !(s.sh_flags & SHF_COMPRESSED);
    struct elf_bytes part = found ? elf_part(file, s.sh_offset, s.sh_size) : (struct elf_bytes){NULL, 0};
    return part.data ? part : (struct elf_bytes){file.data, 0};
}

enum question { LINE, NEAR_LINE, NAME, QUESTIONS };

// The shortest name of the CUDA function at the address: longer ones are its variants.
static bool find_name_of_cuda(struct elf_bytes file, const Elf64_Ehdr *head, uint64_t address, char out[HOST_LINE])
{
    struct elf_bytes symbols = section_of(file, head, ".symtab"), names = section_of(file, head, ".strtab");
    const Elf64_Sym *s = (const void *)symbols.data;
    out[0] = 0;
    for (uint64_t i = 0; i < symbols.size / sizeof *s; i++) {
        if (ELF64_ST_TYPE(s[i].st_info) != STT_FUNC || address - s[i].st_value >= s[i].st_size)
            continue;
        const char *name = text_at(names, s[i].st_name), *rest = name + (strncmp(name, "__", 2) ? 0 : 2);
        bool of_cuda = !strncmp(rest, "cuda", 4) || (!strncmp(rest, "cu", 2) && rest[2] >= 'A' && rest[2] <= 'Z');
        if (of_cuda && (!out[0] || strlen(name) < strlen(out)))
            snprintf(out, HOST_LINE, "%s", name);
    }
    return out[0] != 0;
}

static bool search(struct elf_bytes file, enum question q, uint64_t address, char out[HOST_LINE])
{
    Elf64_Ehdr head;
    if (!elf_head(file, &head))
        return false;
    if (q == NAME)
        return find_name_of_cuda(file, &head, address, out);
    const struct line_file f = {section_of(file, &head, ".debug_line"), section_of(file, &head, ".debug_line_str"),
                                section_of(file, &head, ".debug_str")};
    return find_line(&f, address, q == NEAR_LINE, out);
}

static bool search_file(const char *path, enum question q, uint64_t address, char out[HOST_LINE])
{
    struct stat s;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *p = file >= 0 && !fstat(file, &s) && s.st_size > 0
                  ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                  : MAP_FAILED;
    if (file >= 0)
        close(file);
    if (p == MAP_FAILED)
        return false;
    bool found = search((struct elf_bytes){p, (size_t)s.st_size}, q, address, out);
    munmap(p, (size_t)s.st_size);
    return found;
}

// ---- queries

static struct {
    pthread_mutex_t lock;
    struct answer {
        uint64_t address;
        bool found;
        char text[HOST_LINE];
    } known[QUESTIONS][KNOWN];
    uint32_t next[QUESTIONS];
} answers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool look_up(enum question q, uint64_t address, char out[HOST_LINE])
{
    struct object o = {.address = address};
    for (uint32_t i = 0; i < KNOWN; i++)
        if (answers.known[q][i].address == address) {
            strcpy(out, answers.known[q][i].text);
            return answers.known[q][i].found;
        }
    dl_iterate_phdr(see_object, &o);
    struct answer *a = &answers.known[q][answers.next[q]++ % KNOWN];
    a->address = address;
    a->text[0] = 0;
    a->found = o.found && search_file(o.path, q, address - o.offset, a->text);
    strcpy(out, a->text);
    return a->found;
}

// Waits for a limited time: a signal handler may have interrupted its own thread in here.
static bool ask(enum question q, uint64_t address, char out[HOST_LINE])
{
    out[0] = 0;
    for (int tries = 0; pthread_mutex_trylock(&answers.lock); tries++)
        if (tries > 1000 || sched_yield())
            return false;
    bool found = address && look_up(q, address, out);
    pthread_mutex_unlock(&answers.lock);
    return found;
}

bool host_line(uint64_t address, char out[HOST_LINE])
{
    return ask(LINE, address, out);
}

static _Thread_local uint64_t launch;

void host_launch(uint64_t address)
{
    launch = address;
}

uint64_t host_launch_now(void)
{
    return launch;
}

void host_frames(struct host_frames *out)
{
    void *frames[HOST_FRAMES + 1];
    *out = (struct host_frames){{launch ? launch - 1 : 0}};
    int n = launch ? 0 : backtrace(frames, HOST_FRAMES + 1);
    for (int i = 1; i < n; i++)
        out->at[i - 1] = (uint64_t)(uintptr_t)frames[i] - 1; // of the call, not of what follows it
}

static bool ask_frames(enum question q, const struct host_frames *f, char out[HOST_LINE])
{
    for (int i = 0; i < HOST_FRAMES && f->at[i]; i++)
        if (ask(q, f->at[i], out))
            return true;
    return false;
}

bool host_frames_line(const struct host_frames *f, char out[HOST_LINE])
{
    return ask_frames(LINE, f, out) || ask_frames(NEAR_LINE, f, out);
}

bool host_caller(char out[HOST_LINE])
{
    struct host_frames f;
    host_frames(&f);
    return host_frames_line(&f, out);
}

const char *host_called_at(void)
{
    static _Thread_local char text[HOST_LINE + 16];
    char line[HOST_LINE];
    text[0] = 0;
    if (host_caller(line))
        snprintf(text, sizeof text, "; called at %s", line);
    return text;
}

bool host_call_name(char out[HOST_LINE])
{
    char name[HOST_LINE];
    struct host_frames f;
    uint64_t own = launch;
    launch = 0;
    host_frames(&f);
    launch = own;
    out[0] = 0;
    for (int i = 0; i < HOST_FRAMES && f.at[i]; i++) {
        if (ask(NAME, f.at[i], name)) // the outermost one, except the call in which a callback runs
            strcpy(out, name);
        else if (out[0] && ask(LINE, f.at[i], name))
            break;
    }
    return out[0] != 0;
}

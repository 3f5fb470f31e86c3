// The list of the course's members. A member is matched with a student who handed in files by the id, by the address,
// or by the words of the name in any order.
#include "intake/roster.h"
#include "base/csv.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const IDS[] = {"id",       "student id",   "sid",   "sis user id", "id number", "user id",
                                  "username", "sis login id", "login", "identifier",  NULL};
static const char *const NAMES[] = {"name", "full name", "student", "student name", NULL};
static const char *const EMAILS[] = {"email", "e-mail", "email address", "mail", NULL};
static const char *const FIRST[] = {"first name", "given name", NULL};
static const char *const LAST[] = {"last name", "surname", "family name", NULL};

struct columns {
    int id, name, email, first, last;
};

// The column that columns gives for what, "id=Matrikel"; -1: none, -2: one that does not exist.
static int chosen(const struct csv *csv, const char *columns, const char *what)
{
    size_t length = strlen(what);

    for (const char *at = columns; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, what, length) == 0 && at[length] == '=') {
            char *header = text_format("%.*s", (int)strcspn(at + length + 1, ","), at + length + 1);
            const char *const names[] = {header, NULL};
            int column = csv_column(csv, names);

            free(header);
            return column < 0 ? -2 : column;
        }
    return -1;
}

static int find_column(const struct csv *csv, const char *columns, const char *what, const char *const names[])
{
    int column = chosen(csv, columns, what);

    return column == -1 ? csv_column(csv, names) : column;
}

static char *name_at(const struct csv *csv, const struct columns *c, int row)
{
    if (c->name >= 0)
        return text_format("%s", csv_field(csv, row, c->name));
    return c->first >= 0 || c->last >= 0
               ? text_format("%s %s", csv_field(csv, row, c->first), csv_field(csv, row, c->last))
               : text_format("%s", "");
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The words of a name, sorted and in one spelling: "Lovelace, Ada" as "Ada Lovelace". The caller frees it.
static char *words_of(const char *name)
{
    enum { MOST = 12 };
    char *copy = name_key(name), *rest = copy, *words[MOST], *all = text_format("%s", "");
    int count = 0;

    for (char *word; count < MOST && (word = strsep(&rest, " ,\t"));)
        if (*word)
            words[count++] = word;
    qsort(words, (size_t)count, sizeof *words, by_text);
    for (int i = 0; i < count; i++) {
        char *before = all;

        all = text_format("%s%s ", before, words[i]);
        free(before);
    }
    free(copy);
    return all;
}

enum by { BY_ID, BY_EMAIL, BY_NAME, WAYS };

// The students who handed in files, and the words of their names.
struct handed_in {
    struct intake *in;
    char **words;
    int count;
};

// Whether a student who handed in files is this member. In a folder made by hand, the name may be an id, an
// address or a name.
static bool is_same(const struct handed_in *h, int i, enum by way, const char *id, const char *email, const char *words)
{
    const struct student *s = &h->in->students[i];

    if (s->listed)
        return false;
    if (way == BY_ID)
        return names_agree(s->id, id);
    if (way == BY_EMAIL)
        return names_agree(s->email, email) || names_agree(s->id, email);
    return *words && strcmp(h->words[i], words) == 0;
}

static int find_student(const struct handed_in *h, const char *id, const char *email, const char *name)
{
    char *words = words_of(name);
    int found = -1;

    for (int way = 0; way < WAYS && found < 0; way++) {
        int count = 0;

        for (int i = 0; i < h->count; i++)
            if (is_same(h, i, way, id, email, words)) {
                found = i;
                count++;
            }
        if (count > 1 && way == BY_NAME) // with two of one name, neither is chosen
            found = -1;
    }
    free(words);
    return found;
}

static void set(char **field, const char *text)
{
    if (!*text)
        return;
    free(*field);
    *field = text_format("%s", text);
}

static void take_row(const struct handed_in *h, const struct csv *csv, const struct columns *c, int row)
{
    struct intake *in = h->in;
    const char *id = csv_field(csv, row, c->id), *email = csv_field(csv, row, c->email);
    char *name = name_at(csv, c, row);
    const char *known = *id ? id : *email ? email : name;
    int at = *known && *known != ' ' ? find_student(h, id, email, name) : -2;

    if (at == -1) {
        at = intake_student(in, known, NULL);
        if (!in->students[at].listed)
            student_note(&in->students[at], "nothing handed in");
    }
    if (at >= 0) {
        if (*id && strcmp(in->students[at].id, id) != 0)
            set(&in->students[at].exported, in->students[at].id);
        set(&in->students[at].id, id);
        set(&in->students[at].name, name);
        set(&in->students[at].email, email);
        in->students[at].listed = true;
    }
    free(name);
}

static void say_columns(const char *path, const struct csv *csv)
{
    fprintf(stderr, "workbook: %s: no column is clearly the id; the header is:", path);
    csv_print_header(stderr, csv);
    fprintf(stderr, "\nName the columns: --roster-columns id=...,name=...,email=...\n");
}

static bool take_rows(struct intake *in, const struct csv *csv, const char *path, const char *columns)
{
    struct columns c = {find_column(csv, columns, "id", IDS), find_column(csv, columns, "name", NAMES),
                        find_column(csv, columns, "email", EMAILS), csv_column(csv, FIRST), csv_column(csv, LAST)};
    struct handed_in h = {.in = in, .count = in->student_count};

    if (c.id == -2 || c.name == -2 || c.email == -2 || (c.id < 0 && c.email < 0)) {
        say_columns(path, csv);
        return false;
    }
    h.words = checked(calloc((size_t)h.count + 1, sizeof *h.words));
    for (int i = 0; i < h.count; i++)
        h.words[i] = words_of(in->students[i].name ? in->students[i].name : in->students[i].id);
    for (int row = 1; row < csv->count; row++)
        take_row(&h, csv, &c, row);
    for (int i = 0; i < h.count; i++)
        free(h.words[i]);
    free(h.words);
    for (int i = 0; i < in->student_count; i++)
        if (!in->students[i].listed)
            student_note(&in->students[i], "not on the roster");
    return true;
}

bool roster_read(struct intake *in, const char *path, const char *columns)
{
    size_t size;
    char *bytes = bytes_read(path, &size), *text = bytes ? table_decode(bytes, size) : NULL;
    struct csv csv = {0};
    bool good = false;

    if (!bytes)
        fprintf(stderr, "workbook: cannot read %s: %s\n", path, strerror(errno));
    else if (!text || !csv_parse(&csv, text))
        fprintf(stderr, "workbook: %s is not a text table (CSV): %s\n", path,
                text ? "a quotation mark is not closed" : "it has bytes that are not text");
    else
        good = take_rows(in, &csv, path, columns);
    csv_free(&csv);
    free(text);
    free(bytes);
    return good;
}

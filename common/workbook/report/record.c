// The record of a course: grades.json, from which all other files can be regenerated. One object per line; `students`,
// `files` and `marks`, in this order.
#include "report/marks.h"
#include "judge/judge.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SCHEMA[] = "workbook-grades/1";

// "key": "text", so that record_add reads the same text: control characters as \uXXXX.
static void put_text(FILE *to, const char *key, const char *text, size_t most)
{
    fprintf(to, "\"%s\": \"", key);
    for (size_t i = 0; text[i] && i < most; i++) {
        unsigned char c = (unsigned char)text[i];
        int length = utf8_length(text + i), bytes;
        unsigned hidden = utf8_hidden(text + i, &bytes);

        if (hidden)
            fprintf(to, "\\u%04x", hidden);
        else if (length > 1)
            fwrite(text + i, 1, (size_t)length, to);
        if (hidden || length > 1)
            i += (size_t)bytes - 1;
        else if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c < ' ')
            fprintf(to, "\\u%04x", c);
        else
            fputc(c < 127 ? c : '?', to);
    }
    fputc('"', to);
}

static void put_optional(FILE *to, const char *key, const char *text)
{
    if (!text)
        return;
    fputs(", ", to);
    put_text(to, key, text, 2000);
}

static void write_student(FILE *to, const struct class *class, int s)
{
    const struct student *student = &class->in.students[s];
    double of, points = class_points(class, s, &of);

    fputs("  {", to);
    put_text(to, "student", student->id, 400);
    put_optional(to, "exported", student->exported);
    put_optional(to, "name", student->name);
    put_optional(to, "email", student->email);
    fprintf(to, ", \"points\": %.10g, \"of\": %.10g, \"share\": %.10g", points, of, student->share);
    put_optional(to, "note", student->note);
    fputc('}', to);
}

static void write_file(FILE *to, const struct class *class, const struct item *item)
{
    fputs("  {", to);
    put_text(to, "file", item->shown, 2000);
    put_optional(to, "student", item->student >= 0 ? class->in.students[item->student].id : NULL);
    if (item->step)
        fprintf(to, ", \"step\": \"%s/%s\"", item->step->chapter, item->step->name);
    put_optional(to, "why", item->why);
    fputc('}', to);
}

static void write_mark(FILE *to, const struct class *class, const struct mark *m)
{
    char *why = mark_reason(m);

    fputs("  {", to);
    put_text(to, "student", class->in.students[m->student].id, 400);
    fprintf(
        to,
        ", \"step\": \"%s/%s\", \"exit\": %d, \"verdict\": \"%s\", \"points\": %.10g, \"of\": %.10g, \"parts\": %d, "
        "\"altered\": %s, \"seconds\": %.1f, ",
        m->step->chapter, m->step->name, state_exit(m->state), mark_word(m), m->points, m->of, m->parts,
        m->altered ? "true" : "false", m->seconds);
    put_text(to, "why", why, 500);
    put_optional(to, "log", m->log);
    fputc('}', to);
    free(why);
}

void record_write(FILE *to, const struct class *class)
{
    fprintf(to, "{\"schema\": \"%s\", \"seed\": %s, \"part\": %d, \"parts\": %d,\n \"students\": [", SCHEMA,
            class->seed, class->part, class->parts);
    for (int s = 0; s < class->in.student_count; s++) {
        fputs(s ? ",\n" : "\n", to);
        write_student(to, class, s);
    }
    fprintf(to, "],\n \"files\": [");
    for (int i = 0; i < class->in.item_count; i++) {
        fputs(i ? ",\n" : "\n", to);
        write_file(to, class, &class->in.items[i]);
    }
    fprintf(to, "],\n \"marks\": [");
    for (int i = 0; i < class->count; i++) {
        fputs(i ? ",\n" : "\n", to);
        write_mark(to, class, &class->marks[i]);
    }
    fprintf(to, "]}\n");
}

// ---- reading

static double number(const char *object, const char *key)
{
    double value = 0;

    json_number(object, key, &value);
    return value;
}

// False: the class already has the student, from another part.
static bool take_student(struct class *class, const char *object)
{
    char *id = json_text(object, "student");
    int before = class->in.student_count, at = id ? intake_student(&class->in, id, NULL) : 0;
    struct student *student = id ? &class->in.students[at] : NULL;

    if (student && at == before) {
        student->exported = json_text(object, "exported");
        student->name = json_text(object, "name");
        student->email = json_text(object, "email");
        student->note = json_text(object, "note");
        student->share = number(object, "share");
    }
    free(id);
    return student && at == before;
}

static const struct step *step_at(const char *object)
{
    char *name = json_text(object, "step");
    const struct step *found = NULL;

    for (int i = 0; name && i < course.count && !found; i++) {
        const struct step *step = &course.steps[i];
        size_t length = strlen(step->chapter);

        if (strncmp(name, step->chapter, length) == 0 && name[length] == '/' &&
            strcmp(name + length + 1, step->name) == 0)
            found = step;
    }
    free(name);
    return found;
}

static int student_at(struct class *class, const char *object)
{
    char *id = json_text(object, "student");
    int at = id ? intake_student(&class->in, id, NULL) : -1;

    free(id);
    return at;
}

static bool take_file(struct class *class, const char *object)
{
    struct intake *in = &class->in;

    in->items = checked(realloc(in->items, (size_t)(in->item_count + 1) * sizeof *in->items));
    in->items[in->item_count] = (struct item){.student = student_at(class, object),
                                              .step = step_at(object),
                                              .shown = json_text(object, "file"),
                                              .why = json_text(object, "why")};
    return in->items[in->item_count++].shown != NULL;
}

// The state of a mark; a refused one is wrong.
static enum state state_marked(const char *word)
{
    enum state state = word ? state_named(word) : NEW;

    return state != STATES ? state : strcmp(word, "refused") == 0 ? WRONG : NEW;
}

static bool take_mark(struct class *class, const char *object)
{
    char *word = json_text(object, "verdict"), *why = json_text(object, "why");
    bool refused = word && strcmp(word, "refused") == 0, altered = strstr(object, "\"altered\": true") != NULL;
    struct mark mark = {.student = student_at(class, object),
                        .step = step_at(object),
                        .state = state_marked(word),
                        .parts = (int)number(object, "parts"),
                        .points = number(object, "points"),
                        .of = number(object, "of"),
                        .altered = altered,
                        .seconds = number(object, "seconds"),
                        .log = json_text(object, "log"),
                        .why = why && *why ? text_format("%s%s", refused ? "refused: " : "", why) : NULL};

    class->marks = checked(realloc(class->marks, (size_t)(class->count + 1) * sizeof *class->marks));
    class->marks[class->count++] = mark;
    free(word);
    free(why);
    return mark.student >= 0 && mark.step;
}

static const struct {
    const char *key;
    bool (*take)(struct class *class, const char *object);
} SECTIONS[] = {{"students", take_student}, {"files", take_file}, {"marks", take_mark}};

// Reads the objects of a section. Returns the first invalid one, which the caller frees, or NULL.
static char *take_section(struct class *class, const char *text, int section)
{
    const char *at = json_find(text, SECTIONS[section].key);
    const char *end = section < 2 ? json_find(text, SECTIONS[section + 1].key) : text + strlen(text);
    char *object;

    while (at && (object = json_object(&at)) && at <= end) {
        if (!SECTIONS[section].take(class, object))
            return object;
        free(object);
        object = NULL;
    }
    if (at && object)
        free(object);
    return NULL;
}

bool record_add(struct class *class, const char *path)
{
    char *text = file_read(path), *schema = text ? json_text(text, "schema") : NULL, *wrong = NULL;
    bool good = schema && strcmp(schema, SCHEMA) == 0;

    if (!text)
        fprintf(stderr, "workbook: cannot read %s\n", path);
    else if (!good)
        fprintf(stderr, "workbook: %s is not a record of `grade` (schema %s); this workbook reads %s\n", path,
                schema ? schema : "none", SCHEMA);
    for (int section = 0; good && section < 3 && !wrong; section++)
        wrong = take_section(class, text, section);
    if (wrong)
        fprintf(stderr, "workbook: %s: %.80s: this student is in another record, too, or the course lacks this step\n",
                path, wrong);
    if (good && !class->seed)
        class->seed = text_format("%.0f", number(text, "seed"));
    if (good && !class->out)
        class->out = text_format("%.*s", (int)(strrchr(path, '/') ? strrchr(path, '/') - path : 0), path);
    if (good) {
        class->part = (int)number(text, "part");
        class->parts = (int)number(text, "parts");
    }
    free(wrong);
    free(schema);
    free(text);
    return good && !wrong;
}

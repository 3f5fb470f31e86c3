// The findings of a course as SARIF 2.1.0: one result for each mark that is not a pass, at the line of the submission
// that the mark names. Paths are relative to the record's folder.
#include "export/export.h"
#include "export/mistakes.h"
#include "export/pages.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const struct rule {
    enum state state;
    const char *id, *name, *level, *what;
} rules[] = {
    {NOT_DONE, "not-done", "NotDone", "note", "The TODO is still open."},
    {BROKEN, "broken", "Broken", "error", "The program was not built, or did not run to its end."},
    {WRONG, "wrong", "WrongResult", "error", "The result is wrong, or the source was refused."},
    {UNSAFE, "unsafe", "Unsafe", "error", "A race, an access out of bounds, a value that was never written."},
    {MISSED, "lesson-missed", "LessonMissed", "warning", "A counter misses a bound of the step."},
    {SKIPPED, "skipped", "NotGraded", "note", "The computer could not grade the step."},
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct rule *rule_of(const struct mark *m)
{
    int i = 0;

    while (i < RULES && rules[i].state != m->state)
        i++;
    return i < RULES ? &rules[i] : NULL;
}

static void write_rules(FILE *to)
{
    for (int i = 0; i < RULES; i++)
        fprintf(to, "%s\n  {\"id\": \"%s\", \"name\": \"%s\", \"shortDescription\": {\"text\": \"%s\"}}", i ? "," : "",
                rules[i].id, rules[i].name, rules[i].what);
}

static void write_place(FILE *to, const struct mark *m)
{
    char *source = mark_source(m);
    int line = mistake_line(m);

    if (source) {
        fprintf(to, ",\n   \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": \"");
        write_link(to, source);
        fprintf(to, "\", \"uriBaseId\": \"GRADES\"}");
        if (line > 0)
            fprintf(to, ", \"region\": {\"startLine\": %d}", line);
        fprintf(to, "}}]");
    }
    free(source);
}

static void write_result(FILE *to, const struct class *class, const struct mark *m, const struct rule *rule)
{
    char *why = mark_reason(m);

    fprintf(to, "\n  {\"ruleId\": \"%s\", \"ruleIndex\": %d, \"level\": \"%s\", \"message\": {\"text\": \"", rule->id,
            (int)(rule - rules), rule->level);
    write_escaped(to, *why ? why : mark_word(m), true);
    fprintf(to, "\"}");
    write_place(to, m);
    fprintf(to, ",\n   \"properties\": {\"student\": \"");
    write_escaped(to, class->in.students[m->student].id, true);
    fprintf(to, "\", \"step\": \"%s/%s\"}}", m->step->chapter, m->step->name);
    free(why);
}

void write_sarif(FILE *to, const struct class *class)
{
    int written = 0;

    fprintf(to, "{\"version\": \"2.1.0\",\n \"$schema\": "
                "\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n"
                " \"runs\": [{\"tool\": {\"driver\": {\"name\": \"Warpbook\", \"rules\": [");
    write_rules(to);
    fprintf(
        to,
        "]}},\n \"originalUriBaseIds\": {\"GRADES\": {\"description\": {\"text\": \"the folder of grades.json\"}}},\n"
        " \"columnKind\": \"unicodeCodePoints\",\n \"results\": [");
    for (int i = 0; i < class->count; i++) {
        const struct rule *rule = rule_of(&class->marks[i]);

        if (!rule)
            continue;
        fputs(written++ ? "," : "", to);
        write_result(to, class, &class->marks[i], rule);
    }
    fprintf(to, "]}]}\n");
}

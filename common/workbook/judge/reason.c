// Why a step has not passed, in one line, for lists of marks.
#include "judge/reason.h"
#include "judge/findings.h"
#include "course/course.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// The program's own reason: its last line of the form `01-reduction/05-sequential.cu: ...`.
static char *verdict_line(const struct step *step, const char *output)
{
    char *name = text_format("%s/%s.cu: ", step->chapter, step->name), *found = NULL;

    for (const char *at = strstr(output, name); at; at = strstr(at + 1, name)) {
        const char *words = at + strlen(name);

        if (strncmp(words, "right in", 8) == 0)
            continue;
        free(found);
        found = text_format("%.*s", (int)strcspn(words, "\n"), words);
    }
    free(name);
    return found;
}

// What follows the first of these words in output, up to the end of its line; NULL: nothing.
static char *text_after(const char *output, const char *word)
{
    const char *at = strstr(output, word);

    return at ? text_format("%.*s", (int)strcspn(at + strlen(word), "\n"), at + strlen(word)) : NULL;
}

// The verdict and, if a check explains it, the first finding.
static char *with_cause(char *verdict, const char *output)
{
    const char *found = verdict ? strstr(output, ":\n  simt: ") : NULL; // its explanation, see judge.c
    char *cause = found ? findings_first(found + 4) : NULL, *both;

    if (!cause)
        return verdict;
    both = text_format("%s; %s", verdict, cause);
    free(verdict);
    free(cause);
    return both;
}

// The compiler's first error, `FILE(LINE): error: WORDS`; or else the last line, where the runner reports how it ended.
static char *error_line(const char *output)
{
    const char *found = NULL, *last = NULL;

    for (const char *line = output; *line; line = line_end(line)) {
        const char *error = strstr(line, "error");

        last = line;
        if (!found && error && error < line_end(line))
            found = line;
    }
    found = found ? found : last;
    return found ? text_format("%.*s", (int)strcspn(found, "\n"), found) : NULL;
}

char *reason_of(const struct step *step, enum state state, const char *said)
{
    char *why = state == UNSAFE ? findings_first(said) : state == MISSED ? text_after(said, "NOT MET  ") : NULL;

    if (!why && state == UNSAFE)
        why = text_after(said, "\nunsafe: "); // the runner's own line
    if (!why && state != NOT_DONE)
        why = with_cause(verdict_line(step, said), said);
    if (!why && state == BROKEN)
        why = text_after(said, "simt: error: ");
    if (!why && state == BROKEN)
        why = error_line(said);
    return why;
}

// The hints of a step.
//
// NN-topic/hints.txt has a line `## 05-sequential` for each step and then its hints, separated by empty lines. A hint
// that begins with a line `? Race & __shared__` is aimed: it is for a failed run that printed all of these words in its
// verdict, its findings or its missed bounds. The aimed hints come first; the first that fits is shown, or else one of
// common/hints.txt, which are for any step. The first finding is most often the cause: a hint with words of it, also
// one for any step, is preferred to one for the verdict alone, and that to one for a later finding.
#include "course/hints.h"
#include "base/files.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// The next hint of the step, which the caller frees; *at moves past it. NULL: none.
static char *next_hint(const char **at)
{
    const char *begin = *at + strspn(*at, "\n"), *end = strstr(begin, "\n\n");

    if (!*begin || strncmp(begin, "## ", 3) == 0)
        return NULL;
    end = end ? end : begin + strlen(begin);
    *at = end;
    return text_format("%.*s", (int)(end - begin), begin);
}

// What a run printed about its failure, without the table of counters and the bounds that were met.
static char *failure_of(const char *said)
{
    char *words = checked(malloc(strlen(said) + 1)), *to = words;
    bool table = false;

    for (const char *line = said, *end; *line; line = end) {
        const char *title = strstr(line, "counted by the SIMT machine");

        end = line_end(line);
        table = (title && title < end) || (table && *line == ' ');
        if (!table && strncmp(line, "met ", 4) != 0)
            to = mempcpy(to, line, (size_t)(end - line));
    }
    *to = 0;
    return words;
}

// The failure without any finding but the first, of which the others may be effects. *finding: the first, or the signal
// that ended the program; "": neither. The caller frees both.
static char *without_later_findings(const char *failure, char **finding)
{
    char *words = checked(malloc(strlen(failure) + 1)), *to = words;
    const char *killed = strstr(failure, "ended by signal ");

    *finding = NULL;
    for (const char *line = failure, *end; *line; line = end) {
        const char *begin = line + strspn(line, " ");
        bool is_finding = strncmp(begin, "simt: error: ", 13) == 0 || strncmp(begin, "simt: warning: ", 15) == 0;

        end = line_end(line);
        if (!is_finding || !*finding)
            to = mempcpy(to, line, (size_t)(end - line));
        if (is_finding && !*finding)
            *finding = text_format("%.*s", (int)(end - begin), begin);
    }
    *to = 0;
    if (killed || !*finding) {
        free(*finding);
        *finding = text_format("%.*s", killed ? (int)strcspn(killed, "\n") : 0, killed ? killed : "");
    }
    return words;
}

// Whether said contains all the words of the line `? WORDS & WORDS`, and finding one of them, if it is not NULL.
static bool hint_fits(const char *line, const char *said, const char *finding)
{
    char *words = text_format("%.*s", (int)strcspn(line + 2, "\n"), line + 2), *rest = words, *word;
    bool all = true, found = !finding;

    while ((word = rest) && all) {
        rest = strstr(rest, " & ");
        if (rest) {
            *rest = 0;
            rest += 3;
        }
        all = strstr(said, word) != NULL;
        found |= finding && strstr(finding, word);
    }
    free(words);
    return all && found;
}

// Adds the hints below a heading of a file, the general ones if asked for. finding: see hint_fits.
static void read_hints(struct hints *hints, const char *path, const char *heading, const char *failure,
                       const char *finding, bool general)
{
    char *text = file_read(path), *line = text_format("\n## %s\n", heading), *hint;
    const char *at = text ? strstr(text, line) : NULL;

    at = at ? at + strlen(line) : "";
    while ((hint = next_hint(&at))) {
        bool aimed = strncmp(hint, "? ", 2) == 0;

        if (aimed && !hints->aimed && hint_fits(hint, failure, finding)) {
            hints->aimed = text_format("%s", hint + strcspn(hint, "\n") + 1);
        } else if (!aimed && general) {
            hints->general = checked(realloc(hints->general, (size_t)(hints->count + 1) * sizeof *hints->general));
            hints->general[hints->count++] = hint;
            continue;
        }
        free(hint);
    }
    free(line);
    free(text);
}

struct hints hints_of(const struct step *step, const char *said)
{
    struct hints hints = {NULL, NULL, 0};
    char *own = text_format("%s/%s/hints.txt", course.source, step->chapter), *failure = failure_of(said);
    char *common = text_format("%s/common/hints.txt", course.source), *finding;
    char *first = without_later_findings(failure, &finding);

    read_hints(&hints, own, step->name, first, finding, true);
    read_hints(&hints, common, "any step", finding, NULL, true);
    read_hints(&hints, own, step->name, first, NULL, false);
    read_hints(&hints, own, step->name, failure, NULL, false);
    read_hints(&hints, common, "any step", first, NULL, false);
    read_hints(&hints, common, "any step", failure, NULL, false);
    free(first);
    free(finding);
    free(common);
    free(failure);
    free(own);
    return hints;
}

void hints_free(struct hints *hints)
{
    for (int i = 0; i < hints->count; i++)
        free(hints->general[i]);
    free(hints->general);
    free(hints->aimed);
}

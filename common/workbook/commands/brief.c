// The summary of a part that passed; `run --all` shows its full output.
#include "commands/brief.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

// Whether the bound in the brackets of "met      bank conflicts: 0, must be 0 (shared_excess == 0)" belongs
// to the lesson.
static bool is_lesson(const struct step *step, const char *line)
{
    size_t length = strcspn(line, "\n");

    for (int i = 0; begins(line, "met ") && i < step->lesson && step->bounds[i]; i++) {
        char *end = text_format(" (%s)", step->bounds[i]);
        size_t tail = strlen(end);
        bool is = length > tail && strncmp(line + length - tail, end, tail) == 0;

        free(end);
        if (is)
            return true;
    }
    return false;
}

// A note of the machine, of the grader or of the harness.
static bool is_note(const char *line)
{
    return begins(line, "simt: ") || begins(line, "altered: ") || begins(line, "judge: ") || begins(line, "warning: ");
}

char *brief_lines(const struct step *step, const char *words)
{
    char *kept = text_format("%s", ""), *longer;
    bool note = false;

    for (const char *line = words; *line; line = line_end(line)) {
        note = is_note(line) || (note && *line == ' '); // continuation lines are indented
        if (!note && !is_lesson(step, line))
            continue;
        longer = text_format("%s%.*s\n", kept, (int)strcspn(line, "\n"), line);
        free(kept);
        kept = longer;
    }
    return kept;
}

static char *lesson_figures(const char *words)
{
    static const char word[] = "counted by the SIMT machine at n = ";
    const char *counted = strstr(words, word);
    int met = 0;

    for (const char *line = words; *line; line = line_end(line))
        met += begins(line, "met ");
    return counted && met > 0
               ? text_format("%d of %d bounds are met at n = %.*s", met, met,
                             (int)strspn(counted + sizeof word - 1, "0123456789"), counted + sizeof word - 1)
               : text_format("%s", "");
}

char *brief_figures(const char *words, bool lesson)
{
    static const char word[] = ".cu: right in ";
    const char *right = strstr(words, word);

    if (lesson)
        return lesson_figures(words);
    return right ? text_format("%.*s", (int)strcspn(right + sizeof word - 1, "\n"), right + sizeof word - 1)
                 : text_format("%s", "");
}

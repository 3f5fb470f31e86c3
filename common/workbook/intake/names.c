// Parses the names of submitted files. Learning systems add the student to the name; browsers and students
// change the rest.
#include "intake/names.h"
#include "base/encoding.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char *part(const char *begin, const char *end)
{
    char *raw = text_format("%.*s", (int)(end - begin), begin), *text = name_decode(raw);

    free(raw);
    return text;
}

// The position after a run of digits and its underscore, or NULL.
static const char *after_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && text[digits] == '_' ? text + digits + 1 : NULL;
}

// Moodle: "Full name_NUMBER_assignsubmission_file_", a folder, or followed by the file's name.
static bool is_moodle(const char *entry, bool folder, struct who *who)
{
    static const char mark[] = "_assignsubmission_";
    const char *end = strstr(entry, mark), *number = end, *rest;

    if (!end)
        return false;
    while (number > entry && isdigit((unsigned char)number[-1]))
        number--;
    rest = end + strlen(mark);
    rest += strcspn(rest, "_");
    if (number == end || number <= entry + 1 || number[-1] != '_' || (!folder && (*rest != '_' || !rest[1])))
        return false;
    who->name = part(entry, number - 1);
    who->id = part(number, end);
    who->file = folder ? NULL : rest + 1;
    return true;
}

// The end of the name before Canvas's late marker, or end. Canvas writes LATE, older versions late.
static const char *before_late(const char *name, const char *end)
{
    static const char late[] = "LATE";
    const char *at = end - strlen(late);

    return at >= name && strncasecmp(at, late, strlen(late)) == 0 && (at == name || at[-1] == '_') ? at : end;
}

// Returns the file's name, after Canvas's numbers, or NULL. Text typed on the site has only the user's number.
static const char *after_canvas(const char *id)
{
    const char *submission = after_number(id), *file = submission ? after_number(submission) : NULL;

    if (submission && (strcmp(submission, "text.html") == 0 || strcmp(submission, "link.html") == 0))
        return submission;
    return file && *file ? file : NULL;
}

// Canvas: "lastfirst_USERID_SUBMISSIONID_file", or with "LATE_" after the first word, which may contain underscores. An
// anonymously graded assignment omits that word.
static bool is_canvas(const char *entry, struct who *who)
{
    const char *id = entry, *under, *end, *name_end;

    while (!after_canvas(id) && (under = strchr(id, '_')))
        id = under + 1;
    if (!after_canvas(id))
        return false;
    end = id == entry ? entry : id - 1;
    name_end = before_late(entry, end);
    who->late = name_end < end;
    name_end -= who->late && name_end > entry; // the underscore
    who->name = name_end > entry ? part(entry, name_end) : NULL;
    who->id = part(id, after_number(id) - 1);
    who->file = after_canvas(id);
    return true;
}

static bool names_exactly(const char *file)
{
    const struct step *step;
    int copy;
    enum fit fit = names_step(NULL, file, &step, &copy);

    return fit == ONE_STEP || fit == MORE_STEPS;
}

// By hand: "carol_05-sequential.cu"; is_step tells whether the rest is a step's file.
static bool is_prefixed(const char *entry, bool (*is_step)(const char *file), struct who *who)
{
    for (const char *at = strchr(entry, '_'); at; at = strchr(at + 1, '_'))
        if (at > entry && is_step(at + 1)) {
            who->id = part(entry, at);
            who->file = at + 1;
            return true;
        }
    return false;
}

bool names_who(const char *entry, bool folder, struct who *who)
{
    *who = (struct who){0};
    if (is_moodle(entry, folder, who))
        return true;
    if (folder) {
        who->id = name_decode(entry);
        return true;
    }
    return is_canvas(entry, who) || is_prefixed(entry, names_exactly, who) || is_prefixed(entry, names_begins, who);
}

bool names_exported(const char *entry)
{
    struct who who = {0};
    bool exported = is_moodle(entry, true, &who) || is_canvas(entry, &who);

    who_free(&who);
    return exported;
}

void who_free(struct who *who)
{
    free(who->id);
    free(who->name);
}

static void cut_ending(char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);

    if (length > size && strcasecmp(name + length - size, ending) == 0)
        name[length - size] = 0;
}

// Removes " (2)", which browsers append, or "-2", which Canvas appends; returns the number, 0: none.
static int cut_copy(char *name, bool canvas)
{
    size_t length = strlen(name), end = length - (!canvas && length > 0 && name[length - 1] == ')');
    size_t begin = end;

    while (begin > 0 && isdigit((unsigned char)name[begin - 1]))
        begin--;
    if (begin == end || end - begin > 4 || begin < 2 || (canvas ? name[begin - 1] != '-' : name[begin - 1] != '('))
        return 0;
    if (!canvas && end == length)
        return 0;
    int number = atoi(name + begin);

    begin--;
    while (!canvas && begin > 0 && name[begin - 1] == ' ')
        begin--;
    name[begin] = 0;
    return number;
}

// Parses NN-topic.SS-step, also with an underscore for the dot.
static bool is_whole_name(const char *name, const struct step *step)
{
    size_t length = strlen(step->chapter);

    return strncasecmp(name, step->chapter, length) == 0 && (name[length] == '.' || name[length] == '_') &&
           strcasecmp(name + length + 1, step->name) == 0;
}

static enum fit find_step(const char *chapter, const char *name, const struct step **step)
{
    int count = 0;

    for (int i = 0; i < course.count; i++) {
        const struct step *s = &course.steps[i];
        bool here = !chapter || strcmp(chapter, s->chapter) == 0;

        if (s->level == 0 && ((here && strcasecmp(name, s->name) == 0) || is_whole_name(name, s))) {
            *step = s;
            count++;
        }
    }
    return count == 0 ? NO_STEP : count == 1 ? ONE_STEP : MORE_STEPS;
}

// Characters of text that are those of a step's name, in any case, with a blank, a dot or an underscore for its "-"; 0:
// the name is not there.
static size_t same_name(const char *text, const char *name)
{
    size_t i = 0;

    for (; name[i]; i++)
        if (tolower((unsigned char)text[i]) != tolower((unsigned char)name[i]) &&
            !(name[i] == '-' && text[i] && strchr("_ .", text[i])))
            return 0;
    return i;
}

// Where a file's name contains a step's: at the beginning of a word, so that "105-sequential" has none. NULL: nowhere.
static const char *step_in(const char *file, const char *name)
{
    for (const char *at = file; *at; at++)
        if ((at == file || !isalnum((unsigned char)at[-1])) && same_name(at, name) > 0)
            return at;
    return NULL;
}

// The step whose name is in that of the file, the longest one. NO_STEP if two fit of which none is a part of the other.
static enum fit find_like(const char *chapter, const char *file, const struct step **step)
{
    const struct step *best = NULL;
    int count = 0;

    for (int i = 0; i < course.count; i++) {
        const struct step *s = &course.steps[i];
        bool longer = !best || strlen(s->name) > strlen(best->name);

        if (s->level > 0 || (chapter && strcmp(chapter, s->chapter) != 0) || !step_in(file, s->name))
            continue;
        if (best && !strstr(longer ? s->name : best->name, longer ? best->name : s->name))
            return NO_STEP;
        count = longer ? 1 : count + (strcmp(s->name, best->name) == 0);
        best = longer ? s : best;
    }
    *step = best;
    return count == 0 ? NO_STEP : count == 1 ? LIKE_STEP : MORE_STEPS;
}

bool names_begins(const char *file)
{
    for (int i = 0; i < course.count; i++)
        if (same_name(file, course.steps[i].name) > 0)
            return true;
    return false;
}

enum fit names_step(const char *chapter, const char *file, const struct step **step, int *copy)
{
    char *name = text_format("%s", file);
    size_t length;
    enum fit fit = NO_STEP;

    *copy = 0;
    cut_ending(name, ".txt");
    length = strlen(name);
    cut_ending(name, ".cu");
    if (strlen(name) < length) {
        *copy = cut_copy(name, false);
        fit = find_step(chapter, name, step);
        if (fit == NO_STEP && (*copy = cut_copy(name, true)) > 0)
            fit = find_step(chapter, name, step);
        if (fit == NO_STEP)
            fit = find_like(chapter, name, step);
    }
    free(name);
    return fit;
}

const char *names_chapter(const char *folder)
{
    for (int i = 0; i < course.count; i++)
        if (strcasecmp(course.steps[i].chapter, folder) == 0)
            return course.steps[i].chapter;
    return NULL;
}

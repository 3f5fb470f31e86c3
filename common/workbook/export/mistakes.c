// The most common mistakes of a step. Two students make the same one if their reasons differ only in numbers, such as
// the line of a race.
#include "export/mistakes.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// A string that grows.
struct words {
    char *text;
    size_t length, room;
};

static void add(struct words *to, const char *text, size_t length)
{
    if (to->length + length + 1 > to->room) {
        to->room = 2 * (to->length + length) + 64;
        to->text = checked(realloc(to->text, to->room));
    }
    memcpy(to->text + to->length, text, length);
    to->length += length;
    to->text[to->length] = 0;
}

// The length of the source location at `at`: "a/b.cu:28", "b.cu(28)" or ":28"; 0: none. *line: its number.
static size_t place_at(const char *at, int *line)
{
    size_t word = strcspn(at, " ,;:("), digits;

    if (at[word] == 0 || at[word] == ' ' || (word > 0 && (word < 4 || strncmp(at + word - 3, ".cu", 3) != 0)))
        return 0;
    digits = strspn(at + word + 1, "0123456789");
    *line = atoi(at + word + 1);
    return digits == 0 ? 0 : word + 1 + digits + (at[word] == '(' && at[word + 1 + digits] == ')');
}

static bool is_boundary(const char *text, const char *at)
{
    return at == text || at[-1] == ' ';
}

// The text with "line 28" for each place, and without thread numbers, which differ between runs.
static char *generalize(const char *text, int lines[2])
{
    struct words to = {0};
    int line = 0, seen = 0;

    add(&to, "", 0);
    for (const char *at = text; *at;) {
        size_t place = is_boundary(text, at) ? place_at(at, &line) : 0;

        if (place > 0) {
            char *name = text_format("line %d", line);

            add(&to, name, strlen(name));
            free(name);
            if (seen < 2)
                lines[seen++] = line;
            at += place;
        } else if (strncmp(at, "thread ", 7) == 0 && isdigit((unsigned char)at[7])) {
            add(&to, "a thread", 8);
            at += 7 + strspn(at + 7, "0123456789");
        } else
            add(&to, at++, 1);
    }
    return to.text;
}

// A race, in words that say what to look for.
static char *race_words(const char *text, const int lines[2])
{
    int kind = (int)strcspn(text, ":");

    if (!strstr(text, "no barrier between") || strncmp(text, "Race", 4) != 0 || lines[0] == 0)
        return NULL;
    if (lines[1] == 0 || lines[0] == lines[1])
        return text_format("%.*s: no barrier between one pass of line %d and the next", kind, text, lines[0]);
    return text_format("%.*s: no barrier between line %d and line %d", kind, text, lines[0], lines[1]);
}

// Why a mark was not a pass, in words that apply to several students: without what differs between two runs of one
// program. NULL: it passed, or was not handed in. The caller frees it.
static char *mistake_words(const struct mark *mark)
{
    int lines[2] = {0, 0};
    char *why, *cause, *words, *race;

    if (mark->state == PASSED || mark->state == NEW)
        return NULL;
    why = mark_reason(mark);
    cause = mark->state == UNSAFE ? NULL : strstr(why, "; "); // the finding after the verdict
    if (cause && strncmp(cause, "; block ", 8) != 0)
        memmove(why, cause + 2, strlen(cause + 2) + 1);
    if (strstr(why, "; block "))
        *strstr(why, "; block ") = 0;
    words = generalize(*why ? why : mark_word(mark), lines);
    race = race_words(words, lines);
    free(why);
    if (!race)
        return words;
    free(words);
    return race;
}

int mistake_line(const struct mark *mark)
{
    int lines[2] = {0, 0};
    char *why = mark_reason(mark);

    free(generalize(why, lines));
    free(why);
    return lines[0];
}

// ---- grouping

struct variant {
    char *words, *key; // key: the reason without its numbers
};

static char *key_of(const char *words)
{
    char *key = text_format("%s", words), *to = key;

    for (const char *at = words; *at; at++)
        if (!isdigit((unsigned char)*at))
            *to++ = *at;
        else if (to == key || to[-1] != '#')
            *to++ = '#';
    *to = 0;
    return key;
}

static int by_words(const void *a, const void *b)
{
    const struct variant *x = a, *y = b;
    int order = strcmp(x->key, y->key);

    return order ? order : strcmp(x->words, y->words);
}

static int by_count(const void *a, const void *b)
{
    const struct mistake *x = a, *y = b;

    return x->count != y->count ? y->count - x->count : strcmp(x->words, y->words);
}

// The most common wording of a group of equal keys, from `first` on; *next: the first one after the group.
static struct mistake group_alike(struct variant *all, int count, int first, int *next)
{
    struct mistake mistake = {0};
    int most = 0, same = 0;

    for (*next = first; *next < count && strcmp(all[*next].key, all[first].key) == 0; ++*next) {
        same = *next > first && strcmp(all[*next].words, all[*next - 1].words) == 0 ? same + 1 : 1;
        if (same > most) {
            most = same;
            mistake.words = all[*next].words;
        }
        mistake.count++;
    }
    mistake.words = text_format("%s", mistake.words);
    return mistake;
}

struct mistakes mistakes_of(const struct class *class, const struct step *step)
{
    struct variant *all = checked(calloc((size_t) class->count + 1, sizeof *all));
    struct mistakes mistakes = {.list = checked(calloc((size_t) class->count + 1, sizeof *mistakes.list))};
    int count = 0;

    for (int i = 0; i < class->count; i++) {
        char *words = class->marks[i].step == step ? mistake_words(&class->marks[i]) : NULL;

        if (words)
            all[count++] = (struct variant){.words = words, .key = key_of(words)};
    }
    qsort(all, (size_t)count, sizeof *all, by_words);
    for (int i = 0, next; i < count; i = next)
        mistakes.list[mistakes.count++] = group_alike(all, count, i, &next);
    qsort(mistakes.list, (size_t)mistakes.count, sizeof *mistakes.list, by_count);
    for (int i = 0; i < count; i++) {
        free(all[i].words);
        free(all[i].key);
    }
    free(all);
    return mistakes;
}

void mistakes_free(struct mistakes *mistakes)
{
    for (int i = 0; i < mistakes->count; i++)
        free(mistakes->list[i].words);
    free(mistakes->list);
}

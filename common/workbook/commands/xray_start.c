// Where an x-ray page opens: at the failure that the step's last run reported.
#include "commands/xray_start.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char *heat_of(const char *counter)
{
    static const struct {
        const char *begins, *heat;
    } heats[] = {{"shared_", "passes"}, {"global_load_s", "sectors"}, {"global_store_s", "sectors"},
                 {"barriers", "waits"}, {"waits", "waits"},           {"thread_instructions", "idle"},
                 {"divergent", "idle"}, {"100*thread", "idle"},       {"branches", "idle"}};

    for (size_t i = 0; i < sizeof heats / sizeof *heats; i++)
        if (strncmp(counter, heats[i].begins, strlen(heats[i].begins)) == 0)
            return heats[i].heat;
    return "instructions";
}

// A place "FILE.cu:LINE" at the beginning of a line, after blanks.
static void find_place(const char *words, struct xray_start *start)
{
    for (const char *line = words; *line && !start->file; line = line_end(line)) {
        const char *begin = line + strspn(line, " "), *colon = strstr(begin, ".cu:");

        if (colon && colon < begin + strcspn(begin, " \n") && atoi(colon + 4) > 0) {
            start->file = text_format("%.*s", (int)(colon + 3 - begin), begin);
            start->line = atoi(colon + 4);
        }
    }
}

// The first place "FILE.cu:LINE" in a line.
static void find_place_among(const char *words, struct xray_start *start)
{
    const char *end = line_end(words), *colon = strstr(words, ".cu:"), *begin = colon;

    if (!colon || colon > end || atoi(colon + 4) <= 0)
        return;
    while (begin > words && begin[-1] != ' ')
        begin--;
    start->file = text_format("%.*s", (int)(colon + 3 - begin), begin);
    start->line = atoi(colon + 4);
}

// The finding, or "wrong answer: 29 of 31" as the program prints it after its name. The caller frees it, or it is NULL.
static char *find_failed(const char *failure)
{
    static const char error[] = "simt: error: ";
    const char *found = strstr(failure, error);
    static const char *const begins[] = {".cu: wrong", ".cu: broken run", ".cu: unsafe"};

    if (found)
        return text_format("%.*s", (int)strcspn(found + strlen(error), "\n"), found + strlen(error));
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *at = strstr(failure, begins[i]);

        if (at)
            return text_format("%.*s", (int)strcspn(at + strlen(".cu: "), "\n"), at + strlen(".cu: "));
    }
    return NULL;
}

// The text of a missed bound, and the n at which it was counted: the page's n is smaller, so its figures differ. A
// ragged n is in the next line.
static char *missed_words(const char *missed, const char *n)
{
    static const char ragged[] = "  This is at n = ";
    const char *next = line_end(missed);
    size_t length = strcspn(n, " ");

    if (strncmp(next, ragged, strlen(ragged)) == 0) {
        n = next + strlen(ragged);
        length = strspn(n, "0123456789");
    }
    return text_format("%.*s, counted at n = %.*s", (int)strcspn(missed, "\n"), missed, (int)length, n);
}

void xray_start_find(const char *failure, const char *n, struct xray_start *start)
{
    const char *missed = strstr(failure, "NOT MET"), *counter = missed ? strchr(missed, '(') : NULL;

    if (!missed) {
        start->failed = find_failed(failure);
        if (start->failed)
            find_place_among(start->failed, start);
        return;
    }
    missed += strlen("NOT MET");
    missed += strspn(missed, " ");
    start->missed = missed_words(missed, n);
    if (counter)
        start->heat = heat_of(counter + 1);
    find_place(line_end(missed), start);
}

void xray_start_free(struct xray_start *start)
{
    free(start->missed);
    free(start->failed);
    free(start->file);
}

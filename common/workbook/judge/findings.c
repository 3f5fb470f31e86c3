// Sorts findings so that a possible cause precedes its effects.
//
// The machine prints findings as it runs the threads. In one launch a thread may read an uninitialised word before
// another thread reaches the store that should have come first. The read is then reported before the race between the
// two. Launches run in sequence, so an earlier launch never suffers from a later one.
#include "judge/findings.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char error[] = "simt: error: ", warning[] = "simt: warning: ";

static const char explanation[] = "simt: explain: "; // a line about the finding above, which stays below it

struct finding_line {
    const char *text, *kernel; // kernel: its name and what follows, NULL: no kernel
    size_t length, name;       // of the line with its newline and its explanation; of the kernel's name
    int launch, rank, place;
};

static const char *skip_level(const char *line)
{
    return strncmp(line, error, sizeof error - 1) == 0       ? line + sizeof error - 1
           : strncmp(line, warning, sizeof warning - 1) == 0 ? line + sizeof warning - 1
                                                             : NULL;
}

bool findings_is(const char *line)
{
    return skip_level(line) != NULL;
}

bool findings_explains(const char *line)
{
    return strncmp(line, explanation, sizeof explanation - 1) == 0;
}

// The end of a finding and its explanation; NULL: the line is not a finding, or has no end.
static char *finding_end(const char *line)
{
    const char *next = line_end(line);

    if (!findings_is(line) || !line[strcspn(line, "\n")])
        return NULL;
    return (char *)(findings_explains(next) && next[strcspn(next, "\n")] ? line_end(next) : next);
}

// Causes before effects: a missed barrier; a variable without a value, which no other thread can cause, but which sends
// a thread to another one's words; races, where a warning within a warp is often a side effect of an error between
// warps; then the rest.
static int rank_of(const char *line)
{
    static const char *const causes[] = {"simt: error: Barrier ",     "simt: error: Uninitialized local variable",
                                         "simt: error: Race (WAW)",   "simt: error: Race ",
                                         "simt: warning: Race (WAW)", "simt: warning: Race "};
    int rank = 0, count = sizeof causes / sizeof *causes;

    while (rank < count && strncmp(line, causes[rank], strlen(causes[rank])) != 0)
        rank++;
    return rank;
}

// "...; block 3 of split; tile.h:12 was called at split.cu:30": the kernel is split.
static void find_kernel(struct finding_line *f)
{
    const char *block = memmem(f->text, f->length, "; block ", 8);
    const char *of = block ? memmem(block, f->length - (size_t)(block - f->text), " of ", 4) : NULL;

    f->kernel = of ? of + 4 : NULL;
    f->name = of ? strcspn(of + 4, ";\n") : 0;
}

static bool same_launch(const struct finding_line *a, const struct finding_line *b)
{
    return a->kernel && b->kernel && a->name == b->name && memcmp(a->kernel, b->kernel, a->name) == 0;
}

static int by_cause(const void *a, const void *b)
{
    const struct finding_line *x = a, *y = b;

    return x->launch != y->launch ? x->launch - y->launch
           : x->rank != y->rank   ? x->rank - y->rank
                                  : x->place - y->place;
}

// Sorts the lines from begin to end, all of which are findings.
static void order(char *begin, const char *end)
{
    enum { MOST = 64 };
    struct finding_line lines[MOST];
    size_t size = (size_t)(end - begin), filled = 0;
    int count = 0;
    char *sorted;

    for (const char *line = begin; line < end && count < MOST; line = finding_end(line), count++) {
        struct finding_line *f = &lines[count];

        *f = (struct finding_line){.text = line, .length = (size_t)(finding_end(line) - line), .place = count};
        f->rank = rank_of(line);
        find_kernel(f);
        if (count > 0)
            f->launch = f[-1].launch + !same_launch(f, f - 1);
        filled += f->length;
    }
    if (count < 2 || filled < size) // more of them than the machine shows
        return;
    qsort(lines, (size_t)count, sizeof *lines, by_cause);
    sorted = checked(malloc(size));
    filled = 0;
    for (int i = 0; i < count; filled += lines[i++].length)
        memcpy(sorted + filled, lines[i].text, lines[i].length);
    memcpy(begin, sorted, size);
    free(sorted);
}

void findings_order(char *output)
{
    for (char *line = output, *end, *next; *line; line = end) {
        end = line;
        while ((next = finding_end(end)))
            end = next;
        if (end > line)
            order(line, end);
        else
            end = (char *)line_end(line);
    }
}

char *findings_first(const char *output)
{
    for (const char *line = output; *line; line = line_end(line)) {
        const char *words = skip_level(line);

        if (words)
            return text_format("%.*s", (int)strcspn(words, "\n"), words);
    }
    return NULL;
}

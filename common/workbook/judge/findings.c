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

enum { RANK_RACE = 10, RANK_REST = 20 };

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

const char *findings_end(const char *line)
{
    for (const char *end; (end = finding_end(line)); line = end)
        ;
    return line;
}

// Causes before effects: a trap or a false assertion, which ends a thread that others then wait for; a missed barrier
// or shuffle; a variable without a value, which no other thread can cause, but which sends a thread to another one's
// words; races, where a warning within a warp is often a side effect of an error between warps; then the rest, of which
// first the mbarriers that lack some of their arrivals.
static int rank_of(const char *words, bool is_error)
{
    static const char *const causes[] = {"Trap at ", "Assertion ", "Barrier ", "Lanes wait for one another ",
                                         "Uninitialized local variable"};
    int rank = 0, count = sizeof causes / sizeof *causes;
    const char *late = strstr(words, " in flight when the block ends"); // whatever ended it too early
    const char *counted = strstr(words, " at an mbarrier that has counted "), *end = words + strcspn(words, "\n");

    if (late && late < end)
        return RANK_REST + 1;
    if (counted && counted < end && counted[33] != '0') // one arrival is missing; other threads wait for these
        return RANK_REST - 1;
    while (rank < count && strncmp(words, causes[rank], strlen(causes[rank])) != 0)
        rank++;
    if (rank < count)
        return rank;
    return strncmp(words, "Race ", 5) != 0 ? RANK_REST
                                           : RANK_RACE + 2 * !is_error + (strncmp(words, "Race (WAW)", 10) != 0);
}

// The line of the kernel that a finding names first, or from which the function was called that it names; *file: where
// the file's name begins. 0: none.
static int line_of(const char *words, const char **file, size_t *length)
{
    static const char call[] = " was called at ";
    const char *end = words + strcspn(words, "\n"), *colon = words;

    for (const char *at; (at = memmem(colon, (size_t)(end - colon), call, sizeof call - 1));)
        colon = at + sizeof call - 1;
    while ((colon = memchr(colon, ':', (size_t)(end - colon))) && (colon[1] < '1' || colon[1] > '9'))
        colon++;
    if (!colon)
        return 0;
    for (*file = colon; *file > words && (*file)[-1] != ' '; (*file)--)
        ;
    *length = (size_t)(colon - *file);
    return atoi(colon + 1);
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

static bool begins_with(const struct finding_line *f, const char *words)
{
    return strncmp(skip_level(f->text), words, strlen(words)) == 0;
}

// In a function that the line calls, for the index perhaps.
static bool is_called(const struct finding_line *f)
{
    return memmem(f->text, f->length, " was called at ", 15) != NULL;
}

// Whether no race of its launch, of which there are some, is on a line above that of a wrong index, next to an array or
// misaligned: a thread without work that goes on regardless is the cause of both.
static bool precedes_races(const struct finding_line *lines, int count, const struct finding_line *wrong)
{
    const char *file, *other;
    size_t length, other_length;
    bool near = begins_with(wrong, "Misaligned ") || memmem(wrong->text, wrong->length, " past the end", 13) ||
                memmem(wrong->text, wrong->length, " before the start", 17) ||
                memmem(wrong->text, wrong->length, " index has gone below 0", 23);
    int line = near ? line_of(skip_level(wrong->text), &file, &length) : 0, races = 0;

    for (int i = 0; i < count && line > 0; i++) {
        bool race = lines[i].launch == wrong->launch && lines[i].rank >= RANK_RACE && lines[i].rank < RANK_REST;
        int at = race ? line_of(skip_level(lines[i].text), &other, &other_length) : 0;

        if (race && (at < line || (at == line && is_called(&lines[i]) && !is_called(wrong)) || length != other_length ||
                     memcmp(file, other, length) != 0))
            return false;
        races += race;
    }
    return races > 0;
}

// How many bytes a wrong write misses an array by, if these are fewer than the array has: then its index is a little
// wrong. An index that was never written is the poison of fresh memory, which misses by far more.
static bool is_near_write(const struct finding_line *f)
{
    const char *by = memmem(f->text, f->length, ": it is ", 8);
    const char *of = by ? memmem(by, f->length - (size_t)(by - f->text), "allocation, of ", 15) : NULL;

    return begins_with(f, "Invalid __global__ write of size ") && of && atoll(by + 8) < atoll(of + 15);
}

// Kernels in a loop: a word that a write has missed is read in the next launch, before the index of a later write of
// the same kernel leaves the array. Moves such a write to the launch that it has spoilt, or to its kernel's first.
static void move_write(struct finding_line *lines, int wrong)
{
    int first = 0;

    while (first < wrong && !begins_with(&lines[first], "Uninitialized __global__"))
        first++;
    if (!lines[wrong].kernel || same_launch(&lines[first], &lines[wrong]))
        return;
    for (int i = first; i >= 0; i--)
        if (i == first || same_launch(&lines[i], &lines[wrong]))
            lines[wrong].launch = lines[i].launch;
    lines[wrong].rank = RANK_REST - 1;
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
        f->rank = rank_of(skip_level(line), strncmp(line, error, sizeof error - 1) == 0);
        find_kernel(f);
        if (count > 0)
            f->launch = f[-1].launch + !same_launch(f, f - 1);
        filled += f->length;
    }
    if (count < 2 || filled < size) // more of them than the machine shows
        return;
    for (int i = 0; i < count; i++) {
        if (is_near_write(&lines[i]))
            move_write(lines, i);
        if ((begins_with(&lines[i], "Invalid ") || begins_with(&lines[i], "Misaligned ")) &&
            precedes_races(lines, count, &lines[i]))
            lines[i].rank = RANK_RACE - 1;
    }
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

// The text without the digits of addresses such as 0x7ffe6b163da0, which differ between runs. The caller frees it.
static char *without_addresses(const char *text)
{
    char *out = text_format("%s", text), *to = out;

    for (const char *from = text; *from;) {
        bool address = strncmp(from, "0x", 2) == 0;

        *to++ = *from++;
        if (address) {
            *to++ = *from++;
            from += strspn(from, "0123456789abcdef");
        }
    }
    *to = 0;
    return out;
}

// Whether output, without addresses, already has the line.
static bool has_line(const char *output, const char *line)
{
    char *words = without_addresses(line);
    bool has = strstr(output, words) != NULL;

    free(words);
    return has;
}

// Whether output has the finding, or without checks its words alone. words: what follows "simt: error: ".
static bool has_finding(const char *output, const char *line, const char *words)
{
    char *alone = text_format("simt: %s", words);
    bool has = has_line(output, line) || has_line(output, alone);

    free(alone);
    return has;
}

char *findings_list(char *output, const char *before, const char *indent, char **later)
{
    char *parts[2] = {text_format("%s", ""), text_format("%s", "")}, *said = without_addresses(before);
    bool passed = false;

    findings_order(output);
    for (const char *line = output; *line; line = line_end(line)) {
        char *text = text_format("%.*s", (int)strcspn(line, "\n"), line), *longer;
        const char *next = line_end(line);
        const char *colon = findings_is(line) ? strstr(text + 6, ": ") : NULL;
        char *kind = text_format("%.*s ", colon ? (int)strcspn(colon + 2, " ") + 2 : 0, colon ? colon : "");
        bool known = colon && has_finding(said, text, colon + 2);

        if (colon && !known && !strstr(parts[0], kind) && !strstr(parts[1], kind)) {
            longer = text_format("%s%s%s\n%s%.*s", parts[passed], indent, text, findings_explains(next) ? indent : "",
                                 findings_explains(next) ? (int)(line_end(next) - next) : 0, next);
            free(parts[passed]);
            parts[passed] = longer;
        }
        passed |= known && later;
        free(kind);
        free(text);
    }
    free(said);
    if (later)
        *later = parts[1];
    else
        free(parts[1]);
    return parts[0];
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

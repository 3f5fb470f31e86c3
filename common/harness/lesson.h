// lesson.h: what a run cost, and whether it shows the lesson.
#pragma once

#include "harness/bounds.h"
#include "harness/expect.h"
#include "harness/state.h"
#include "harness/verdict.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct figure {
    const char *label, *sum; // sum: over the counters, see expect.h
};

// Prints them after a counted run without checks.
static inline void report_counters(const struct figure *figure, int figures)
{
    if (!simt_read || harness.check)
        return;
    printf("counted by the SIMT machine at n = %lld:\n", harness.case_n);
    for (int i = 0; i < figures; i++) {
        double value = evaluate_sum(figure[i].sum, &harness.counters, (double)harness.case_n);
        const char *end = i % 2 ? "\n" : " ";
        if (isfinite(value))
            printf("  %-24s%12.*f%s", figure[i].label, value == floor(value) ? 0 : 2, value, end);
        else // of nothing
            printf("  %-24s%12s%s", figure[i].label, "-", end);
    }
    printf(figures % 2 ? "\n" : "");
}

// Whether the whole word occurs in the text.
static inline bool names(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + length, word)) {
        int before = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (!before && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

// Saves the counters and lines of the counted run before another run, whose bounds must also be met.
static inline void save_counted(void)
{
    harness.first = harness.counters;
    harness.first_n = harness.case_n;
    snprintf(harness.first_note, sizeof harness.first_note, "%s", harness.note ? harness.note : "");
    snprintf(harness.first_shape, sizeof harness.first_shape, "%s", harness.shape);
#define KEEP(field, meaning) \
    harness.first_line_count[COUNTER_##field] = simt_lines(#field, harness.first_lines[COUNTER_##field], MAX_LINES);
    SIMT_COUNTERS(KEEP)
#undef KEEP
}

static inline void print_lines(FILE *to, const struct simt_line *lines, int count, uint64_t all, const char *counter)
{
    for (int i = 0; i < count; i++)
        fprintf(to, "  %s:%d: %" PRIu64 " of %" PRIu64 "%s%s\n", lines[i].file, lines[i].line, lines[i].count, all,
                *counter ? " " : "", counter);
}

// Prints the source lines that contribute most to each counter named in the text: of the first run, see save_counted,
// or of the last one.
static inline void print_contributors(FILE *to, const char *text, int first)
{
    struct simt_line last[MAX_LINES];
#define PRINT(field, meaning) \
    if (names(text, #field)) \
        print_lines(to, first ? harness.first_lines[COUNTER_##field] : last, \
                    first ? harness.first_line_count[COUNTER_##field] : simt_lines(#field, last, MAX_LINES), \
                    first ? harness.first.field : harness.counters.field, strcmp(text, #field) ? #field : "");
    SIMT_COUNTERS(PRINT)
#undef PRINT
}

// "bank conflicts: 26985, must be 0 (shared_excess == 0)"; "block barriers: 11 per block, at most 5 (barriers <=
// 5*blocks)"
static inline void print_bound(FILE *to, const char *text, const struct relation *r, const struct bound_words *words)
{
    double factor, left = r->left, right = r->right;
    const char *unit = bound_unit(r->sign, &factor);
    const char *side = *r->sign == '=' ? "must be" : *r->sign == '<' ? "at most" : "at least";
    if (unit && factor > 0 && right > 0) {
        left = left / right * factor;
        right = factor;
    }
    fprintf(to, "%s: %.*f%s%s", words ? words->name : text, left == floor(left) ? 0 : 2, left, unit ? " per " : "",
            unit ? unit : "");
    fprintf(to, ", %s %.*f (%s)\n", side, right == floor(right) ? 0 : 2, right, text);
}

// Whether it was called with the same arguments before.
static inline bool is_repeated(const char *const *meant, int first)
{
    static const char *const *all[2][16];
    int i = 0;
    while (i < 15 && all[first][i] && all[first][i] != meant)
        i++;
    bool repeated = all[first][i] == meant;
    all[first][i] = meant;
    return repeated;
}

// What a missed bound means, which source lines contribute most if it is exceeded, and where docs/ explains it; once,
// if several bounds mean the same. first: the first run misses it, see save_counted.
static inline void explain_bound(const char *text, const struct relation *r, const struct bound_words *words, int first)
{
    if (!words) {
        print_contributors(stderr, text, first);
        return;
    }
    const char *const *meant = r->left > r->right ? &words->over : &words->under, *meaning = *meant;
    if (is_repeated(meant, first))
        return;
    if (meaning)
        fprintf(stderr, "  %s\n", meaning);
    if (words->lines || r->left > r->right)
        print_contributors(stderr, words->lines ? words->lines : words->left, first);
    fprintf(stderr, "  Read %s.\n", words->page);
}

// Compares the counters of the counted run and of the ragged one with a bound. Prints the outcome if it is the
// requested one: met, or missed.
static inline void check_bound(const char *text, int met)
{
    struct relation r = evaluate_relation(text, &harness.counters, (double)harness.case_n), first = r;
    if (harness.first_n > 0)
        first = evaluate_relation(text, &harness.first, (double)harness.first_n);
    bool only_ragged = first.met && !r.met;
    r = only_ragged ? r : first;
    const struct bound_words *words = find_bound_words(text, r.sign);
    if (r.met != met)
        return;
    fprintf(met ? stdout : stderr, "%-7s  ", met ? "met" : "NOT MET");
    print_bound(met ? stdout : stderr, text, &r, words);
    if (only_ragged)
        fprintf(stderr, "  This is at n = %lld, drawn by seed %llu; at n = %lld the bound is met.\n", harness.case_n,
                harness.seed, harness.first_n);
    harness.first_missed |= !met && harness.first_n > 0 && !only_ragged;
    if (!met)
        explain_bound(text, &r, words, harness.first_n > 0 && !only_ragged);
    harness.met += met;
}

// Compares the counters of the last run with every --expect. In addition the host must not have read device memory in
// any run, whatever its n: a program that computes on the host has to read first.
static inline void check_expectations(void)
{
    fflush(stdout); // before the output on stderr
    if (harness.expects > 0 && !simt_read)
        fail(SKIPPED, "skipped: --expect needs the counters of the SIMT machine, link with libsimt.a");
    for (int i = 0; i < 2 * harness.expects; i++) // first the missed ones, then the others
        check_bound(harness.expect[i % harness.expects], i >= harness.expects);
    if (harness.read_input)
        fail(LESSON_MISSED,
             "lesson not learnt: the host read device memory while it ran with input %s, n = %lld\n"
             "  Kernels must do the work: do not copy to the host in the function that launches them.",
             harness.read_input, harness.read_n);
    if (harness.first_missed) { // the output above was counted at this n
        harness.case_n = harness.first_n;
        harness.note = harness.first_note;
        memcpy(harness.shape, harness.first_shape, sizeof harness.shape);
    }
    if (harness.met < harness.expects)
        fail(LESSON_MISSED, "lesson not learnt: %d of %d bounds are not met", harness.expects - harness.met,
             harness.expects);
}

// answers.h: checks that the answer is right and the inputs are untouched. If not, the program ends.
#pragma once

#include "harness/memory.h"
#include "harness/random.h"
#include "harness/state.h"
#include "harness/verdict.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Ends the program if wrong > 0. per_block: elements that a block writes, one per thread; 0 if that does not hold.
static inline void judge(long long wrong, long long count, long long first, const char *got, const char *want,
                         int per_block)
{
    char where[128] = "";
    int length = 0;
    if (wrong == 0)
        return;
    if (count > 1)
        length = snprintf(where, sizeof where, ": %lld of %lld\n  first   index %lld", wrong, count, first);
    if (count > 1 && per_block > 0)
        snprintf(where + length, sizeof where - (size_t)length, ", block %lld thread %lld", first / per_block,
                 first % per_block);
    fail(WRONG, "wrong answer%s%s%s\n  got     %s\n  wanted  %s", where, harness.reason ? "\n  " : "",
         harness.reason ? harness.reason : "", got, want);
}

// Records for fail() where the first wrong word was fetched to, unless that is known already, since sorting moves
// words. Returns the text that follows the word's value.
static inline const char *record_wrong_word(const void *word)
{
    if (!harness.wrong_word)
        harness.wrong_word = word;
    const unsigned char poison[4] = {POISON, POISON, POISON, POISON};
    return memcmp(word, poison, 4) ? "" : " (poison: what fresh memory holds)";
}

static inline void check_ints(const int *got, const int *want, long long count, int per_block)
{
    char got_text[64] = "", want_text[64] = "";
    long long wrong = 0, first = 0;
    for (long long i = 0; i < count; i++)
        if (got[i] != want[i] && wrong++ == 0)
            first = i;
    if (wrong > 0) {
        snprintf(got_text, sizeof got_text, "%d%s", got[first], record_wrong_word(&got[first]));
        snprintf(want_text, sizeof want_text, "%d", want[first]);
    }
    judge(wrong, count, first, got_text, want_text, per_block);
}

static inline int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Compares two sorted lists: counts the values of got that want lacks or has fewer times. *stray: the first of them;
// *lost: the first value that got lacks.
static inline long long count_unmatched(const int *got, const int *want, long long count, long long *stray,
                                        long long *lost)
{
    long long i = 0, k = 0, wrong = 0;
    *stray = *lost = -1;
    while (i < count) {
        if (k < count && got[i] == want[k]) {
            i++;
            k++;
        } else if (k < count && got[i] > want[k]) {
            *lost = *lost < 0 ? k : *lost;
            k++;
        } else if (wrong++ == 0) {
            *stray = i++;
        } else {
            i++;
        }
    }
    *lost = *lost < 0 ? k : *lost;
    return wrong;
}

// True for the same values in any order, and almost never for others.
static inline uint64_t sum_of_hashes(const int *x, long long count)
{
    uint64_t sum = 0, state;
    for (long long i = 0; i < count; i++) {
        state = harness.seed * 1000003u + ((uint64_t)(unsigned)x[i] << 32);
        sum += random_bits(&state);
    }
    return sum;
}

// Compares the values of both in any order. If they differ, sorts both to find the difference.
static inline void check_ints_in_any_order(int *got, int *want, long long count)
{
    if (sum_of_hashes(got, count) == sum_of_hashes(want, count))
        return;
    size_t bytes = (size_t)count * sizeof *got;
    int *stood = (int *)host_alloc(bytes);
    memcpy(stood, got, bytes);
    qsort(got, (size_t)count, sizeof *got, compare_ints);
    qsort(want, (size_t)count, sizeof *want, compare_ints);
    long long stray, lost, wrong = count_unmatched(got, want, count, &stray, &lost), at = count - 1;
    if (wrong > 0) {
        while (stood[at] != got[stray])
            at--;
        harness.wrong_word = &got[at];
        fail(WRONG, "wrong answer: %lld of %lld\n  got     %d%s at index %lld, one too many\n  wanted  %d, one too few",
             wrong, count, got[stray], record_wrong_word(&got[stray]), at, want[lost]);
    }
    host_free(stood);
}

// The number of wrong values, the first one's index, and its value.
struct float_mistakes {
    long long wrong, first;
    char got[64], want[64];
};

// A value is right if it is within bound of want. NaN is never right, infinity only if wanted. i: the value's index.
static inline void compare_float(struct float_mistakes *m, const float *got, double want, double bound, long long i)
{
    int right = *got == want || fabs(*got - want) <= bound;
    if (right || m->wrong++ > 0)
        return;
    m->first = i;
    snprintf(m->got, sizeof m->got, "%.9g%s", *got, record_wrong_word(got));
    snprintf(m->want, sizeof m->want, bound > 0 ? "%.9g +- %.3g" : "%.9g", want, bound);
}

static inline void check_floats(const float *got, const double *want, const double *bound, long long count,
                                int per_block)
{
    struct float_mistakes m = {};
    for (long long i = 0; i < count; i++)
        compare_float(&m, &got[i], want[i], bound[i], i);
    judge(m.wrong, count, m.first, m.got, m.want, per_block);
}

// The device's input must be unchanged. A large one is fetched in pieces.
static inline void check_untouched(const void *d_input, const void *input, size_t bytes)
{
    unsigned char *now = (unsigned char *)host_alloc(bytes < COMPARED_AT_ONCE ? bytes : COMPARED_AT_ONCE);
    for (size_t at = 0; at < bytes; at += COMPARED_AT_ONCE) {
        const unsigned char *wanted = (const unsigned char *)input + at;
        size_t length = bytes - at < COMPARED_AT_ONCE ? bytes - at : COMPARED_AT_ONCE, i = 0;
        check_cuda(cudaMemcpy(now, (const char *)d_input + at, length, cudaMemcpyDeviceToHost));
        if (!memcmp(now, wanted, length))
            continue;
        while (now[i] == wanted[i])
            i++;
        harness.wrong_word = &now[i];
        fail(WRONG, "wrong: the input was modified, first in 4-byte word %zu; it is to be read only", (at + i) / 4);
    }
    host_free(now);
}

// reference.h: the expected output: the order of chapter 04-sort, made on the host, and the meaning of a wrong word.
#pragma once

#include "harness.h"
#include "sort/inputs.h"

// The reference: a radix sort of (keys before, index), four loops of counting and four of placing.
static void sort_on_host(const struct sort *s, unsigned *keys, unsigned *values)
{
    uint64_t *from = (uint64_t *)host_alloc((size_t)s->n * sizeof *from), *to = from;
    for (int i = 0; i < s->n; i++)
        from[i] = (uint64_t)keys_before(s->x.keys[i], s->order) << 32 | (unsigned)i;
    to = (uint64_t *)host_alloc((size_t)s->n * sizeof *to);
    for (int shift = 32; shift < 64; shift += 8) {
        size_t start[257] = {};
        for (int i = 0; i < s->n; i++)
            start[(from[i] >> shift & 255) + 1]++;
        for (int d = 0; d < 256; d++)
            start[d + 1] += start[d];
        for (int i = 0; i < s->n; i++)
            to[start[from[i] >> shift & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    for (int i = 0; i < s->n; i++) {
        keys[i] = s->x.keys[(unsigned)from[i]];
        if (s->values)
            values[i] = s->x.values[(unsigned)from[i]];
    }
    host_free(from);
    host_free(to);
}

// One word as a message shows it.
static void write_key(char *text, size_t size, unsigned key, enum order order)
{
    float f;
    memcpy(&f, &key, sizeof f);
    if (order == FLOATS)
        snprintf(text, size, "0x%08x = %.9g%s", key, f, record_wrong_word(&key));
    else
        snprintf(text, size, order == SIGNED ? "0x%08x = %d%s" : "0x%08x = %u%s", key, key, record_wrong_word(&key));
}

// Compares n words, keys or values; the message distinguishes lost words from misplaced ones. got is destroyed.
static void check_words(const struct sort *s, const char *what, unsigned *got, const unsigned *want, enum order order)
{
    static char note[300];
    char got_text[64], want_text[64];
    long long wrong = 0, first = 0;
    for (int i = 0; i < s->n; i++)
        if (got[i] != want[i] && wrong++ == 0)
            first = i;
    if (wrong == 0)
        return;
    write_key(got_text, sizeof got_text, got[first], order);
    write_key(want_text, sizeof want_text, want[first], order);
    harness.wrong_word = &got[first];
    unsigned *all = (unsigned *)host_alloc((size_t)s->n * sizeof *all);
    memcpy(all, want, (size_t)s->n * sizeof *all);
    qsort(all, (size_t)s->n, sizeof *all, compare_words);
    qsort(got, (size_t)s->n, sizeof *got, compare_words);
    int kept = !memcmp(all, got, (size_t)s->n * sizeof *all);
    host_free(all);
    snprintf(note, sizeof note, "%s\n  hint    %s%s", harness.note, what,
             kept && what[0] == 'v' ? " are all there, in the wrong places: equal keys must keep their order"
             : kept                 ? " are all there, in the wrong places"
                                    : " were lost, and others appear twice or were never in the input");
    harness.note = note;
    judge(wrong, s->n, first, got_text, want_text, 0);
}

static void check_sort(const struct sort *s)
{
    size_t bytes = (size_t)s->n * sizeof(unsigned);
    unsigned *got = (unsigned *)host_alloc(bytes), *keys = (unsigned *)host_alloc(2 * bytes), *values = keys + s->n;
    sort_on_host(s, keys, values);
    check_cuda(cudaMemcpy(got, s->out.keys, bytes, cudaMemcpyDeviceToHost));
    check_words(s, "keys", got, keys, s->order);
    check_untouched(s->in.keys, s->x.keys, bytes);
    if (s->values) {
        check_cuda(cudaMemcpy(got, s->out.values, bytes, cudaMemcpyDeviceToHost));
        check_words(s, "values", got, values, UNSIGNED);
        check_untouched(s->in.values, s->x.values, bytes);
    }
    host_free(keys);
    host_free(got);
}

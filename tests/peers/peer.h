// peer.h: what the comparisons with the vendor's libraries share: options, alternating runs, a row for
// each, the record.
//
// Rules: temporary memory is allocated beforehand; the L2 cache is flushed before every run; ours and the peer's
// alternate; the median of at least 20 runs counts, after two warm-up runs; a run is everything the call does,
// including its memsets and further launches. Both results are checked on the timed input. Nothing is graded here.
//
//     nvcc -O3 -arch=native -std=c++17 -I common -I solutions tests/peers/<topic>.cu -l<library> && ./a.out
//
// With -I . instead of -I solutions a comparison measures your own steps. --n N: only that size; --json FILE: writes
// the rows, too; --reps R, --seed S.
#pragma once

#include "harness.h"

struct duel {
    const char *label;
    long long n;
    double bytes;  // the minimum that a run of ours must move
    void *context; // the functions' arguments
    void (*ours)(void *context), (*peer)(void *context);
    void (*refresh)(void *context); // before every run of the peer, outside its time; or NULL
    void (*floor)(void *context);   // only moves as many bytes; or NULL
    int parts;                      // how many runs of the peer (and floor) one of ours equals
};

struct medians {
    double ours, peer, floor; // ms; of one part
};

static inline struct medians take_turns(const struct duel *d)
{
    size_t reps = (size_t)harness.reps;
    double *ms = (double *)host_alloc(3 * reps * sizeof *ms);
    for (int i = -2; i < harness.reps; i++) {
        double *at = ms + (i < 0 ? 0 : i);
        at[0] = once_ms(d->ours, d->context);
        if (d->refresh)
            d->refresh(d->context);
        at[reps] = once_ms(d->peer, d->context);
        at[2 * reps] = d->floor ? once_ms(d->floor, d->context) : 0;
    }
    struct medians m = {median(ms, harness.reps), median(ms + reps, harness.reps), median(ms + 2 * reps, harness.reps)};
    m.ours /= d->parts;
    free(ms);
    return m;
}

// Prints the row and records it.
static inline void report_duel(const struct duel *d, struct medians m)
{
    static int rows;
    double gb = d->bytes / 1e6, rate = gb / m.ours, peer_rate = gb / m.peer, peak = peak_gb_per_s();
    printf("%-34s %10lld %9.4f %7.1f %9.4f %7.1f %9.3f", d->label, d->n, m.ours, rate, m.peer, peer_rate,
           m.peer / m.ours);
    printf(d->floor ? " %10.3f\n" : "\n", m.floor / m.ours);
    fflush(stdout);
    if (!harness.json)
        return;
    fprintf(harness.json,
            "%s{\"case\": \"%s\", \"n\": %lld, \"ms\": %.6f, \"gb_per_s\": %.1f, \"share_of_peak\": %.4f,\n  ",
            rows++ ? ",\n " : "", d->label, d->n, m.ours, rate, peak > 0 ? rate / peak : 0);
    if (d->floor)
        fprintf(harness.json, "\"floor_ms\": %.6f, ", m.floor);
    fprintf(harness.json, "\"peer_ms\": %.6f, \"peer_gb_per_s\": %.1f, \"peer_share_of_peak\": %.4f, \"ratio\": %.4f}",
            m.peer, peer_rate, peak > 0 ? peer_rate / peak : 0, m.peer / m.ours);
}

static inline void duel(const struct duel *d)
{
    report_duel(d, take_turns(d));
}

// Reads the options and prints the table's head. peer: its name; most: the largest n.
static inline void open_table(int argc, char **argv, const char *file, const char *peer, long long most)
{
    struct cudaDeviceProp device;
    read_options({argc, argv, file, 0}, (uint64_t)most);
    harness.reps = harness.reps < 20 ? 20 : harness.reps;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
        fail(SKIPPED, "skipped: a peer is measured on a GPU, and there is none here");
    printf("%s, peak %.0f GB/s, median of %d; the peer: %s\n", device.name, peak_gb_per_s(), harness.reps, peer);
    printf("%-34s %10s   ours ms    GB/s   peer ms    GB/s peer/ours floor/ours\n", "", "n");
    if (harness.json)
        fprintf(harness.json, "{\"device\": \"%s\", \"peer\": \"%s\", \"times\": [\n ", device.name, peer);
}

static inline void close_table(void)
{
    if (harness.json) {
        fprintf(harness.json, "]}\n");
        fclose(harness.json);
        harness.json = NULL; // the record is complete: finish() has nothing to add
    }
    finish(RIGHT);
}

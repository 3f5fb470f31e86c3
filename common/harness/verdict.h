// verdict.h: how a program ends. finish() handles an open TODO and --plan, and writes the records for --json and for
// the grader; fail() first reports what is wrong; a failed CUDA call ends here, too.
#pragma once

#include "device/launch.h"
#include "harness/plan.h"
#include "harness/record.h"
#include "harness/state.h"
#include "harness/todo.h"
#include "simt/plural.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// The parts of an estimated time: see simt_estimate in simt.h. They add up to ms, which may be the time of one of
// several sweeps.
static inline void write_estimate(FILE *to, const struct simt_estimate *e, double ms)
{
    fprintf(to, ", \"gpu\": \"%s\", \"limited_by\": \"%s\", \"limit_share\": %.4f", e->gpu, e->limit, e->limit_share);
    fprintf(to, ", \"instructions\": %.0f, \"bytes\": %.0f, \"issue_rate\": %.1f, \"memory_rate\": %.1f",
            e->instructions, e->bytes, e->issue_rate, e->memory_rate);
    const char *comma = ", \"parts_us\": {";
#define WRITE(name, words) fprintf(to, "%s\"%s\": %.3f", comma, #name, e->parts.name * 1e3 * ms / e->us), comma = ", ";
    SIMT_PARTS(WRITE)
#undef WRITE
    fprintf(to, "}");
}

// The record of --json: verdict; n, input, seed and counters of the last run; times.
static inline void write_json(enum verdict verdict, const char *name)
{
    FILE *to = harness.json;
    fprintf(to, "{\"program\": \"%s\", \"verdict\": \"%s\", \"exit\": %d, \"machine\": \"%s\",\n",
            source_name(harness.file), name, verdict, simt_read ? "simt" : "gpu");
    fprintf(to, " \"n\": %lld, \"input\": \"%s\", \"seed\": %llu, \"runs\": %lld", harness.case_n,
            harness.input ? harness.input : "", harness.seed, harness.runs);
    const char *comma = ",\n \"counters\": {";
#define WRITE(field, meaning) \
    fprintf(to, "%s\"%s\": %llu", comma, #field, (unsigned long long)harness.counters.field), comma = ", ";
    if (simt_read) {
        SIMT_COUNTERS(WRITE)
        fprintf(to, "},\n \"findings\": %" PRIu64, simt_findings());
    }
#undef WRITE
    for (int i = 0; i < harness.timed; i++) {
        const struct timing *t = &harness.times[i];
        const char *kind = harness.estimates ? "estimates" : "times", *unit = harness.estimates ? "estimated_ms" : "ms";
        if (i)
            fprintf(to, ",\n  ");
        else
            fprintf(to, ",\n \"%s\": [", kind);
        fprintf(to, "{\"n\": %lld, \"%s\": %.6f, ", t->n, unit, t->ms);
        if (t->gflop_per_s > 0)
            fprintf(to, "\"gflop_per_s\": %.1f", t->gflop_per_s);
        else
            fprintf(to, "\"gb_per_s\": %.1f, \"share_of_peak\": %.4f", t->gb_per_s, t->share_of_peak);
        if (harness.estimates)
            write_estimate(to, &harness.estimate, t->ms);
        fprintf(to, "}");
    }
    fprintf(to, "%s}\n", harness.timed ? "]" : "");
    if (ferror(to) | fclose(to))
        fprintf(stderr, "warning: the --json record could not be written in full\n");
}

static inline __attribute__((noreturn)) void finish(enum verdict verdict)
{
    const char *const names[] = {"right", "broken", "wrong", "unsafe", "not learnt"};
    const char *name = verdict == SKIPPED ? "skipped" : names[verdict];
    fflush(stdout);
    if (harness.plan)
        print_plan();
    if (harness.todo_open && verdict != BROKEN) {
        if (!harness.open_reported)
            report_not_done(harness.file, verdict == RIGHT);
        verdict = WRONG;
        name = "not done";
    }
    if (harness.json)
        write_json(verdict, name);
    char again[96] = "";
    if (harness.input && !harness.todo_open)
        snprintf(again, sizeof again, "--n %lld%s", harness.case_n, harness.shape);
    write_record(verdict, harness.runs, harness.met, simt_asked_size && simt_asked_size(), again);
    exit(verdict);
}

// Sends the failure to the machine as one line: for a wrong word, the machine knows which thread stored it.
static inline void explain_wrong_word(const char *why)
{
    char words[400];
    size_t length = 0;
    for (const char *at = why; *at && length + 3 < sizeof words; at++) {
        int line = *at == '\n';
        if (line)
            words[length++] = ';';
        while (line ? at[1] == ' ' : at[0] == ' ' && at[1] == ' ')
            at++;
        words[length++] = line ? ' ' : *at;
    }
    words[length] = 0;
    if (simt_wrong)
        simt_wrong(harness.wrong_word, words);
}

// Reports on stderr what is wrong and with which input, and ends the program.
static inline __attribute__((noreturn, format(printf, 2, 3))) void fail(enum verdict verdict, const char *why, ...)
{
    va_list args;
    if (harness.plan) // nothing was run, so nothing can be wrong
        finish(RIGHT);
    char text[600], note[600];
    va_start(args, why);
    vsnprintf(text, sizeof text, why, args);
    va_end(args);
    snprintf(note, sizeof note, "%s", harness.note ? harness.note : "");
    correct_plurals(text);
    correct_plurals(note);
    fflush(stdout);
    if (harness.todo_open && verdict != BROKEN) { // the cause; what follows is its effect
        report_not_done(harness.file, 0);
        harness.open_reported = 1;
    }
    fprintf(stderr, "%s: %s", source_name(harness.file), text);
    if (harness.input)
        fprintf(stderr, "\n  input   %s, n = %lld, seed %llu%s", harness.input, harness.case_n, harness.seed, note);
    if (harness.input && harness.shape[0])
        fprintf(stderr, "\n  alone   --n %lld%s", harness.case_n, harness.shape);
    if (harness.round > 1)
        fprintf(stderr, "\n  call    one of several %s: does the program keep anything from earlier calls?",
                harness.place > 0 ? "with the same memory, now with other contents or sizes"
                                  : "with the same sizes, now in other memory");
    if (harness.stalls[0])
        fprintf(stderr,
                "\n  order   SIMT_SCHEDULE=%s: this block is held back while the others go on, which is just as valid",
                harness.stalls);
    else if (harness.input && simt_read && getenv("SIMT_SCHEDULE"))
        fprintf(stderr, "\n  order   SIMT_SCHEDULE=%s: warps and blocks ran in another order, which is just as valid",
                getenv("SIMT_SCHEDULE"));
    fputc('\n', stderr);
    if (verdict == WRONG || verdict == LESSON_MISSED)
        explain_wrong_word(text);
    finish(verdict);
}

// Handles the result of a call for check_cuda (device/launch.h).
static inline void check_cuda_at(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    if (simt_findings && simt_findings() > 0)
        fail(UNSAFE, "unsafe: see the findings above");
    fprintf(stderr, "%s:%d: %s\n  failed with %s: %s\n", source_name(file), line, call, cudaGetErrorName(error),
            cudaGetErrorString(error));
    bool address = error == cudaErrorIllegalAddress || error == cudaErrorMisalignedAddress;
    fail(BROKEN, "broken run: the device reported an error%s",
         !address    ? ""
         : simt_read ? "; SIMT_CHECK=all names the line"
                     : "; compute-sanitizer names the line");
}

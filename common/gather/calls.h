// gather/calls.h: how the functions of chapter 09-gather are called from another process.
#ifndef GATHER_CALLS_H
#define GATHER_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/bins.h"
#include "gather/problem.h"
#include "remote/serve.h"
#else // in a judge
#include "gather/driver.h"
#include "remote/judge.h"
#endif

struct potential_call {
    float *d_map;
    const float4 *d_atoms;
    int n;
    struct plane p;
    struct bins bins; // where it is asked for
};

#ifdef WORKBOOK_SERVED
static void (*served_all)(float *, const float4 *, int, struct plane);
static void (*served_binned)(float *, const float4 *, int, struct plane, struct bins);

static void run_all(void *arguments)
{
    struct potential_call *c = (struct potential_call *)arguments;
    served_all(c->d_map, c->d_atoms, c->n, c->p);
}

static void run_binned(void *arguments)
{
    struct potential_call *c = (struct potential_call *)arguments;
    served_binned(c->d_map, c->d_atoms, c->n, c->p, c->bins);
}

static inline int serve_all(struct invocation own, void (*potential)(float *, const float4 *, int, struct plane),
                            enum reach reach)
{
    void (*const run[])(void *) = {run_all};
    const int64_t numbers[4] = {reach};
    served_all = potential;
    return serve(own, "gather", numbers, run);
}

static inline int serve_binned(struct invocation own,
                               void (*potential)(float *, const float4 *, int, struct plane, struct bins),
                               enum spread spread)
{
    void (*const run[])(void *) = {run_binned};
    const int64_t numbers[4] = {spread};
    served_binned = potential;
    return serve(own, "binned", numbers, run);
}

#define gather_main(argc, argv, potential, reach) serve_all(INVOCATION(argc, argv), potential, reach)
#define binned_main(argc, argv, potential, spread) serve_binned(INVOCATION(argc, argv), potential, spread)

#else
static const struct name NAMES[] = {
    {"UNLIMITED", UNLIMITED}, {"WITHIN_CUTOFF", WITHIN_CUTOFF}, {"EVEN", EVEN}, {"CROWDED", CROWDED}, {NULL, 0}};

static void remote_all(float *d_map, const float4 *d_atoms, int n, struct plane p)
{
    struct potential_call c = {d_map, d_atoms, n, p, {}};
    remote_call(0, &c, sizeof c);
}

static void remote_binned(float *d_map, const float4 *d_atoms, int n, struct plane p, struct bins bins)
{
    struct potential_call c = {d_map, d_atoms, n, p, bins};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "gather"))
        drive_all(argc, argv, remote_all, (enum reach)asked->numbers[0], asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "binned"))
        drive_binned(argc, argv, remote_binned, (enum spread)asked->numbers[0], asked->file, asked->todo_open);
}
#endif
#endif

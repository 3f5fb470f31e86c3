// Control flow, compared with the same functions on the host; progress of threads that wait for one another; barriers.
// Each schedule (in order, in reverse, many seeds) runs in its own process, because the machine reads its settings
// once. Results must be the same and the checks silent. Usage: test_control CONTROL.ptx [number of seeds [K/N]], where
// K/N is the part of the schedules that is run
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/functions.h"
#include "machine.h"
#include "simt.h"

static const char *ptx;
static const char *schedule;

struct output {
    struct module *m;
    int *data, count;
};

// Runs a kernel with (out, n), each time in a new module, whose variables are zero.
static struct output run(const char *kernel, uint32_t blocks, uint32_t threads, int count)
{
    struct output o = {machine_load(ptx), machine_buffer((size_t)count * sizeof(int), 0), count};
    char where[96];
    snprintf(where, sizeof where, "%s, SIMT_SCHEDULE=%s", kernel, schedule);
    simt_reset();
    int error = machine_run(o.m, kernel, machine_line(blocks, threads), &o.data, &o.count);
    check(error == 0, where, "launch error %d", error);
    check(simt_findings() == 0, where, "%llu findings", (unsigned long long)simt_findings());
    return o;
}

static void compare(const char *kernel, struct output o, const int *want)
{
    for (int i = 0; i < o.count; i++)
        if (!check(o.data[i] == want[i], kernel, "SIMT_SCHEDULE=%s: [%d] is %d, wanted %d", schedule, i, o.data[i],
                   want[i]))
            break;
    machine_free(o.data);
    machine_unload(o.m);
}

static void test_functions(int mixed)
{
    int n = 150, seed = 1234 + mixed;
    struct module *m = machine_load(ptx);
    int *out = machine_buffer((size_t)(FUNCTIONS * n) * sizeof *out, 0);
    int error = machine_run(m, "control", machine_line(3, 64), &out, &n, &seed, &mixed);
    check(error == 0, "control", "SIMT_SCHEDULE=%s: launch error %d", schedule, error);
    for (int f = 0; f < FUNCTIONS; f++)
        for (int i = 0; i < n; i++) {
            int want = functions[f](i, seed + i * 37);
            if (!check(out[f * n + i] == want, "control",
                       "SIMT_SCHEDULE=%s, mixed %d: function %d of thread %d is %d, wanted %d", schedule, mixed, f, i,
                       out[f * n + i], want))
                break;
        }
    machine_free(out);
    machine_unload(m);
}

static void test_progress(void)
{
    static int none[256], want[256];
    compare("spin_lock", run("spin_lock", 1, 32, 256), none);
    compare("spin_lock", run("spin_lock", 3, 64, 256), none);
    compare("spin_lock_inner", run("spin_lock_inner", 1, 32, 256), none);
    compare("spin_lock_inner", run("spin_lock_inner", 2, 64, 256), none);
    for (int i = 0; i < 128; i++)
        want[i] = i * 3;
    compare("wait_for_the_one_before", run("wait_for_the_one_before", 2, 64, 128), want);
    for (int i = 0; i < 64; i++)
        want[i] = 63 - i;
    compare("wait_for_the_one_behind", run("wait_for_the_one_behind", 1, 64, 64), want);
    for (int i = 0; i < 40; i++)
        want[i] = i;
    compare("earlier_ticket", run("earlier_ticket", 40, 32, 40), want);
    for (int i = 0; i < 96; i++)
        want[i] = i % 13;
    compare("exit_in_a_loop", run("exit_in_a_loop", 2, 48, 96), want);
}

static void test_barriers(void)
{
    static int want[768];
    int sum = 0, x[96], now[96];
    for (int t = 0; t < 256; t++)
        sum += t * t % 101;
    for (int i = 0; i < 768; i++)
        want[i] = sum;
    compare("barriers_in_loops", run("barriers_in_loops", 3, 256, 768), want);
    for (int t = 0; t < 96; t++)
        x[t] = t;
    for (int round = 0; round < 20; round++) {
        for (int t = 0; t < 96; t++) {
            if ((t + round) % 3 == 0) {
                for (int k = 0; k < t % 5; k++)
                    x[t] = (int)((unsigned)x[t] * 5u + (unsigned)k);
            } else if (t % 2)
                x[t] ^= round;
            now[t] = x[t];
        }
        for (int t = 0; t < 96; t++)
            x[t] = (int)((unsigned)x[t] + (unsigned)(now[(t + 33) % 96] & 1023));
    }
    for (int i = 0; i < 192; i++)
        want[i] = x[i % 96];
    compare("split_ahead_of_barriers", run("split_ahead_of_barriers", 2, 96, 192), want);
    for (int t = 0; t < 128; t++)
        want[t] = 4 * (t / 64 * 64 + (t + 17) % 64) + 6;
    compare("named_barriers", run("named_barriers", 1, 128, 128), want);
}

static void test_meetings(void)
{
    static int want[288];
    for (int t = 0; t < 96; t++) {
        want[t * 3] = 32;
        want[t * 3 + 1] = 1 + 2 * 1;
        want[t * 3 + 2] = 1;
    }
    compare("barrier_reductions", run("barrier_reductions", 1, 96, 288), want);
    for (int t = 0; t < 64; t++) {
        int lane = t % 32, left = lane % 7, s = lane;
        for (int round = 0; round<7; round++, left -= left> 0)
            s += (lane % 4 == 0 ? left * 2 : lane % 4 == 1 ? left + 1 : 0) & 1;
        want[t] = 7000 + s;
    }
    compare("warp_meetings", run("warp_meetings", 1, 64, 64), want);
}

static void test_calls(void)
{
    static int want[128];
    for (int t = 0; t < 64; t++) {
        want[t] = (t & 3) == 1 ? -t : 2 * t;
        want[t + 64] = t + 1;
    }
    compare("called_apart", run("called_apart", 1, 64, 128), want);
}

// Blocks of four warps: the warps of a block have different places; in a random order not the first ones, nor four that
// differ modulo 4.
static void test_places(void)
{
    struct output o = run("places", 16, 128, 4 * 16 * 128);
    bool first = true, twins = false, random = !strncmp(schedule, "random", 6);
    for (int t = 0; t < 16 * 128; t++) {
        const int *at = &o.data[4 * t];
        check(at[0] >= 0 && at[0] < at[1] && at[1] == 64 && at[2] >= 0 && at[2] < at[3] && at[3] >= 16, "places",
              "SIMT_SCHEDULE=%s: warp %d of %d, multiprocessor %d of %d", schedule, at[0], at[1], at[2], at[3]);
        first &= at[0] == t % 128 / 32 && at[2] == t / 128 % 16;
        for (int u = t / 128 * 128; u < t; u++) {
            twins |= t / 32 != u / 32 && at[0] % 4 == o.data[4 * u] % 4;
            check((at[0] == o.data[4 * u]) == (t / 32 == u / 32), "places", "SIMT_SCHEDULE=%s: %d and %d at place %d",
                  schedule, u, t, at[0]);
        }
    }
    check(first != random, "places", "SIMT_SCHEDULE=%s: %s", schedule, first ? "as in order" : "not as in order");
    check(twins == random, "places", "SIMT_SCHEDULE=%s: %s places modulo 4", schedule, twins ? "equal" : "four");
    machine_free(o.data);
    machine_unload(o.m);
}

static int run_all(const char *how)
{
    schedule = how;
    setenv("SIMT_SCHEDULE", how, 1);
    test_functions(0);
    test_functions(1);
    test_progress();
    test_barriers();
    test_meetings();
    test_calls();
    test_places();
    fflush(stdout);
    return failures != 0;
}

static bool run_apart(const char *how)
{
    int status = 1;
    fflush(stdout); // or the child prints it again
    pid_t child = fork();
    if (child == 0)
        _exit(run_all(how));
    waitpid(child, &status, 0);
    return check(status == 0, "test_control", "SIMT_SCHEDULE=%s: status %d", how, status);
}

int main(int argc, char **argv)
{
    char how[32];
    int seeds = argc > 2 ? atoi(argv[2]) : 10, schedules = 0;
    if (argc < 2)
        return 2;
    ptx = read_text(argv[1]);
    for (int i = 0; i < seeds + 2; i++) {
        if (i < 2)
            snprintf(how, sizeof how, "%s", i == 0 ? "order" : "reverse");
        else
            snprintf(how, sizeof how, "random:%d", i - 1);
        if (in_part(argc > 3 ? argv[3] : "1/1", i) && ++schedules)
            run_apart(how);
    }
    printf("%d schedules, %d failures\n", schedules, failures);
    return failures != 0;
}

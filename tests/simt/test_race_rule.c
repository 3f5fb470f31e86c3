// The rule of races (check/race_rule.h), compared with a truth table. Each row gives the expected result for some
// values (1, 0; a dot: any); the first matching row counts. The test tries every combination, and every row must be
// needed.
#include <stdio.h>
#include <string.h>

#include "check/race_rule.h"

#define MOST_COLUMNS 19
#define MAX_LINES 5 // maximum of printed errors for each table

struct row {
    const char *values;
    int result;
    const char *why;
    int used;
};

// past: atomic strong narrow same-block same-warp torn spins changes several told;
// now: cas-start load relaxed volatile data spins narrow; past: volatile; now: overwrites
static struct row strong_rows[] = {
    {".....1.............", 0, "half of the bytes of the other", 0},
    {"1.........1........", 1, "what a loop of compare-and-swap reads first, beside an atomic", 0},
    {"..10...............", 0, "a promise to its own block, seen from another one", 0},
    {"...0............1..", 0, "a promise to the own block, of what another one did", 0},
    {"00.................", 0, "a plain access of the past", 0},
    {"1...1......11......", 1, "an atomic of the own warp, and a relaxed load", 0},
    {"1...1......1.10....", 1, "an atomic of the own warp, and a volatile load of a flag", 0},
    {"1...1......1.......", 0, "an atomic of the own warp, and a plain load or one of data", 0},
    {"....1.1.....1......", 1, "within a warp a flag that is waited for, and a relaxed access", 0},
    {"....1.1......1.....", 1, "and a volatile one", 0},
    {"....1.......1..1...", 1, "one that waits now, relaxed", 0},
    {"....1........1.1...", 1, "and volatile", 0},
    {"....1.......0......", 0, "else within a warp volatile orders nothing", 0},
    {".1..1........1.....", 0, "nor beside a relaxed access, if it is volatile as well", 0},
    {"....1..............", 1, "within a warp both relaxed or atomic", 0},
    {".........1....1....", 0, "data of which a flag told", 0},
    {"............1.1....", 1, "relaxed data of which none did", 0},
    {"..............1....", 0, "volatile data", 0},
    {".......10..0.1.....", 0, "a volatile write after another thread's", 0},
    {"...........0.1.....", 1, "one after a read, or after several atomics", 0},
    {"0......1.........11", 0, "a volatile write, and an exchange that looks at nothing", 0},
    {"............1......", 1, "another warp's promise, and a relaxed access", 0},
    {".............1.....", 1, "and a volatile load of a flag", 0},
    {"...................", 0, "another warp's promise, and none now", 0},
};

// clang-format off
static int both_strong(const bool *v)
{
    const struct race_earlier past = {.atomic = v[0], .strong = v[1], .narrow = v[2], .same_block = v[3],
                                   .same_warp = v[4], .torn = v[5], .spins = v[6], .changes = v[7],
                                   .several = v[8], .announced = v[9], .is_volatile = v[17]};
    const struct race_current now = {.starts_cas = v[10], .load = v[11], .relaxed = v[12], .is_volatile = v[13],
                                 .data = v[14], .spins = v[15], .narrow = v[16], .overwrites = v[18]};
    return race_both_strong(&past, &now);
}
// clang-format on

// wide same-block recent same-warp same-lane several blocks
static struct row proof_rows[] = {
    {"111....", PROOF_MEETING, "several warps of this block, since its last barrier", 0},
    {".0.....", PROOF_KNOWN, "one access of another block", 0},
    {"...0...", PROOF_KNOWN, "of another warp", 0},
    {"....0..", PROOF_KNOWN, "of another lane", 0},
    {".....0.", PROOF_KNOWN, "its own, and alone", 0},
    {"0......", PROOF_OWN_WARP, "its own, and another one's of the warp", 0},
    {"......1", PROOF_ACQUIRED, "its own, and another block's", 0},
    {"......0", PROOF_ALWAYS, "its own, and other warps', before the barrier", 0},
};

// clang-format off
static int proof(const bool *v)
{
    const struct race_earlier past = {.wide = v[0], .same_block = v[1], .recent = v[2], .same_warp = v[3],
                                   .same_lane = v[4], .several = v[5], .blocks = v[6]};
    return (int)race_proof(&past);
}
// clang-format on

static bool matches(const char *values, const bool *v)
{
    for (int i = 0; values[i]; i++)
        if (values[i] != '.' && (values[i] == '1') != v[i])
            return false;
    return true;
}

static int try_table(const char *name, struct row *rows, int count, int (*rule)(const bool *))
{
    int columns = (int)strlen(rows[0].values), bad = 0;
    for (int bits = 0; bits < 1 << columns; bits++) {
        bool v[MOST_COLUMNS];
        int r = 0;
        for (int i = 0; i < columns; i++)
            v[i] = bits >> i & 1;
        while (r < count && !matches(rows[r].values, v))
            r++;
        int wanted = r < count ? rows[r].result : -1;
        if (r < count)
            rows[r].used++;
        if (rule(v) == wanted || bad++ >= MAX_LINES)
            continue;
        printf("%s: row %d (%s): got %d, wanted %d for", name, r, r < count ? rows[r].why : "none", rule(v), wanted);
        for (int i = 0; i < columns; i++)
            printf(" %d", v[i]);
        printf("\n");
    }
    for (int r = 0; r < count; r++)
        if (!rows[r].used && ++bad)
            printf("%s: row %d (%s) says nothing that those before it do not\n", name, r, rows[r].why);
    return bad;
}

int main(void)
{
    int bad = try_table("both strong", strong_rows, sizeof strong_rows / sizeof *strong_rows, both_strong);
    bad += try_table("proof", proof_rows, sizeof proof_rows / sizeof *proof_rows, proof);
    strong_rows[2].result = 1; // guilty: a wrong table is detected
    if (!try_table("guilty", strong_rows, sizeof strong_rows / sizeof *strong_rows, both_strong))
        bad += printf("a wrong row of the table is not seen\n");
    printf("%s\n", bad ? "bad" : "the rule says what the table says");
    return bad != 0;
}

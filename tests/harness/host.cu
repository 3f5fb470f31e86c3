// The harness without a device: options, expectations, verdicts, the open TODO, the record. Every guilty case has an
// innocent twin. Counters come from the fake SIMT machine below: link without libsimt.a.
//
//     nvcc -I common tests/harness/host.cu && ./a.out
#include "child.h"
#include "harness.h"

// ---- A SIMT machine that always counts the same ------------------------------------------------------------
static unsigned fake_factor = 1; // of the barriers

void simt_read(struct simt_counters *out)
{
    memset(out, 0, sizeof *out);
    out->barriers = 12 * fake_factor;
    out->blocks = 4;
}

uint64_t simt_findings(void)
{
    return 3;
}

int simt_lines(const char *name, struct simt_line *out, int max)
{
    out[0].file = "step.cu";
    out[0].line = 31;
    out[0].count = 12 * fake_factor;
    return max > 0 && strcmp(name, "blocks") != 0;
}

static int answer[3]; // what the checks see

void simt_wrong(const void *p, const char *words)
{
    printf("%s: word %d\n", words, p ? (int)((const int *)p - answer) : -1);
}

// ---- Functions of the cases; the argument is the text in the table -------------------------------------------
static char path[64]; // a file for sources and records

// words: a command line, its words separated by |.
static void options(const char *words)
{
    char *argv[8] = {(char *)"a.out"}, copy[128];
    int argc = 1;
    snprintf(copy, sizeof copy, "%s|", words);
    for (char *word = copy, *bar; *words && (bar = strchr(word, '|')) != NULL; word = bar + 1) {
        *bar = 0;
        argv[argc++] = word;
    }
    read_options({argc, argv, "01-reduction/05-sequential.cu", 0}, 1000);
    printf("n %lld seed %llu reps %d check %d bench %d", harness.n, harness.seed, harness.reps, harness.check,
           harness.bench);
}

// Draws many sizes, and checks that they are in range.
static void draws(const char *words)
{
    int outside = 0, even = 0, small = 0;
    options(words);
    for (int i = 0; i < 4000; i++) {
        long long n = draw_size(1, 1 << 16), ragged = draw_ragged(500, 1000);
        outside += n < 1 || n > 1 << 16 || ragged < 500 || ragged >= 1000;
        even += ragged % 2 == 0;
        small += n < 256;
    }
    printf("; outside %d, even %d, %s in the lower doublings; parts %lld %lld %lld", outside, even,
           small > 1800 && small < 2200 ? "half" : "not half", drawn_part(1 << 16, 0), drawn_part(1 << 16, DRAWN / 2),
           drawn_part(1 << 16, DRAWN));
}

// The first size that the seed draws, and whether it is that of seed 1.
static void first_draw(const char *words)
{
    options("--seed|1");
    long long of_1 = draw_size(1, 1 << 30);
    drawn_sizes = 0;
    options(words);
    printf("; %s", draw_size(1, 1 << 30) == of_1 ? "the same size" : "another size");
}

static void expect(const char *relation)
{
    char *argv[] = {(char *)"a.out", (char *)"--expect", (char *)relation, NULL};
    read_options({3, argv, "01-reduction/05-sequential.cu", 0}, 1000);
    begin_case("random", 100, "");
    simt_read(&harness.counters);
    check_expectations();
}

// The counted run, then a ragged one of another n with other counters and lines.
static void expect_ragged(const char *relation)
{
    char *argv[] = {(char *)"a.out", (char *)"--expect", (char *)relation, NULL};
    read_options({3, argv, "01-reduction/05-sequential.cu", 0}, 1000);
    begin_case("random", 100, ", whole");
    simt_read(&harness.counters);
    count_ragged();
    begin_case("random", 55, ", ragged");
    fake_factor = 5;
    simt_read(&harness.counters);
    check_expectations();
}

// Two relations.
static void expect_both(const char *relations)
{
    char first[80];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(relations, "|"), relations);
    char *argv[] = {
        (char *)"a.out", (char *)"--expect", first, (char *)"--expect", (char *)relations + strlen(first) + 1, NULL};
    read_options({5, argv, "01-reduction/05-sequential.cu", 0}, 1000);
    begin_case("random", 100, "");
    simt_read(&harness.counters);
    check_expectations();
}

static void expect_deep(const char *part)
{
    char text[4000] = "";
    for (int i = 0; i < 3000; i++)
        text[i] = *part;
    expect(text);
}

// numbers: three that should be 1 2 3.
static void ints(const char *numbers)
{
    int want[3] = {1, 2, 3};
    sscanf(numbers, "%d %d %d", &answer[0], &answer[1], &answer[2]);
    options("--seed|9");
    begin_case("random", 3, ", misaligned");
    check_ints(answer, want, 3, 2);
}

// numbers: three that should be 1 2 2 in any order.
static void in_any_order(const char *numbers)
{
    int want[3] = {2, 1, 2};
    sscanf(numbers, "%d %d %d", &answer[0], &answer[1], &answer[2]);
    options("");
    check_ints_in_any_order(answer, want, 3);
}

static void fails(const char *words)
{
    options("");
    fail(*words == 'l' ? LESSON_MISSED : WRONG, "%s", words);
}

// numbers: got, wanted, bound.
static void floats(const char *numbers)
{
    float got = 0;
    double want = 0, bound = 0;
    sscanf(numbers, "%f %lf %lf", &got, &want, &bound);
    options("");
    check_floats(&got, &want, &bound, 1, 0);
}

static void end(const char *file, enum verdict verdict)
{
    char *argv[] = {(char *)"a.out", NULL};
    read_options({1, argv, file, 1}, 1000);
    finish(verdict);
}

static void todo_wrong(const char *source)
{
    FILE *f = fopen(path, "w");
    fputs(source, f);
    fclose(f);
    end(path, WRONG);
}

static void todo_right(const char *source)
{
    FILE *f = fopen(path, "w");
    fputs(source, f);
    fclose(f);
    end(path, RIGHT);
}

static void todo_fails(const char *source)
{
    char *argv[] = {(char *)"a.out", NULL};
    FILE *f = fopen(path, "w");
    fputs(source, f);
    fclose(f);
    *strrchr(path, '/') = 0;
    if (chdir(path) == 0)
        read_options({1, argv, "todo.cu", 1}, 1000);
    fail(WRONG, "wrong answer: 1 of 3");
}

static void todo_moved(const char *file)
{
    end(file, LESSON_MISSED);
}

static void todo_broken(const char *file)
{
    end(file, BROKEN);
}

static void todo_none(const char *words)
{
    options(words);
    finish(RIGHT);
}

static void todo_macro(const char *)
{
    int before = TODO_IS_OPEN;
#define TODO_OPEN // a comment
#define TODO_OPEN // a second place
    printf("%d%d", before, TODO_IS_OPEN);
#undef TODO_OPEN
    printf("%d", TODO_IS_OPEN);
}

static void record(const char *)
{
    char words[128], text[4096] = "";
    snprintf(words, sizeof words, "--json|%s", path);
    options(words);
    begin_case("random", 100, "");
    simt_read(&harness.counters);
    harness.times[harness.timed++] = {100, 0.5, 800, 0.25, 0};
    harness.times[harness.timed++] = {200, 0.25, 0, 0, 51000};
    write_json(LESSON_MISSED, "not learnt");
    FILE *f = fopen(path, "r");
    fputs(fread(text, 1, sizeof text - 1, f) ? text : "", stdout);
}

// clang-format off: a table
static void names_source(const char *file)
{
    printf("'%s'", source_name(file));
}

static const struct child_case CASES[] = {
    {"a step", names_source, "/home/me/01-reduction/05-sequential.cu", 0, "'01-reduction/05-sequential.cu'"},
    {"a step, from its folder", names_source, "05-sequential.cu", 0, "'05-sequential.cu'"},
    {"a face", names_source, "/home/me/common/scan.h", 0, "'common/scan.h'"},
    {"a header in a folder", names_source, "/home/me/common/device/rows.h", 0, "'common/device/rows.h'"},
    {"the same, from the top", names_source, "common/device/rows.h", 0, "'common/device/rows.h'"},
    {"another folder", names_source, "/home/uncommon/device/rows.h", 0, "'device/rows.h'"},
    {"no options: all sizes, seed 1, 20 times", options, "", 0, "n -1 seed 1 reps 20 check 0 bench 0"},
    {"--help", options, "--help", 0, "--expect EXPR"},
    {"--n 0 --check", options, "--n|0|--check", 0, "n 0 seed 1 reps 20 check 1"},
    {"--n 1000 --bench", options, "--n|1000|--bench", 0, "n 1000 seed 1 reps 20 check 0 bench 1"},
    {"--n 1001", options, "--n|1001", 1, "--n '1001': must be a whole number from 0 to 1000\n"},
    {"--n -1", options, "--n|-1", 1, "--n '-1': must be"},
    {"--n +1", options, "--n|+1", 1, "must be"},
    {"--n ' 1'", options, "--n| 1", 1, "must be"},
    {"--n ''", options, "--n|", 1, "must be"},
    {"--n 12x", options, "--n|12x", 1, "must be"},
    {"--n 1.5", options, "--n|1.5", 1, "must be"},
    {"--n 0x10", options, "--n|0x10", 1, "must be"},
    {"--n 99999999999999999999", options, "--n|99999999999999999999", 1, "must be"},
    {"--n without a number", options, "--check|--n", 1, "--n: its value is missing; accepted are --n N"},
    {"--seed 2^64-1", options, "--seed|18446744073709551615", 0, "seed 18446744073709551615"},
    {"--seed 2^64", options, "--seed|18446744073709551616", 1, "must be"},
    {"--reps 0", options, "--reps|0", 1, "--reps '0': must be a whole number from 1"},
    {"--size", options, "--size|3", 1, "'--size': unknown"},
    {"a word that is no option", options, "17", 1, "'17': unknown"},
    {"--json where nothing can be written", options, "--json|/nowhere/at/all.json", 1,
     "--json '/nowhere/at/all.json': No such file"},
    {"--expect without a relation", options, "--expect|barriers", 1, "missing at column 9"},

    {"== met", expect, "barriers == 12", 0, "met      block barriers: 12, must be 12 (barriers == 12)"},
    {"== missed, with line", expect, "barriers == 11", 4, "step.cu:31: 12 of 12"},
    {"missed by the counted run: its own lines", expect_ragged, "barriers == 11", 4, "step.cu:31: 12 of 12\n"},
    {"missed by the counted run: its own case", expect_ragged, "barriers == 11", 4, "n = 100, seed 1, whole\n"},
    {"missed by the ragged run alone: its case", expect_ragged, "barriers <= 12", 4, "n = 55, seed 1, ragged\n"},
    {"missed by the ragged run alone: its lines", expect_ragged, "barriers <= 12", 4, "step.cu:31: 60 of 60\n"},
    {"missed by the ragged run alone: its n", expect_ragged, "barriers <= 12", 4,
     "at n = 55, drawn by seed 1; at n = 100"},
    {"missed, with its meaning", expect, "barriers == 11", 4, "The blocks execute more barriers"},
    {"missed, with its page", expect, "barriers == 11", 4, "Read docs/counters.md"},
    {"two bounds of one meaning: it stands once", expect_both, "barriers <= 11|barriers <= 10", 4,
     "at most 10 (barriers <= 10)\n01-reduction/05-sequential.cu: lesson not learnt"},
    {"two bounds of two meanings: both stand", expect_both, "barriers <= 11|barriers >= 13", 4,
     "at least 13 (barriers >= 13)\n  "},
    {"<= met", expect, "barriers <= 3*blocks", 0, "met "},
    {"<= missed, with values", expect, "barriers <= 2*blocks + 3", 4,
     "NOT MET  block barriers: 12, at most 11 (barriers <= 2*blocks + 3)"},
    {"per block", expect, "barriers <= 2*blocks", 4, "NOT MET  block barriers: 3 per block, at most 2 (barriers"},
    {">= met", expect, " barriers>=12", 0, "met "},
    {">= missed", expect, "barriers >= 12.5", 4, "NOT MET"},
    {"< missed", expect, "barriers < 12", 4, "NOT MET"},
    {"< met", expect, "barriers < 13", 0, "met "},
    {"> missed", expect, "n > 100", 4, "NOT MET"},
    {"> met", expect, "n > 99", 0, "met "},
    {"* before +", expect, "2 + 3 * 4 - 6 / 2 == 11", 0, ": 11, must be 11 ("},
    {"- and / from the left", expect, "100 / 10 / 5 - 1 - 1 == 0", 0, ": 0, must be 0 ("},
    {"parentheses and sign", expect, "-(2 + 3) * (4 - 6) == 10", 0, ": 10, must be 10 ("},
    {"0/0 meets nothing", expect, "launches / shared_atomics >= 0", 4, "NOT MET"},
    {"x/0 meets nothing", expect, "barriers / launches >= 1", 4, "NOT MET"},
    {"unknown counter lists the known", expect, "barrier <= 4", 1, "shared_excess"},
    {"two relations", expect, "1 < 2 < 3", 1, "unexpected text at column 7"},
    {"')' missing", expect, "(1 + 2 < 3", 1, "')' missing"},
    {"no right side", expect, "barriers <=", 1, "number or counter missing at column 12"},
    {"= is not ==", expect, "barriers = 12", 1, "<=, >=, ==, < or > missing"},
    {"empty", expect, "", 1, "number or counter missing at column 1"},
    {"( nested too deep", expect_deep, "(", 1, "nested too deep"},
    {"- nested too deep", expect_deep, "-", 1, "nested too deep"},

    {"ints right", ints, "1 2 3", 0, "seed 9"},
    {"first int wrong", ints, "0 2 3", 2,
     "wrong answer: 1 of 3\n  first   index 0, block 0 thread 0\n  got     0\n  wanted  1"},
    {"last int wrong", ints, "1 2 4", 2, "first   index 2, block 1 thread 0\n"},
    {"two ints wrong, the case named", ints, "1 7 7", 2, "input   random, n = 3, seed 9, misaligned"},
    {"poison is recognised", ints, "1 2139062143 3", 2, "got     2139062143 (poison: what fresh memory holds)"},
    {"the machine learns the first wrong int", ints, "1 7 7", 2,
     "first index 1, block 0 thread 1; got 7; wanted 2: word 1\n"},
    {"in any order: right", in_any_order, "2 2 1", 0, "seed"},
    {"in any order: a larger one, where it stood", in_any_order, "1 9 2", 2,
     "1 of 3; got 9 at index 1, one too many; wanted 2, one too few: word 1\n"},
    {"in any order: a smaller one, where it stood", in_any_order, "2 1 -7", 2,
     "got -7 at index 2, one too many; wanted 2, one too few"},
    {"in any order: one too many, the last of them", in_any_order, "1 2 1", 2,
     "got 1 at index 2, one too many; wanted 2, one too few"},
    {"in any order: one of two lost", in_any_order, "2 2 2", 2,
     "got 2 at index 2, one too many; wanted 1, one too few: word 2\n"},
    {"in any order: two wrong", in_any_order, "9 8 2", 2,
     "2 of 3; got 8 at index 1, one too many; wanted 1, one too few"},
    {"in any order: poison", in_any_order, "1 2139062143 2", 2,
     "got 2139062143 (poison: what fresh memory holds) at index 1"},
    {"the machine learns what is wrong, and no word", fails, "wrong: a\n  b", 2, "wrong: a; b: word -1\n"},
    {"plurals, products of ones among them", fails, "wrong: 1 bytes, 21 bytes, 1 x 1 cells, 5 x 1 cells", 2,
     "wrong: 1 byte, 21 bytes, 1 x 1 cell, 5 x 1 cells"},
    {"the machine learns what was not learnt", fails, "lesson: a", 4, "lesson: a: word -1\n"},
    {"float equal", floats, "1.5 1.5 0", 0, ""},
    {"float within bound", floats, "1.5 1.25 0.25", 0, ""},
    {"float outside bound", floats, "1.5 1.25 0.125", 2, "wanted  1.25 +- 0.125"},
    {"float outside a bound of 0", floats, "1.5 1.25 0", 2, "wanted  1.25\n"},
    {"NaN", floats, "nan 1 1e30", 2, "nan"},
    {"sizes drawn", draws, "--seed|7", 0, "outside 0, even 0, half in the lower doublings; parts 1 381 65536"},
    {"the same seed draws the same size", first_draw, "--seed|1", 0, "the same size"},
    {"another seed draws another size", first_draw, "--seed|2", 0, "another size"},
    {"NaN where NaN", floats, "nan nan 1", 2, "nan"},
    {"NaN under an infinite bound", floats, "nan 1 inf", 2, "wrong answer"},
    {"a bound that is NaN", floats, "1.5 1.25 nan", 2, "wrong answer"},
    {"infinity", floats, "inf 1 1e30", 2, "got     inf"},
    {"infinity where wanted", floats, "inf inf 0", 0, ""},
    {"the other infinity", floats, "-inf inf 1e30", 2, "got     -inf"},

    {"TODO open, answers wrong", todo_wrong, "a\n\n  // TODO: x\n#define TODO_OPEN // y\n", 2,
     "todo.cu:4: TODO is still open\n  Do what"},
    {"TODO open, before its effect", todo_fails, "#define TODO_OPEN\n", 2,
     "not done: todo.cu:1: TODO is still open\n  Do what the comment above it says, then delete this line.\n"
     "todo.cu: wrong answer: 1 of 3\n"},
    {"TODO open, answers right", todo_right, "  #define TODO_OPEN\n", 2, "todo.cu:1: TODO is still open\n  Make sure"},
    {"TODO open when built, closed since", todo_right, "// #define TODO_OPEN\n", 2, "build again"},
    {"TODO open, source moved", todo_moved, "/nowhere/05-sequential.cu", 2, "has moved"},
    {"TODO open, broken run stays broken", todo_broken, "/nowhere/05-sequential.cu", 1, NULL},
    {"no TODO open", todo_none, "", 0, "seed"},
    {"TODO_IS_OPEN", todo_macro, "", 0, "010"},
    {"record: counters", record, "", 0, "\"barriers\": 12, \"barrier_waits\": 0, \"waits\": 0, \"warp_barriers\": 0"},
    {"record: findings and times", record, "", 0,
     "\"findings\": 3,\n \"times\": [{\"n\": 100, \"ms\": 0.500000, \"gb_per_s\": 800.0, \"share_of_peak\": 0.2500},\n"
     "  {\"n\": 200, "
     "\"ms\": 0.250000, \"gflop_per_s\": 51000.0}]}"},
};
// clang-format on

int main(void)
{
    char directory[] = "/tmp/harness-XXXXXX";
    if (!mkdtemp(directory))
        return 99;
    snprintf(path, sizeof path, "%s/todo.cu", directory);
    int failed = run_children(CASES, (int)(sizeof CASES / sizeof CASES[0]));
    remove(path);
    rmdir(directory);
    return failed;
}

// The table of a chapter: one row per step with the cost of a run. Counters come from the SIMT machine; times come from
// a GPU, if there is one, beside the vendor's library.
#include "commands/commands.h"
#include "judge/progress.h"
#include "process/measure.h"
#include "process/process.h"
#include "course/course.h"
#include "base/bar.h"
#include "base/files.h"
#include "base/json.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ladder_options {
    bool own;      // the student's programs, not the solutions
    bool built;    // do not build
    bool counts;   // no times
    bool markdown; // a table for docs/, with exact numbers
    bool estimate; // also the estimated time on a GPU
    const char *n; // NULL: the largest n in the chapter's table
};

enum { COLUMNS = 16, CELL = 40 };

struct row {
    const char *name;
    enum state state;
    char cell[COLUMNS][CELL];
};

struct column {
    const char *head[2];
    char kind;                       // 'n': a count; 'p': percent of 32 lanes; 'r': a ratio; 't': a time
    const char *over, *under, *plus; // (over + plus) / under; under and plus may be NULL
};

// Columns 0 and 1, the step's name and result, are drawn separately. clang-format off
static const struct column counted[] = {
    {{"laun-", "ches"}, 'n', "launches", NULL, NULL},
    {{"warp", "instr."}, 'n', "warp_instructions", NULL, NULL},
    {{"lane", "use"}, 'p', "thread_instructions", "warp_instructions", NULL},
    {{"diverg", "branch"}, 'n', "divergent_branches", NULL, NULL},
    {{"shared", "excess"}, 'n', "shared_excess", NULL, NULL},
    {{"sect", "/req"}, 'r', "global_load_sectors", "global_load_requests", NULL},
    {{"barri-", "ers"}, 'n', "barriers", NULL, NULL},
    {{"atom-", "ics"}, 'n', "global_atomics", NULL, "shared_atomics"},
    {{"find", "ings"}, 'n', "findings", NULL, NULL},
};

static const struct column timed[] = {
    // from --bench; filled by time_row
    {{"", "n"}, 't', NULL, NULL, NULL},
    {{"", "ms"}, 't', NULL, NULL, NULL},
    {{"", "GB/s"}, 't', NULL, NULL, NULL},
    {{"share of", "peak"}, 't', NULL, NULL, NULL},
};
static const struct column estimated[] = {
    // filled by estimate_row
    {{"", "n"}, 't', NULL, NULL, NULL},
    {{"", "~ms"}, 't', NULL, NULL, NULL},
    {{"of the", "time"}, 't', NULL, NULL, NULL},
    {{"", "limited by"}, 't', NULL, NULL, NULL},
};
// clang-format on

// A count in at most six characters: 999999, 1.05M, 12.3M, 1.23G.
static void short_count(char *out, double value)
{
    static const char units[] = "MGTPE";
    int unit = -1;

    while (value > 999999.5 || (unit >= 0 && value >= 999.5)) {
        value /= unit < 0 ? 1e6 : 1e3;
        unit++;
    }
    if (unit < 0)
        snprintf(out, CELL, "%.0f", value);
    else
        snprintf(out, CELL, "%.*f%c", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
}

static void fill_cell(char *out, const struct column *column, const char *json, bool exact)
{
    double value, under = 1, plus = 0;

    strcpy(out, "-");
    if (!json_number(json, column->over, &value) || (column->under && !json_number(json, column->under, &under)) ||
        (column->plus && !json_number(json, column->plus, &plus)))
        return;
    value += plus;
    if (column->under && under == 0)
        return;
    if (column->kind == 'p')
        snprintf(out, CELL, "%.0f%%", 100 * value / (32 * under));
    else if (column->kind == 'r')
        snprintf(out, CELL, "%.1f", value / under);
    else if (exact)
        snprintf(out, CELL, "%.0f", value);
    else
        short_count(out, value);
}

static void count_row(struct row *row, const struct step *step, const char *n, const struct ladder_options *options)
{
    const char *const arguments[] = {"--n", n ? n : step->n, NULL};
    char *program = graded_path(step, options->own);
    char *source_file = source_path(step, options->own), *source = file_read(source_file), *json;
    struct outcome outcome = {.exit = 127};

    row->name = step->name;
    if (!options->built && !build_step(step, options->own))
        json = text_format("%s", "");
    else // in Markdown: a table of counters, without findings
        json = program_report(step, options->markdown ? "none" : "all", program, arguments, &outcome);
    row->state = state_of(outcome, source);
    if (row->state == PASSED && options->own && grades_own()) // right at this n; `run` tries other sizes, too
        row->state = progress_stale(step) ? NEW : progress_of(step)->state;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        fill_cell(row->cell[i], &counted[i], json, options->markdown);
    free(json);
    free(source);
    free(source_file);
    free(program);
}

// Fills in the time at the largest n, which is the last in a report's list of times. A peer's own times have the keys
// peer_ms, peer_gb_per_s and peer_share_of_peak.
static void time_row(struct row *row, char *program, bool peer)
{
    static const char *const keys[2][3] = {{"ms", "gb_per_s", "share_of_peak"},
                                           {"peer_ms", "peer_gb_per_s", "peer_share_of_peak"}};
    const char *const bench[] = {"--bench", NULL}, *const none[] = {NULL}, *const *key = keys[peer];
    struct outcome outcome;
    char *json = program_report(NULL, "all", program, peer ? none : bench, &outcome);

    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        strcpy(row->cell[i], "-");
    row->state = state_of(outcome, NULL);
    for (const char *at = json_find(json, "times"); at && (at = json_find(at, "n"));) {
        double value;

        snprintf(row->cell[0], CELL, "%.0f", strtod(at, NULL));
        if (json_number(at, key[0], &value))
            snprintf(row->cell[1], CELL, "%.4f", value);
        if (json_number(at, key[1], &value))
            snprintf(row->cell[2], CELL, "%.0f", value);
        if (json_number(at, key[2], &value) && value > 0)
            snprintf(row->cell[3], CELL, "%.0f%%", 100 * value);
    }
    free(json);
}

static const char *row_word(const struct row *row)
{
    return row->state == MISSED ? "missed" : state_word(row->state);
}

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);

    return length > width ? length : width;
}

// The rows of a table, and the widths of its columns, including two blanks between them.
struct table {
    const struct row *rows;
    int count, name, result, width[COLUMNS];
};

static struct table measure(const struct row *rows, int count, const struct column *columns, int column_count)
{
    struct table t = {.rows = rows, .count = count, .result = (int)strlen("result")};
    int used = 0;

    for (int r = 0; r < count; r++) {
        t.name = wider(t.name, rows[r].name);
        t.result = wider(t.result, row_word(&rows[r]));
    }
    t.name++;
    for (int i = 0; i < column_count; i++) {
        t.width[i] = wider(wider(0, columns[i].head[0]), columns[i].head[1]);
        for (int r = 0; r < count; r++)
            t.width[i] = wider(t.width[i], rows[r].cell[i]);
        used += ++t.width[i];
    }
    for (int i = 0; i < column_count && t.name + t.result + used > terminal_width(); i++)
        t.width[i]++; // with more than one line there is room for two blanks
    return t;
}

// Draws columns from to to - 1.
static void draw_columns(const struct table *t, const struct column *columns, int from, int to)
{
    for (int half = 0; half < 2; half++) {
        printf("%s%-*s%-*s", colour("dim"), t->name, half ? "step" : "", t->result, half ? "result" : "");
        for (int i = from; i < to; i++)
            printf("%*s", t->width[i], columns[i].head[half]);
        printf("%s\n", colour("off"));
    }
    for (int r = 0; r < t->count; r++) {
        const struct row *row = &t->rows[r];

        printf("%-*s%s%-*s%s", t->name, row->name, state_colour(row->state), t->result, row_word(row), colour("off"));
        for (int i = from; i < to; i++)
            printf("%*s", t->width[i], row->cell[i]);
        printf("\n");
    }
    printf("\n");
}

// Draws the table: the columns that fit, then the others below with the steps' names repeated.
static void draw(const struct row *rows, int count, const struct column *columns, int column_count)
{
    struct table t = measure(rows, count, columns, column_count);
    int width = terminal_width();

    for (int from = 0, to; from < column_count; from = to) {
        int used = t.name + t.result;

        for (to = from; to < column_count && (to == from || used + t.width[to] <= width); to++)
            used += t.width[to];
        draw_columns(&t, columns, from, to);
    }
}

static void draw_markdown(const struct row *rows, int count)
{
    size_t columns = sizeof counted / sizeof *counted;

    printf("| step |");
    for (size_t i = 0; i < columns; i++)
        printf(" %s%s%s |", counted[i].over,
               counted[i].plus    ? " + "
               : counted[i].under ? " / "
                                  : "",
               counted[i].plus    ? counted[i].plus
               : counted[i].under ? counted[i].under
                                  : "");
    printf("\n|---|");
    for (size_t i = 0; i < columns; i++)
        printf("---:|");
    for (int r = 0; r < count; r++) {
        printf("\n| %s |", rows[r].name);
        for (size_t i = 0; i < columns; i++)
            printf(" %s |", rows[r].cell[i]);
    }
    printf("\n");
}

static void estimate_row(struct row *row, const struct step *step, const struct ladder_options *options,
                         struct estimate *e)
{
    bool found = row->state == PASSED && step_estimate(step, options->own, e);

    for (size_t i = 0; i < sizeof estimated / sizeof *estimated; i++)
        strcpy(row->cell[i], "-");
    if (!found)
        return;
    snprintf(row->cell[0], CELL, "%.0f", e->n);
    snprintf(row->cell[1], CELL, "~%.4f", e->ms);
    snprintf(row->cell[2], CELL, "%.0f%%", 100 * e->limit_share);
    snprintf(row->cell[3], CELL, "%.*s", CELL - 1, e->limit);
}

// Estimates the passed programs' times on a GPU; rows are those of the counters.
static void draw_estimates(const char *chapter, const struct ladder_options *options, struct row *rows, int count)
{
    struct estimate e = {.gpu = ""};
    int row = 0;

    bar_open(count);
    for (int i = 0; i < course.count; i++)
        if (strcmp(course.steps[i].chapter, chapter) == 0) {
            bar_part(course.steps[i].name);
            estimate_row(&rows[row++], &course.steps[i], options, &e);
        }
    bar_close();
    if (!*e.gpu) {
        printf("No step can be estimated.\n\n");
        return;
    }
    printf("Estimated for an %s, not measured; what limits each step, and how much of its time that takes\n\n", e.gpu);
    draw(rows, count, estimated, sizeof estimated / sizeof *estimated);
}

static void times_on_gpu(const char *chapter, const struct ladder_options *options, int steps)
{
    struct row *rows = checked(calloc((size_t)steps + 1, sizeof *rows));
    const char *dash = strchr(chapter, '-');
    char *peer = text_format("%s/peers/%s", course.build, dash ? dash + 1 : chapter);
    int count = 0;

    for (int i = 0; i < course.count; i++) {
        char *program;

        if (strcmp(course.steps[i].chapter, chapter) != 0 || !runs_on_gpu(&course.steps[i]))
            continue;
        program = program_path(&course.steps[i], options->own);
        rows[count].name = course.steps[i].name;
        strcat(program = checked(realloc(program, strlen(program) + 5)), ".gpu");
        time_row(&rows[count++], program, false);
        free(program);
    }
    if (access(peer, X_OK) == 0) {
        rows[count].name = "peer";
        time_row(&rows[count++], peer, true);
    }
    printf("Times on the GPU at the largest n, median\n\n");
    draw(rows, count, timed, sizeof timed / sizeof *timed);
    free(rows);
    free(peer);
}

static int ladder(const char *chapter, const struct ladder_options *options)
{
    struct row *rows = checked(calloc((size_t)course.count, sizeof *rows));
    const char *n = options->n ? options->n : common_n(chapter);
    int count = 0, passed = 0;

    for (int i = 0; i < course.count; i++)
        count += strcmp(course.steps[i].chapter, chapter) == 0;
    bar_open(count);
    count = 0;
    for (int i = 0; i < course.count; i++) {
        if (strcmp(course.steps[i].chapter, chapter) != 0)
            continue;
        bar_part(course.steps[i].name);
        count_row(&rows[count++], &course.steps[i], n, options);
    }
    bar_close();
    for (int i = 0; i < count; i++)
        passed += rows[i].state == PASSED;
    if (options->markdown) {
        draw_markdown(rows, count);
    } else {
        printf("\n%s%s%s, %s, %s%s, counted by the SIMT machine\n\n", colour("bold"), chapter, colour("off"),
               options->own ? "your programs" : "the reference solutions", n ? "n = " : "each at its own n",
               n ? n : "");
        draw(rows, count, counted, sizeof counted / sizeof *counted);
        if (options->estimate)
            draw_estimates(chapter, options, rows, count);
        if (*course.gpu && options->counts)
            printf("Times on your GPU, in minutes:\n    %s ladder %s\n\n", program_name, chapter);
        else if (*course.gpu)
            times_on_gpu(chapter, options, count);
    }
    free(rows);
    return options->own || passed == count ? 0 : 1;
}

int command_ladder(int argc, char **argv)
{
    struct ladder_options options = {0};
    const struct step *next_step = progress_next();
    const char *chapter = next_step ? next_step->chapter : course.steps[0].chapter;
    char *solutions = text_format("%s/solutions", course.source);

    options.own = access(solutions, F_OK) != 0;
    free(solutions);
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--mine") == 0)
            options.own = true;
        else if (strcmp(argv[i], "--built") == 0)
            options.built = true;
        else if (strcmp(argv[i], "--counts") == 0)
            options.counts = true;
        else if (strcmp(argv[i], "--markdown") == 0)
            options.markdown = true;
        else if (strcmp(argv[i], "--estimate") == 0)
            options.estimate = true;
        else if (strcmp(argv[i], "--n") == 0 && i + 1 < argc)
            options.n = argv[++i], options.counts = true; // times use sizes of their own
        else if (argv[i][0] == '-')
            return usage_error("ladder ", "unknown option", argv[i]);
        else if (!(chapter = course_find_chapter(argv[i])))
            return 1;
    }
    return ladder(chapter, &options);
}

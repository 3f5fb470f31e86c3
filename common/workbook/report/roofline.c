// The roofline of instructions: warp instructions per nanosecond against warp instructions per byte of device memory.
// A dot near the slope is bound by memory, one near the flat part by instruction issue; a dot far below both has
// another limit.
#include "report/roofline.h"
#include "report/charts.h"
#include "process/measure.h"
#include "course/course.h"
#include "base/bar.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEFT = 56, TOP = 40, WIDTH = 400, HEIGHT = 220, MAX_DOTS = 64 };

struct dots {
    const struct step *step[MAX_DOTS];
    struct estimate e[MAX_DOTS];
    int count;
    double low, high; // of the y axis; x has the same scale, around the ridge
};

static void estimate_all(struct dots *dots, const char *chapter)
{
    bar_open(course.count);
    for (int i = 0; i < course.count && dots->count < MAX_DOTS; i++) {
        const struct step *step = &course.steps[i];
        struct estimate *e = &dots->e[dots->count];

        bar_part(step->name);
        if (runs_unchanged(step, chapter) && step_estimate(step, grades_own(), e) && e->bytes > 0)
            dots->step[dots->count++] = step;
    }
    bar_close();
}

static double rate(const struct estimate *e)
{
    return e->instructions / (e->ms * 1e6);
}

static double height(const struct dots *dots, double y)
{
    return TOP + HEIGHT * (1 - log(y / dots->low) / log(dots->high / dots->low));
}

// Instructions per byte: the ridge, where both roofs meet, stands at two thirds of the width.
static double place(const struct dots *dots, double x)
{
    double ridge = dots->e[0].issue_rate / dots->e[0].memory_rate;
    double at = LEFT + WIDTH * (2 / 3.0 + log(x / ridge) / log(dots->high / dots->low));

    return fmin(fmax(at, LEFT), LEFT + WIDTH);
}

static void write_roof(FILE *file, const struct dots *dots)
{
    double issue = dots->e[0].issue_rate, memory = dots->e[0].memory_rate;
    double first = issue / memory * pow(dots->low / dots->high, 2 / 3.0); // at the left edge

    fprintf(file,
            "<polyline points=\"%.1f,%.1f %.1f,%.1f %d,%.1f\" fill=\"none\" stroke=\"#9aa9c9\" stroke-width=\"2\"/>\n",
            place(dots, first), height(dots, memory * first), place(dots, issue / memory), height(dots, issue),
            LEFT + WIDTH, height(dots, issue));
    for (double y = dots->low; y <= dots->high; y *= 10)
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, height(dots, y) + 4, y);
    for (double x = 1e-6; x < 1e3; x *= 10)
        if (place(dots, x) > LEFT && place(dots, x) < LEFT + WIDTH)
            fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", place(dots, x),
                    TOP + HEIGHT + 16, x);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">issue: %.0f</text>\n", LEFT + WIDTH,
            height(dots, issue) - 6, issue);
    fprintf(file, "<text x=\"%d\" y=\"%d\">memory: %.0f GB/s</text>\n", LEFT + 6, TOP + HEIGHT - 8, memory);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">warp instructions for a byte of device memory</text>\n",
            LEFT + WIDTH, TOP + HEIGHT + 36);
}

static void write_dot(FILE *file, const struct dots *dots, int i)
{
    const struct estimate *e = &dots->e[i];
    double x = place(dots, e->instructions / e->bytes), y = height(dots, rate(e));

    fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#e8b04a\"><title>%s: ~%.4f ms, limited by ", x, y,
            dots->step[i]->name, e->ms);
    write_escaped(file, e->limit, false);
    fprintf(file, "</title></circle><text x=\"%.1f\" y=\"%.1f\">%d</text>\n", x + 6, y - 4, atoi(dots->step[i]->name));
}

void write_roofline(FILE *file, const char *chapter)
{
    struct dots *dots = checked(calloc(1, sizeof *dots));

    estimate_all(dots, chapter);
    if (dots->count > 0) {
        dots->high = pow(10, ceil(log10(dots->e[0].issue_rate)));
        dots->low = dots->high / 1e5;
        for (int i = 0; i < dots->count; i++)
            while (rate(&dots->e[i]) < dots->low)
                dots->low /= 10;
        fprintf(
            file,
            "<figure>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"Roofline\">\n",
            LEFT + WIDTH + 30, TOP + HEIGHT + 44, LEFT + WIDTH + 30, TOP + HEIGHT + 44);
        fprintf(file, "<text x=\"0\" y=\"14\" class=\"title\">Estimated: warp instructions in a nanosecond</text>\n");
        write_roof(file, dots);
        for (int i = 0; i < dots->count; i++)
            write_dot(file, dots, i);
        fprintf(file, "</svg>\n<figcaption>Your programs that passed, by their numbers, under the roofline of an ");
        write_escaped(file, dots->e[0].gpu, false);
        fprintf(file, ". Estimated, not measured, n = %.0f.</figcaption>\n</figure>\n", dots->e[0].n);
    }
    free(dots);
}

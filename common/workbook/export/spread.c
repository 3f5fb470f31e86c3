// The spread of the counters of those who passed a step: one line for each bound of its lesson, and one for the warp
// instructions. A dot is a program; a diamond is the reference. The values come from the logs.
#include "export/spread.h"
#include "base/files.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char met[] = "\nmet      ", instructions[] = "  warp instructions ";

// The n-th bound in a run's list. Returns the length of its name, "shared stores"; 0: none.
static size_t find_bound(const char *log, int n, const char **words, double *value)
{
    const char *at = strstr(log, met), *colon;

    while (at && n-- > 0)
        at = strstr(at + 1, met);
    if (!at)
        return 0;
    *words = at + strlen(met);
    colon = strstr(*words, ": ");
    if (!colon || colon > line_end(*words))
        return 0;
    *value = strtod(colon + 2, NULL);
    return (size_t)(colon - *words);
}

// A counter: bound n of the step, or after the last bound the warp instructions.
static size_t find_counter(const struct step *step, const char *log, int n, const char **words, double *value)
{
    const char *at;

    if (n < step->lesson)
        return find_bound(log, n, words, value);
    if (!(at = strstr(log, instructions)))
        return 0;
    *words = "warp instructions";
    *value = strtod(at + strlen(instructions), NULL);
    return strlen(*words);
}

enum { WIDTH = 340, LEFT = 10, RIGHT = 330, MIDDLE = 16, HEIGHT = 44 };

struct strip {
    double *values, least, most, reference; // reference: NAN if there is none
    int count;
    char *words;
};

static double place_of(const struct strip *strip, double value)
{
    return LEFT + (RIGHT - LEFT) * (value - strip->least) / (strip->most - strip->least);
}

static void draw(FILE *to, const struct strip *strip)
{
    fprintf(to, "<figure><figcaption>");
    write_escaped(to, strip->words, false);
    fprintf(to, "</figcaption><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\"", WIDTH, HEIGHT, WIDTH,
            HEIGHT);
    fprintf(to, " aria-label=\"from %.10g to %.10g\">", strip->least, strip->most);
    fprintf(to, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", LEFT, RIGHT, MIDDLE, MIDDLE);
    for (int i = 0; i < strip->count; i++)
        fprintf(to, "<circle cx=\"%.1f\" cy=\"%d\" r=\"5\"/>", place_of(strip, strip->values[i]), MIDDLE);
    if (!isnan(strip->reference)) {
        double x = place_of(strip, strip->reference);

        fprintf(to, "<path d=\"M%.1f %d l6 8 l-6 8 l-6 -8 z\"><title>the reference: %.10g</title></path>", x,
                MIDDLE - 8, strip->reference);
    }
    fprintf(
        to,
        "<text x=\"%d\" y=\"%d\">%.10g</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.10g</text></svg></figure>\n",
        LEFT, HEIGHT - 4, strip->least, RIGHT, HEIGHT - 4, strip->most);
}

static void show(FILE *to, struct strip *strip)
{
    bool has = !isnan(strip->reference);

    strip->least = has ? strip->reference : strip->values[0];
    strip->most = strip->least;
    for (int i = 0; i < strip->count; i++) {
        strip->least = fmin(strip->least, strip->values[i]);
        strip->most = fmax(strip->most, strip->values[i]);
    }
    if (strip->most > strip->least) {
        draw(to, strip);
        return;
    }
    fprintf(to, "<p class=\"same\">");
    write_escaped(to, strip->words, false);
    fprintf(to, ": %.10g%s</p>\n", strip->least, has ? ", as in the reference" : "");
}

void write_spread(FILE *to, const struct class *class, const struct step *step, const char *reference)
{
    char **logs = checked(calloc((size_t) class->count + 1, sizeof *logs));
    struct strip strip = {.values = checked(calloc((size_t) class->count + 1, sizeof *strip.values))};
    int passed = 0;

    for (int i = 0; i < class->count; i++)
        if (class->marks[i].step == step && class->marks[i].state == PASSED && class->marks[i].log) {
            char *path = text_format("%s/%s", class->out, class->marks[i].log);

            logs[passed] = file_read(path);
            passed += logs[passed] != NULL;
            free(path);
        }
    for (int n = 0; n <= step->lesson; n++) {
        const char *words = "";
        size_t length = 0;
        double value;

        strip.count = 0;
        for (int i = 0; i < passed; i++)
            if ((length = find_counter(step, logs[i], n, &words, &value)) > 0) {
                strip.values[strip.count++] = value;
                free(strip.words);
                strip.words = text_format("%.*s", (int)length, words);
            }
        strip.reference = NAN;
        if (reference && find_counter(step, reference, n, &words, &value) > 0)
            strip.reference = value;
        if (strip.count > 0)
            show(to, &strip);
    }
    for (int i = 0; i < passed; i++)
        free(logs[i]);
    free(strip.words);
    free(strip.values);
    free(logs);
}

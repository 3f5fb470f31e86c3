// Parses the lines NAME VALUE of a card. The card of an H200 is compiled in, so that an estimate needs no file.
#include "report/gpu.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gpu h200 = {
    .name = "H200",
#define RATE(name, value, source) .name = value,
#include "report/h200.def"
#undef RATE
};

static double *find_rate(struct gpu *g, const char *name)
{
#define RATE(field, value, source) \
    if (!strcmp(name, #field)) \
        return &g->field;
#include "report/h200.def"
#undef RATE
    return NULL;
}

// Parses a line without its comment: "name NAME", or a rate and its positive value. False, and why: it is neither.
static bool read_line(struct gpu *g, char *line, char *why, size_t size)
{
    char name[64], text[64], more[2], *end;
    line[strcspn(line, "#\n")] = 0;
    int words = sscanf(line, "%63s %63s %1s", name, text, more);
    if (words <= 0)
        return true;
    double *rate = words == 2 ? find_rate(g, name) : NULL;
    if (words == 2 && !strcmp(name, "name")) {
        snprintf(g->name, sizeof g->name, "%s", text);
        return true;
    }
    if (!rate)
        return snprintf(why, size, "\"%s\" is not a line NAME VALUE with a name of h200.def", line), false;
    double value = strtod(text, &end);
    if (*end || !isfinite(value) || value <= 0)
        return snprintf(why, size, "%s is %s; it must be a number above 0", name, text), false;
    *rate = value;
    return true;
}

static bool read_file(FILE *f, const char *path, struct gpu *g, char *error, size_t error_size)
{
    char line[256], why[400];
    for (int number = 1; fgets(line, sizeof line, f); number++)
        if (!read_line(g, line, why, sizeof why))
            return snprintf(error, error_size, "%s:%d: %s", path, number, why), false;
    return true;
}

_Bool gpu_read(const char *name, struct gpu *out, char *error, size_t error_size)
{
    *out = h200;
    if (!strcmp(name, "h200") || !strcmp(name, "1"))
        return true;
    FILE *f = fopen(name, "r");
    if (!f)
        return snprintf(error, error_size, "no GPU and no file of that name"), false;
    snprintf(out->name, sizeof out->name, "GPU of %.50s", name);
    bool right = read_file(f, name, out, error, error_size);
    fclose(f);
    return right;
}

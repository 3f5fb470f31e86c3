// chart.c: a bar chart.
#pragma once

#include <stdio.h>

enum { MAX_BARS = 64 };

struct chart {
    char title[96], note[240];
    const char *tint;
    double most; // minimum of the value that takes the whole width
    int count;
    struct bar {
        char label[64], words[64];
        double value;
    } bars[MAX_BARS];
};

void chart_add(struct chart *chart, const char *label, double value, const char *words);

// As SVG; as a sentence if all values are 0.
void write_chart(FILE *file, const struct chart *chart);

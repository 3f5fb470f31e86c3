// Draws a bar chart as SVG.
#include "report/chart.h"
#include "base/text.h"

#include <stdio.h>

void chart_add(struct chart *chart, const char *label, double value, const char *words)
{
    struct bar *bar = &chart->bars[chart->count];

    if (chart->count == MAX_BARS)
        return;
    snprintf(bar->label, sizeof bar->label, "%s", label);
    snprintf(bar->words, sizeof bar->words, "%s", words);
    bar->value = value;
    chart->count++;
}

// The text of a chart without bars.
static void write_none(FILE *file, const struct chart *chart)
{
    fprintf(file, "<p><b>");
    write_escaped(file, chart->title, false);
    fprintf(file, "</b>: none. ");
    write_escaped(file, chart->note, false);
    fprintf(file, "</p>\n");
}

// Draws bars from 0, the longest over the whole width, each followed by its value in words.
void write_chart(FILE *file, const struct chart *chart)
{
    enum { LABEL = 150, WIDTH = 200, WORDS = 160, ROW = 20 };
    double largest = 0, most;

    for (int i = 0; i < chart->count; i++)
        largest = chart->bars[i].value > largest ? chart->bars[i].value : largest;
    if (largest == 0) {
        write_none(file, chart);
        return;
    }
    most = largest > chart->most ? largest : chart->most;
    fprintf(file, "<figure>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"",
            LABEL + WIDTH + WORDS, 24 + ROW * chart->count, LABEL + WIDTH + WORDS, 24 + ROW * chart->count);
    write_escaped(file, chart->title, false);
    fprintf(file, "\">\n<text x=\"0\" y=\"14\" class=\"title\">");
    write_escaped(file, chart->title, false);
    fprintf(file, "</text>\n");
    for (int i = 0; i < chart->count; i++) {
        const struct bar *bar = &chart->bars[i];
        double width = WIDTH * bar->value / most;
        int y = 24 + i * ROW;

        fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABEL - 8, y + 14);
        write_escaped(file, bar->label, false);
        fprintf(file,
                "</text><rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/><text x=\"%.1f\" y=\"%d\">",
                LABEL, y + 2, width, ROW - 4, chart->tint, LABEL + width + 6, y + 14);
        write_escaped(file, bar->words, false);
        fprintf(file, "</text>\n");
    }
    fprintf(file, "</svg>\n<figcaption>");
    write_escaped(file, chart->note, false);
    fprintf(file, "</figcaption>\n</figure>\n");
}

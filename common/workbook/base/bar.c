// Draws a progress bar on the terminal for work that takes longer than two seconds: the current part, parts done,
// seconds elapsed.
#include "base/bar.h"
#include "base/clock.h"
#include "base/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool open, drawn;
    int parts, part; // part: the current one, from 0
    double share;    // the finished share of the current part
    double begin, last;
    char what[128];
} bar;

void bar_open(int parts)
{
    const char *term = getenv("TERM");

    memset(&bar, 0, sizeof bar);
    bar.open = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    bar.parts = parts;
    bar.part = -1;
    bar.begin = seconds();
}

void bar_wipe(void)
{
    if (bar.drawn)
        fprintf(stderr, "\r\033[K");
    bar.drawn = false;
}

void bar_part(const char *what)
{
    snprintf(bar.what, sizeof bar.what, "%s", what);
    bar.part++;
    bar.share = 0;
    bar_wipe();
}

void bar_share(double share)
{
    bar.share = share;
}

void bar_tick(void)
{
    enum { CELLS = 12, ROOM = CELLS + 8 }; // columns of the bar, and of the bar with the numbers around it
    double now = seconds(), done;
    int words = terminal_width() - ROOM - 1;

    if (!bar.open || now - bar.begin < 2 || now - bar.last < 0.2)
        return;
    bar.last = now;
    bar.drawn = true;
    done = (bar.part + bar.share) / bar.parts;
    fprintf(stderr, "\r\033[K");
    for (int i = 0; i < CELLS; i++)
        fputs(i < done * CELLS ? terminal_sign("█", "#") : terminal_sign("░", "."), stderr);
    fprintf(stderr, " %.*s %3.0f s", words > 0 ? words : 0, bar.what, now - bar.begin);
    fflush(stderr);
}

void bar_close(void)
{
    bar_wipe();
    bar.open = false;
}

// bar.c: a progress bar, which appears after two seconds and must be wiped before other output.
#pragma once

void bar_open(int parts);
void bar_part(const char *what); // starts the next part
void bar_share(double share);    // sets the finished share of this part
void bar_tick(void);             // redraws the bar, at most five times a second
void bar_wipe(void);             // before other output; the next tick draws the bar again
void bar_close(void);

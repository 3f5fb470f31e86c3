// bar.c: shown on a terminal when two seconds have gone; wiped before anything else is printed.
#pragma once

void bar_open(int parts);
void bar_part(const char *what); // the next part begins
void bar_share(double share);    // of this part that is done
void bar_tick(void);             // draws it, at most five times a second
void bar_wipe(void);             // before something is printed; it comes back at the next tick
void bar_close(void);

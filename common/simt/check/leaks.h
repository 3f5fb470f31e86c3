// Leaks: what the program allocated and never freed.
#ifndef SIMT_LEAKS_H
#define SIMT_LEAKS_H

void report_leaks(void); // if the settings ask for it

#endif

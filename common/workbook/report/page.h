// page.c: the report as a page of HTML.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/results.h"
#include <stdio.h>

// The head of a page, open for more: its style, and its title, which may be a stranger's text.
void page_begin(FILE *file, const char *title);

void write_page(FILE *file, const struct results *results);

#endif

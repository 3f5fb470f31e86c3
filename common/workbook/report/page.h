// page.c: the report as a page of HTML.
#pragma once

#include "report/results.h"
#include <stdio.h>

// The head of a page, open for more: its style, and its title, which may be a stranger's text.
void page_begin(FILE *file, const char *title);

void write_page(FILE *file, const struct results *results);

// page.c: the report as a page of HTML.
#pragma once

#include "report/results.h"
#include <stdio.h>

// The beginning of a page, up to its body: its style, and its title, which may be untrusted text.
void page_begin(FILE *file, const char *title);

void write_page(FILE *file, const struct results *results);

// page.c: the report as a page of HTML.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/results.h"
#include <stdio.h>

void write_page(FILE *file, const struct results *results);

#endif

// course_xrays.c: what the pages of a course show beside its record.
#pragma once

#include "export/pages.h"

// Runs the submission of each student's first finding under SIMT_TRACE and writes folder/xrays/HASH.html, one page for
// all who handed in the same text; and the reference solution of each step, where the tree has it. To be freed.
struct extras course_extras(const struct class *class, const char *folder);
void extras_free(struct extras *extras, const struct class *class);

// course_xrays.c: what the pages of a course show in addition to its record.
#pragma once

#include "export/pages.h"

// Runs the submission behind each student's first finding under SIMT_TRACE and writes folder/xrays/HASH.html, one page
// per distinct text. Also runs the reference solution of each step, if the tree has it. The caller frees the result.
struct extras course_extras(const struct class *class, const char *folder);
void extras_free(struct extras *extras, const struct class *class);

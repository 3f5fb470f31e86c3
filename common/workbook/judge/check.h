// check.c: may a submission be graded?
#pragma once

#include "course/course.h"

// NULL: yes; else one line that says why not, to be freed.
char *check_source(const struct step *step, const char *text, const char *given, char **altered);

// The same check for the files that the compiler read for it; list is what nvcc -MD wrote.
char *check_headers(const struct step *step, const char *list);

// The same check for the files that the compiler's messages name and quote; source: the submission.
char *check_messages(const struct step *step, const char *source, const char *said);

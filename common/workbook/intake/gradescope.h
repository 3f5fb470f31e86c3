// gradescope.c: Gradescope's list of submissions.
#pragma once

#include "intake/names.h"

#define GRADESCOPE_FILE "submission_metadata.yml"

struct gradescope;

// The list in folder; NULL: there is none.
struct gradescope *gradescope_read(const char *folder);
void gradescope_free(struct gradescope *list);

// Who handed in the folder called submission: the first submitter, by sid, else by email. False: not in the list.
bool gradescope_who(const struct gradescope *list, const char *submission, struct who *who);
char *gradescope_email(const struct gradescope *list, const char *submission); // to be freed, or NULL
double gradescope_time(const struct gradescope *list, const char *submission); // seconds since 1970; 0: not stated

// manifest.c: the hashes of the hand-out.
#pragma once

#include "course/course.h"
#include <stdbool.h>

// The step's file as it was handed out, which the caller frees; NULL after a message.
char *handed_out(const struct step *step);

// The hashes of everything that grades: the first function prints them, the second compares them with
// common/handout.manifest and returns NULL if they are as handed out.
int manifest_print(void);
char *manifest_check(void);

// Whether the manifest has the hash of text, a header, a table or a starter, for path.
bool manifest_agrees(const char *path, const char *text);
char *manifest_stale(void); // the first header or table whose hash differs or is missing, to be freed; or NULL

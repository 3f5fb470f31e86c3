// examples.c: the submissions of tests/submissions.
#pragma once

#include "course/course.h"

#include <stdbool.h>

// A submission, and its expected verdict.
struct example {
    const struct step *step;
    char *name;           // "01-reduction.05-sequential.no-barrier"
    char *place;          // as a user names it: "01-reduction/05-sequential.wrong.no-barrier"
    char *wanted, *words; // "result 2, safety 3"; "Race"
    char *hint;           // how the hint for it begins, or NULL: it is not a common mistake
    char *text;           // the program
    bool uses_library;    // one whose headers a student's program must not include
};

struct examples {
    struct example *at;
    int count;
};

// Whether all stages should pass.
bool example_is_right(const struct example *e);

// Adds the submissions of a file, CHAPTER/STEP.KIND, or the one called NAME, CHAPTER/STEP.KIND.NAME. False after a
// message: there is none, or an edit does not fit.
bool examples_read(struct examples *examples, const char *place);

void examples_free(struct examples *examples);

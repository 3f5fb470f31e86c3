// roster.c: the list of those who take the course.
#pragma once

#include "intake/intake.h"

// Gives the students the names and addresses of the list at path, a table with a header, and adds those of it who
// handed in nothing. columns: "id=Matrikel,name=Wer,email=Post" where the headers are none of the usual ones, or NULL.
// False after a message.
bool roster_read(struct intake *in, const char *path, const char *columns);

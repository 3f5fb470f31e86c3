// roster.c: the list of the course's members.
#pragma once

#include "intake/intake.h"

// Gives the students the names and addresses of the list at path, a table with a header, and adds the members who
// handed in nothing. columns: "id=Matrikel,name=Wer,email=Post" if the headers are not the usual ones, or NULL. False
// after a message.
bool roster_read(struct intake *in, const char *path, const char *columns);

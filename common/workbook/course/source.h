// source.c: exercise files.
#pragma once

#include <stdbool.h>

// The starter of a solution (or of a student's file): the code between `// TODO:`, with the comment lines that directly
// follow it, and `// END TODO` gives way to the line `#define TODO_OPEN`. NULL when a region is not closed or there is
// none.
char *starter_text(const char *text);

// The line of the first `#define TODO_OPEN`; 0 when there is none.
int open_todo(const char *text);

// For every line of text, from 1 on, whether it is code of a TODO region; to be freed. *markers: how many lines open or
// close one.
bool *todo_lines(const char *text, int *markers);

int todo_line(const char *text); // of the first `// TODO:`; 0 when there is none

// Words of the TODO regions, without slashes; to be freed.
char *todo_words(const char *text);

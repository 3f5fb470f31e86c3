// source.c: exercise files.
#pragma once

#include <stdbool.h>

// The starter of a solution (or of a student's file). In each region, the line `#define TODO_OPEN` replaces the code
// between `// TODO:`, with the comment lines directly after it, and `// END TODO`. NULL if a region is not closed or
// there is none.
char *starter_text(const char *text);

// The line of the first `#define TODO_OPEN`; 0 if there is none.
int open_todo(const char *text);

// For every line of text, from 1 on, whether it is code of a TODO region; the caller frees it. *markers: the number of
// lines that open or close one.
bool *todo_lines(const char *text, int *markers);

int todo_line(const char *text); // of the first `// TODO:`; 0 if there is none

// The text of the TODO regions, without slashes; the caller frees it.
char *todo_words(const char *text);

// text.c: strings.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void *checked(void *memory); // ends the program if memory is NULL

// A new string, which the caller frees.
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_from(const char *format, va_list arguments);

uint64_t text_hash(const char *text);

// The end of the line that begins here: after its newline, or the end of the text. To walk all lines of a text:
//
//     for (const char *line = text; *line; line = line_end(line))
const char *line_end(const char *line);

int utf8_length(const char *text);
// The code of the character that text begins with if it shows nothing and moves or hides others: C1 controls, marks of
// the direction of writing, separators of lines, blanks without width. *bytes: its length. 0: another character.
unsigned utf8_hidden(const char *text, int *bytes);
int text_columns(const char *text);
void write_escaped(FILE *file, const char *text, bool json); // for JSON; otherwise for XML and HTML

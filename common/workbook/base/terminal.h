// terminal.c: what the terminal can show.
#pragma once

#include <stdbool.h>

extern const char *program_name; // as the user called it

void terminal_open(void);
bool terminal_shown(void); // is stdout one?
int terminal_width(void);
bool terminal_utf8(void);
const char *colour(const char *name); // "red", "green", "yellow", "bold", "dim", "off"; "" where there is no colour
const char *terminal_sign(const char *utf8, const char *ascii);
const char *verdict_sign(bool good); // "✓" or "✗", or words for them
char *text_plain(const char *text); // untrusted text, for a terminal
void terminal_clear(void);          // on a terminal only
// A line and its end on stdout; where it is wider than width, broken at blanks, and what follows indented.
void print_folded(const char *line, int length, int width);
void print_line(const char *format, ...) __attribute__((format(printf, 1, 2))); // to the width of the terminal
int terminal_fold(void);            // the width for a program's lines: a file or a pipe gets them whole
void print_wrapped(const char *text); // on stdout; where a line is too wide, all are wrapped again
int usage_error(const char *command, const char *problem, const char *argument); // 1; argument may be NULL

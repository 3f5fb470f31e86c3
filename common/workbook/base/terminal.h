// terminal.c: what the terminal can display.
#pragma once

#include <stdbool.h>

extern const char *program_name; // as the user called it

void terminal_open(void);
bool terminal_shown(void); // whether stdout is a terminal
int terminal_width(void);
bool terminal_utf8(void);
const char *colour(const char *name); // "red", "green", "yellow", "bold", "dim", "off"; "" without colour
const char *terminal_sign(const char *utf8, const char *ascii);
const char *verdict_sign(bool good); // "✓" or "✗", or words for them
char *text_plain(const char *text); // untrusted text, for a terminal
void terminal_clear(void);          // does nothing unless stdout is a terminal
// Prints a line with its newline; breaks a line wider than width at blanks and indents the rest.
void print_folded(const char *line, int length, int width);
void print_line(const char *format, ...) __attribute__((format(printf, 1, 2))); // to the width of the terminal
int terminal_fold(void);            // the width for a program's lines; unlimited for a file or a pipe
void print_wrapped(const char *text); // to stdout; if any line is too wide, rewraps all of them
int usage_error(const char *command, const char *problem, const char *argument); // returns 1; argument may be NULL

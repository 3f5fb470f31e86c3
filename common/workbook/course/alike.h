// alike.c: programs that differ only in how they are written down.
#pragma once

// The program without comments, indentation, line breaks, and blanks that separate no tokens: two sources with the same
// text compile to the same code, but for line numbers. The caller frees it. NULL: the program can see how it is written
// down (__LINE__, #argument), so it is like no other.
char *program_text(const char *source);

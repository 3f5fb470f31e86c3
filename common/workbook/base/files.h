// files.c: files and folders.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The whole file, ended by 0, or NULL.
char *file_read(const char *path);
char *bytes_read(const char *path, size_t *size); // the same, and how many bytes it has
uint64_t bytes_hash(const char *path);            // of all its bytes; 0: there is none
bool file_is(const char *path);                   // a regular file is there
bool path_leaves(const char *path);               // its folder: it is absolute, or has a component ".."
bool file_write(const char *path, const char *text);
bool file_finish(FILE *file, const char *path); // closes the output; false after a message, also for NULL

bool folder_make(char *path);          // and those above it; path is as before when it returns
void folder_remove(const char *path);  // and all that is in it
bool folder_is_full(const char *path); // its disk has no room for a program

const char *shown(const char *path); // as the user would type it from where he stands
char *printable_text(const char *text);  // the same for all paths in a text; to be freed

// files.c: files and folders.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The whole file, ended by 0, or NULL.
char *file_read(const char *path);
char *bytes_read(const char *path, size_t *size); // the same, with the number of bytes
uint64_t bytes_hash(const char *path);            // of the file's bytes; 0: no such file
bool file_is(const char *path);                   // whether it is a regular file
bool path_leaves(const char *path);               // its folder; refuses an absolute path or a component ".."
bool file_write(const char *path, const char *text);
bool file_finish(FILE *file, const char *path); // closes the output; false after a message, also for NULL

// A file that replaces the one at path at once, when it is complete: if the disk is full, the old one stays. file_draft
// opens it, or returns NULL; file_replace closes it. False after a message, also for NULL.
FILE *file_draft(const char *path);
bool file_replace(FILE *file, const char *path);

bool folder_make(char *path);          // and its parents; restores path before it returns
void folder_remove(const char *path);  // and everything in it
bool folder_is_full(const char *path); // whether its disk is too full for a program

const char *shown(const char *path); // as the user would type it from the current folder
char *printable_text(const char *text);  // the same for all paths in a text; to be freed

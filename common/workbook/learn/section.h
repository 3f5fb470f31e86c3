// section.c: the keys of a section in hunts.txt and projects.txt.
#pragma once

// The value of `key: ` in the section at text, which ends at the next "## ": its lines joined, or "" if it is missing.
// The caller frees it.
char *section_value(const char *text, const char *key);

// Splits "1000 1, 1 1" into a list ended by NULL; takes ownership of words.
char **section_list(char *words);
void section_list_free(char **list);

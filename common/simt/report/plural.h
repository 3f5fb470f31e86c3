// Plurals in messages, which are put together from numbers.
#ifndef SIMT_REPORT_PLURAL_H
#define SIMT_REPORT_PLURAL_H

// Makes "1 bytes" of a message "1 byte", in place; so of every noun that messages count (plural.c).
void correct_plurals(char *text);

#endif

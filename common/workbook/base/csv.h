// csv.c: tables as spreadsheets and learning systems write them.
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct csv {
    char ***rows; // rows[row][column], each row ended by NULL; row 0 is the header
    int count;
    char separator; // as in the header: a comma, a semicolon or a tab
    bool crlf, bom; // as it was read, so that it can be written the same way
};

// Parses text in RFC 4180 format with any of the three separators. Returns false if a quotation mark is not closed.
bool csv_parse(struct csv *csv, const char *text);
void csv_free(struct csv *csv);

// The column whose header is one of names (ended by NULL), ignoring case; -1: none.
int csv_column(const struct csv *csv, const char *const names[]);
const char *csv_field(const struct csv *csv, int row, int column);    // "" if the row lacks the column
void csv_set(struct csv *csv, int row, int column, const char *text); // if the row has that column

void csv_print_header(FILE *to, const struct csv *csv); // its titles, quoted, in one line for a terminal
void csv_write(FILE *to, const struct csv *csv);

// Untrusted text for a cell: an apostrophe precedes what a spreadsheet would run as a formula. The caller frees it.
char *csv_harmless(const char *text);

// csv.c: tables as spreadsheets and learning systems write them.
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct csv {
    char ***rows; // rows[row][column], each row ended by NULL; row 0 is the header
    int count;
    char separator; // of the header: a comma, a semicolon or a tab
    bool crlf, bom; // as it was read, so that it can be written in the same way
};

// Text as RFC 4180 has it, with any of the three separators. False where a quotation mark is not closed.
bool csv_parse(struct csv *csv, const char *text);
void csv_free(struct csv *csv);

// The column whose header is one of the names, which end with NULL, in any case of letters; -1: none.
int csv_column(const struct csv *csv, const char *const names[]);
const char *csv_field(const struct csv *csv, int row, int column);    // "" if there is none
void csv_set(struct csv *csv, int row, int column, const char *text); // where the row has that column

void csv_write(FILE *to, const struct csv *csv);

// Text of strangers for a cell: what a spreadsheet would run as a formula has an apostrophe before it. To be freed.
char *csv_harmless(const char *text);

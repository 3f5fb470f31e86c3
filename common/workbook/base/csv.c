// Reads the tables that spreadsheets and learning systems write, changes a column, and writes them back
// otherwise unchanged.
#include "base/csv.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char BOM[] = "\xef\xbb\xbf";

// The separator that occurs most often in the header outside quotation marks.
static char find_separator(const char *text)
{
    static const char known[] = ",;\t";
    int most[3] = {0};
    bool quoted = false;

    for (const char *p = text; *p && (quoted || *p != '\n'); p++) {
        const char *at = strchr(known, *p);

        if (*p == '"')
            quoted = !quoted;
        else if (at && !quoted)
            most[at - known]++;
    }
    return most[1] > most[0] && most[1] >= most[2] ? ';' : most[2] > most[0] ? '\t' : ',';
}

// Reads the field at *at and moves *at past it; returns NULL if a quotation mark is not closed.
static char *read_field(const char **at, char separator)
{
    const char *p = *at;
    char *field = checked(malloc(strlen(p) + 1)), *out = field;
    bool quoted = *p == '"';

    for (p += quoted; *p; p++) {
        if (quoted && *p == '"' && p[1] == '"')
            p++;
        else if (quoted && *p == '"') {
            quoted = false;
            continue;
        } else if (!quoted && (*p == separator || *p == '\n' || (*p == '\r' && p[1] == '\n')))
            break;
        *out++ = *p;
    }
    *out = 0;
    *at = p;
    if (!quoted)
        return field;
    free(field);
    return NULL;
}

static char **read_row(const char **at, char separator)
{
    char **row = NULL;
    int count = 0;

    do {
        *at += count > 0;
        row = checked(realloc(row, (size_t)(count + 2) * sizeof *row));
        row[count] = read_field(at, separator);
        row[count + 1] = NULL;
    } while (row[count++] && **at == separator);
    if (!row[count - 1]) {
        for (int i = 0; row[i]; i++)
            free(row[i]);
        free(row);
        return NULL;
    }
    *at += **at == '\r';
    *at += **at == '\n';
    return row;
}

bool csv_parse(struct csv *csv, const char *text)
{
    *csv = (struct csv){.bom = strncmp(text, BOM, 3) == 0, .crlf = strstr(text, "\r\n") != NULL};
    text += csv->bom ? 3 : 0;
    csv->separator = find_separator(text);
    while (*text) {
        char **row = read_row(&text, csv->separator);

        if (!row) {
            csv_free(csv);
            return false;
        }
        csv->rows = checked(realloc(csv->rows, (size_t)(csv->count + 1) * sizeof *csv->rows));
        csv->rows[csv->count++] = row;
    }
    return true;
}

void csv_free(struct csv *csv)
{
    for (int row = 0; row < csv->count; row++) {
        for (int i = 0; csv->rows[row][i]; i++)
            free(csv->rows[row][i]);
        free(csv->rows[row]);
    }
    free(csv->rows);
    *csv = (struct csv){0};
}

int csv_column(const struct csv *csv, const char *const names[])
{
    for (int n = 0; csv->count > 0 && names[n]; n++)
        for (int i = 0; csv->rows[0][i]; i++)
            if (strcasecmp(csv->rows[0][i], names[n]) == 0)
                return i;
    return -1;
}

const char *csv_field(const struct csv *csv, int row, int column)
{
    if (row >= csv->count || column < 0)
        return "";
    for (int i = 0; csv->rows[row][i]; i++)
        if (i == column)
            return csv->rows[row][i];
    return "";
}

void csv_set(struct csv *csv, int row, int column, const char *text)
{
    for (int i = 0; csv->rows[row][i]; i++)
        if (i == column) {
            free(csv->rows[row][i]);
            csv->rows[row][i] = text_format("%s", text);
        }
}

// Writes the separator and then the field, quoted if necessary.
static void csv_put(FILE *to, const char *text, char separator)
{
    bool quoted = strpbrk(text, ",;\t\"\r\n") != NULL || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');

    if (separator)
        fputc(separator, to);
    if (quoted)
        fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    if (quoted)
        fputc('"', to);
}

void csv_print_header(FILE *to, const struct csv *csv)
{
    for (int i = 0; csv->count > 0 && csv->rows[0][i]; i++) {
        char *title = text_plain(csv->rows[0][i]);

        fprintf(to, "%s '%s'", i ? "," : "", title);
        free(title);
    }
}

void csv_write(FILE *to, const struct csv *csv)
{
    if (csv->bom)
        fputs(BOM, to);
    for (int row = 0; row < csv->count; row++) {
        for (int i = 0; csv->rows[row][i]; i++)
            csv_put(to, csv->rows[row][i], i > 0 ? csv->separator : 0);
        fputs(csv->crlf ? "\r\n" : "\n", to);
    }
}

char *csv_harmless(const char *text)
{
    return text_format("%s%s", *text && strchr("=+-@\t\r", *text) ? "'" : "", text);
}

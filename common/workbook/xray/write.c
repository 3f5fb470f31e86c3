// Writes the page of an x-ray: the text that the build made, with the programs as JSON in it. A source may contain
// anything, including the end of a script, so each of its < is escaped.
#include "xray/page.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char mark[] = "<!-- traces -->";

// JSON for a script element. In JSON < occurs only in strings.
static void write_json(FILE *file, const char *json)
{
    for (const char *at = json; *at;) {
        size_t plain = strcspn(at, "<");

        fwrite(at, 1, plain, file);
        at += plain;
        if (*at == '<') {
            fputs("\\u003c", file);
            at++;
        }
    }
}

static void write_string(FILE *file, const char *key, const char *text)
{
    char *json = NULL;
    size_t size;
    FILE *memory = open_memstream(&json, &size);

    fprintf(file, "\"%s\": \"", key);
    write_escaped(checked(memory), text, true);
    fclose(memory);
    write_json(file, checked(json));
    free(json);
    fputc('"', file);
}

static void write_start(FILE *file, const struct xray_program programs[], int count, const struct xray_start *start)
{
    fprintf(file, "<script type=\"application/json\" id=\"start\">{");
    write_string(file, "what", start->what);
    fprintf(file, ", ");
    write_string(file, "missed", start->missed ? start->missed : "");
    fprintf(file, ", ");
    write_string(file, "failed", start->failed ? start->failed : "");
    fprintf(file, ", ");
    write_string(file, "heat", start->heat ? start->heat : "");
    fprintf(file, ", ");
    write_string(file, "file", start->file ? start->file : "");
    fprintf(file, ", \"line\": %d, \"programs\": [", start->line);
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s{", i ? ", " : "");
        write_string(file, "title", programs[i].title);
        fprintf(file, ", ");
        write_string(file, "note", programs[i].note);
        fprintf(file, "}");
    }
    fprintf(file, "]}</script>\n");
}

void xray_write(FILE *file, const struct xray_program programs[], int count, const struct xray_start *start)
{
    const char *traces = strstr(xray_page, mark);

    fwrite(xray_page, 1, (size_t)(traces - xray_page), file);
    write_start(file, programs, count, start);
    for (int i = 0; i < count; i++) {
        fprintf(file, "<script type=\"application/json\" id=\"program-%d\">", i);
        write_json(file, programs[i].trace);
        fprintf(file, "</script>\n");
    }
    fputs(traces + strlen(mark), file);
}

// `workbook grade --merge DIR... --out DIR`: merges the parts of a course that several machines have graded.
#include "commands/merge.h"
#include "report/marks.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Prints the missing parts. False if any is missing.
static bool all_there(const bool *seen, int parts)
{
    int missing = 0;

    for (int k = 1; k <= parts; k++)
        if (!seen[k])
            fprintf(stderr, "%s%d/%d", missing++ ? ", " : "workbook: grade --merge: these parts are missing: ", k,
                    parts);
    if (missing)
        fprintf(stderr, "\n");
    return missing == 0;
}

static void take_file(const char *from, const char *out, const char *name)
{
    char *source = text_format("%s/%s", from, name), *target = text_format("%s/%s", out, name);
    char *text = file_read(source), *slash = strrchr(target, '/');

    *slash = 0;
    if (text && folder_make(target)) {
        *slash = '/';
        (void)!file_write(target, text);
    }
    free(text);
    free(source);
    free(target);
}

// Copies the logs and submissions of the marks from `first` on.
static void take_logs(const struct class *class, int first, const char *from, const char *out)
{
    for (int i = first; i < class->count; i++) {
        char *log = class->marks[i].log, *source;

        if (!log || path_leaves(log))
            continue;
        take_file(from, out, log);
        source = mark_source(&class->marks[i]);
        take_file(from, out, source);
        free(source);
    }
}

// Adds the record in folder; *parts: the number of parts, once a record is read. False after a message.
static bool add_part(struct class *class, const char *folder, const char *out, bool **seen, int *parts)
{
    char *path = text_format("%s/grades.json", folder);
    int before = class->count;
    bool good = record_add(class, path);

    if (good && *parts == 0) {
        *parts = class->parts;
        *seen = checked(calloc((size_t)*parts + 1, sizeof **seen));
    }
    if (good && (class->parts != *parts || class->part < 1 || class->part > *parts || (*seen)[class->part])) {
        fprintf(stderr, "workbook: %s is part %d of %d, %s\n", path, class->part, class->parts,
                class->parts != *parts ? "but others are parts of another number"
                                       : "but another folder has this part, too");
        good = false;
    }
    if (good) {
        (*seen)[class->part] = true;
        take_logs(class, before, folder, out);
    }
    free(path);
    return good;
}

// The argument of --out, or NULL after a message.
static char *find_out(int argc, char **argv)
{
    char *out = NULL;
    int folders = 0;

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            out = argv[++i];
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "workbook: grade --merge: '%s' is unknown, or has no value\n", argv[i]);
            return NULL;
        } else {
            folders++;
        }
    }
    if (!out || folders == 0)
        fprintf(stderr, "workbook: grade --merge needs the folders of all parts, and --out FOLDER\n");
    else if (!folder_make(out))
        fprintf(stderr, "workbook: cannot make %s\n", out);
    else
        return out;
    return NULL;
}

int merge_records(int argc, char **argv)
{
    struct class class = {0};
    bool *seen = NULL;
    char *out = find_out(argc, argv);
    bool good = out != NULL;
    int parts = 0;

    course_add_projects();
    for (int i = 0; i < argc && good; i++) {
        if (strcmp(argv[i], "--out") == 0)
            i++;
        else
            good = add_part(&class, argv[i], out, &seen, &parts);
    }
    good = good && all_there(seen, parts);
    if (good) {
        free(class.out);
        class.out = text_format("%s", out);
        class.part = class.parts = 1;
        class_sort(&class);
        good = marks_write(&class, out) == 0;
    }
    free(seen);
    class_free(&class);
    return !good;
}

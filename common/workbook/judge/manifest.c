// What was handed out: the starters, and the hashes of everything that grades them, in common/handout.manifest:
//
//     hash  path        one line per file: headers of common/ and its folders, course tables, starters (without
//                       their TODO regions)
//
// `workbook manifest` prints it for the tree as it stands, to be kept with the tree. Authors run it when they change a
// header or an exercise; a test reminds them. A starter's text, for messages and for reset, is made from the solution,
// or from the copy that the first configuration put into the build tree.
#include "judge/manifest.h"
#include "course/course.h"
#include "course/source.h"
#include "base/files.h"
#include "base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *file_hash(const char *path)
{
    char *full = text_format("%s/%s", course.source, path), *text = file_read(full);
    char *hash = text ? text_format("%016llx", (unsigned long long)text_hash(text)) : NULL;

    free(text);
    free(full);
    return hash;
}

static char *manifest_read(void)
{
    char *path = text_format("%s/common/handout.manifest", course.source), *text = file_read(path);

    free(path);
    return text;
}

// The manifest's hash for path, or NULL; the caller frees it.
static char *hash_in(const char *manifest, const char *path)
{
    char *line = text_format("  %s\n", path), *at = strstr(manifest, line), *hash = NULL;

    if (at && at - manifest >= 16)
        hash = text_format("%.16s", at - 16);
    free(line);
    return hash;
}

static bool hash_agrees(const char *manifest, const char *path, const char *starter)
{
    char *wanted = manifest ? hash_in(manifest, path) : NULL;
    char *found = text_format("%016llx", (unsigned long long)text_hash(starter));
    bool agrees = !manifest || (wanted && strcmp(wanted, found) == 0); // no manifest: manifest_check reports that

    free(wanted);
    free(found);
    return agrees;
}

char *handed_out(const struct step *step)
{
    char *path = text_format("%s/%s.cu", step->chapter, step->name), *manifest = manifest_read(), *starter = NULL;
    char *places[] = {source_path(step, false), text_format("%s/pristine/%s", course.build, path),
                      source_path(step, true)};

    for (int i = 0; i < 3; i++) {
        char *text = starter ? NULL : file_read(places[i]);

        starter = text ? starter_text(text) : starter;
        if (text && starter && strcmp(course.grade, "starters") == 0 && !hash_agrees(manifest, path, starter)) {
            free(starter);
            starter = NULL;
        }
        free(text);
    }
    if (!starter)
        fprintf(stderr,
                "workbook: %s as it was handed out is neither in solutions/ nor in %s/pristine; "
                "take it from the hand-out again\n",
                path, course.build);
    for (int i = 0; i < 3; i++)
        free(places[i]);
    free(manifest);
    free(path);
    return starter;
}

// ---- all files

// Files of common/ that are not headers of the exercises.
static const char *const others[] = {"cmake", "editor", "simt", "workbook"};

// Headers, including C++ headers, which have no dot, and folders that may hold some.
static int may_grade(const struct dirent *entry)
{
    const char *dot = strchr(entry->d_name, '.');

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(entry->d_name, others[i]) == 0)
            return false;
    return !dot || (dot > entry->d_name && strcmp(strrchr(dot, '.'), ".h") == 0);
}

// Calls see for every header in a folder and in those below it, until it returns false.
static bool each_header(const char *folder, int depth, bool (*see)(const char *path, void *data), void *data)
{
    char *full = text_format("%s/%s", course.source, folder);
    struct dirent **entries = NULL;
    int count = scandir(full, &entries, may_grade, alphasort);
    bool on = true;

    for (int folders = 0; folders < 2; folders++) // files first
        for (int i = 0; i < count; i++) {
            char *path = text_format("%s/%s", folder, entries[i]->d_name);
            char *entry = text_format("%s/%s", full, entries[i]->d_name);

            if (file_is(entry) != folders)
                on = on && (folders ? depth == 0 || each_header(path, depth - 1, see, data) : see(path, data));
            free(entry);
            free(path);
        }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(full);
    return on;
}

// Calls `see` for every file that grading depends on, except the starters, until `see` returns false.
static void each_file(bool (*see)(const char *path, void *data), void *data)
{
    bool on = see("common/simt/simt.h", data) && each_header("common", 3, see, data);

    for (int i = 0; i < course.count; i++) {
        char *path = text_format("%s/CMakeLists.txt", course.steps[i].chapter);

        if (i == 0 || strcmp(course.steps[i].chapter, course.steps[i - 1].chapter) != 0)
            on = on && see(path, data);
        free(path);
    }
}

static bool print_file(const char *path, void *data)
{
    char *hash = file_hash(path);

    (void)data;
    printf("%s  %s\n", hash ? hash : "unreadable", path);
    free(hash);
    return true;
}

int manifest_print(void)
{
    int status = 0;

    each_file(print_file, NULL);
    for (int i = 0; i < course.count; i++) {
        const struct step *step = &course.steps[i];
        char *path = source_path(step, true), *text = file_read(path), *starter = text ? starter_text(text) : NULL;

        if (starter)
            printf("%016llx  %s/%s.cu\n", (unsigned long long)text_hash(starter), step->chapter, step->name);
        else
            fprintf(stderr, "workbook: %s cannot be read as an exercise\n", path);
        status |= !starter;
        free(starter);
        free(text);
        free(path);
    }
    return status;
}

bool manifest_agrees(const char *path, const char *text)
{
    char *manifest = manifest_read();
    bool agrees = manifest && hash_agrees(manifest, path, text);

    free(manifest);
    return agrees;
}

struct comparison {
    char *manifest, *why;
};

static bool compare_file(const char *path, void *data)
{
    struct comparison *c = data;
    char *wanted = hash_in(c->manifest, path), *found = file_hash(path);

    if (!wanted)
        c->why = text_format("refused: %s was not handed out; remove it", path);
    else if (!found || strcmp(wanted, found) != 0)
        c->why = text_format("refused: %s is not what was handed out (hash %s, here %s); it is part of the grader: "
                             "take it from the hand-out again",
                             path, wanted, found ? found : "none");
    free(wanted);
    free(found);
    return !c->why;
}

char *manifest_check(void)
{
    struct comparison c = {manifest_read(), NULL};

    if (!c.manifest)
        return text_format("refused: common/handout.manifest is missing; take it from the hand-out again");
    each_file(compare_file, &c);
    free(c.manifest);
    return c.why;
}

static bool agree_file(const char *path, void *data)
{
    char **stale = data, *full = text_format("%s/%s", course.source, path), *text = file_read(full);

    if (!text || !manifest_agrees(path, text))
        *stale = text_format("%s", path);
    free(text);
    free(full);
    return !*stale;
}

char *manifest_stale(void)
{
    char *stale = NULL;

    each_file(agree_file, &stale);
    return stale;
}

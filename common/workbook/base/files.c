// Files and folders, and their names as the user would write them.
#include "base/files.h"
#include "base/text.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

char *file_read(const char *path)
{
    size_t size;

    return bytes_read(path, &size);
}

char *bytes_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0, size = 0, got;

    if (!file)
        return NULL;
    do {
        size = size ? 2 * size : 4096;
        text = checked(realloc(text, size + 1));
        got = fread(text + length, 1, size - length, file);
        length += got;
    } while (length == size);
    text[length] = 0;
    *bytes = length;
    if (ferror(file)) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

uint64_t bytes_hash(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned char bytes[1 << 16];
    uint64_t hash = 0xcbf29ce484222325;
    size_t got;

    if (!file)
        return 0;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        for (size_t i = 0; i < got; i++)
            hash = (hash ^ bytes[i]) * 0x100000001b3;
    fclose(file);
    return hash;
}

bool path_leaves(const char *path)
{
    if (*path == '/' || *path == '\\')
        return true;
    for (const char *p = path; *p; p += strcspn(p, "/"), p += strspn(p, "/")) {
        if (strcspn(p, "/") == 2 && strncmp(p, "..", 2) == 0)
            return true;
    }
    return false;
}

bool file_is(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool file_write(const char *path, const char *text)
{
    char *fresh = text_format("%s.new", path);
    FILE *file = fopen(fresh, "w");
    bool good = file && fputs(text, file) >= 0;

    if (file && fclose(file) != 0)
        good = false;
    good = good && rename(fresh, path) == 0;
    if (!good) {
        int why = errno;

        remove(fresh);
        errno = why;
    }
    free(fresh);
    return good;
}

bool file_finish(FILE *file, const char *path)
{
    bool good = file && !ferror(file);

    if (file)
        good = fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "workbook: cannot write %s: %s\n", path, strerror(errno));
    return good;
}

// Where a draft of the file is written; a device or a pipe has none. To be freed.
static char *draft_of(const char *path)
{
    struct stat status;
    bool special = stat(path, &status) == 0 && !S_ISREG(status.st_mode);

    return text_format("%s%s", path, special ? "" : ".new");
}

FILE *file_draft(const char *path)
{
    char *draft = draft_of(path);
    FILE *file = fopen(draft, "w");

    free(draft);
    return file;
}

bool file_replace(FILE *file, const char *path)
{
    char *draft = draft_of(path);
    bool good = file_finish(file, path);

    if (!good && strcmp(draft, path) != 0)
        remove(draft);
    if (good && strcmp(draft, path) != 0 && rename(draft, path) != 0) {
        fprintf(stderr, "workbook: cannot write %s: %s\n", path, strerror(errno));
        remove(draft);
        good = false;
    }
    free(draft);
    return good;
}

bool folder_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

void folder_remove(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *shown(const char *path)
{
    static char here[4096];
    size_t length;

    if (!getcwd(here, sizeof here))
        return path;
    length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

char *printable_text(const char *text)
{
    char *here = getcwd(NULL, 0), *prefix = text_format("%s/", here ? here : ""), *out = checked(strdup(text)),
         *at = out;

    while (strlen(prefix) > 1 && (at = strstr(at, prefix)))
        memmove(at, at + strlen(prefix), strlen(at + strlen(prefix)) + 1);
    free(prefix);
    free(here);
    return out;
}

bool folder_is_full(const char *path)
{
    enum { LEAST = 16 << 20, MIN_FILES = 16 };
    struct statvfs about;

    if (statvfs(path, &about) != 0)
        return false;
    return about.f_bavail * about.f_frsize < LEAST || (about.f_files > 0 && about.f_favail < MIN_FILES);
}

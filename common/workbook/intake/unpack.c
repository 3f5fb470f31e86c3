// Untrusted archives. libarchive parses the formats in a separate process with limits: a file that crashes the parser
// ends that process alone. This file limits which entries, and how many bytes, leave an archive.
#include "intake/unpack.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct unpack_limits UNPACK_COURSE = {(int64_t)4 << 30, 200000}, UNPACK_STUDENT = {64 << 20, 5000};

static const char *const READ[] = {".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", NULL};
static const char *const OTHERS[] = {".7z", ".rar", ".gz", ".xz", ".bz2", ".zst", ".lzma", NULL};

// The longest known ending of name, or NULL.
static const char *ending(const char *name, const char *const endings[])
{
    const char *found = NULL;
    size_t length = strlen(name), most = 0;

    for (int i = 0; endings[i]; i++) {
        size_t size = strlen(endings[i]);

        if (length > size && size > most && strcasecmp(name + length - size, endings[i]) == 0) {
            most = size;
            found = name + length - size;
        }
    }
    return found;
}

enum packing packing_of(const char *name)
{
    return ending(name, READ) ? PACKED : ending(name, OTHERS) ? PACKED_OTHERWISE : NOT_PACKED;
}

char *packed_stem(const char *name)
{
    const char *end = ending(name, READ);

    return text_format("%.*s", (int)(end ? (size_t)(end - name) : strlen(name)), name);
}

#ifdef WORKBOOK_ARCHIVES
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    UNPACK_SECONDS = 60, // of CPU time
    UNPACK_DEPTH = 32,   // folders in a path
    RATIO = 200,         // bytes unpacked per byte of the archive, beyond the first MiB
    NAME_LENGTH = 1024
};

struct unpacking {
    const char *into;
    int64_t bytes, most_bytes;
    int files, most_files;
    FILE *skipped; // one line per entry: why, a tab, its path
};

static void skip(struct unpacking *u, const char *path, const char *why)
{
    fprintf(u->skipped, "%s\t", why);
    for (; *path; path++)
        fputc(*path == '\n' ? ' ' : *path, u->skipped);
    fputc('\n', u->skipped);
}

// Why a path must not be created; NULL if it may.
static const char *forbidden(const char *path)
{
    int depth = 0;

    if (path_leaves(path))
        return "its path leaves the folder";
    if (strlen(path) > NAME_LENGTH)
        return "its path is too long";
    for (const char *p = path; *p; p += strcspn(p, "/"), p += strspn(p, "/"))
        depth++;
    return depth > UNPACK_DEPTH ? "it is nested too deeply" : NULL;
}

static const char full[] = "cannot be unpacked: the disk is full";

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

// Returns why all of it is refused, or NULL.
static const char *write_file(struct unpacking *u, struct archive *from, const char *path, const char *named)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666), status;
    const void *bytes;
    size_t size;
    la_int64_t offset;

    if (fd < 0 && is_full(errno))
        return full;
    if (fd < 0) {
        skip(u, named, errno == EEXIST ? "is there twice; the first one counts" : "its name cannot be a file here");
        return NULL;
    }
    while ((status = archive_read_data_block(from, &bytes, &size, &offset)) == ARCHIVE_OK) {
        u->bytes += (int64_t)size;
        if (u->bytes > u->most_bytes || offset > u->most_bytes) {
            close(fd);
            return "holds too much: unpacked it is larger than its limit";
        }
        if (pwrite(fd, bytes, size, offset) != (ssize_t)size) {
            close(fd);
            return full;
        }
    }
    close(fd);
    return status == ARCHIVE_EOF ? NULL : "is damaged, or encrypted";
}

static const char *entry_name(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname_utf8(entry);

    return name ? name : archive_entry_pathname(entry);
}

static const char *unpack_entry(struct unpacking *u, struct archive *from, struct archive_entry *entry)
{
    const char *name = entry_name(entry), *why = name ? forbidden(name) : "has no name that can be read",
               *refusal = NULL;
    bool plain = archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry);
    char *path;

    if (++u->files > u->most_files)
        return "holds too many files";
    if (!why && archive_entry_filetype(entry) == AE_IFDIR) {
        path = text_format("%s/%s", u->into, name);
        folder_make(path);
        free(path);
        return NULL;
    }
    if (!why && archive_entry_filetype(entry) == AE_IFLNK)
        why = "is a link; links are not graded";
    else if (!why && !plain)
        why = "is not a plain file";
    else if (!why && archive_entry_is_encrypted(entry))
        return "is encrypted";
    if (why) {
        skip(u, name ? name : "?", why);
        return NULL;
    }
    path = text_format("%s/%s", u->into, name);
    *strrchr(path, '/') = 0;
    if (!folder_make(path) && is_full(errno))
        refusal = full;
    path[strlen(path)] = '/';
    refusal = refusal ? refusal : write_file(u, from, path, name);
    free(path);
    return refusal;
}

// Unpacks everything, in a separate process. Returns why not, or NULL.
static const char *unpack_here(struct unpacking *u, const char *path)
{
    struct archive *from = archive_read_new();
    struct archive_entry *entry;
    const char *why = NULL;
    int status;

    setlocale(LC_CTYPE, "C.UTF-8"); // file names do not depend on the user's locale
    archive_read_support_format_zip(from);
    archive_read_support_format_tar(from);
    archive_read_support_filter_gzip(from);
    archive_read_support_filter_xz(from);
    archive_read_support_filter_bzip2(from);
    if (archive_read_open_filename(from, path, 1 << 16) != ARCHIVE_OK)
        return "is not a readable archive";
    while (!why && (status = archive_read_next_header(from, &entry)) != ARCHIVE_EOF)
        why = status == ARCHIVE_OK || status == ARCHIVE_WARN ? unpack_entry(u, from, entry) : "is damaged";
    archive_read_free(from);
    return why ? why : u->files == 0 ? "is empty" : NULL;
}

static void confine(void)
{
    struct rlimit seconds = {UNPACK_SECONDS, UNPACK_SECONDS}, memory = {(rlim_t)1 << 30, (rlim_t)1 << 30};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &seconds);
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_AS, &memory);
#else
    (void)memory;
#endif
}

// Reads the process's report: first the skipped entries, then, after an empty line, why the whole archive is refused.
static char *read_left(FILE *left, void (*skipped)(void *, const char *, const char *), void *context)
{
    char *line = NULL, *why = NULL;
    size_t size = 0;

    rewind(left);
    while (getline(&line, &size, left) > 0) {
        char *tab = strchr(line, '\t');

        line[strcspn(line, "\n")] = 0;
        if (tab) {
            *tab = 0;
            skipped(context, tab + 1, line);
        } else {
            free(why);
            why = text_format("%s", line);
        }
    }
    free(line);
    return why;
}

char *unpack(const char *archive, const char *into, const struct unpack_limits *limits,
             void (*skipped)(void *context, const char *entry, const char *why), void *context, bool *no_room)
{
    struct stat about;
    struct unpacking u = {.into = into, .most_files = limits->files, .skipped = checked(tmpfile())};
    int status = 0;
    char *folder = text_format("%s", into), *why = NULL;
    pid_t child;

    folder_remove(into);
    folder_make(folder);
    free(folder);
    u.most_bytes = stat(archive, &about) == 0 ? ((int64_t)1 << 20) + RATIO * (int64_t)about.st_size : 0;
    if (u.most_bytes > limits->bytes)
        u.most_bytes = limits->bytes;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        const char *refusal;

        confine();
        refusal = unpack_here(&u, archive);
        if (refusal)
            fprintf(u.skipped, "%s\n", refusal);
        _exit(fflush(u.skipped) == 0 ? 0 : 1); // 1: there is no room for the report
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        why = text_format("cannot be unpacked: its reader was stopped");
    else
        why = read_left(u.skipped, skipped, context);
    fclose(u.skipped);
    *no_room = (WIFEXITED(status) && WEXITSTATUS(status) != 0) || (why && strcmp(why, full) == 0);
    if (why)
        folder_remove(into);
    return why;
}
#else
char *unpack(const char *archive, const char *into, const struct unpack_limits *limits,
             void (*skipped)(void *context, const char *entry, const char *why), void *context, bool *no_room)
{
    (void)archive, (void)into, (void)limits, (void)skipped, (void)context;
    *no_room = false;
    return text_format("cannot be unpacked: this workbook was built without libarchive; install it (Debian, Ubuntu: "
                       "sudo apt-get install libarchive-dev), configure again, or unpack the file yourself");
}
#endif

// `workbook handout`: writes what students need to a new folder or a zip file. common/handout.list lists the files; the
// steps are those of the course table, their starters made from the solutions. Everything is written under a temporary
// name and renamed when complete.
#include "commands/commands.h"
#include "judge/manifest.h"
#include "process/process.h"
#include "course/course.h"
#include "course/source.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "warpbook" // the folder in a zip file

static struct {
    char *scratch, *root; // the new folder; the hand-out in it
    int files;            // written so far
} out;

static bool print_error(const char *what, const char *path)
{
    fprintf(stderr, "workbook: %s %s: %s; nothing was written\n", what, path, strerror(errno));
    return false;
}

// ---- files

// Writes text as the hand-out's file path.
static bool put(const char *path, const char *text)
{
    char *to = text_format("%s/%s", out.root, path), *name = strrchr(to, '/');
    bool good;

    *name = 0;
    folder_make(to); // if this fails, so does the write, with a message
    *name = '/';
    errno = 0;
    good = file_write(to, text) || print_error("cannot write", to);
    out.files += good;
    free(to);
    return good;
}

static bool put_copy(const char *path)
{
    char *from = text_format("%s/%s", course.source, path), *text = file_read(from);
    bool good = text ? put(path, text) : print_error("cannot read", from);

    free(text);
    free(from);
    return good;
}

static bool is_build_tree(const char *folder)
{
    char *cache = text_format("%s/CMakeCache.txt", folder);
    bool is = file_is(cache);

    free(cache);
    return is;
}

static bool put_matches(const char *folder, const char *name, bool below, int *found);

// One entry of a folder: a file with a matching name or, if below, a folder that may hold some. Links are skipped.
static bool put_entry(const char *folder, const char *entry, const char *name, bool below, int *found)
{
    char *path = strcmp(folder, ".") == 0 ? text_format("%s", entry) : text_format("%s/%s", folder, entry);
    char *full = text_format("%s/%s", course.source, path);
    struct stat about;
    bool good = true;

    if (lstat(full, &about) == 0 && S_ISDIR(about.st_mode)) {
        if (below && *entry != '.' && !is_build_tree(full))
            good = put_matches(path, name, below, found);
    } else if (S_ISREG(about.st_mode) && fnmatch(name, entry, FNM_PERIOD) == 0) {
        good = put_copy(path);
        ++*found;
    }
    free(full);
    free(path);
    return good;
}

static bool put_matches(const char *folder, const char *name, bool below, int *found)
{
    char *full = text_format("%s/%s", course.source, folder);
    struct dirent **entries;
    int count = scandir(full, &entries, NULL, alphasort);
    bool good = count >= 0 || print_error("cannot read", full);

    for (int i = 0; i < count; i++) {
        good = good && put_entry(folder, entries[i]->d_name, name, below, found);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    free(full);
    return good;
}

// One line of common/handout.list.
static bool put_line(char *line)
{
    char *folder = strtok(line, " "), *end = folder ? strstr(folder, "/**") : NULL;
    bool good = true;

    if (!folder || *folder == '#')
        return true;
    if (end)
        *end = 0;
    for (char *name; good && (name = strtok(NULL, " "));) {
        int found = 0;

        good = put_matches(folder, name, end != NULL, &found);
        if (good && found == 0) {
            fprintf(stderr, "workbook: common/handout.list: no file %s is in %s; nothing was written\n", name, folder);
            good = false;
        }
    }
    return good;
}

static bool put_list(void)
{
    char *path = text_format("%s/common/handout.list", course.source), *text = file_read(path), *rest = text;
    bool good = text || print_error("cannot read", path);

    for (char *line; good && (line = strsep(&rest, "\n"));)
        good = put_line(line);
    free(text);
    free(path);
    return good;
}

// ---- steps

// The starter of a step, made from its solution and not read from the student's file.
static char *starter_of(const struct step *step)
{
    char *path = source_path(step, false), *solution = file_read(path);
    char *starter = solution ? starter_text(solution) : handed_out(step);

    if (solution && !starter)
        fprintf(stderr, "workbook: %s has no TODO that is closed; nothing was written\n", path);
    free(solution);
    free(path);
    return starter;
}

static bool put_step(const struct step *step)
{
    char *path = text_format("%s/%s.cu", step->chapter, step->name), *starter = starter_of(step);
    bool good = starter && manifest_agrees(path, starter);

    if (starter && !good)
        fprintf(stderr,
                "workbook: %s, made from its solution, differs from common/handout.manifest, so nothing was written; "
                "first run `%s starter solutions/%s >%s` and `%s manifest >common/handout.manifest`\n",
                path, program_name, path, path, program_name);
    good = good && put(path, starter);
    free(starter);
    free(path);
    return good;
}

static bool put_chapter(const char *chapter)
{
    char *table = text_format("%s/CMakeLists.txt", chapter), *hints = text_format("%s/hints.txt", chapter);
    bool good = put_copy(table) && put_copy(hints);

    for (int i = 0; good && i < course.count; i++)
        if (strcmp(course.steps[i].chapter, chapter) == 0)
            good = put_step(&course.steps[i]);
    free(hints);
    free(table);
    return good;
}

// Students' files are graded against the manifest: an outdated one would refuse them all.
static bool manifest_good(void)
{
    char *stale = manifest_stale();

    if (stale)
        fprintf(stderr,
                "workbook: %s differs from common/handout.manifest, so nothing was written; "
                "first run `%s manifest >common/handout.manifest`\n",
                stale, program_name);
    free(stale);
    return !stale;
}

static bool put_all(void)
{
    bool good = manifest_good() && put_list();

    for (int i = 0; good && i < course.count; i++)
        if (i == 0 || strcmp(course.steps[i].chapter, course.steps[i - 1].chapter) != 0)
            good = put_chapter(course.steps[i].chapter);
    return good;
}

// ---- places

// The absolute path of something that need not exist; its parent folder must. NULL after a message.
static char *absolute(const char *path)
{
    char *copy = text_format("%s", path), *slash, *folder, *whole = realpath(path, NULL);

    for (size_t end = strlen(copy); end > 1 && copy[end - 1] == '/';)
        copy[--end] = 0;
    slash = strrchr(copy, '/');
    if (!whole) {
        folder = slash ? text_format("%.*s/", (int)(slash - copy), copy) : text_format(".");
        char *real = realpath(folder, NULL);

        if (real)
            whole = text_format("%s/%s", real, slash ? slash + 1 : copy);
        else
            print_error("cannot write", path);
        free(real);
        free(folder);
    }
    free(copy);
    return whole;
}

static bool is_inside(const char *path, const char *folder)
{
    char *real = realpath(folder, NULL);
    size_t length = real ? strlen(real) : 0;
    bool inside = real && strncmp(path, real, length) == 0 && (path[length] == '/' || path[length] == 0);

    free(real);
    return inside;
}

static bool is_empty_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, NULL);

    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
    return count == 2; // itself and its parent
}

static bool refuse(const char *path, const char *why)
{
    fprintf(stderr, "workbook: %s %s; nothing was written\n", path, why);
    return false;
}

static bool may_be_folder(const char *path)
{
    char *here = realpath(".", NULL);
    bool current = here && strcmp(path, here) == 0;

    free(here);
    if (current)
        return refuse(path, "is the current directory; name a new one");
    if (is_inside(path, course.source) && !is_inside(path, course.build))
        return refuse(path, "is inside this tree; name a folder outside of it, or in the build directory");
    if (access(path, F_OK) == 0 && !is_empty_folder(path))
        return refuse(path, "exists and is not an empty folder; remove it or name another");
    return true;
}

static bool may_be_zip(const char *path)
{
    size_t length = strlen(path);

    if (length < 5 || strcmp(path + length - 4, ".zip") != 0)
        return refuse(path, "does not end in .zip");
    if (access(path, F_OK) == 0)
        return refuse(path, "already exists; remove it or name another");
    return true;
}

// ---- the command

// A new folder next to path, or in the build directory if path is NULL.
static bool open_scratch(const char *path)
{
    char *parent = path ? text_format("%.*s", (int)(strrchr(path, '/') - path), path) : text_format("%s", course.build);

    out.scratch = text_format("%s/.handout.XXXXXX", parent);
    out.root = NULL;
    if (mkdtemp(out.scratch)) {
        out.root = text_format("%s/%s", out.scratch, NAME);
        mkdir(out.root, 0777);
    } else {
        print_error("cannot write in", *parent ? parent : "/");
    }
    free(parent);
    return out.root != NULL;
}

// Packs the hand-out into a zip file, which has a temporary name until it is complete.
static bool pack(const char *path)
{
    char *made = text_format("%s.part", path);
    char *argv[] = {course.cmake, "-E", "tar", "cf", made, "--format=zip", NAME, NULL};
    struct job job = {.argv = argv, .directory = out.scratch, .capture = true};
    bool good = process_run(&job).exit == 0;

    if (!good)
        fprintf(stderr, "workbook: cannot write %s; nothing was written\n%s", path, job.output);
    else if (rename(made, path) != 0)
        good = print_error("cannot write", path);
    if (!good)
        remove(made);
    free(job.output);
    free(made);
    return good;
}

// Writes to folder and zip, which are absolute paths; one may be NULL.
static bool hand_out(const char *folder, const char *zip)
{
    bool good = open_scratch(folder);

    if (!good)
        return false;
    good = put_all() && (!zip || pack(zip));
    if (good && folder && rename(out.root, folder) != 0) {
        good = print_error("cannot write", folder);
        if (zip)
            remove(zip);
    }
    folder_remove(out.scratch);
    return good;
}

static int hand_out_to(const char *folder, const char *zip)
{
    static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ}; // takes less than a second; it is finished or undone
    char *to = folder ? absolute(folder) : NULL, *packed = zip ? absolute(zip) : NULL;
    bool good = (!folder || (to && may_be_folder(to))) && (!zip || (packed && may_be_zip(packed)));

    for (size_t i = 0; good && i < sizeof held / sizeof *held; i++)
        signal(held[i], SIG_IGN);
    good = good && hand_out(to, packed);
    if (good)
        printf("%s%s%s: %d files, %d steps, no solutions\n", folder ? folder : "", folder && zip ? " and " : "",
               zip ? zip : "", out.files, course.count);
    free(out.scratch);
    free(out.root);
    free(packed);
    free(to);
    return !good;
}

int command_handout(int argc, char **argv)
{
    const char *folder = NULL, *zip = NULL;

    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--zip") == 0 && i + 1 < argc)
            zip = argv[++i];
        else if (strcmp(argv[i], "--zip") == 0)
            return usage_error("handout ", "a name is missing after", argv[i]);
        else if (argv[i][0] == '-')
            return usage_error("handout ", "unknown option", argv[i]);
        else if (folder)
            return usage_error("handout ", "one folder at a time, not", argv[i]);
        else
            folder = argv[i];
    if (!folder && !zip)
        return usage_error("handout ", "expected a new folder, --zip FILE.zip, or both", NULL);
    return hand_out_to(folder, zip);
}

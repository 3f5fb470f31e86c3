// `workbook class DIR`: each student's current step, and the most common mistakes. DIR has a folder for each student;
// the command only reads what the runner keeps in their build trees.
#include "commands/commands.h"
#include "judge/progress.h"
#include "judge/reason.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SECONDS = 3, MISTAKES = 5, WHY = 100 }; // between two refreshes; most that are shown; columns

struct student {
    char *name, *place; // of the folder; of the last step worked on, "1/5"; NULL: not begun
    const struct step *last;
    enum state state; // of that step
    int passed;
    time_t when;   // of the last run
    char *mistake; // "1/5 race-raw", which several may share; NULL: none
    char *why;     // why it has not passed, in one line; NULL: not known
};

struct room {
    struct student *all;
    int count;
};

// ---- one student

// Parses a line of progress.tsv.
static void read_line(struct student *student, const char *line)
{
    char chapter[128], name[128];
    const struct step *step;
    struct progress progress;

    if (sscanf(line, "last\t%127[^\t\n]\t%127[^\t\n]", chapter, name) == 2)
        student->last = course_step(chapter, name);
    if (!progress_line(line, &step, &progress))
        return;
    student->passed += progress.state == PASSED;
    if (step == student->last)
        student->state = progress.state;
}

// The mistake: the class of the first finding, or else the state.
static char *mistake_of(const struct student *student, const char *said)
{
    static const char *const mark = "simt: explain: workbook explain ";
    const char *at = strstr(said, mark);

    if (at)
        return text_format("%s %.*s", student->place, (int)strcspn(at + strlen(mark), " \n"), at + strlen(mark));
    return text_format("%s %s", student->place, state_word(student->state));
}

static void read_failure(struct student *student, const char *build)
{
    char *path = text_format("%s/failures/%s.%s.txt", build, student->last->chapter, student->last->name);
    char *said = file_read(path);

    student->mistake = mistake_of(student, said ? said : "");
    student->why = said ? reason_of(student->last, student->state, said) : NULL;
    free(said);
    free(path);
}

// Reads what the runner keeps in the build tree. False: nothing is there.
static bool read_student(struct student *student, const char *build)
{
    char *path = text_format("%s/progress.tsv", build), *text = file_read(path);
    struct stat status;

    for (const char *line = text ? text : ""; *line; line = line_end(line))
        read_line(student, line);
    if (text && stat(path, &status) == 0)
        student->when = status.st_mtime;
    if (text && student->last) {
        student->place = step_place(student->last);
        if (student->state != PASSED && student->state != NEW)
            read_failure(student, build);
    }
    free(path);
    free(text);
    return text != NULL;
}

// ---- the class

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// The build tree is the folder, its subfolder build, or build in one of its subfolders.
static void search_student(struct student *student, const char *folder)
{
    static const char *const inside[] = {"", "/build"};
    struct dirent **list;
    bool found = false;
    int count;

    for (int i = 0; i < 2 && !found; i++) {
        char *build = text_format("%s%s", folder, inside[i]);

        found = read_student(student, build);
        free(build);
    }
    count = found ? 0 : scandir(folder, &list, visible, alphasort);
    for (int i = 0; i < count; i++) {
        char *build = text_format("%s/%s/build", folder, list[i]->d_name);

        found = found || read_student(student, build);
        free(build);
        free(list[i]);
    }
    if (count > 0)
        free(list);
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// Reads the students of a folder, sorted by name; false if it cannot be read.
static bool read_room(struct room *room, const char *folder)
{
    struct dirent **list;
    int count = scandir(folder, &list, visible, alphasort);

    *room = (struct room){checked(calloc(count > 0 ? (size_t)count : 1, sizeof *room->all)), 0};
    for (int i = 0; i < count; i++) {
        char *path = text_format("%s/%s", folder, list[i]->d_name);

        if (is_folder(path)) {
            struct student *student = &room->all[room->count++];

            student->name = text_plain(list[i]->d_name);
            search_student(student, path);
        }
        free(path);
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    return count >= 0;
}

static void free_room(struct room *room)
{
    for (int i = 0; i < room->count; i++) {
        free(room->all[i].why);
        free(room->all[i].mistake);
        free(room->all[i].place);
        free(room->all[i].name);
    }
    free(room->all);
}

// ---- output

static void print_student(const struct student *student)
{
    char *ago = text_format("%d min", (int)((time(NULL) - student->when) / 60));

    if (!student->place)
        printf("%-18s %3d  %snot begun%s\n", student->name, student->passed, colour("dim"), colour("off"));
    else
        printf("%-18s %3d  %-5s %s%-13s%s %7s  %.*s\n", student->name, student->passed, student->place,
               state_colour(student->state), state_word(student->state), colour("off"), ago, WHY,
               student->why ? student->why : "");
    free(ago);
}

static int sharing(const struct room *room, const char *mistake)
{
    int count = 0;

    for (int i = 0; i < room->count; i++)
        count += room->all[i].mistake && strcmp(room->all[i].mistake, mistake) == 0;
    return count;
}

static void print_mistake(const struct room *room, const char *mistake, int count)
{
    char *names = text_format("%s", "");

    for (int i = 0; i < room->count; i++)
        if (room->all[i].mistake && strcmp(room->all[i].mistake, mistake) == 0) {
            char *more = text_format("%s%s%s", names, *names ? ", " : "", room->all[i].name);

            free(names);
            names = more;
        }
    print_line("  %d x %s: %s", count, mistake, names);
    free(names);
}

static bool is_first(const struct room *room, int k)
{
    for (int i = 0; i < k; i++)
        if (room->all[i].mistake && strcmp(room->all[i].mistake, room->all[k].mistake) == 0)
            return false;
    return true;
}

// The most widespread mistakes, the most common first.
static void print_mistakes(const struct room *room)
{
    int shown = 0;

    for (int count = room->count; count > 0 && shown < MISTAKES; count--)
        for (int i = 0; i < room->count && shown < MISTAKES; i++)
            if (room->all[i].mistake && is_first(room, i) && sharing(room, room->all[i].mistake) == count) {
                printf("%s", shown ? "" : "\nMost often now\n");
                print_mistake(room, room->all[i].mistake, count);
                shown++;
            }
}

static bool show(const char *folder)
{
    struct room room;
    bool good = read_room(&room, folder);

    if (!good)
        fprintf(stderr, "workbook: cannot read the folder %s\n", folder);
    else if (room.count == 0)
        printf("no student has a folder in %s\n", folder);
    else
        printf("%s%-18s %s  step%s\n", colour("bold"), "student", "done", colour("off"));
    for (int i = 0; good && i < room.count; i++)
        print_student(&room.all[i]);
    if (good)
        print_mistakes(&room);
    fflush(stdout);
    free_room(&room);
    return good;
}

// ---- the command

static void watch(const char *folder)
{
    catch_interrupts();
    for (bool good = true; good && !interrupted;) {
        terminal_clear();
        good = show(folder);
        nanosleep(&(struct timespec){.tv_sec = SECONDS}, NULL);
    }
}

int command_class(int argc, char **argv)
{
    bool watching = argc == 2 && strcmp(argv[1], "--watch") == 0;

    if (argc < 1 || (argc > 1 && !watching))
        return usage_error("class ", argc ? "one folder at a time, not" : "which folder?",
                           argc ? argv[argc - 1] : NULL);
    if (!watching)
        return !show(argv[0]);
    watch(argv[0]);
    return 0;
}

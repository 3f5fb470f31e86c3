// Submissions: walks a folder or an archive, determines each file's student and step, and keeps a line about every file
// that is not graded.
#include "intake/intake.h"
#include "intake/gradescope.h"
#include "intake/names.h"
#include "intake/unpack.h"
#include "process/limits.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SAID = 8, PACKED_DEPTH = 3 }; // lines per student on the terminal; archives within archives

// ---- students

static bool folder_taken(const struct intake *in, const char *folder)
{
    for (int i = 0; i < in->student_count; i++)
        if (strcmp(in->students[i].folder, folder) == 0)
            return true;
    return false;
}

static char *folder_of(const struct intake *in, const char *id)
{
    char *folder = NULL;

    for (int n = 1; !folder || folder_taken(in, folder); n++) {
        free(folder);
        folder = n == 1 ? text_format("%.200s", *id ? id : "_") : text_format("%.190s~%d", *id ? id : "_", n);
        for (char *p = folder; *p; p++)
            *p = *p == '/' || (p == folder && *p == '.') ? '_' : *p;
    }
    return folder;
}

int intake_student(struct intake *in, const char *id, const char *name)
{
    struct student *student;

    for (int i = in->student_count - 1; i >= 0; i--) // in a flat export it is usually the previous one
        if (strcmp(in->students[i].id, id) == 0)
            return i;
    in->students = checked(realloc(in->students, (size_t)(in->student_count + 1) * sizeof *in->students));
    student = &in->students[in->student_count];
    *student = (struct student){.id = text_format("%s", id),
                                .name = name ? text_format("%s", name) : NULL,
                                .folder = folder_of(in, id),
                                .share = 1,
                                .first = in->item_count};
    return in->student_count++;
}

void student_note(struct student *student, const char *note)
{
    char *before = student->note;

    student->note = before ? text_format("%s; %s", before, note) : text_format("%s", note);
    free(before);
}

// ---- files

static struct item *add_item(struct intake *in, int student, const char *path, const char *shown, const char *why)
{
    struct item *item;

    in->items = checked(realloc(in->items, (size_t)(in->item_count + 1) * sizeof *in->items));
    item = &in->items[in->item_count++];
    *item = (struct item){.student = student,
                          .path = text_format("%s", path),
                          .shown = name_decode(shown),
                          .why = why ? text_format("%s", why) : NULL};
    return item;
}

static struct item *handed_in(struct intake *in, int student, const struct step *step)
{
    for (int i = in->students[student].first; i < in->item_count; i++)
        if (in->items[i].student == student && in->items[i].step == step)
            return &in->items[i];
    return NULL;
}

static void leave_out(struct item *item, char *why)
{
    item->step = NULL;
    free(item->why);
    item->why = why;
}

static void add_solution(struct intake *in, int student, const struct step *step, const char *path, const char *shown,
                         int copy)
{
    struct item *before = handed_in(in, student, step), *item;
    int at = before ? (int)(before - in->items) : -1;

    item = add_item(in, student, path, shown, NULL);
    item->copy = copy;
    item->step = step;
    if (at < 0)
        return;
    before = &in->items[at];
    if (before->copy < copy)
        leave_out(before, text_format("is an older copy; %s counts", item->shown));
    else if (before->copy > copy)
        leave_out(item, text_format("is an older copy; %s counts", before->shown));
    else
        leave_out(item, text_format("is a second file for the same step; the first one counts"));
}

static const struct step *meant(const struct item *item)
{
    return item->like ? item->like : item->step;
}

static int by_step(const void *a, const void *b)
{
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    const struct step *one = meant(x), *two = meant(y);

    if (x->student != y->student)
        return x->student - y->student;
    return one != two ? (one < two ? -1 : 1) : (x > y) - (x < y);
}

// One student's files for one step: those whose names only have the step's in them.
static void settle_group(struct item **group, int count)
{
    const struct item *exact = NULL;
    int copies = 0;

    for (int i = 0; i < count; i++) {
        exact = group[i]->step ? group[i] : exact;
        copies += group[i]->like != NULL;
    }
    for (int i = 0; i < count; i++)
        if (group[i]->like && exact)
            leave_out(group[i], text_format("is taken for a copy; %s counts", exact->shown));
        else if (group[i]->like && copies > 1)
            leave_out(group[i],
                      text_format("is one of several copies; name the one that counts %s.cu", group[i]->like->name));
}

// A file whose name only contains a step's counts if it is the only one: the grader does not guess which copy is meant.
static void settle_alike(struct intake *in)
{
    struct item **order = checked(calloc((size_t)in->item_count + 1, sizeof(struct item *)));
    int count = 0;

    for (int i = 0; i < in->item_count; i++)
        if (in->items[i].like || in->items[i].step)
            order[count++] = &in->items[i];
    qsort(order, (size_t)count, sizeof *order, by_step);
    for (int i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && order[end]->student == order[i]->student && meant(order[end]) == meant(order[i]))
            end++;
        settle_group(order + i, end - i);
    }
    free(order);
    for (int i = 0; i < in->item_count; i++)
        if (in->items[i].like && !in->items[i].why) {
            in->items[i].step = in->items[i].like;
            in->items[i].why = text_format("is taken for %s.cu", in->items[i].like->name);
        }
}

// A folder of a student: walked through, or not, with a line.
struct place {
    int student;
    const char *chapter; // the one the folder is named after, or NULL
    int depth, packed;   // depth of folders, and of archives, around it
    bool tree;           // a whole workbook, of which only the chapters' folders are walked
};

static void add_files(struct intake *in, struct place place, const char *folder, const char *shown);

struct skipping {
    struct intake *in;
    int student;
    const char *archive;
};

static void skipped(void *context, const char *entry, const char *why)
{
    struct skipping *s = context;
    char *shown = text_format("%s/%s", s->archive, entry);

    add_item(s->in, s->student, "", shown, why);
    free(shown);
}

// Unpacks an archive; returns the new folder, which the caller frees, or NULL after a line about the archive.
static char *open_archive(struct intake *in, int student, const char *path, const char *shown,
                          const struct unpack_limits *limits)
{
    struct skipping context = {in, student, shown};
    char *folder = text_format("%s/%d", in->work, in->unpacked++);
    bool no_room;
    char *why = unpack(path, folder, limits, skipped, &context, &no_room);

    in->no_room |= no_room;
    if (why) {
        add_item(in, student, path, shown, why);
        free(folder);
        folder = NULL;
    }
    free(why);
    return folder;
}

static void add_archive(struct intake *in, struct place place, const char *path, const char *shown)
{
    char *folder = NULL;

    if (place.packed >= PACKED_DEPTH)
        add_item(in, place.student, path, shown, "is an archive in an archive in an archive; it is not opened");
    else
        folder = open_archive(in, place.student, path, shown, &UNPACK_STUDENT);
    if (folder)
        add_files(in, (struct place){place.student, NULL, place.depth, place.packed + 1, false}, folder, shown);
    free(folder);
}

static bool ends_in_cu(const char *name)
{
    return strlen(name) > 3 && strcasecmp(name + strlen(name) - 3, ".cu") == 0;
}

// A file that a student calls name.
static void add_file(struct intake *in, struct place place, const char *path, const char *name, const char *shown)
{
    const struct step *step = NULL;
    int copy;
    enum fit fit = names_step(place.chapter, name, &step, &copy);

    if (fit == ONE_STEP)
        add_solution(in, place.student, step, path, shown, copy);
    else if (fit == LIKE_STEP)
        add_item(in, place.student, path, shown, NULL)->like = step;
    else if (fit == MORE_STEPS)
        add_item(in, place.student, path, shown,
                 "several chapters have a step of this name; put it into a folder named after its chapter");
    else if (place.tree)
        return; // the other files of a whole workbook are not the student's
    else if (packing_of(name) == PACKED)
        add_archive(in, place, path, shown);
    else if (packing_of(name) == PACKED_OTHERWISE)
        add_item(in, place.student, path, shown, "is packed in an unknown format; pack it as zip or tar.gz");
    else
        add_item(in, place.student, path, shown,
                 ends_in_cu(name) ? "no step has this name; it is not graded; name it as it was handed out"
                                  : "is not a .cu file; it is not graded");
}

// A student's name may begin with a dot. A hidden .cu file is reported, too; one of macOS begins with "._".
static int visible(const struct dirent *entry)
{
    const char *name = entry->d_name;
    bool hidden = name[0] == '.' && (name[1] == '_' || (!names_exported(name) && !ends_in_cu(name)));

    return !hidden && strcmp(name, "__MACOSX") != 0;
}

enum kind { A_FILE, A_FOLDER, A_LINK }; // a link to a folder could lead to another student's

static enum kind kind_of(const char *path)
{
    struct stat about;

    if (lstat(path, &about) != 0)
        return A_FILE;
    if (S_ISLNK(about.st_mode))
        return stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? A_LINK : A_FILE;
    return S_ISDIR(about.st_mode) ? A_FOLDER : A_FILE;
}

static bool is_tree(const char *folder)
{
    char *harness = text_format("%s/common/harness.h", folder);
    bool tree = file_is(harness);

    free(harness);
    return tree;
}

static void add_folder(struct intake *in, struct place place, const char *path, const char *name, const char *shown)
{
    const char *chapter = names_chapter(name);

    if (place.tree && !chapter)
        return;
    if (place.depth >= DEPTH_LIMIT)
        add_item(in, place.student, path, shown, "is nested too deeply; its files are not graded");
    else
        add_files(in, (struct place){place.student, chapter, place.depth + 1, place.packed, false}, path, shown);
}

// Everything in a folder. A chapter's folder in a whole workbook also has files that are not handed in
// (CMakeLists.txt): these are skipped silently.
static void add_files(struct intake *in, struct place place, const char *folder, const char *shown)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, visible, alphasort);

    place.tree = is_tree(folder);
    if (count < 0)
        add_item(in, place.student, folder, shown, "cannot be read");
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *path = text_format("%s/%s", folder, name), *called = text_format("%s/%s", shown, name);
        const struct step *step;
        int copy;
        enum kind kind = kind_of(path);

        if (kind != A_FILE && names_step(place.chapter, name, &step, &copy) == ONE_STEP)
            kind = A_FILE; // a folder of that name is refused when it is read
        if (kind == A_LINK)
            add_item(in, place.student, path, called, "is a link; links are not graded");
        else if (kind == A_FOLDER)
            add_folder(in, place, path, name, called);
        else if (!place.chapter || strcmp(name, "CMakeLists.txt") != 0)
            add_file(in, place, path, name, called);
        free(called);
        free(path);
        free(entries[i]);
    }
    free(entries);
}

// ---- the export

// Whether a folder's name, or its contents, show that it is one student's.
static bool is_students(const char *path, const char *name)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, visible, alphasort);
    bool theirs = strstr(name, "_assignsubmission_") != NULL || names_chapter(name) || is_tree(path), exported = false;

    for (int i = 0; i < count; i++) {
        theirs = theirs || names_chapter(entries[i]->d_name) || names_begins(entries[i]->d_name);
        exported = exported || names_exported(entries[i]->d_name) || strcmp(entries[i]->d_name, GRADESCOPE_FILE) == 0;
        free(entries[i]);
    }
    free(entries);
    return theirs && !exported;
}

// Some zips hold a single folder with everything in it: that folder, which the caller frees, or NULL.
static char *only_folder(const char *root)
{
    struct dirent **entries = NULL;
    int count = scandir(root, &entries, visible, alphasort);
    char *path = count == 1 ? text_format("%s/%s", root, entries[0]->d_name) : NULL;

    if (path && (kind_of(path) != A_FOLDER || is_students(path, entries[0]->d_name))) {
        free(path);
        path = NULL;
    }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return path;
}

// An entry of the export that is a student's archive: "bob.zip", or one of a flat export.
static void add_packed(struct intake *in, const char *path, const char *name)
{
    char *stem = packed_stem(name), *folder;
    struct who who;
    bool flat = names_who(name, false, &who);
    int student;

    if (!flat)
        names_who(stem, true, &who);
    student = intake_student(in, who.id, who.name);
    in->students[student].late |= who.late;
    folder = open_archive(in, student, path, name, &UNPACK_STUDENT);
    if (folder)
        add_files(in, (struct place){.student = student, .packed = 1}, folder, name);
    free(folder);
    who_free(&who);
    free(stem);
}

static void add_flat(struct intake *in, const char *path, const char *name)
{
    struct who who;
    const struct step *step;
    int student, copy;

    if (!names_who(name, false, &who)) {
        add_item(in, -1, path, name,
                 names_step(NULL, name, &step, &copy) == NO_STEP
                     ? "is not a student's folder, zip or .cu file; nothing in it is graded"
                     : "does not say whose it is; name it ID_STEP.cu, or put it into a folder");
        return;
    }
    student = intake_student(in, who.id, who.name);
    in->students[student].late |= who.late;
    add_file(in, (struct place){.student = student}, path, who.file, name);
    who_free(&who);
}

static void add_student(struct intake *in, const struct gradescope *known, const char *path, const char *name)
{
    struct who who;
    int student;

    if (gradescope_who(known, name, &who)) {
        student = intake_student(in, who.id, who.name);
        in->students[student].email = gradescope_email(known, name);
        in->students[student].handed_in = gradescope_time(known, name);
    } else {
        names_who(name, true, &who);
        student = intake_student(in, who.id, who.name);
    }
    add_files(in, (struct place){.student = student}, path, name);
    who_free(&who);
}

static void add_entry(struct intake *in, const struct gradescope *known, const char *path, const char *name)
{
    enum kind kind = kind_of(path);

    if (kind == A_LINK)
        add_item(in, -1, path, name, "is a link; links are not graded");
    else if (kind == A_FOLDER)
        add_student(in, known, path, name);
    else if (packing_of(name) == PACKED)
        add_packed(in, path, name);
    else if (strcmp(name, GRADESCOPE_FILE) != 0)
        add_flat(in, path, name);
}

static void add_export(struct intake *in, const char *root, const char *out)
{
    struct dirent **entries = NULL;
    int count = scandir(root, &entries, visible, alphasort);
    struct gradescope *known = gradescope_read(root);

    for (int i = 0; i < count; i++) {
        char *path = text_format("%s/%s", root, entries[i]->d_name), *real = realpath(path, NULL);

        if (!real || strcmp(real, out) != 0) // the grades may lie beside the submissions
            add_entry(in, known, path, entries[i]->d_name);
        free(real);
        free(path);
        free(entries[i]);
    }
    gradescope_free(known);
    free(entries);
}

bool intake_read(struct intake *in, const char *from, const char *work, const char *out)
{
    struct stat about;
    char *root = NULL, *inner;

    *in = (struct intake){.work = text_format("%s", work)};
    if (stat(from, &about) != 0)
        return fprintf(stderr, "workbook: cannot read %s: %s\n", from, strerror(errno)), false;
    if (S_ISDIR(about.st_mode)) {
        root = text_format("%s", from);
    } else if (packing_of(from) != PACKED) {
        fprintf(stderr, "workbook: %s is neither a folder nor a zip or tar file\n", from);
    } else if (!(root = open_archive(in, -1, from, from, &UNPACK_COURSE))) {
        fprintf(stderr, "workbook: %s %s\n", from, in->items[in->item_count - 1].why);
    } else if ((inner = only_folder(root))) {
        free(root);
        root = inner;
    }
    if (root) {
        add_export(in, root, out);
        settle_alike(in);
    }
    if (root && in->no_room)
        fprintf(stderr, "workbook: the disk of --out is full: not all archives can be unpacked, so nothing is graded; "
                        "make room, or name another folder with --out\n");
    free(root);
    return root != NULL && !in->no_room;
}

void intake_keep_part(struct intake *in, int k, int n)
{
    int *now = checked(calloc((size_t)in->student_count + 1, sizeof *now)), kept = 0, items = 0;

    for (int i = 0; i < in->student_count; i++) {
        bool here = (int)(text_hash(in->students[i].id) % (unsigned)n) == k - 1;

        now[i] = here ? kept : -2;
        if (here)
            in->students[kept++] = in->students[i];
    }
    for (int i = 0; i < in->item_count; i++) {
        struct item *item = &in->items[i];

        if (item->student < 0 ? k > 1 : now[item->student] < 0) // the first part lists files without a student
            continue;
        item->student = item->student < 0 ? -1 : now[item->student];
        in->items[items++] = *item;
    }
    in->student_count = kept;
    in->item_count = items;
    free(now);
}

static const struct intake *sorted; // for by_id, since qsort passes no context

static int by_id(const void *a, const void *b)
{
    return strcmp(sorted->students[*(const int *)a].id, sorted->students[*(const int *)b].id);
}

static int by_student(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return x->student != y->student ? x->student - y->student : strcmp(x->shown, y->shown);
}

int *intake_sort(struct intake *in)
{
    size_t count = (size_t)in->student_count;
    int *order = checked(calloc(count + 1, sizeof *order)), *now = checked(calloc(count + 1, sizeof *now));
    struct student *students = checked(calloc(count + 1, sizeof *students));

    for (int i = 0; i < in->student_count; i++)
        order[i] = i;
    sorted = in;
    qsort(order, count, sizeof *order, by_id);
    for (int i = 0; i < in->student_count; i++) {
        students[i] = in->students[order[i]];
        now[order[i]] = i;
    }
    free(in->students);
    in->students = students;
    for (int i = 0; i < in->item_count; i++)
        in->items[i].student = in->items[i].student < 0 ? -1 : now[in->items[i].student];
    if (in->item_count > 0)
        qsort(in->items, (size_t)in->item_count, sizeof *in->items, by_student);
    free(order);
    return now;
}

// Names are untrusted: the terminal gets only their letters, digits and signs, and a limited number of these.
void intake_say(const struct intake *in)
{
    for (int s = -1; s < in->student_count; s++) {
        int said = 0;

        for (int i = 0; i < in->item_count; i++) {
            const struct item *item = &in->items[i];
            char *name = item->student == s && item->why ? text_plain(item->shown) : NULL;
            char *why = name ? text_plain(item->why) : NULL;

            if (name && said < MOST_SAID)
                fprintf(stderr, "%s: %s\n", name, why);
            else if (name && said == MOST_SAID)
                fprintf(stderr, "%s and more of this student's files: see grades.json\n", name);
            said += name != NULL;
            free(name);
            free(why);
        }
    }
}

void intake_free(struct intake *in)
{
    for (int i = 0; i < in->student_count; i++) {
        free(in->students[i].id);
        free(in->students[i].exported);
        free(in->students[i].name);
        free(in->students[i].email);
        free(in->students[i].folder);
        free(in->students[i].note);
    }
    for (int i = 0; i < in->item_count; i++) {
        free(in->items[i].path);
        free(in->items[i].shown);
        free(in->items[i].why);
    }
    free(in->students);
    free(in->items);
    free(in->work);
    *in = (struct intake){0};
}

static void list_item(const struct item *item, const char *id, const char *name, const char *note)
{
    char *file = text_plain(item->shown), *why = text_plain(item->why ? item->why : "");

    note = item->step ? note : "";
    printf("%s\t%s\t%s%s%s\t%s\t%s%s%s\n", id, name, item->step ? item->step->chapter : "-", item->step ? "/" : "",
           item->step ? item->step->name : "", file, why, *why && *note ? "; " : "", note);
    free(file);
    free(why);
}

void intake_list(const struct intake *in)
{
    int at = 0;

    for (int s = -1; s < in->student_count; s++) {
        const struct student *student = s < 0 ? NULL : &in->students[s];
        char *id = text_plain(s < 0 ? "no one's" : student->id),
             *name = text_plain(s < 0 || !student->name ? "" : student->name);
        const char *note = s < 0 || !student->note ? "" : student->note;

        if (s >= 0 && (at == in->item_count || in->items[at].student != s))
            printf("%s\t%s\t-\t-\t%s\n", id, name, note);
        for (; at < in->item_count && in->items[at].student == s; at++)
            list_item(&in->items[at], id, name, note);
        free(id);
        free(name);
    }
}

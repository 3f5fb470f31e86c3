// `workbook export DIR --to FORM`: the record of a graded course in a learning system's format. `workbook export
// --autograder DIR`: a grader for one of these systems (autograder.c).
#include "commands/autograder.h"
#include "commands/commands.h"
#include "commands/course_xrays.h"
#include "export/export.h"
#include "export/pages.h"
#include "report/marks.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *folder, *to, *form, *student, *autograder, *due;
    struct sheet sheet;
    bool runs_nothing;
};

static bool read_arguments(struct request *r, int argc, char **argv)
{
    const struct {
        const char *name;
        const char **value;
    } options[] = {{"--to", &r->form},
                   {"-o", &r->to},
                   {"--sheet", &r->sheet.path},
                   {"--grade-column", &r->sheet.grade},
                   {"--feedback-column", &r->sheet.feedback},
                   {"--maximum-column", &r->sheet.maximum},
                   {"--student", &r->student},
                   {"--autograder", &r->autograder},
                   {"--assignment", &r->due}};

    for (int i = 0; i < argc; i++) {
        size_t at = 0;

        while (at < sizeof options / sizeof *options && strcmp(argv[i], options[at].name) != 0)
            at++;
        if (at < sizeof options / sizeof *options && i + 1 < argc)
            *options[at].value = argv[++i];
        else if (strcmp(argv[i], "--new-column") == 0)
            r->sheet.new_column = true;
        else if (strcmp(argv[i], "--no-runs") == 0)
            r->runs_nothing = true;
        else if (argv[i][0] != '-' && !r->folder)
            r->folder = argv[i];
        else
            return fprintf(stderr, "workbook: export: '%s' is unknown, or has no value\n", argv[i]), false;
    }
    return true;
}

// ---- one function per format

static int write_one(const struct class *class, const char *to, void (*write)(FILE *, const struct class *))
{
    char *folder = text_format("%s", to), *slash = strrchr(folder, '/');
    const char *name = slash ? slash + 1 : to;
    bool good;

    if (slash)
        *slash = 0;
    good = class_write(class, slash ? (*folder ? folder : "/") : ".", name, write);
    if (good)
        printf("wrote %s\n", shown(to));
    free(folder);
    return !good;
}

static int to_csv(const struct class *class, const struct request *r)
{
    char *folder = text_format("%s", r->to);
    bool good = folder_make(folder) && class_write(class, folder, "students.csv", write_students) &&
                class_write(class, folder, "grades.csv", write_steps);

    if (good)
        printf("wrote %s/students.csv, a row a student, and grades.csv, a row a step\n", shown(folder));
    free(folder);
    return !good;
}

static int to_junit(const struct class *class, const struct request *r)
{
    return write_one(class, r->to, write_xml);
}

static int to_sarif(const struct class *class, const struct request *r)
{
    return write_one(class, r->to, write_sarif);
}

static int to_moodle(const struct class *class, const struct request *r)
{
    return export_moodle(class, &r->sheet, r->to);
}

static int to_canvas(const struct class *class, const struct request *r)
{
    return export_canvas(class, &r->sheet, r->to);
}

static bool write_student(const struct class *class, int s, const char *path,
                          void (*write)(FILE *, const struct class *, int))
{
    FILE *to = file_draft(path);

    if (to)
        write(to, class, s);
    return file_replace(to, path);
}

// Writes the file of the student named by --student, or one for each student in folders named after them.
static int write_each(const struct class *class, const struct request *r,
                      void (*write)(FILE *, const struct class *, int))
{
    int written = 0;
    bool good = true;

    for (int s = 0; s < class->in.student_count && good; s++) {
        char *folder = text_format("%s/%s", r->to, class->in.students[s].folder);
        char *path = text_format("%s/results.json", folder);

        if (r->student && strcmp(r->student, class->in.students[s].id) == 0)
            good = write_student(class, s, r->to, write), written++;
        else if (!r->student)
            good = folder_make(folder) && write_student(class, s, path, write), written++;
        free(path);
        free(folder);
    }
    if (written == 0)
        fprintf(stderr, "workbook: export: no student%s%s\n", r->student ? " has the id " : "",
                r->student ? r->student : "");
    else if (good)
        printf("wrote %s%s\n", shown(r->to), r->student ? "" : ": STUDENT/results.json for each");
    return !good || written == 0;
}

static int to_gradescope(const struct class *class, const struct request *r)
{
    return write_each(class, r, write_gradescope);
}

static int to_prairielearn(const struct class *class, const struct request *r)
{
    return write_each(class, r, write_prairielearn);
}

// Writes one student's file, since Classroom 50 runs the autograder in each repository.
static int to_classroom(const struct class *class, const struct request *r)
{
    if (!r->student)
        return fprintf(stderr, "workbook: export: --to classroom50 needs --student ID: a result is one student's\n"), 1;
    return !classroom_ready() || write_each(class, r, write_classroom);
}

static int to_pages(const struct class *class, const struct request *r)
{
    char *folder = text_format("%s", r->to);
    struct extras extras = {0};
    bool good = folder_make(folder);

    if (good && !r->runs_nothing)
        extras = course_extras(class, folder);
    good = good && export_pages(class, folder, &extras);
    if (extras.xrays)
        extras_free(&extras, class);
    free(folder);
    return !good;
}

static const struct {
    const char *name, *usual; // the default of -o: appended to the folder's name
    int (*write)(const struct class *class, const struct request *r);
} FORMS[] = {{"csv", "csv", to_csv},
             {"moodle", "moodle.csv", to_moodle},
             {"canvas", "canvas.csv", to_canvas},
             {"gradescope", "gradescope", to_gradescope},
             {"prairielearn", "prairielearn", to_prairielearn},
             {"classroom50", "result.json", to_classroom},
             {"junit", "junit.xml", to_junit},
             {"sarif", "findings.sarif", to_sarif},
             {"pages", "pages", to_pages}};
enum { FORM_COUNT = sizeof FORMS / sizeof *FORMS };

static void say_forms(const char *form)
{
    fprintf(stderr, "workbook: export: --to %s: the forms are", form ? form : "is missing");
    for (int i = 0; i < FORM_COUNT; i++)
        fprintf(stderr, "%s %s", i ? "," : "", FORMS[i].name);
    fprintf(stderr, "\n");
}

int command_export(int argc, char **argv)
{
    struct request r = {0};
    struct class class = {0};
    char *record, *usual;
    int form = 0, status = 1;

    if (!read_arguments(&r, argc, argv))
        return 1;
    if (r.autograder)
        return export_autograder(r.autograder, r.due);
    while (form < FORM_COUNT && (!r.form || strcmp(r.form, FORMS[form].name) != 0))
        form++;
    if (form == FORM_COUNT)
        return say_forms(r.form), 1;
    if (!r.folder)
        return fprintf(stderr, "workbook: export needs the folder that `grade --out` wrote\n"), 1;
    course_add_projects();
    record = text_format("%s/grades.json", r.folder);
    usual = text_format("%s/%s", r.folder, FORMS[form].usual);
    r.to = r.to ? r.to : usual;
    if (record_add(&class, record)) {
        class_sort(&class);
        status = FORMS[form].write(&class, &r);
    }
    class_free(&class);
    free(usual);
    free(record);
    return status;
}

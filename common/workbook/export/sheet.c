// Tables that learning systems wrote: one column is filled in, the rest is unchanged. A system silently skips rows that
// it does not know, so each student without a row is reported here.
#include "export/export.h"
#include "base/csv.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// How the rows of a table identify students.
struct keys {
    int id, other_id, login, email, name; // columns, -1: none
    bool numbered;                        // the id is text that ends with a number: "Participant 4711"
};

static const char *number_at_end(const char *text)
{
    const char *end = text + strlen(text);

    while (end > text && isdigit((unsigned char)end[-1]))
        end--;
    return end;
}

static bool is_same(const char *a, const char *b)
{
    return a && *a && *b && strcasecmp(a, b) == 0;
}

static bool is_row_of(const struct csv *csv, int row, const struct keys *keys, const struct student *s)
{
    const char *id = csv_field(csv, row, keys->id);
    const char *own[] = {s->exported, s->id};
    const int columns[] = {keys->other_id, keys->login, keys->email};

    if (keys->numbered)
        id = number_at_end(id);
    for (int k = 0; k < 2; k++) {
        if (is_same(own[k], id))
            return true;
        for (int c = 0; c < 3; c++)
            if (is_same(own[k], csv_field(csv, row, columns[c])))
                return true;
    }
    return is_same(s->email, csv_field(csv, row, keys->email)) || is_same(s->email, csv_field(csv, row, keys->login));
}

static int row_by_key(const struct csv *csv, int first, const struct keys *keys, const struct student *s)
{
    for (int row = first; row < csv->count; row++)
        if (is_row_of(csv, row, keys, s))
            return row;
    return 0;
}

// 0: none, or several of that name.
static int row_by_name(const struct csv *csv, int first, const struct keys *keys, const struct student *s)
{
    int found = 0, count = 0;

    for (int row = first; row < csv->count; row++)
        if (names_agree(s->name, csv_field(csv, row, keys->name)) ||
            names_agree(s->id, csv_field(csv, row, keys->name))) {
            found = row;
            count++;
        }
    return count == 1 ? found : 0;
}

// The row of each student, 0: none. A row has one student: one who is found by the name alone may be another of that
// name, and must not overwrite the mark of the one with the number. To be freed.
static int *find_rows(const struct csv *csv, int first, const struct keys *keys, const struct intake *in)
{
    int *rows = checked(calloc((size_t)in->student_count + 1, sizeof *rows));
    bool *taken = checked(calloc((size_t)csv->count + 1, sizeof *taken));

    for (int pass = 0; pass < 2; pass++)
        for (int s = 0; s < in->student_count; s++) {
            int row = rows[s] ? 0 : (pass == 0 ? row_by_key : row_by_name)(csv, first, keys, &in->students[s]);

            if (row && !taken[row])
                rows[s] = row;
            taken[row] = true;
        }
    free(taken);
    return rows;
}

static bool read_sheet(struct csv *csv, const char *path)
{
    size_t size;
    char *bytes = path ? bytes_read(path, &size) : NULL, *text = bytes ? text_decode(bytes, size) : NULL;
    bool good = text && csv_parse(csv, text) && csv->count > 0;

    if (!path)
        fprintf(stderr, "workbook: export: --sheet FILE is missing: the table that the system let you download\n");
    else if (!bytes)
        fprintf(stderr, "workbook: cannot read %s: %s\n", path, strerror(errno));
    else if (!good)
        fprintf(stderr, "workbook: %s is not a text table (CSV)\n", path);
    if (good && bytes[0] == '\xef')
        csv->bom = true;
    free(text);
    free(bytes);
    return good;
}

static void explain_header(const char *path, const struct csv *csv, const char *what, const char *option)
{
    fprintf(stderr, "workbook: %s has no column %s; it has:", path, what);
    csv_print_header(stderr, csv);
    fprintf(stderr, "\nName it: %s\n", option);
}

static int column_named(const struct csv *csv, const char *chosen, const char *usual)
{
    const char *const names[] = {chosen ? chosen : usual, NULL};

    return csv_column(csv, names);
}

// ---- the marks of a student as a cell

char *mark_line(const struct mark *mark)
{
    char *why = mark_reason(mark);
    char *line = text_format("%s/%s: %.10g of %.10g, %s%s%s", mark->step->chapter, mark->step->name, mark->points,
                             mark->of, mark_word(mark), *why ? ": " : "", why);

    free(why);
    return line;
}

// All lines about a student as HTML, which these cells hold; the caller frees it.
static char *feedback_of(const struct class *class, int student)
{
    const char *note = class->in.students[student].note;
    char *cell = NULL;
    size_t size = 0;
    FILE *to = checked(open_memstream(&cell, &size));

    if (note)
        write_escaped(to, note, false);
    for (int i = 0; i < class->count; i++) {
        char *line;

        if (class->marks[i].student != student)
            continue;
        line = mark_line(&class->marks[i]);
        fputs(ftell(to) > 0 ? "<br>" : "", to);
        write_escaped(to, line, false);
        free(line);
    }
    fclose(to);
    return cell;
}

// The points of a student on a scale that ends with `most`; unscaled if `most` is NULL or not a number. The
// caller frees it.
static char *grade_of(const struct class *class, int student, const char *most)
{
    char *end;
    double scale = strtod(most, &end), of, points = class_points(class, student, &of);

    if (end == most || !(scale > 0) || !(of > 0))
        return text_format("%.2f", points);
    return text_format("%.2f", points / of * scale);
}

static int write_sheet(const struct csv *csv, const char *to, int missing)
{
    FILE *file = file_draft(to);

    if (file)
        csv_write(file, csv);
    if (!file_replace(file, to))
        return 1;
    printf("wrote %s\n", shown(to));
    return missing > 0;
}

// Fills in all rows from `first` on; most: the column, or the row, with the maximum grade. Returns the number of
// students without a row.
struct filling {
    int first, grade, feedback;
    int most_column, most_row; // -1: none
};

static int fill(struct csv *csv, const struct class *class, const struct keys *keys, const struct filling *f)
{
    int missing = 0, filled = 0, *rows = find_rows(csv, f->first, keys, &class->in);

    for (int s = 0; s < class->in.student_count; s++) {
        const struct student *student = &class->in.students[s];
        int row = rows[s];
        char *grade, *feedback;

        if (row == 0) {
            char *id = text_plain(student->id);

            fprintf(stderr, "workbook: %s has no row in the table: give the mark by hand, or check the roster\n", id);
            free(id);
            missing++;
            continue;
        }
        grade = grade_of(
            class, s,
            csv_field(csv, f->most_row >= 0 ? f->most_row : row, f->most_row >= 0 ? f->grade : f->most_column));
        feedback = feedback_of(class, s);
        csv_set(csv, row, f->grade, grade);
        csv_set(csv, row, f->feedback, feedback);
        free(grade);
        free(feedback);
        filled++;
    }
    free(rows);
    printf("%d of %d rows filled in; the others are as they were\n", filled, csv->count - f->first);
    return missing;
}

int export_moodle(const struct class *class, const struct sheet *sheet, const char *to)
{
    struct csv csv = {0};
    struct filling f = {.first = 1, .most_row = -1};
    struct keys keys = {.id = 0, .other_id = -1, .login = -1, .numbered = true};
    int status = 1;

    if (!read_sheet(&csv, sheet->path))
        return 1;
    keys.email = column_named(&csv, NULL, "Email address");
    keys.name = column_named(&csv, NULL, "Full name");
    keys.other_id = column_named(&csv, NULL, "ID number");
    f.grade = column_named(&csv, sheet->grade, "Grade");
    f.feedback = column_named(&csv, sheet->feedback, "Feedback comments");
    f.most_column = column_named(&csv, sheet->maximum, "Maximum grade");
    if (f.grade < 0)
        explain_header(sheet->path, &csv, "for the grade", "--grade-column TITLE");
    else if (sheet->feedback && f.feedback < 0)
        explain_header(sheet->path, &csv, "for the feedback", "--feedback-column TITLE");
    else if (f.most_column < 0)
        explain_header(sheet->path, &csv, "for the maximum grade", "--maximum-column TITLE");
    else
        status = write_sheet(&csv, to, fill(&csv, class, &keys, &f));
    csv_free(&csv);
    return status;
}

// Adds an empty column at the end.
static int add_column(struct csv *csv, const char *title)
{
    int count = 0;

    while (csv->rows[0][count])
        count++;
    for (int row = 0; row < csv->count; row++) {
        int fields = 0;

        while (csv->rows[row][fields])
            fields++;
        csv->rows[row] = checked(realloc(csv->rows[row], (size_t)(count + 2) * sizeof(char *)));
        for (; fields <= count; fields++)
            csv->rows[row][fields] = text_format("%s", fields == count && row == 0 ? title : "");
        csv->rows[row][count + 1] = NULL;
    }
    return count;
}

int export_canvas(const struct class *class, const struct sheet *sheet, const char *to)
{
    static const char option[] =
        "--grade-column 'Title (ID)' as the table has it; with --new-column a new one is added, "
        "and Canvas asks when it is imported";
    struct csv csv = {0};
    struct filling f = {.first = 1, .feedback = -1, .most_column = -1, .most_row = -1};
    struct keys keys = {0};
    int status = 1;

    if (!read_sheet(&csv, sheet->path))
        return 1;
    keys.id = column_named(&csv, NULL, "ID");
    keys.other_id = column_named(&csv, NULL, "SIS User ID");
    keys.login = column_named(&csv, NULL, "SIS Login ID");
    keys.email = column_named(&csv, NULL, "Email");
    keys.name = column_named(&csv, NULL, "Student");
    f.grade = column_named(&csv, sheet->grade, "");
    if (f.grade < 0 && sheet->grade && sheet->new_column)
        f.grade = add_column(&csv, sheet->grade);
    for (int row = 1; row < csv.count && row < 3; row++) // before the students; manual posting adds one more line
        if (strstr(csv_field(&csv, row, keys.name < 0 ? 0 : keys.name), "Points Possible")) {
            f.most_row = row;
            f.first = row + 1;
        }
    if (keys.id < 0)
        explain_header(sheet->path, &csv, "ID", "export the gradebook again; this is not one of Canvas's");
    else if (f.grade < 0)
        explain_header(sheet->path, &csv, sheet->grade ? sheet->grade : "for the grade", option);
    else
        status = write_sheet(&csv, to, fill(&csv, class, &keys, &f));
    csv_free(&csv);
    return status;
}

// pages.c, student_page.c: a graded course as web pages.
#pragma once

#include "report/marks.h"

// What the pages show in addition to the record. Both members may be NULL, and so may each of their elements.
struct extras {
    char **xrays;      // for each mark: the page of its first finding, a file in the folder of the pages
    char **references; // for each step of the course: the output of the reference solution's lesson run
};

// Writes folder/index.html, for teachers, and folder/students/NAME.html. False after a message.
bool export_pages(const struct class *class, const char *folder, const struct extras *extras);

void write_student_page(FILE *to, const struct class *class, int student, const struct extras *extras);

// A path as a link, with every special byte written as %XX.
void write_link(FILE *to, const char *path);

// "passed", "failed", "skipped" or "none": a CSS class of the pages.
const char *mark_style(const struct mark *mark);

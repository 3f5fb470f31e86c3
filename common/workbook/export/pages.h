// pages.c, student_page.c: a graded course as pages for a browser.
#pragma once

#include "report/marks.h"

// What the pages show beside the record. Both may be NULL, and so may each of their elements.
struct extras {
    char **xrays;      // for each mark: the page of its first finding, a file in the folder of the pages
    char **references; // for each step of the course: what the reference solution's run for the lesson printed
};

// Writes folder/index.html, for those who teach, and folder/students/NAME.html. False after a message.
bool export_pages(const struct class *class, const char *folder, const struct extras *extras);

void write_student_page(FILE *to, const struct class *class, int student, const struct extras *extras);

// A path as a link: every byte that could mean something else as %XX.
void write_link(FILE *to, const char *path);

// "passed", "failed", "skipped" or "none": a class of the pages' style.
const char *mark_style(const struct mark *mark);

// autograder.c: the files that Gradescope needs to grade each submission.
#pragma once

// Creates the folder, and folder.zip for the upload: setup.sh and run_autograder at its root, a hand-out, and the list
// of due steps. Returns the exit status.
int export_autograder(const char *folder, const char *due);

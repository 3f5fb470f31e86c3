// autograder.c: what Gradescope takes to grade each submission itself.
#pragma once

// Makes the new folder, and folder.zip to upload: setup.sh and run_autograder at its root, a hand-out, and what is due.
// Returns the exit status.
int export_autograder(const char *folder, const char *due);

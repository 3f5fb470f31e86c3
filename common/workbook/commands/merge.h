// merge.c: a course that was graded in parts.
#pragma once

// `workbook grade --merge DIR... --out DIR`, without its first word. Returns the exit status.
int merge_records(int argc, char **argv);

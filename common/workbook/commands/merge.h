// merge.c: a course that was graded in parts.
#ifndef COMMANDS_MERGE_H
#define COMMANDS_MERGE_H

// `workbook grade --merge DIR... --out DIR`, without its first word. Returns the exit status.
int merge_records(int argc, char **argv);

#endif

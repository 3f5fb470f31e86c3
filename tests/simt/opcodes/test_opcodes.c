// Runs tables of opcode tests (table.h). Usage: test_opcodes TABLE... Exit 0: all results are as expected.
#include <stdio.h>
#include <stdlib.h>

#include "../machine.h"
#include "table.h"

int main(int argc, char **argv)
{
    int groups = 0, examples = 0;
    for (int a = 1; a < argc; a++) {
        struct table t = table_read(argv[a]);
        for (int i = 0; i < t.count; i++) {
            table_run(&t.groups[i]);
            groups++;
            examples += t.groups[i].count;
            free(t.groups[i].examples);
        }
        free(t.groups);
    }
    printf("%d instructions, %d examples, %d failures\n", groups, examples, failures);
    return failures || !groups;
}

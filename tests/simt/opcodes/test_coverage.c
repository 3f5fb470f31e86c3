// Checks that every row of opcodes.def has a test. A row of arithmetic or comparison needs a line in a table of opcode
// tests or in the recording of a GPU's results; a family may also have an instruction in another test of the SIMT
// machine. Usage: test_coverage TABLE... -- OTHER... Exit 0: none is missing.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine.h"
#include "decode/opcodes.h"

static bool covered[OPCODES];

// "setp.lt.and.ftz.f32" or "set.lt.ftz.u32.f32": the row of the comparison is "lt.ftz.f32".
static void cover_comparison(const char *mnemonic)
{
    char key[128], copy[96];
    const char *ftz = strstr(mnemonic, ".ftz") ? ".ftz" : "", *type = strrchr(mnemonic, '.');
    snprintf(copy, sizeof copy, "%s", strchr(mnemonic, '.') + 1);
    copy[strcspn(copy, ".")] = 0;
    snprintf(key, sizeof key, "%s%s%s", copy, ftz, type);
    enum opcode op = opcode_find_comparison(key);
    if (op != OPCODES)
        covered[op] = true;
}

static void cover(const char *mnemonic, bool packs)
{
    enum opcode op = packs ? OPCODES : opcode_find(mnemonic), family = opcode_find_family(mnemonic);
    if (op != OPCODES)
        covered[op] = true;
    else if (family != OPCODES)
        covered[family] = true;
    if (op == OPCODES && (!strncmp(mnemonic, "setp.", 5) || !strncmp(mnemonic, "set.", 4)))
        cover_comparison(mnemonic);
}

// The instructions in the first column of a table (table.h) or of a recording (conform.c).
static void cover_table(const char *path)
{
    char *text = read_text(path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *bar = strstr(line, " |"), mnemonic[96];
        if (*line == '#' || !bar || strstr(bar, "refused"))
            continue;
        *bar = 0;
        for (char *at = line; at; at = strpbrk(at + 1, ";&"))
            if (sscanf(at + strspn(at, ";&"), " %95[^ ;]", mnemonic) == 1)
                cover(mnemonic, strchr(at, '{') != NULL);
    }
    free(text);
}

// Notes words of PTX in any text: those before a space or a semicolon at the start of a statement.
static void cover_text(const char *path)
{
    char *text = read_text(path), word[96];
    for (const char *at = text; *at; at++) {
        bool starts = at == text || at[-1] == '\n' || at[-1] == '"' || at[-1] == ' ' || at[-1] == '\t' ||
                      (at[-1] == 'n' && at[-2] == '\\');
        if (!starts || !islower((unsigned char)*at) || sscanf(at, "%95[a-zA-Z0-9_.:]", word) != 1)
            continue;
        const char *after = at + strlen(word);
        bool ends =
            *after == ';' || (*after == ' ' && strchr("%[{(_-0123456789\t", after[1]) && after[1]) || strchr(word, '.');
        enum opcode family = ends ? opcode_find_family(word) : OPCODES;
        if (family != OPCODES)
            covered[family] = true;
    }
    free(text);
}

int main(int argc, char **argv)
{
    int missing = 0;
    bool tables = true;
    for (int a = 1; a < argc; a++) {
        if (!strcmp(argv[a], "--"))
            tables = false;
        else if (tables)
            cover_table(argv[a]);
        else
            cover_text(argv[a]);
    }
    for (unsigned op = 0; op < OPCODES; op++)
        if (!covered[op]) {
            printf("no test for %s (%s%s): add a line to tests/simt/opcodes/family.txt\n", opcode_table[op].name,
                   opcode_table[op].comparison ? "setp." : "", opcode_table[op].pattern);
            missing++;
        }
    printf("%d opcodes, %d without a test\n", (int)OPCODES, missing);
    return missing != 0;
}

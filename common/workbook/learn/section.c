// Sections of hunts.txt and projects.txt. A section begins with "## " and its name and has a line for each key. A value
// continues on lines that begin with a blank.
#include "learn/section.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

char *section_value(const char *text, const char *key)
{
    char *start = text_format("\n%s: ", key), *value, *to;
    const char *end = strstr(text, "\n## "), *at = strstr(text, start);
    size_t skip = strlen(start);

    free(start);
    if (!at || (end && at > end))
        return text_format("%s", "");
    value = to = text_format("%s", at + skip);
    for (const char *from = value; *from; from++) {
        if (*from == '\n' && from[1] != ' ')
            break;
        if (*from == '\n') {
            from += strspn(from, "\n ") - 1;
            *to++ = ' ';
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
    return value;
}

char **section_list(char *words)
{
    char **list = checked(malloc((strlen(words) + 2) * sizeof *list)), *rest = words, *word;
    int count = 0;

    while ((word = strsep(&rest, ","))) {
        word += strspn(word, " ");
        if (*word)
            list[count++] = text_format("%s", word);
    }
    list[count] = NULL;
    free(words);
    return list;
}

void section_list_free(char **list)
{
    for (char **item = list; *item; item++)
        free(*item);
    free(list);
}

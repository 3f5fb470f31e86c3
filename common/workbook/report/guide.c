// Text that several commands print: the next step, and where to read about it.
#include "report/guide.h"
#include "judge/progress.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_next(void)
{
    const struct step *next = progress_next();
    char *words;

    if (!next)
        words = text_format("All %d steps are passed.", course.count);
    else
        words = text_format("Next: %s/%s; `%s next` shows what to do.", next->chapter, next->name, program_name);
    print_wrapped(words);
    free(words);
}

void print_page(const struct step *step)
{
    char *page = text_format("%s/docs/%s.md", course.source, step->chapter), *text = file_read(page);

    for (const char *line = text ? text : ""; *line; line = line_end(line)) {
        const char *heading = line + strspn(line, "# ");

        if (strncmp(line, "## ", 3) != 0 || atoi(heading) != atoi(step->name)) // "## 5 sequential: ..."
            continue;
        printf("Read:  %s,\n       section \"%.*s\"\n", shown(page), (int)strcspn(heading, "\n"), heading);
        break;
    }
    free(text);
    free(page);
}

// Every bound of the course tables has words for the student: a name, a meaning for each side on which it can be
// missed, and an existing page and section.
//
//     unit.harness.bounds build/course.tsv SOURCE
#include "harness/bounds.h"
#include "simt/plural.h"

#include <stdio.h>

static int failures;

static void bad(const char *step, const char *bound, const char *what)
{
    printf("FAILED: %s, '%s': %s\n", step, bound, what);
    failures++;
}

// docs/counters.md, "Banks": whether there is such a file with such a heading.
static int page_exists(const char *source, const char *page)
{
    char path[4096], heading[128] = "# ", line[1024];
    int length = (int)strcspn(page, ","), found = 0;
    const char *quote = strchr(page, '"');
    snprintf(path, sizeof path, "%s/%.*s", source, length, page);
    FILE *file = fopen(path, "r");
    if (quote)
        snprintf(heading, sizeof heading, "## %.*s\n", (int)strcspn(quote + 1, "\""), quote + 1);
    while (file && fgets(line, sizeof line, file))
        found |= quote ? !strcmp(line, heading) : !strncmp(line, heading, 2);
    if (file)
        fclose(file);
    return found;
}

static void check(const char *step, const char *bound, const char *source)
{
    const char *sign = bound + strcspn(bound, "<>=");
    const struct bound_words *words = find_bound_words(bound, sign);
    int above = *sign != '>', below = *sign == '>' || (*sign == '=' && strcmp(sign, "== 0"));
    if (!words)
        bad(step, bound, "no row of common/harness/bounds.h fits");
    else if (above && !words->over)
        bad(step, bound, "no words for too much");
    else if (below && !words->under)
        bad(step, bound, "no words for too little");
    else if (!page_exists(source, words->page))
        bad(step, bound, words->page);
}

// A count of one is in the singular.
static void check_plural(const char *text, const char *wanted)
{
    char got[100];
    snprintf(got, sizeof got, "%s", text);
    correct_plurals(got);
    if (strcmp(got, wanted))
        bad("plurals", text, got);
}

int main(int argc, char **argv)
{
    char line[8192];
    int bounds = 0;
    FILE *course = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!course)
        return printf("usage: bounds COURSE.TSV SOURCE\n"), 1;
    while (fgets(line, sizeof line, course)) {
        char *field = strtok(line, "\t\n"), step[256] = "";
        for (int i = 0; field; field = strtok(NULL, "\t\n"), i++) {
            if (i < 2)
                snprintf(step + strlen(step), sizeof step - strlen(step), "%s%s", i ? "/" : "", field);
            if (i >= 6) {
                check(step, field, argv[2]);
                bounds++;
            }
        }
    }
    fclose(course);
    check_plural(", 1 systems of 2 rows", ", 1 system of 2 rows");
    check_plural("1 launches, 21 rows, 0.1 points, 1 pass", "1 launch, 21 rows, 0.1 points, 1 pass");
    printf("%d bounds, %d without words\n", bounds, failures);
    return failures > 0 || bounds < 100;
}

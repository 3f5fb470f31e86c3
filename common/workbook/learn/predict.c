// `workbook predict`: the user predicts three numbers before a run. NN-topic/predict.txt has the questions and what to
// count; the machine counts in a run of the user's program.
#include "learn/learn.h"
#include "learn/counts.h"
#include "judge/progress.h"
#include "process/measure.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTIONS = 3, FIELDS = 4 };

struct question {
    char *field[FIELDS]; // the question, what to count, why, the section of the page
    double predicted, counted;
    bool answered;
};

struct quiz {
    struct question list[QUESTIONS];
    int count;
    char *n; // size of the run; the step's own, if the file gives none
};

// ---- questions

// Takes the next field of "QUESTION | COUNT | WHY | SECTION" from *rest; to be freed.
static char *next_field(const char **rest)
{
    const char *line_ends = *rest + strcspn(*rest, "\n"), *bar = strstr(*rest, " | ");
    const char *end = bar && bar < line_ends ? bar : line_ends;
    char *field = text_format("%.*s", (int)(end - *rest), *rest);

    *rest = end == bar ? bar + 3 : line_ends;
    return field;
}

static void read_line(struct quiz *quiz, const char *line)
{
    if (strncmp(line, "n: ", 3) == 0 && !quiz->n) {
        quiz->n = text_format("%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    } else if (strncmp(line, "ask: ", 5) == 0 && quiz->count < QUESTIONS) {
        const char *rest = line + 5;

        for (int i = 0; i < FIELDS; i++)
            quiz->list[quiz->count].field[i] = next_field(&rest);
        quiz->count++;
    }
}

static struct quiz quiz_of(const struct step *step)
{
    char *path = text_format("%s/%s/predict.txt", course.source, step->chapter), *text = file_read(path);
    char *heading = text_format("\n## %s\n", step->name);
    const char *line = text ? strstr(text, heading) : NULL;
    struct quiz quiz = {.count = 0};

    for (line = line ? line_end(line + 1) : ""; *line && strncmp(line, "## ", 3) != 0; line = line_end(line))
        read_line(&quiz, line);
    if (!quiz.n)
        quiz.n = text_format("%s", step->n);
    free(heading);
    free(text);
    free(path);
    return quiz;
}

static void quiz_free(struct quiz *quiz)
{
    for (int i = 0; i < quiz->count; i++)
        for (int k = 0; k < FIELDS; k++)
            free(quiz->list[i].field[k]);
    free(quiz->n);
}

// ---- counts

static bool count_answers(struct quiz *quiz, const struct step *step, bool own)
{
    const char *const arguments[] = {"--n", quiz->n, NULL};
    char *program = graded_path(step, own), *json;
    struct outcome outcome;
    bool good = step_is_built(step, own);

    json = good ? program_report(step, "none", program, arguments, &outcome) : text_format("%s", "");
    for (int i = 0; good && i < quiz->count; i++)
        good = count_value(json, quiz->list[i].field[1], &quiz->list[i].counted);
    if (!good)
        fprintf(stderr, "workbook: the run of %s/%s gives no counts\n", step->chapter, step->name);
    free(json);
    free(program);
    return good;
}

// ---- the dialogue

static void ask(struct question *question, int number)
{
    char line[80];

    printf("\n");
    print_line("%d. %s", number, question->field[0]);
    printf("> ");
    fflush(stdout);
    question->answered = fgets(line, sizeof line, stdin) && sscanf(line, "%lf", &question->predicted) == 1;
    if (!terminal_shown())
        printf("\n");
}

// Within a tenth, since some questions are about an average.
static bool is_right(const struct question *question)
{
    return question->answered && fabs(question->predicted - question->counted) <= 0.1 * fabs(question->counted) + 1e-9;
}

static void print_answer(const struct question *question, int number, const char *page)
{
    bool right = is_right(question);

    printf("\n%s%d. %s%s ", colour(right ? "green" : "red"), number, verdict_sign(right), colour("off"));
    if (question->answered)
        printf("you: %.6g, ", question->predicted);
    printf("counted: %.6g  (%s)\n", question->counted, question->field[1]);
    if (!right) {
        print_wrapped(question->field[2]);
        print_line("Read %s, section \"%s\".", page, question->field[3]);
    }
}

static int play(struct quiz *quiz, const struct step *step, bool own)
{
    char *page = text_format("docs/%s.md", step->chapter), *place = step_place(step);
    int right = 0;

    printf("%s%s/%s%s  n = %s\n", colour("bold"), step->chapter, step->name, colour("off"), quiz->n);
    for (int i = 0; i < quiz->count; i++)
        ask(&quiz->list[i], i + 1);
    if (count_answers(quiz, step, own)) {
        for (int i = 0; i < quiz->count; i++) {
            print_answer(&quiz->list[i], i + 1, page);
            right += is_right(&quiz->list[i]);
        }
        printf("\n");
        print_line("%d of %d. See it happen: `%s xray %s`", right, quiz->count, program_name, place);
    }
    free(place);
    free(page);
    return right == quiz->count ? 0 : 2;
}

// For authors: only the counts, as QUESTION<tab>COUNT.
static int print_counts(struct quiz *quiz, const struct step *step, bool own)
{
    if (!count_answers(quiz, step, own))
        return 1;
    for (int i = 0; i < quiz->count; i++)
        printf("%s\t%.6g\n", quiz->list[i].field[0], quiz->list[i].counted);
    return 0;
}

int command_predict(int argc, char **argv)
{
    bool counts = argc == 2 && strcmp(argv[1], "--counts") == 0, own = grades_own();
    const struct step *step;
    struct quiz quiz;
    int status = 1;

    if (argc != 1 && !counts)
        return usage_error("predict ", argc ? "one step at a time, not" : "which step?", argc ? argv[argc - 1] : NULL);
    if (!(step = course_find(argv[0], progress_chapter())))
        return 1;
    quiz = quiz_of(step);
    if (quiz.count == 0)
        fprintf(stderr, "workbook: nothing to predict for %s/%s\n", step->chapter, step->name);
    else if (own && (progress_of(step)->state != PASSED || progress_stale(step)))
        fprintf(stderr, "workbook: %s/%s has not passed; solve it first, then predict what it costs\n", step->chapter,
                step->name);
    else
        status = counts ? print_counts(&quiz, step, own) : play(&quiz, step, own);
    quiz_free(&quiz);
    return status;
}

// `workbook drill` asks one question at a time and goes up a level after three right answers in a row. `workbook exam`
// prints an exam paper, and writes the answers and their reasons to a separate file.
#include "learn/learn.h"
#include "learn/drills.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IN_A_ROW = 3, EACH = 3 }; // right answers per level; questions of each topic in an exam, one a level

// ---- progress: drills/TOPIC.tsv has the level and the right answers in a row

struct drill_record {
    int level, right;
};

static char *drill_record_path(int topic)
{
    return text_format("%s/drills/%s.tsv", course.build, topic_name(topic));
}

static struct drill_record drill_record_read(int topic)
{
    char *path = drill_record_path(topic), *text = file_read(path);
    struct drill_record drill_record = {1, 0};

    if (!text || sscanf(text, "%d %d", &drill_record.level, &drill_record.right) != 2 || drill_record.level < 1 ||
        drill_record.level > LEVELS)
        drill_record = (struct drill_record){1, 0};
    free(text);
    free(path);
    return drill_record;
}

static void drill_record_write(int topic, struct drill_record drill_record)
{
    char *path = drill_record_path(topic), *text = text_format("%d %d\n", drill_record.level, drill_record.right);

    file_write(path, text);
    free(text);
    free(path);
}

static struct drill_record after(struct drill_record drill_record, bool right)
{
    drill_record.right = right ? drill_record.right + 1 : 0;
    if (drill_record.right == IN_A_ROW && drill_record.level < LEVELS)
        drill_record = (struct drill_record){drill_record.level + 1, 0};
    return drill_record;
}

// ---- drill

// Reads the value of --seed; false after a message.
static bool seed_read(const char *text, uint64_t *seed)
{
    bool good = *text && strspn(text, "0123456789") == strlen(text);

    if (good)
        *seed = strtoull(text, NULL, 10);
    else
        fprintf(stderr, "workbook: the seed '%s' is not a whole number; write `--seed 7`, for example\n", text);
    return good;
}

static void print_paragraphs(const char *text)
{
    for (const char *line = text; *line; line = line_end(line))
        print_folded(line, (int)strcspn(line, "\n"), terminal_width());
}

static int drill_once(int topic, uint64_t seed)
{
    struct drill_record drill_record = drill_record_read(topic);
    struct drill drill = drill_make(topic, seed, drill_record.level);
    struct answer answer = {0, NULL};
    char line[80] = "";
    bool known, right = false;

    printf("%s%s%s, level %d, seed %llu\n\n", colour("bold"), topic_name(topic), colour("off"), drill_record.level,
           (unsigned long long)seed);
    print_paragraphs(drill.question);
    printf("\n> ");
    fflush(stdout);
    known = drill_answer(&drill, &answer) && fgets(line, sizeof line, stdin);
    if (known) {
        right = atol(line) == answer.number && strcspn(line, "0123456789") < strlen(line);
        printf("%s%s %ld%s\n", colour(right ? "green" : "red"), verdict_sign(right), answer.number, colour("off"));
        print_paragraphs(answer.why);
        drill_record_write(topic, after(drill_record, right));
    }
    free(answer.why);
    drill_free(&drill);
    return known && right ? 0 : 2;
}

int command_drill(int argc, char **argv)
{
    bool seeded = argc == 3 && strcmp(argv[1], "--seed") == 0;
    uint64_t seed = (uint64_t)time(NULL);
    int topic;

    if (argc != 1 && !seeded)
        return usage_error("drill ", argc ? "one topic at a time, not" : "which topic?", argc ? argv[argc - 1] : NULL);
    if ((topic = topic_find(argv[0])) < 0 || (seeded && !seed_read(argv[2], &seed)))
        return 1;
    return drill_once(topic, seed);
}

// ---- exam

struct exam {
    uint64_t seed;
    char *topics;
    const char *answers; // the file
};

// Writes one question to the paper and its answer to the other file.
static bool examine(FILE *answers, int topic, int level, int number, uint64_t seed)
{
    struct drill drill = drill_make(topic, seed, level);
    struct answer answer = {0, NULL};
    bool good = drill_answer(&drill, &answer);

    printf("%d. (%s, level %d) ", number, topic_name(topic), level);
    print_paragraphs(drill.question);
    printf("\n    answer: ________\n\n");
    if (good)
        fprintf(answers, "%d. %ld\n    %s\n", number, answer.number, answer.why);
    free(answer.why);
    drill_free(&drill);
    return good;
}

// Whether all of the topics exist, before anything is written; a message about the first that does not.
static bool topics_exist(const char *topics)
{
    char *copy = text_format("%s", topics), *rest = copy, *name;
    bool good = true;

    while (good && (name = strsep(&rest, ",")))
        good = topic_find(name) >= 0;
    free(copy);
    return good;
}

static int exam_write(const struct exam *exam, FILE *answers)
{
    char *rest = exam->topics, *name;
    int number = 0;
    bool good = true;

    printf("Exam, seed %llu, %s\n\n", (unsigned long long)exam->seed, exam->topics);
    fprintf(answers, "Answers, seed %llu, %s\n\n", (unsigned long long)exam->seed, exam->topics);
    while (good && (name = strsep(&rest, ","))) {
        int topic = topic_find(name);

        for (int level = 1; good && level <= EACH; level++, number++)
            good = examine(answers, topic, level, number + 1, exam->seed + (uint64_t)level);
    }
    return !good;
}

int command_exam(int argc, char **argv)
{
    struct exam exam = {1, NULL, "answers.txt"};
    FILE *answers;
    int status;

    for (; argc > 1; argc -= 2, argv += 2) {
        if (strcmp(argv[0], "--seed") == 0) {
            if (!seed_read(argv[1], &exam.seed))
                return 1;
        } else if (strcmp(argv[0], "--topics") == 0)
            exam.topics = argv[1];
        else if (strcmp(argv[0], "--answers") == 0)
            exam.answers = argv[1];
        else
            break;
    }
    if (argc || !exam.topics)
        return usage_error("exam ", argc ? "unknown option, or one without its value:" : "which --topics?",
                           argc ? argv[0] : NULL);
    if (!topics_exist(exam.topics))
        return 1;
    answers = fopen(exam.answers, "w");
    status = answers ? exam_write(&exam, answers) : 1;
    return file_finish(answers, exam.answers) ? status : 1;
}

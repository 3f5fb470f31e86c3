// workbook: the runner. The table of its commands, and its messages about a wrong one. It stores its state in the build
// tree only. Its folders, from the top down; each includes only those below it (common/rooms.list):
//
//     learn      commands that teach: what a finding means, hunts, predictions, projects, drills
//     commands   one file for each command, or for a few related ones
//     xray       the page about what a block's lanes, banks and barriers did, and its scripts
//     report     output of commands: charts, pages, the marks of a class
//     judge      checks of a submission, the three parts of grading, the student's progress
//     process    programs within their limits, and their reports
//     course     the table of steps, exercise files and their tokens
//     base       strings, files, the terminal
#include "learn/learn.h"
#include "commands/commands.h"
#include "judge/progress.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
    const char *name, *arguments, *summary, *more;
    int (*run)(int argc, char **argv); // excludes the command's name
};

static const struct command commands[] = {
    {"status", "", "where you stand, and the next step", "This is also what `workbook` alone shows.\n", command_status},
    {"list", "[CHAPTER]", "the steps and how far you are",
     "The state is that of the last `run`; `changed since` means that the file was\nedited after it.\n", command_list},
    {"next", "[STEP]", "a step: what to read, what to edit, what to do", "Without STEP: the next one.\n", command_next},
    {"run", "[STEP]", "build a step and grade result, safety and lesson",
     "Without STEP: the next step. Stops at the first part that fails and returns its\n"
     "exit status: 1 broken or not built, 2 wrong or not done, 3 unsafe, 4 lesson\n"
     "missed.\n"
     "  --all        also all that a passed part printed and counted\n"
     "  --xray       then show what a block of it did, as `xray` does\n"
     "  --estimate   how long an H200 would take, even without a terminal\n",
     command_run},
    {"watch", "[STEP]", "grade a step again whenever you save it; Ctrl-C ends",
     "Shows the result next to the previous one, and only the first messages that\n"
     "matter. Without STEP: the next step, and when it has passed the one after it.\n",
     command_watch},
    {"xray", "STEP", "a page of what a block of your kernel did, lane by lane",
     "  --solution      the reference solution, not your file\n"
     "  --compare WHAT  beside it: before (the step before), reference, or a step\n"
     "  --n N           at this size instead of the step's own\n"
     "  -o FILE         where to write the page; without it build/xray/STEP.html\n"
     "  --trace FILE    of any program, instead of STEP: what SIMT_TRACE=*,file:FILE\n"
     "                  wrote; twice: side by side\n"
     "  --no-open       do not open it\n"
     "  --force         show a reference even if yours does not pass\n",
     command_xray},
    {"hint", "[STEP]", "what the TODO asks for, then one more hint each time",
     "A hint for what went wrong in the step's last run comes first. Without STEP: the\n"
     "step that was graded last, or the next one if that has passed.\n"
     "  --said FILE  after STEP: the hint for a run that printed this (for authors)\n",
     command_hint},
    {"explain", "[NAME]", "what a finding means, how to repair it, where it is taught",
     "NAME is the word below a finding, after `simt: explain:`. Without NAME: all names.\n", command_explain},
    {"hunt", "[HUNT]", "a program that prints PASSED and is wrong: find its defect",
     "HUNT is a chapter and a letter, 2/c. The first time this makes a copy for you; later\n"
     "it judges your copy: no finding, right on every input, few lines changed. Without\n"
     "HUNT: all hunts, and how far you are.\n"
     "  --ask         help, one level more each time: the kind of finding, its lines, a hint\n"
     "  --again       start again from the program as it was\n"
     "  --judge FILE  judge FILE and show everything (for authors)\n",
     command_hunt},
    {"predict", "STEP", "three numbers to predict before your passed program runs",
     "Answer each question with a number, or with - if you do not know. Then the machine\n"
     "counts, and shows both.\n"
     "  --counts     the counts alone (for authors)\n",
     command_predict},
    {"project", "[CHAPTER]", "a contract and a blank page: one program of your own",
     "The first time it shows the contract and makes your file, later it judges the file:\n"
     "level 1 of 3 works, 2 and 3 keep the bounds that are shown. Without CHAPTER: all\n"
     "projects, and your level in each. Exit status: 0 level 3, 1 not built, 2 wrong,\n"
     "3 unsafe, 4 level 1 or 2, 77 not judged: the computer was too busy.\n"
     "  --judge FILE  after CHAPTER: judge FILE (for authors and instructors)\n",
     command_project},
    {"drill", "TOPIC", "a small question, drawn each time; the machine answers it",
     "TOPIC is sectors, banks, races, fences, occupancy or phases. Three right answers\n"
     "in a row lead to the next of three levels.\n"
     "  --seed S     the question of this seed\n",
     command_drill},
    {"exam", "", "an exam paper of such questions, and the answers in a file",
     "  --topics A,B    sectors, banks, races, fences, occupancy, phases; three questions\n"
     "                  of each\n"
     "  --seed S        another seed, another paper of the same levels (1)\n"
     "  --answers FILE  where to write the answers (answers.txt)\n",
     command_exam},
    {"solution", "STEP", "your file and the reference, once yours passes",
     "  --force      show it even if yours does not pass\n", command_solution},
    {"reset", "STEP", "the file as it was handed out; yours is kept as FILE.bak",
     "  --all        all files, instead of STEP\n", command_reset},
    {"ladder", "[CHAPTER]", "a chapter's steps side by side: what each costs",
     "  --mine       your programs, not the reference solutions\n"
     "  --n N        the counts at this size, and no times\n"
     "  --counts     no times, which take minutes on a GPU\n"
     "  --markdown   as a table for docs/, with exact numbers\n"
     "  --estimate   also how long an H200 would take, estimated (docs/estimate.md)\n"
     "  --built      do not build first\n",
     command_ladder},
    {"profile", "[STEP]", "what a step's program costs, line by line",
     "Its counted run by the SIMT machine, and what stands out in each kernel.\n"
     "Without STEP: the next step.\n"
     "  --n N             at this size\n"
     "  --launches        each launch separately, not each kernel\n"
     "  --json FILE       also as JSON (docs/profile.md)\n"
     "  --callgrind FILE  also for KCachegrind and callgrind_annotate\n",
     command_profile},
    {"report", "[FILE...]", "a page of results with plots; also JUnit and JSON",
     "Reports your progress in this tree. With FILEs, JSON as `--json` writes it,\n"
     "reports on a class.\n"
     "  --html FILE     where to write the page; default: build/report.html\n"
     "  --junit FILE    also as JUnit, a suite for every student\n"
     "  --json FILE     also as JSON: [{\"student\": ..., \"step\": ..., \"exit\": 0,\n"
     "                  \"verdict\": \"passed\"}, ...], and \"why\" where a step failed\n"
     "  --estimate      what an H200 would take for your programs, as a roofline\n"
     "  --student NAME  your name in it\n",
     command_report},
    {"doctor", "", "checks what the workbook needs, and says how to fix it",
     "Returns 1 when something that the workbook needs is missing or broken.\n", command_doctor},
    {"grade", "FOLDER", "grade a course: a folder, or what Moodle or Canvas exports",
     "FOLDER may be a zip or tar file, too. docs/course.md shows it for each system.\n"
     "  --list       only say whose each file is, and for which step\n"
     "  --roster F   CSV of id, name, email: who did not hand in, who is not on it\n"
     "  --roster-columns id=A,name=B,email=C   its headers, if they differ\n"
     "  --assignment F  what is due, for how many points, until when\n"
     "  --out DIR    grades.json, .csv, .xml, students.csv and the logs (build/grades)\n"
     "  --jobs N     N at a time (each takes a core and 4 GiB of memory)\n"
     "  --time S     limit in seconds for one run, and for the compiler (120)\n"
     "  --seed S     seed of the random inputs (a new one every time, printed)\n"
     "  --strict     refuse files that differ outside the TODO\n"
     "  --insight    grade projects, too: a row for each level\n"
     "  --resume     continue a run that was stopped\n"
     "  --shard K/N  only part K of N; `grade --merge DIR... --out DIR` joins them\n",
     command_grade},
    {"class", "DIR", "each student's current step, and the most common mistakes",
     "DIR has a folder for each student, with a build tree in it, in its folder build, or in\n"
     "one of its folders. Nothing is written there.\n"
     "  --watch      after DIR: again and again; Ctrl-C ends\n",
     command_class},
    {"export", "DIR --to FORM", "marks that `grade` gave, for a learning system",
     "DIR is what `grade --out` wrote. FORM is csv, junit, moodle, canvas, gradescope\n"
     "or prairielearn.\n"
     "  -o FILE          where to write it, instead of in DIR\n"
     "  --sheet FILE     moodle, canvas: the table that the system let you download\n"
     "  --grade-column TITLE, --feedback-column TITLE   the columns to fill in\n"
     "  --maximum-column TITLE   Moodle: the column with the maximum grade\n"
     "  --new-column     canvas: the column is a new one\n"
     "  --student ID     gradescope, prairielearn: this student alone, into -o FILE\n",
     command_export},
    {"handout", "[FOLDER]", "what students need, without solutions: a folder or a zip",
     "FOLDER must be new or empty. common/handout.list says what is in it; starters\n"
     "are made from the solutions.\n"
     "  --zip FILE   as FILE.zip, instead of FOLDER or beside it\n",
     command_handout},
    {"part", "STEP PART", "run result, safety or lesson alone (for CTest)",
     "  --order ORDER  before STEP: in this order of warps and blocks alone: order,\n"
     "               random:SEED\n"
     "  --program FILE  before STEP: this submission for it, as `run` judges it\n"
     "  --seed S     before STEP: the seed of the inputs\n",
     command_part},
    {"judge", "CASE...", "grade submissions that say what refuses them (for authors)",
     "CASE is CHAPTER/STEP.KIND.NAME of tests/submissions, or CHAPTER/STEP.KIND: all of\n"
     "that file. KIND is wrong, right, cheats or mistakes.\n"
     "  --write DIR  before CASE: only write the programs to DIR\n"
     "  --brief      before CASE: judge one of four whole, and of others what should refuse\n"
     "  --trials     instead of CASE: the table of the runs that grade a program\n",
     command_judge},
    {"exec", "PROGRAM", "run a program within the limits (for authors)",
     "  --time S     before PROGRAM: stop it after S seconds\n"
     "  --step STEP  before PROGRAM: it is a submission, run by that step's judge\n",
     command_exec},
    {"manifest", "", "hashes for common/handout.manifest (for authors)", "", command_manifest},
    {"starter", "FILE", "print the starter of a solution (for authors)", "", command_starter},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int help(const struct command *only)
{
    char *line;

    if (only) {
        printf("usage: %s %s %s\n\n%s.\n%s%s", program_name, only->name, only->arguments, only->summary,
               *only->more ? "\n" : "", only->more);
        return 0;
    }
    printf("usage: %s COMMAND [ARGUMENT]\n\n", program_name);
    for (int i = 0; i < COMMANDS; i++)
        if (terminal_width() < 80) {
            line = text_format("    %s", commands[i].summary);
            printf("%s%s%s\n", commands[i].name, *commands[i].arguments ? " " : "", commands[i].arguments);
            print_folded(line, (int)strlen(line), terminal_width());
            free(line);
        } else {
            printf("  %-8s %-9s  %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
        }
    printf("\n");
    line =
        text_format("STEP is a step's name or place: 05-sequential, 1/5, 01-reduction/05. Without a command: status. "
                    "`%s COMMAND --help` says more.",
                    program_name);
    print_wrapped(line);
    free(line);
    return 0;
}

static const struct command *find_command(const char *name)
{
    const char *names[COMMANDS], *near;

    for (int i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(name, names[i]) == 0)
            return &commands[i];
    }
    near = nearest(name, names, COMMANDS);
    fprintf(stderr, "workbook: there is no command '%s'%s%s%s `%s --help` shows them all\n", name,
            near ? "; did you mean '" : ";", near ? near : "", near ? "'?" : "", program_name);
    return NULL;
}

static bool is_help(const char *text)
{
    return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0 || strcmp(text, "help") == 0;
}

int main(int argc, char **argv)
{
    const struct command *command = &commands[0];
    int status;

    terminal_open();
    if (argc > 0)
        program_name = shown(argv[0]);
    if (argc > 1 && is_help(argv[1]))
        return help(NULL);
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("workbook %s\n", WORKBOOK_VERSION);
        return 0;
    }
    if (argc > 1 && !(command = find_command(argv[1])))
        return 1;
    if (argc > 2 && is_help(argv[2]))
        return help(command);
    course_load(WORKBOOK_COURSE);
    progress_load();
    status = command->run(argc > 2 ? argc - 2 : 0, argv + 2);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "workbook: cannot write its output; is the disk full?\n");
        return 1;
    }
    return status;
}

// child.h: runs a function that ends the program in a child process, and compares exit code and output with the
// expected ones. Every case starts with a fresh harness, and cannot end the others.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct child_case {
    const char *name;
    void (*run)(const char *argument); // returning counts as exit 0
    const char *argument;
    int exit_code;
    const char *words; // must be in stdout or stderr; NULL: both must be empty
};

static inline int child_failed(const struct child_case *c)
{
    char output[1 << 16];
    size_t length = 0;
    int pipes[2], status = 0;
    ssize_t got;
    fflush(NULL);
    if (pipe(pipes))
        exit(99);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        alarm(60);
        c->run(c->argument);
        exit(0);
    }
    close(pipes[1]);
    while (length < sizeof output - 1 && (got = read(pipes[0], output + length, sizeof output - 1 - length)) > 0)
        length += (size_t)got;
    output[length] = 0;
    close(pipes[0]);
    waitpid(child, &status, 0);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    int said = c->words ? strstr(output, c->words) != NULL : length == 0;
    int failed = code != c->exit_code || !said;
    printf("%-6s %s\n", failed ? "FAILED" : "ok", c->name);
    if (failed)
        printf("  exit %d, wanted %d; wanted '%s', said:\n%s\n", code, c->exit_code, c->words ? c->words : "", output);
    return failed;
}

// Runs all; returns what main returns.
static inline int run_children(const struct child_case *cases, int count)
{
    int failed = 0;
    for (int i = 0; i < count; i++)
        failed += child_failed(&cases[i]);
    printf("%d of %d failed\n", failed, count);
    return failed > 0;
}

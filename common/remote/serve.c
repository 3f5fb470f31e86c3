// Serves the judge's calls of the student's functions, in the submission.
#include <stdio.h>
#include <string.h>

#include "remote/client.h"
#include "remote/invocation.h"

int serve(struct invocation own, const char *driver, const int64_t numbers[4], void (*const run[])(void *arguments))
{
    static struct message m;
    struct hello hello = {.todo_open = own.todo_open};

    memcpy(hello.numbers, numbers, sizeof hello.numbers);
    snprintf(hello.driver, sizeof hello.driver, "%s", driver);
    snprintf(hello.file, sizeof hello.file, "%s", own.file);
    send_to_judge(HELLO, &hello, sizeof hello);
    for (;;) {
        wait_for_run(&m);
        struct run *r = (struct run *)m.bytes;
        run[r->which](r + 1);
        fflush(stdout);
        send_to_judge(RETURNED, r + 1, m.size - sizeof *r);
    }
}

void report_error(int error, const char *call, const char *file, int line)
{
    static struct message m;
    struct failed failed = {.error = error, .line = line};

    fflush(stdout);
    snprintf(failed.call, sizeof failed.call, "%s", call);
    snprintf(failed.file, sizeof failed.file, "%s", file);
    request(FAILED, &failed, sizeof failed, NULL, 0, &m);
}

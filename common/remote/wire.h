// What judge.c and service.c share.
#pragma once

#include "remote/message.h"

#include <stdbool.h>

struct submission {
    const char *path;
    int process, socket, window;
    void (*failed)(int error, const char *call, const char *file, int line); // see judge.h
};
extern struct submission submission;

// The next message; ends the process if the submission has ended.
void receive(struct message *m);
void send_to_submission(enum message_kind kind, const void *head, size_t head_size, const void *more, size_t size);

// Waits for the ANSWER to a request; a fault may precede it. else_why: the refusal if another message comes.
void await_answer(struct message *m, const char *else_why);

// Writes bytes of the submission's memory.
void write_remote(uint64_t to, const void *from, uint64_t size);

// Serves a request. 0: it is not one.
bool serve_request(const struct message *m);

// Ends the process: the submission did what its half of the program never does.
__attribute__((noreturn)) void refuse_message(const char *why);

// The code that nvcc put into a program: container number `image` of its file; NULL: none. The result must be kept.
const void *read_image(const char *path, unsigned image, size_t *size);

// Likewise the fat binary number `part` of those linked into the first; NULL if nvlink has linked nothing.
const void *read_part(const char *path, unsigned part, size_t *size);

// The messages between the two processes of a graded program.
//
//     judge: the chapter's driver and the SIMT machine          submission: the student's functions, no harness
//
//         RUN  ------------------------------------------------->  calls function number `which`
//              <-------------------------------------------------  a request for every CUDA call
//         REPLY ------------------------------------------------>
//              <-------------------------------------------------  RETURNED
//
// Only one of the two sends at a time. While it serves a request, the judge may send its own: for bytes of the
// submission's memory, or for a function that a stream calls. MAP and PROTECT need no answer. The judge trusts nothing
// from the submission: it checks every length against the message and every index against its table, and follows none
// of the submission's addresses.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum message_kind {
    // from the submission
    HELLO = 1,
    REGISTER_IMAGE,
    REGISTER_KERNEL,
    REGISTER_VARIABLE,
    LOAD_IMAGE,
    CALL,
    LAUNCH,
    PARAMETERS,
    HOST_FUNCTION,
    FAULT,
    FAILED,
    ANSWER,
    RETURNED,
    // from the judge
    REPLY,
    RUN,
    READ,
    WRITE,
    CALL_HOST,
    MAP,
    PROTECT,
};

enum { MAX_MESSAGE = 48 << 10, CALL_WORDS = 10, MAX_NAME = 1024, MAX_TEXT = 512, NUMBERS = 4 };

struct message {
    uint32_t kind, size; // size: bytes in use
    _Alignas(16) unsigned char bytes[MAX_MESSAGE];
};

struct hello {
    char driver[32];
    int64_t numbers[NUMBERS];
    int32_t todo_open;
    char file[MAX_TEXT];
};

struct registration { // of a kernel or a variable
    uint64_t host, size;
    uint32_t image, managed;
    char name[MAX_NAME];
};

// A call of the table in calls.h. After it: the targets of the parameters that are read, in order.
struct call_request {
    uint32_t call, unused;
    uint64_t words[CALL_WORDS];
};

enum launch_kind {
    LAUNCH_PLAIN,
    LAUNCH_COOPERATIVE,
    LAUNCH_WITH_ATTRIBUTES,
    ADD_KERNEL_NODE,
    SET_KERNEL_NODE,
    SET_EXEC_NODE
};

// After it: the attributes, or the preceding nodes; then the arguments, each rounded up to 16 bytes.
struct launch_request {
    uint32_t kind, count; // count: of attributes or nodes
    uint64_t function, stream, graph, node, shared;
    uint32_t grid[3], block[3];
};

enum host_function_kind { LAUNCH_HOST, ADD_CALLBACK, ADD_HOST_NODE };

// After it: the preceding nodes.
struct host_request {
    uint32_t kind, count;
    uint64_t function, data, stream, graph;
};

struct fault {
    uint64_t address, write;
};

struct failed { // a failed call in check_cuda
    int32_t error, line;
    char call[MAX_TEXT], file[MAX_TEXT];
};

struct reply {
    int64_t value; // of the call
    int64_t kept;  // the result of cudaPeekAtLastError from here on
};

struct run { // after it: the arguments, which come back in RETURNED
    uint64_t which;
};

struct host_range { // READ, WRITE (the bytes are after it), MAP (extra: offset), PROTECT (extra: protection)
    uint64_t address, size, extra;
};

struct host_call {
    uint64_t function, data, stream, callback;
};

// Sends a head and its payload as one message. Returns -1 if the other side has gone.
int message_send(int socket, enum message_kind kind, const void *head, size_t head_size, const void *more, size_t size);

// Waits for a message. Returns -1 if the other side has gone, 1 if the bytes received are not a message.
int message_receive(int socket, struct message *m);

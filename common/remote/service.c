// Serves the submission's requests with the machine's own runtime. A request is untrusted bytes: lengths, numbers and
// names are checked against the message and the tables before use.
#include "remote/calls.h"
#include "remote/wire.h"
#include "simt/remote.h"
#include "simt/startup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 16, PARTS = 16, MAX_PARAMETERS = 1024, VARIABLES = 256 };

static void *handle(uint64_t word)
{
    return (void *)(uintptr_t)word;
}

static void reply(int64_t value, const void *bytes, size_t size)
{
    struct reply r = {value, simt_kept_error()};

    send_to_submission(REPLY, &r, sizeof r, bytes, size);
}

// ---- registrations by start-up code

static struct {
    void **images[IMAGES];
    unsigned image_count;
    struct managed {
        uint64_t host; // of the submission's pointer
        void *here, *sent;
    } managed[VARIABLES];
    unsigned managed_count;
} registered;

static void register_image(void)
{
    size_t size;
    const void *code = read_image(submission.path, registered.image_count, &size);

    if (!code || registered.image_count == IMAGES)
        refuse_message("it registers code that its file does not hold");
    void **image = registered.images[registered.image_count++] = simt_register(code, size);
    for (unsigned k = 0; k < PARTS && (code = read_part(submission.path, k, &size)); k++)
        simt_register_part(image, code, size);
}

static void register_variable(void **image, const struct registration *r, const char *name)
{
    struct managed *m = &registered.managed[registered.managed_count];

    if (!r->managed) {
        __cudaRegisterVar(image, handle(r->host), NULL, name, 0, r->size, 0, 0);
        return;
    }
    if (registered.managed_count++ == VARIABLES)
        refuse_message("it has too many managed variables");
    m->host = r->host;
    __cudaRegisterManagedVar(image, &m->here, NULL, name, 0, r->size, 0, 0);
}

// The submission's pointers to its managed variables, if they have changed.
static void send_managed_pointers(void)
{
    for (struct managed *m = registered.managed; m < registered.managed + registered.managed_count; m++)
        if (m->here != m->sent) {
            write_remote(m->host, &m->here, sizeof m->here);
            m->sent = m->here;
        }
}

static void serve_registration(const struct message *m)
{
    const struct registration *r = (const struct registration *)m->bytes;
    void **image = NULL;

    if (m->size != sizeof *r || strnlen(r->name, sizeof r->name) == sizeof r->name)
        refuse_message("a name is too long");
    if (m->kind == REGISTER_IMAGE)
        register_image();
    else if (r->image >= registered.image_count)
        refuse_message("it names code that it did not register");
    else
        image = registered.images[r->image];
    if (m->kind == REGISTER_KERNEL)
        __cudaRegisterFunction(image, handle(r->host), NULL, strdup(r->name), 0, NULL, NULL, NULL, NULL, NULL);
    if (m->kind == REGISTER_VARIABLE)
        register_variable(image, r, strdup(r->name));
    if (m->kind == LOAD_IMAGE)
        __cudaInitModule(image);
    send_managed_pointers();
    reply(0, NULL, 0);
}

// ---- calls of the table

typedef uint64_t word;
typedef int any_call(word, word, word, word, word, word, word, word, word, word);

#define FUNCTION(name, ...) (any_call *)(void (*)(void))name,
static any_call *const functions[CALL_COUNT] = {CALLS(FUNCTION)};
#undef FUNCTION

// The targets of a call's parameters, in our memory.
struct pointed {
    size_t sizes[CALL_WORDS];
    unsigned char *at[CALL_WORDS], bytes[MAX_MESSAGE + 16 * CALL_WORDS];
    size_t used;
};

static void point(struct pointed *p, const struct signature *s, int i, const word *words, word number)
{
    p->sizes[i] = parameter_bytes(s, i, words, number);
    if (p->sizes[i] > MAX_MESSAGE - p->used || p->at[i])
        refuse_message("a call reads or writes too much");
    p->at[i] = p->bytes + p->used;
    p->used += (p->sizes[i] + 15) / 16 * 16;
    if (p->used > MAX_MESSAGE)
        refuse_message("a call reads or writes too much");
}

// The input parameters, which follow the words.
static void read_parameters(struct pointed *p, const struct signature *s, const word *words, const unsigned char *bytes,
                            size_t left)
{
    for (int i = 0; i < CALL_WORDS; i++) {
        if (!(s->parameters[i].kind & IS_IN))
            continue;
        point(p, s, i, words, 0);
        if (p->sizes[i] > left)
            refuse_message("a call is shorter than its parameters");
        memcpy(p->at[i], bytes, p->sizes[i]);
        bytes += p->sizes[i];
        left -= p->sizes[i];
    }
    if (left > 0)
        refuse_message("a call is longer than its parameters");
}

// Allocates the results; an input may hold their count.
static void reserve_results(struct pointed *p, const struct signature *s, const word *words)
{
    for (int i = 0; i < CALL_WORDS; i++) {
        const struct parameter *q = &s->parameters[i];
        word number = 0;

        if (!(q->kind & IS_OUT) || q->kind & IS_IN)
            continue;
        if (q->by_pointer && p->sizes[q->counted - 1] == sizeof(size_t))
            memcpy(&number, p->at[q->counted - 1], sizeof number);
        point(p, s, i, words, number);
        memset(p->at[i], 0, p->sizes[i]);
    }
}

static void reply_with_results(const struct pointed *p, const struct signature *s, int value)
{
    unsigned char bytes[MAX_MESSAGE];
    size_t used = 0;

    for (int i = 0; i < CALL_WORDS; i++)
        if (s->parameters[i].kind & IS_OUT && used + p->sizes[i] + sizeof(struct reply) <= sizeof bytes) {
            memcpy(bytes + used, p->at[i], p->sizes[i]);
            used += p->sizes[i];
        }
    reply(value, bytes, used);
}

static void serve_call(const struct message *m)
{
    const struct call_request *r = (const struct call_request *)m->bytes;
    struct pointed p = {.used = 0};
    word w[CALL_WORDS];

    if (m->size < sizeof *r || r->call >= CALL_COUNT)
        refuse_message("it asks for an unknown call");
    const struct signature *s = &signatures[r->call];
    memcpy(w, r->words, sizeof w);
    read_parameters(&p, s, w, m->bytes + sizeof *r, m->size - sizeof *r);
    reserve_results(&p, s, w);
    for (int i = 0; i < CALL_WORDS; i++)
        if (s->parameters[i].kind != IS_VALUE)
            w[i] = w[i] && s->parameters[i].kind != IS_NOTHING ? (uintptr_t)p.at[i] : 0;
    int value = functions[r->call](w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]);
    reply_with_results(&p, s, value);
}

// ---- launches

// The pieces after a launch request, each rounded up to 16 bytes. NULL: no such piece.
static const void *next_piece(const struct message *m, size_t *at, size_t size)
{
    size_t rounded = (size + 15) / 16 * 16, here = *at;

    if (size > MAX_MESSAGE || rounded > m->size - here)
        return NULL;
    *at += rounded;
    return m->bytes + here;
}

static cudaError_t launch(const struct launch_request *l, const void *before, void **args, cudaGraphNode_t *node)
{
    dim3 grid = {l->grid[0], l->grid[1], l->grid[2]}, block = {l->block[0], l->block[1], l->block[2]};
    const void *function = handle(l->function);
    cudaStream_t stream = handle(l->stream);
    struct cudaKernelNodeParams p = {(void *)function, grid, block, (unsigned)l->shared, args, NULL};
    cudaLaunchConfig_t config = {grid, block, l->shared, stream, (cudaLaunchAttribute *)before, l->count};

    switch (l->kind) {
    case LAUNCH_PLAIN: return cudaLaunchKernel(function, grid, block, args, l->shared, stream);
    case LAUNCH_COOPERATIVE: return cudaLaunchCooperativeKernel(function, grid, block, args, l->shared, stream);
    case LAUNCH_WITH_ATTRIBUTES: return cudaLaunchKernelExC(&config, function, args);
    case ADD_KERNEL_NODE: return cudaGraphAddKernelNode(node, handle(l->graph), before, l->count, &p);
    case SET_KERNEL_NODE: return cudaGraphKernelNodeSetParams(handle(l->node), &p);
    case SET_EXEC_NODE: return cudaGraphExecKernelNodeSetParams(handle(l->graph), handle(l->node), &p);
    }
    refuse_message("it asks for an unknown launch");
}

static void serve_launch(const struct message *m)
{
    const struct launch_request *l = (const struct launch_request *)m->bytes;
    uint32_t sizes[MAX_PARAMETERS];
    void *args[MAX_PARAMETERS];
    cudaGraphNode_t node = NULL;
    size_t at = sizeof *l;

    if (m->size < sizeof *l)
        refuse_message("a launch is too short");
    size_t each = l->kind == LAUNCH_WITH_ATTRIBUTES ? sizeof(cudaLaunchAttribute) : sizeof node;
    const void *before = next_piece(m, &at, l->count > MAX_MESSAGE ? SIZE_MAX : l->count * each);
    int count = simt_parameters(handle(l->function), sizes, MAX_PARAMETERS);
    for (int i = 0; i < count && before; i++)
        if (i == MAX_PARAMETERS || !(args[i] = (void *)next_piece(m, &at, sizes[i])))
            before = NULL;
    if (!before)
        refuse_message("a launch is shorter than its arguments");
    cudaError_t e = launch(l, before, args, &node);
    reply(e, &node, sizeof node);
}

static void serve_parameters(const struct message *m)
{
    uint32_t sizes[MAX_PARAMETERS];
    uint64_t function;

    if (m->size != sizeof function)
        refuse_message("a query of a kernel has the wrong length");
    memcpy(&function, m->bytes, sizeof function);
    int count = simt_parameters(handle(function), sizes, MAX_PARAMETERS);
    reply(count, sizes, count < 0 ? 0 : (size_t)count * sizeof *sizes);
}

// ---- functions of the host that a stream calls

static void call_remote(const struct host_call *call)
{
    struct message answer;

    send_to_submission(CALL_HOST, call, sizeof *call, NULL, 0);
    await_answer(&answer, "a function that a stream calls must call no CUDA function");
}

static void call_function(void *call)
{
    call_remote(call);
}

static void call_callback(cudaStream_t stream, cudaError_t error, void *call)
{
    (void)stream, (void)error;
    call_remote(call);
}

static void serve_host_function(const struct message *m)
{
    const struct host_request *h = (const struct host_request *)m->bytes;
    struct host_call *call = calloc(1, sizeof *call); // kept, since a graph may call it any number of times
    struct cudaHostNodeParams p = {call_function, call};
    cudaGraphNode_t node = NULL;
    cudaError_t e = cudaErrorInvalidValue;

    if (m->size < sizeof *h || h->count > MAX_MESSAGE || m->size - sizeof *h != h->count * sizeof node || !call)
        refuse_message("a request for a function of the host has the wrong length");
    *call = (struct host_call){h->function, h->data, h->stream, h->kind == ADD_CALLBACK};
    if (h->kind == LAUNCH_HOST && h->function)
        e = cudaLaunchHostFunc(handle(h->stream), call_function, call);
    if (h->kind == ADD_CALLBACK && h->function)
        e = cudaStreamAddCallback(handle(h->stream), call_callback, call, 0);
    if (h->kind == ADD_HOST_NODE && h->function)
        e = cudaGraphAddHostNode(&node, handle(h->graph), (const cudaGraphNode_t *)(h + 1), h->count, &p);
    reply(e, &node, sizeof node);
}

// ---- the rest

static void serve_fault(const struct message *m)
{
    struct fault f;

    if (m->size != sizeof f)
        refuse_message("a fault has the wrong length");
    memcpy(&f, m->bytes, sizeof f);
    reply(simt_host_fault(f.address, f.write != 0), NULL, 0);
}

static void serve_failure(const struct message *m)
{
    struct failed f;

    if (m->size != sizeof f)
        refuse_message("a failed call has the wrong length");
    memcpy(&f, m->bytes, sizeof f);
    f.call[sizeof f.call - 1] = f.file[sizeof f.file - 1] = 0;
    submission.failed(f.error, f.call, f.file, f.line);
    reply(0, NULL, 0);
}

bool serve_request(const struct message *m)
{
    switch (m->kind) {
    case REGISTER_IMAGE:
    case REGISTER_KERNEL:
    case REGISTER_VARIABLE:
    case LOAD_IMAGE: serve_registration(m); return true;
    case CALL: serve_call(m); return true;
    case LAUNCH: serve_launch(m); return true;
    case PARAMETERS: serve_parameters(m); return true;
    case HOST_FUNCTION: serve_host_function(m); return true;
    case FAULT: serve_fault(m); return true;
    case FAILED: serve_failure(m); return true;
    }
    return false;
}

// The CUDA runtime as the submission sees it: every call is a request. The prototypes are CUDA's with ten words for any
// parameters; assembler names keep them apart from CUDA's header, which this file includes.
#include <stdlib.h>
#include <string.h>

#include "remote/calls.h"
#include "remote/client.h"

// How many elements parameter i points to if the target of another parameter holds the count.
static uint64_t number_at(const struct signature *s, int i, const uint64_t words[CALL_WORDS])
{
    const struct parameter *p = &s->parameters[i];
    uint64_t at = p->counted && p->by_pointer ? words[p->counted - 1] : 0;

    return at ? *(const size_t *)(uintptr_t)at : 0;
}

static int call_judge(enum call_number number, const uint64_t words[CALL_WORDS])
{
    const struct signature *s = &signatures[number];
    struct call_request head = {.call = number};
    struct message m;
    size_t sizes[CALL_WORDS], used = 0;
    const unsigned char *at = m.bytes + sizeof(struct reply);

    // Most launches cause no error, and half of all requests would be to ask for one.
    if ((number == CALL_cudaGetLastError || number == CALL_cudaPeekAtLastError) && !may_have_error())
        return cudaSuccess;
    memcpy(head.words, words, sizeof head.words);
    for (int i = 0; i < CALL_WORDS; i++) {
        sizes[i] = parameter_bytes(s, i, words, number_at(s, i, words));
        if (sizes[i] > MAX_MESSAGE - sizeof head - used)
            return cudaErrorInvalidValue;
        if (s->parameters[i].kind & IS_IN)
            memcpy(m.bytes + used, (const void *)(uintptr_t)words[i], sizes[i]);
        used += s->parameters[i].kind & IS_IN ? sizes[i] : 0;
    }
    int64_t value = request(CALL, &head, sizeof head, m.bytes, used, &m);
    for (int i = 0; i < CALL_WORDS; i++)
        if (s->parameters[i].kind & IS_OUT && at + sizes[i] <= m.bytes + m.size) {
            memcpy((void *)(uintptr_t)words[i], at, sizes[i]);
            at += sizes[i];
        }
    return (int)value;
}

typedef uint64_t word;
#define TEXT(x) #x
#define SYMBOL(name) TEXT(name)
#define DEFINE(name, ...) \
    int do_##name(word, word, word, word, word, word, word, word, word, word) __asm__(SYMBOL(name)); \
    int do_##name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j) \
    { \
        return call_judge(CALL_##name, (const word[CALL_WORDS]){a, b, c, d, e, f, g, h, i, j}); \
    }
CALLS(DEFINE)

// ---- calls expressed by others

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&out->ptr, &out->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    for (size_t z = 0; z < e.depth && !error; z++)
        error = cudaMemset2DAsync((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, e.width, e.height, stream);
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
    cudaError_t error = cudaMemset3DAsync(p, value, e, NULL);

    return error ? error : cudaStreamSynchronize(NULL);
}

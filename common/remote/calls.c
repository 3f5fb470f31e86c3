#include "remote/calls.h"

#define SIGNATURE(name, ...) {#name, {__VA_ARGS__}},
const struct signature signatures[CALL_COUNT] = {CALLS(SIGNATURE)};
#undef SIGNATURE

size_t parameter_bytes(const struct signature *s, int i, const uint64_t words[CALL_WORDS], uint64_t number)
{
    const struct parameter *p = &s->parameters[i];
    uint64_t count = !p->counted ? 1 : p->by_pointer ? number : words[p->counted - 1];

    if (!words[i] || !(p->kind & (IS_IN | IS_OUT)))
        return 0;
    return count > MAX_MESSAGE / p->size ? MAX_MESSAGE + 1 : (size_t)count * p->size; // one too many does not compile
}

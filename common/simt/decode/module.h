// A program's device code: parsed once when it is registered, decoded function by function when first launched.
#pragma once

#include "decode/code.h"

// Parses PTX: of one file, or of several that were compiled separately, and links them. handlers: by enum action
// (exec/handlers.h). NULL and a line in error on failure.
struct ptx_text {
    const char *text;
    size_t length;
};
struct module *module_parse(const struct ptx_text *texts, int count, handler *const *handlers, char *error,
                            size_t error_size);
void module_free(struct module *m);

// Allocates the module's variables on device number `device` and fills in their initial values. False: no memory.
bool module_place(struct module *m, int device);

// Decodes the function of that name and everything it may call. NULL and a line in error if that contains something the
// machine does not execute.
const struct code *module_code(struct module *m, const char *name, char *error, size_t error_size);

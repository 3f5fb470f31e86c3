// A program's device code: parsed once when it is registered, decoded function by function when first launched.
#ifndef SIMT_MODULE_H
#define SIMT_MODULE_H

#include "decode.h"

// Parses the PTX of a fat binary's wrapper and places its variables. NULL and a line in error on failure.
struct module *module_load(const void *wrapper, char *error, size_t error_size);
struct module *module_parse(const char *ptx, size_t length, char *error, size_t error_size);
void module_free(struct module *m);

// Gives the module's variables their memory on the device (of the given number) and fills in their initial values.
// False: no memory.
bool module_place(struct module *m, int device);

// The decoded function of that name or index, and everything it may call. NULL and a line in error if it holds
// something the machine does not execute.
const struct code *module_code(struct module *m, const char *name, char *error, size_t error_size);
const struct code *module_code_at(struct module *m, uint64_t index, char *error, size_t error_size);

// For the decoder.
struct symbol module_symbol(struct module *m, const char *name);
uint32_t module_shared_id(struct module *m, const struct ptx_variable *v); // of a .shared variable outside kernels
uint32_t module_add_origin(struct module *m, const struct code *c, const struct ptx_instr *ptx, uint32_t block);
void free_code(struct code *c);

// Words for reports; each call's result holds until the fourth next one of the same thread.
const char *kernel_name(const char *mangled);                       // "reduce_block"
const char *place_name(const struct module *m, struct ptx_loc loc); // "01-reduction/05-sequential.cu:31"
const char *origin_place(const struct module *m, uint32_t id);
// A source file of the module as a terminal at this place can open it: relative to the current directory if it lies
// below it, else as the compiler wrote it. Holds as long as the module.
const char *source_path(const struct module *m, int number);
const char *refusal_hint(const char *mnemonic); // what to do about an instruction outside the machine's scope

#endif

// Fuzz target of the fat binary reader: any input must give PTX within its bytes, or a one-line error. Also of the
// machine code reader, which finds a number or none. fuzz.sh builds and runs it.
#include "../../common/simt/ptx/fatbin.h"
#include "fuzz_replay.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[128] = "";
    size_t length = 0;
    struct cubin cubin = {0}, all = {data, size};
    const char *found = fatbin_find(data, size, &length, &cubin, error, sizeof error);
    const uint8_t *start = (const uint8_t *)found;

    if (!found && (!error[0] || strchr(error, '\n')))
        abort();
    if (found && (start < data || start > data + size || length == 0 || length > (size_t)(data + size - start)))
        abort();
    cubin_registers(cubin, "kernel");
    cubin_registers(all, "kernel");
    return 0;
}

// Names and texts of errors, for the program's queries.
#include "report/errors.h"
#include "runtime/base/base.h"

const char *cudaGetErrorName(cudaError_t error)
{
    return error_name((int)error);
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error_text((int)error);
}

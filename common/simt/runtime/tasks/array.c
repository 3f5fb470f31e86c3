// CUDA arrays: memory whose address the program does not see, reached by textures, surfaces and copies. Rows are
// contiguous, as are slices, layers and the faces of cubes.
#include "memory/other_host.h"
#include "report/report.h"
#include "runtime/tasks/work.h"

struct array *find_array(cudaArray_const_t handle)
{
    return handle_object(HANDLE_ARRAY, handle);
}

size_t array_bytes(const struct array *a)
{
    return a->pitch * a->rows * a->slices;
}

cudaError_t array_place(const struct array *a, const struct box *box, uint8_t **out)
{
    bool fits = box->x <= a->pitch && box->width <= a->pitch - box->x && box->y <= a->rows &&
                box->height <= a->rows - box->y && box->z <= a->slices && box->depth <= a->slices - box->z;
    if (!fits) {
        complain("cudaMemcpy of %zu bytes x %zu rows x %zu slices, from byte %zu, row %zu, slice %zu on, "
                 "does not lie in an array of %zu bytes x %zu rows x %zu slices",
                 box->width, box->height, box->depth, box->x, box->y, box->z, a->pitch, a->rows, a->slices);
        return cudaErrorInvalidValue;
    }
    *out = (uint8_t *)a->memory + (box->z * a->rows + box->y) * a->pitch + box->x;
    return cudaSuccess;
}

// ---- cudaMemcpy3D

// One end of the copy: memory with a pitch, or an array, whose positions count elements.
struct end {
    cudaArray_const_t array;
    struct cudaPos at;
    struct cudaPitchedPtr memory;
};

static cudaError_t read_end(const struct end *end, struct box box, uint8_t **at, size_t *pitch, size_t *rows)
{
    const struct array *a = end->array ? find_array(end->array) : NULL;
    if (end->array && (!a || end->memory.ptr))
        return cudaErrorInvalidValue;
    box.x = end->at.x * (a ? a->texel : 1);
    box.y = end->at.y;
    box.z = end->at.z;
    *pitch = a ? a->pitch : end->memory.pitch;
    *rows = a ? a->rows : end->memory.ysize;
    if (a)
        return array_place(a, &box, at);
    *at = (uint8_t *)end->memory.ptr + (box.z * *rows + box.y) * *pitch + box.x;
    return cudaSuccess;
}

cudaError_t read_box(const struct cudaMemcpy3DParms *p, struct copy_work *out)
{
    if (!p)
        return cudaErrorInvalidValue;
    const struct array *array = p->dstArray ? find_array(p->dstArray) : p->srcArray ? find_array(p->srcArray) : NULL;
    const struct end to = {p->dstArray, p->dstPos, p->dstPtr}, from = {p->srcArray, p->srcPos, p->srcPtr};
    const struct box box = {
        .width = p->extent.width * (array ? array->texel : 1), .height = p->extent.height, .depth = p->extent.depth};
    uint8_t *target, *source;
    *out = (struct copy_work){.width = box.width, .height = box.height, .depth = box.depth, .kind = p->kind};
    cudaError_t e = read_end(&to, box, &target, &out->to_pitch, &out->to_rows);
    e = e ? e : read_end(&from, box, &source, &out->from_pitch, &out->from_rows);
    if (e)
        return e;
    out->to = target;
    out->from = source;
    out->other_host = serves_other_host();
    return cudaSuccess;
}

// Finds the objects that the lanes of an instruction name, and serves all lanes of one object together. An invalid
// handle ends the launch, as on a GPU, and the report gives the reason.
#include "exec/object.h"

#include <stdio.h>
#include <string.h>

#include "exec/finding.h"
#include "report/errors.h"

// clang-format off
static const char *shape_name(enum texture_shape shape)
{
    static const char *const names[] = {"linear memory, which tex1Dfetch reads", "a 1D array", "two dimensions",
                                        "three dimensions", "a layered 1D array", "a layered 2D array", "a cube map",
                                        "a layered cube map"};
    return names[shape];
}
// clang-format on

static void refuse_object(struct warp *w, const struct insn *in, uint32_t lane, const struct texture *t, bool surface)
{
    const char *what = surface ? "surface" : "texture";
    char why[160] = "there is none with this handle, or it was destroyed";
    if (t && t->surface != surface)
        snprintf(why, sizeof why, "the handle is a %s object's", surface ? "texture" : "surface");
    else if (t)
        snprintf(why, sizeof why, "it is made of %s, and this instruction needs %s", shape_name(t->shape),
                 shape_name(object_shape(in)));
    report(w->block, FINDING_MEMORY, ERROR, in->id, NONE, "Invalid %s object at %s by %s: %s", what,
           origin_place(w->block->launch->module, in->id), thread_name(w->block, w->index * LANES + lane), why);
    fail_launch(w->block->launch, CUDA_ERROR_ILLEGAL_ADDRESS);
}

// The faces of a cube are a surface's layers.
static bool is_shape(const struct texture *t, const struct insn *in, bool surface)
{
    enum texture_shape wanted = object_shape(in);
    if (surface && wanted == SHAPE_LAYERED_2D && is_cube(t->shape))
        return true;
    return wanted == SHAPE_ANY || t->shape == wanted;
}

void for_each_object(struct warp *w, const struct insn *in, bool surface, object_access *access)
{
    uint64_t handles[LANES];
    memcpy(handles, row(w, in->a), sizeof handles);
    for (uint32_t left = w->mask; left;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), lanes = 0;
        const struct texture *t = texture_find(handles[lane]);
        FOR_LANES(l, left)
        lanes |= (uint32_t)(handles[l] == handles[lane]) << l;
        if (t && t->surface == surface && is_shape(t, in, surface))
            access(w, in, t, lanes);
        else
            refuse_object(w, in, lane, t, surface);
        left &= ~lanes;
    }
}

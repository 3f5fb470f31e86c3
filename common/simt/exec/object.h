// Instructions on texture and surface objects.
#pragma once

#include "exec/machine.h"
#include "exec/texture.h"

static inline enum texture_shape object_shape(const struct insn *in)
{
    return (enum texture_shape)(in->imm & ((1 << OBJECT_FORM) - 1));
}

static inline int object_form(const struct insn *in)
{
    return (int)(in->imm >> OBJECT_FORM);
}

static inline bool is_cube(enum texture_shape shape)
{
    return shape == SHAPE_CUBE || shape == SHAPE_LAYERED_CUBE;
}

// Calls access once for every object that active lanes name, with these lanes. If a handle names no object, or one of
// another kind or shape, reports it and fails the launch.
typedef void object_access(struct warp *w, const struct insn *in, const struct texture *t, uint32_t lanes);
void for_each_object(struct warp *w, const struct insn *in, bool surface, object_access *access);

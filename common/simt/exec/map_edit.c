// tensormap: kernels change a tensor map in shared or global memory, and pass it to tensor copies. These read it
// through a separate proxy, so fence.proxy.tensormap must come in between.
#include "exec/access.h"
#include "exec/bulk.h"
#include "exec/handlers.h"
#include "exec/tensor_map.h"

// Accesses all 128 bytes, as lane l.
static void move_map(struct warp *w, const struct insn *in, const uint32_t *list, uint32_t l, enum access_kind kind,
                     uint8_t *bytes)
{
    struct insn as = *in;
    uint64_t address = bulk_address(w, list, l);
    as.space = (uint8_t)(list[3] & ~BULK_NARROW);
    as.order = 0;
    for (uint32_t at = 0; at < TENSOR_MAP_BYTES && !block_failed(w->block); at += as.size) {
        struct access a = {.in = &as, .kind = kind, .size = as.size, .data = bytes + at};
        access_lane(w, &a, l, address + at, kind == LOAD ? perform_read : perform_write);
    }
}

// The instruction numbers element types in its own order.
static uint8_t element_type(uint64_t value)
{
    static const uint8_t types[] = {TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
                                    TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
                                    TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};
    return value < sizeof types ? types[value] : TENSOR_TYPES;
}

static void change(struct tensor_map *m, const struct insn *in, uint64_t value)
{
    uint32_t d = (uint32_t)in->imm % TENSOR_MAP_RANKS;
    switch ((enum map_field)in->sub) {
    case CHANGE_ADDRESS: m->address = value; break;
    case CHANGE_RANK: m->rank = (uint8_t)(value + 1); break;
    case CHANGE_BOX: m->box[d] = (uint16_t)value; break;
    case CHANGE_SIZE: m->last[d] = (uint32_t)value - 1; break;
    case CHANGE_STRIDE: m->stride[(d + 1) % TENSOR_MAP_RANKS] = value; break;
    case CHANGE_STEP: m->step[d] = (uint8_t)value; break;
    case CHANGE_TYPE:
        m->type = element_type(value);
        m->stride[0] = tensor_map_unit(m);
        break;
    case CHANGE_INTERLEAVE:
        m->interleave = (uint8_t)value;
        m->stride[0] = tensor_map_unit(m);
        break;
    case CHANGE_SWIZZLE: m->swizzle = (uint8_t)value; break;
    case CHANGE_FILL: m->nan = value != 0; break;
    }
}

void op_map_replace(struct warp *w, const struct insn *in)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    FOR_LANES(l, w->mask)
    {
        uint8_t bytes[TENSOR_MAP_BYTES] = {0};
        struct tensor_map m;
        const void *values = row(w, list[MAP_VALUE]);
        move_map(w, in, list + MAP_AT, l, LOAD, bytes);
        memcpy(&m, bytes, sizeof m);
        change(&m, in, in->scope ? ((const uint64_t *)values)[l] : ((const uint32_t *)values)[l]);
        memcpy(bytes, &m, sizeof m);
        move_map(w, in, list + MAP_AT, l, STORE, bytes);
    }
}

// The whole warp copies one map from shared to global memory, after a fence that releases it.
void op_map_copy(struct warp *w, const struct insn *in)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    uint32_t l = (uint32_t)__builtin_ctz(w->mask);
    uint8_t bytes[TENSOR_MAP_BYTES] = {0};
    move_map(w, in, list + MAP_FROM, l, LOAD, bytes);
    NOTIFY(w->block->launch, fence, w, (enum scope)in->scope, false);
    move_map(w, in, list + MAP_AT, l, STORE, bytes);
}

// sub: the fence acquires the map at the address.
void op_map_fence(struct warp *w, const struct insn *in)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    NOTIFY(w->block->launch, fence, w, (enum scope)in->scope, false);
    FOR_LANES(l, in->sub ? w->mask : 0)
    NOTIFY(w->block->launch, map_fence, w, bulk_address(w, list + MAP_AT, l));
}

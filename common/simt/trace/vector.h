// Arrays that grow, since the size of a recording is known only when its launch ends.
#pragma once

#include <stdint.h>

#include "base/alloc.h"

#define VECTOR(type) \
    struct { \
        type *at; \
        uint32_t count, room; \
    }

// Appends an uninitialised element.
#define PUSH(v) \
    ((v).count == (v).room \
         ? (void)((v).room = (v).room * 2 + 64, (v).at = alloc_resize((v).at, (v).room, sizeof *(v).at)) \
         : (void)0, \
     &(v).at[(v).count++])

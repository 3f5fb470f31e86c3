// unpack.c: untrusted archives.
#pragma once

#include <stdint.h>

// The limits of an archive. A course's archive may be larger than a student's.
struct unpack_limits {
    int64_t bytes;
    int files;
};

extern const struct unpack_limits UNPACK_COURSE, UNPACK_STUDENT;

enum packing { NOT_PACKED, PACKED, PACKED_OTHERWISE }; // otherwise: in a format that is not supported
enum packing packing_of(const char *name);             // by its ending
char *packed_stem(const char *name);                   // without that ending; to be freed

// Unpacks it into the new folder `into`: plain files and folders only, none outside `into`, within the limits. Returns
// why not, to be freed, with nothing left in `into`, or NULL. skipped is called for each entry that stays out.
// *no_room: the disk was full.
char *unpack(const char *archive, const char *into, const struct unpack_limits *limits,
             void (*skipped)(void *context, const char *entry, const char *why), void *context, bool *no_room);

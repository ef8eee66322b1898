/* owner.h - what a file of the home belongs to, by its name */
#ifndef API_CORE_OWNER_H
#define API_CORE_OWNER_H

#include "api/core/handle.h"

struct owner {
    const char *kind; /* as in quire/du.h */
    quire_bytes
        name; /* of a session its id; else a path, part of what was given */
    int64_t tenant; /* 0: not known, in the trash */
};

/* `path` is relative to the home. */
struct owner owner_of(const char *path);

#endif

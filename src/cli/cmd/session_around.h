/*
 * session_around.h - the entries around one: those before it on its branch, and
 * those that follow below it
 */
#ifndef CLI_CMD_SESSION_AROUND_H
#define CLI_CMD_SESSION_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "quire.h"

struct around {
    struct map chosen; /* id -> 1 */
    struct arena arena;
    bool active; /* else every entry is chosen */
};

/* clang-format off */
#define AROUND_INIT {.active = false}
/* clang-format on */

/* Choose the entry `at`, and `context` entries before and after it. QUIRE_NOT_FOUND. */
quire_status around_choose(struct around *a, quire_session *s, const char *at,
                           uint64_t context, quire_error *err);
bool around_has(const struct around *a, const quire_entry *e);
void around_release(struct around *a);

#endif

/*
 * activity.h - what happened in a session, by hour
 *
 * Dashboards must not read history: what they show of a session is summed up here, once,
 * and counted on when the file grows. Sums are kept by hour (UTC), so that any time
 * zone's days, and ranges, follow from them.
 *
 *   (1) Lines are counted as session/usage.h counts them: whole ones, each once.
 *   (2) An answer belongs to the hour of its timestamp and to its model; a call and its
 *       result to the hours of their own entries. An entry without a time belongs to
 *       the hour of the entry before it.
 *   (3) The cost that the agent reported is kept as it is; the tokens of answers without
 *       a cost are kept apart, so that a price table can be applied later.
 *   (4) A hostile file cannot make it large: models and tools beyond ACTIVITY_NAMES are
 *       one, hours beyond ACTIVITY_HOURS belong to the last one.
 */
#ifndef SESSION_ACTIVITY_H
#define SESSION_ACTIVITY_H

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"
#include "session/usage.h"

enum { ACTIVITY_NAMES = 64, ACTIVITY_HOURS = 20000 };

/* Tokens of answers without a cost. */
enum {
    TOKEN_INPUT,
    TOKEN_OUTPUT,
    TOKEN_CACHE_READ,
    TOKEN_CACHE_WRITE,
    N_TOKENS
};

struct activity_hour {
    int64_t hour; /* since 1970                                              */
    uint32_t model;
    uint32_t messages, prompts, calls, errors;
    uint64_t tokens[N_TOKENS];
    uint64_t unpriced[N_TOKENS];
    uint64_t cost_nano_usd;
};

struct activity_tool {
    int64_t hour;
    uint32_t tool;
    uint32_t calls, errors;
};

struct activity {
    struct session_usage usage;
    const char *agent; /* of the header; ""                                  */
    const char *last;  /* the id of the last entry; ""                       */
    const char *model; /* that answered last; ""                             */
    uint64_t prompts, calls, errors, images, compactions;
    uint64_t branches; /* entries that do not follow the one before          */
    int64_t last_ms;   /* time of the last entry                             */
    const char *models[ACTIVITY_NAMES], *tools[ACTIVITY_NAMES];
    uint32_t n_models, n_tools;
    struct activity_hour *hours; /* in the order of the file                 */
    struct activity_tool *uses;
    size_t n_hours, cap_hours, n_uses, cap_uses;
    struct arena keep;
};

void activity_release(struct activity *a);

/* Count what `file` has behind what was counted before. Begin with zeros. After a
 * failure *a is undefined. */
quire_status activity_read(struct log *file, struct activity *a,
                           quire_error *err);

/* Add it as JSON, and read that again. False: it is not such JSON. */
void activity_save(const struct activity *a, struct buf *out);
bool activity_load(quire_bytes json, struct activity *out);

#endif

/*
 * history.h - the prompt history
 *
 * In history.db, a database shared with oh-my-pi, which keeps its own history
 * in a file of that name; both may have it open at once. So it is used as it is
 * found. Its tables are created only when it has none, in the shape of oh-my-pi
 * 18, and are never altered afterwards.
 */
#ifndef MEMORY_HISTORY_H
#define MEMORY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "store/db.h"

enum {
    HISTORY_LIMIT = 100,      /* rows, by default */
    HISTORY_LIMIT_MAX = 1000, /* rows, unless all are asked for */
    HISTORY_PROMPT_MAX = 16 << 20,
};

struct history;

struct history_new {
    quire_bytes prompt;  /* as typed */
    const char *cwd;     /* NULL: unknown */
    const char *session; /* its id; NULL: none     */
    int64_t at_s;        /* now, seconds from 1970 */
    bool earlier; /* it was typed then: a row of a later time stays     */
};

struct history_find {
    const char *cwd; /* NULL: all */
    int64_t since_s; /* typed then or later; 0: any time */
    uint64_t limit;  /* 0: HISTORY_LIMIT; UINT64_MAX: all */
};

/* `db` is an open history.db, opened as `foreign`; `path` is for messages.
 * Tables are created if there are none, unless `read_only`. The history owns
 * the database; on failure it is still the caller's.
 *
 * QUIRE_DAMAGED  a database without a prompt history */
quire_status history_open(struct db *db, const char *path, bool read_only,
                          struct history **out, quire_error *err);

/* The same in the database that holds the catalogue: history_rows.h. */
quire_status history_open_shared(struct db *db, int64_t tenant, bool read_only,
                                 struct history **out, quire_error *err);
void history_close(struct history *h);

/* Whether a call has returned QUIRE_DAMAGED for its database. NULL is fine. */
bool history_is_damaged(const struct history *h);

/* Store a prompt. *id is its row: a new one; the existing one, where a prompt
 * has one row; the last, if its text is the same, where it may have several; 0
 * when nothing is left after normalizing. After QUIRE_OK it survives this
 * process, and a power cut after some seconds. */
quire_status history_add(struct history *h, const struct history_new *prompt,
                         int64_t *id, quire_error *err);

/* Remove the prompts with these ids, all or none, and overwrite their text.
 * QUIRE_NOT_FOUND with a message. Durable. */
quire_status history_remove(struct history *h, const int64_t *ids, size_t n,
                            quire_error *err);

/* Prompts, the newest first; without a history (`h` NULL) none. */
quire_status history_find(struct history *h, const struct history_find *find,
                          quire_prompt_fn each, void *ctx, quire_error *err);

/* One prompt by its id. QUIRE_NOT_FOUND without a message. */
quire_status history_get(struct history *h, int64_t id, quire_prompt_fn each,
                         void *ctx, quire_error *err);

/* Numbers of which one changes when prompts are added, typed again or removed. */
struct history_state {
    int64_t n, newest_s, last_id;
};
quire_status history_state(struct history *h, struct history_state *state,
                           quire_error *err);

#endif

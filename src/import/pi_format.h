/*
 * pi_format.h - the session format of pi and oh-my-pi, which is ours
 *
 * Entries stand as they are, ids included, with these changes, which make them
 * version 3 of docs/format.md:
 *
 *   - Versions 1 and 2 are migrated: entries without ids get some, in a line;
 *     the message role `hookMessage` becomes `custom`; firstKeptEntryIndex
 *     becomes firstKeptEntryId.
 *   - A parent that is not in the file becomes null; a timestamp that is missing
 *     is that of the entry before; a model_change of pi gets a `model`.
 *   - Of two entries with one id the second gets another, and what follows hangs
 *     below it: programs take the last one.
 *   - Images become blobs, as in our own files. References to blobs that the
 *     program has stored already are links (IMPORT_BLOB).
 *   - The title slot and the header are facts.
 */
#ifndef IMPORT_PI_FORMAT_H
#define IMPORT_PI_FORMAT_H

#include "import/agent.h"
#include "import/priv.h"

struct pi_format {
    uint32_t version; /* 0: no header yet */
    uint32_t has_slot;
};

quire_status pi_record(struct import_converter *c, quire_bytes text,
                       struct json_error *bad, quire_error *err);
quire_status pi_finish(struct import_converter *c, quire_error *err);
void pi_init(struct import_converter *c);
void pi_save(const struct import_converter *c, struct buf *out);
void pi_restore(struct import_converter *c, struct state_reader *r);

extern const char *const pi_record_starts[];

/* clang-format off */
#define PI_FORMAT(agent)                       \
    {.name = (agent),                          \
     .version = 1,                             \
     .record_starts = pi_record_starts,        \
     .state_size = sizeof(struct pi_format),   \
     .init = pi_init,                          \
     .record = pi_record,                      \
     .finish = pi_finish,                      \
     .save = pi_save,                          \
     .restore = pi_restore}
/* clang-format on */

/* ---- pi_places.c: the directory of such a program ------------------------ */

/* Add the sessions of `dir`, with their outputs; blobs are in dir/blobs. */
quire_status pi_add_dir(struct import_places *p,
                        const struct import_agent *agent, const char *dir,
                        quire_error *err);

/* Whether a file begins as a session of this format. */
bool pi_matches(const struct import_candidate *f);

quire_status pi_add_file(struct import_place *at, const char *name,
                         const struct stat *st, quire_error *err);

#endif

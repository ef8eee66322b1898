/*
 * places.h - where agents keep their session files
 *
 *     claude-code   ~/.claude, ~/.config/claude, or CLAUDE_CONFIG_DIR
 *         projects/<project>/<uuid>.jsonl                  a session
 *         projects/<project>/agent-<id>.jsonl              a sub-agent (older)
 *         projects/<project>/<uuid>/…/agent-<id>.jsonl     a sub-agent
 *         projects/<project>/<uuid>/…                      files of that session
 *     codex         ~/.codex, or CODEX_HOME
 *         sessions/…/rollout-<time>-<uuid>.jsonl           a session
 *         archived_sessions/rollout-<time>-<uuid>.jsonl    a session
 *
 * Codex compresses old files (.jsonl.zst); where both exist the plain one counts.
 * A place that does not exist has no files. Nothing is opened for writing.
 */
#ifndef IMPORT_PLACES_H
#define IMPORT_PLACES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "import/convert.h"

struct import_found {
    const struct import_format *format;
    const char *path;   /* absolute                                        */
    const char *id;     /* of the session, from the name of the file        */
    const char *parent; /* of a sub-agent: the session it belongs to; NULL  */
    bool is_main;       /* false: a file that belongs to session `id`       */
    bool compressed;    /* ".jsonl.zst": it cannot be read               */
    uint64_t size;
    int64_t modified_ns;
};

struct import_places {
    struct import_found
        *list; /* a session before the files that belong to it */
    size_t n, cap;
    struct arena *keep;
};

/* The known places of an agent, from the environment. */
quire_status import_places_default(struct import_places *p,
                                   const struct import_format *format,
                                   quire_error *err);

/* A file, a directory of an agent, or a directory with session files. `format` NULL:
 * chosen by the names. QUIRE_NOT_FOUND: it does not exist. */
quire_status import_places_from(struct import_places *p, const char *path,
                                const struct import_format *format,
                                quire_error *err);

#endif

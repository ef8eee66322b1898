/*
 * engine.h - the search index of one tenant
 *
 * Segments (search/segment.h) in an object store, and a small database that lists
 * them: search.db. All of it is derived from sessions, outputs, artifacts, memory
 * and history, and may be deleted at any time.
 *
 *     source    what texts come from: a session's file, an output, an artifact, a
 *               memory entry, a prompt. It has a number that is never used again. A
 *               source whose content was replaced gets a new number; the old one is
 *               dead, and its places are ignored until a merge drops them.
 *     update    adds texts and changes sources. One process updates at a time. An
 *               update ends with a commit of search.db, after the segment that it
 *               refers to is durable: a crash leaves the state before.
 *
 * Two engines are searched together: the one of the home, and one in memory with
 * what is not in it yet (search_update.c in api).
 *
 * One thread uses an engine at a time.
 */
#ifndef SEARCH_ENGINE_H
#define SEARCH_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "quire.h"
#include "search/segment.h"
#include "store/db.h"
#include "store/object.h"

enum source_kind {
    SOURCE_SESSION,
    SOURCE_OUTPUT,
    SOURCE_ARTIFACT,
    SOURCE_MEMORY,
    SOURCE_HISTORY,
    SOURCE_JP,
    N_SOURCE_KINDS
};

enum {
    SOURCE_ARCHIVED = 1 << 0,
    SOURCE_BRANCHED = 1 << 1, /* a session with more than one branch */
    SOURCE_TAIL = 16,
};

/* Strings are "" where unknown. */
struct source {
    uint32_t number; /* 0: new */
    enum source_kind kind;
    const char *key; /* unique within the kind: a path below the root, an id */
    const char *session; /* the session's own id                     */
    const char *title, *project, *agent;
    const char *tags; /* a JSON array of strings; NULL as "" */
    int64_t created_us, modified_us;
    unsigned flags;
    /* State of the file when it was last read. */
    uint64_t inode, size; /* so much of it is indexed */
    uint64_t file_size;   /* so long it was */
    int64_t mtime_ns, ctime_ns;
    uint8_t tail[SOURCE_TAIL]; /* digest of the bytes before `size` */
};

struct engine;

struct engine_config {
    struct object_store *store; /* owned from then on, also on failure */
    struct db *db;              /* likewise */
    bool read_only;
    bool temporary;        /* numbers change when it is opened again        */
    uint32_t first_source; /* numbers begin here; 0: from 1 on */
    uint64_t first_text;   /* likewise                          */
    size_t memory_max;     /* of an update, before a segment is written */
};

/* Open; creates the tables if it may. An index of another version is emptied. */
quire_status engine_open(const struct engine_config *c, struct engine **out,
                         quire_error *err);
void engine_close(struct engine *e);

/* Take in what others have committed. *changed (may be NULL). */
quire_status engine_reload(struct engine *e, bool *changed, quire_error *err);

/* Forget everything. */
quire_status engine_clear(struct engine *e, quire_error *err);

/* ---- updates ------------------------------------------------------------- */

/* QUIRE_BUSY: another process updates. */
quire_status engine_begin(struct engine *e, quire_error *err);

/* Add or change a source; s->number is set if it was 0. Strings are copied. */
quire_status engine_put_source(struct engine *e, struct source *s,
                               quire_error *err);

/* The source and all its places are dead. */
quire_status engine_kill_source(struct engine *e, uint32_t number,
                                quire_error *err);

/* Ignore the places of a source until the next reload that finds a change, without a
 * change of the index: its content is newer in another engine, or gone. A merge
 * keeps them. */
quire_status engine_hide_source(struct engine *e, uint32_t number,
                                quire_error *err);

/* Show hidden sources again: the other engine is gone. */
void engine_show_hidden(struct engine *e);

/* A number that an update keeps under a name, to recognize a state of rows that is
 * indexed already; 0 at first. */
quire_status engine_mark(struct engine *e, const char *name, int64_t *value,
                         quire_error *err);
quire_status engine_set_mark(struct engine *e, const char *name, int64_t value,
                             quire_error *err);

/* Add a text at a place of a source: text, tool, model of `place` are ignored. Content
 * that the index has already only gets another place. */
quire_status engine_add(struct engine *e, const struct segment_text *t,
                        const struct place *place, quire_bytes tool,
                        quire_bytes model, quire_error *err);

/* Whether so much was added that it should be written: call engine_flush(). */
bool engine_is_full(const struct engine *e);

/* Write what was added and commit; the update goes on. Sources must have been put. */
quire_status engine_flush(struct engine *e, quire_error *err);

/* End the update: commit, or undo what was added since the last flush. */
quire_status engine_end(struct engine *e, quire_status st, quire_error *err);

/* Merge segments, if there are too many or too much in them is dead; `all`: into
 * one. *more: call again. In an update of its own. */
quire_status engine_merge(struct engine *e, bool all, bool *more,
                          quire_error *err);

/* Leave nothing of dead sources: write one segment again that has something of them. *more:
 * call again. In an update of its own. QUIRE_BUSY, too, while another process reads the
 * database: its old state is still there then. */
quire_status engine_purge(struct engine *e, bool *more, quire_error *err);

/* ---- sources --------------------------------------------------------------- */

/* Keep one state of the sources from hold to release, outside an update: many look-ups
 * then share one transaction. */
quire_status engine_hold(struct engine *e, quire_error *err);
void engine_release(struct engine *e);

/* QUIRE_NOT_FOUND without a message. Strings in `keep`. */
quire_status engine_find_source(struct engine *e, enum source_kind kind,
                                const char *key, struct arena *keep,
                                struct source *out, quire_error *err);
quire_status engine_source(struct engine *e, uint32_t number,
                           struct arena *keep, struct source *out,
                           quire_error *err);

typedef quire_status (*source_fn)(void *ctx, const struct source *s,
                                  quire_error *err);

/* All of a kind, by key. */
quire_status engine_sources(struct engine *e, enum source_kind kind,
                            source_fn each, void *ctx, quire_error *err);

/* Conditions on sources, for filters. Those on one thing in one group are alternatives,
 * and negated ones exclude. */
enum source_by {
    SOURCE_BY_SESSION,
    SOURCE_BY_PROJECT, /* a directory and those below it, or the last parts of one */
    SOURCE_BY_AGENT,
    SOURCE_BY_PATH, /* a part of the path of an artifact or file */
    SOURCE_BY_TAG,
};

struct source_condition {
    enum source_by by;
    int group;
    const char *value;
    bool negated;
};

enum { SOURCE_CONDITIONS_MAX = 64 };

struct source_filter {
    const struct source_condition *list;
    size_t n;                 /* up to SOURCE_CONDITIONS_MAX */
    int archived;             /* -1: either */
    bool branched;            /* only sessions with more than one branch */
    const struct map *pinned; /* ids of pinned sessions; NULL: any session */
    bool unpinned;            /* with it: the others */
};

/* A bit for each source number from `first` on; in `keep`. */
struct source_set {
    uint8_t *bits;
    uint32_t first, n;
};
quire_status engine_select(struct engine *e, const struct source_filter *f,
                           struct arena *keep, struct source_set *out,
                           quire_error *err);

static inline bool source_set_has(const struct source_set *s, uint32_t number)
{
    number -= s->first;
    return number < s->n && s->bits[number / 8] >> number % 8 & 1;
}

/* ---- turns ------------------------------------------------------------------- */

/* A turn is a user's message and what follows on the path until the next one. Of a
 * session, the index keeps stretches: lines of the file of which each is below the one
 * before, and which are in one turn. A turn has one stretch, or more where the session
 * branches. */
struct turn {
    uint64_t at; /* offset of the first line of the stretch */
    uint32_t
        number; /* on its path, from 1; 0: before the first; TURN_UNKNOWN */
    const char *first; /* id of the user's message; "" where there is none */
    const char *last;  /* id of the last entry of the stretch              */
};

#define TURN_UNKNOWN UINT32_MAX

/* In an update. Strings are copied. */
quire_status engine_put_turn(struct engine *e, uint32_t source,
                             const struct turn *t, quire_error *err);

/* The stretch that has the line at `offset`; the first of a source. Strings in `keep`.
 * QUIRE_NOT_FOUND without a message. */
quire_status engine_find_turn(struct engine *e, uint32_t source,
                              uint64_t offset, struct arena *keep,
                              struct turn *out, quire_error *err);
quire_status engine_first_turn(struct engine *e, uint32_t source,
                               struct arena *keep, struct turn *out,
                               quire_error *err);

/* ---- for queries ------------------------------------------------------------- */

size_t engine_segments(const struct engine *e, struct segment *const **out);
bool engine_is_live(const struct engine *e, uint32_t source);

/* Texts have numbers from `first` up to before `next`. */
uint64_t engine_first_text(const struct engine *e);
uint64_t engine_next_text(const struct engine *e);
bool engine_is_temporary(const struct engine *e);

/* Sources have numbers from `first` up to before `end`. */
void engine_source_range(const struct engine *e, uint32_t *first,
                         uint32_t *end);
int64_t engine_epoch(const struct engine *e);

/* Bytes of the segments. */
uint64_t engine_bytes(const struct engine *e);

struct engine_info {
    uint64_t n_segments, n_texts, n_places, n_sources, n_dead, bytes;
};
quire_status engine_info(struct engine *e, struct engine_info *out,
                         quire_error *err);

#endif

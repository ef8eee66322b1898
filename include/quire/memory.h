/*
 * quire/memory.h - memory entries and their relations
 *
 * A memory entry is a typed fact that outlives the session it was learnt in.
 * It belongs to the tenant; it may be pinned to a session and may link one
 * artifact. An entry is valid from valid_from until it is invalidated; then it
 * is kept for questions about the past, and lists and searches leave it out.
 * Only homes of Quire's own kind have memory; one without a catalogue has no
 * entries yet.
 *
 * `session` names a session as with artifacts, but NULL is no session: the
 * tenant itself.
 */
#ifndef QUIRE_MEMORY_H
#define QUIRE_MEMORY_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef enum quire_memory_type {
    QUIRE_MEMORY_USER,      /* a person, and what they prefer               */
    QUIRE_MEMORY_FEEDBACK,  /* a judgement of the work                      */
    QUIRE_MEMORY_PROJECT,   /* what is being built, and what was decided    */
    QUIRE_MEMORY_REFERENCE, /* where something is                           */
    QUIRE_MEMORY_LEARNING,  /* what was found out                           */
    QUIRE_MEMORY_CONTEXT    /* the present situation                        */
} quire_memory_type;

typedef enum quire_relation_kind {
    QUIRE_RELATES_TO,
    QUIRE_REFINES,
    QUIRE_CONTRADICTS,
    QUIRE_SUPERSEDES,
    QUIRE_SUPPORTS
} quire_relation_kind;

/* Convert types and kinds to their names and back: "user", "feedback", …;
 * "relates_to", "refines", "contradicts", "supersedes", "supports".
 *
 * Owns: names are static strings.
 * Fails: the name of another number is NULL.
 *   QUIRE_INVALID  not a name; the hint lists all names
 * Durable: reads only. */
const char *quire_memory_type_name(quire_memory_type type);
quire_status quire_memory_type_of(quire_bytes name, quire_memory_type *out,
                                  quire_error *err);
const char *quire_relation_name(quire_relation_kind kind);
quire_status quire_relation_of(quire_bytes name, quire_relation_kind *out,
                               quire_error *err);

/* Text may hold any character, U+0000 too: hence bytes. */
typedef struct quire_memory {
    int64_t id;
    quire_memory_type type;
    quire_bytes title;   /* UTF-8, 1 to 200 bytes                           */
    quire_bytes content; /* UTF-8, up to 64 KiB                             */
    quire_bytes source;  /* UTF-8, up to 200 bytes                          */
    const char *tags;    /* a JSON array of strings                         */
    int64_t artifact;    /* the id of the linked artifact; 0: none, or it is
                            soft-deleted                                    */
    int64_t session_id;  /* of the session's row; 0: none                   */
    const char *session; /* the session's own id; "": none                  */
    int64_t created_us, updated_us;
    int64_t valid_from_us, valid_to_us; /* valid_to_us 0: it is valid       */
    double score;                       /* search: higher is better         */
    int64_t expired_artifact; /* quire_memory_get() and without `artifact`: the
                            artifact it linked, which is deleted; 0: none   */
    uint64_t reserved[3];
} quire_memory;

typedef quire_status (*quire_memory_fn)(void *ctx, const quire_memory *entry,
                                        quire_error *err);

/* Begin with QUIRE_MEMORY_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_memory_options {
    size_t size;
    quire_memory_type type;
    quire_bytes title, content, source; /* edit: .data NULL keeps it          */
    const quire_bytes *tags; /* up to 32 of 1 to 64 bytes; duplicates are kept;
                                edit: NULL keeps them                       */
    size_t n_tags;
    int64_t artifact;   /* 0: none; edit: 0 keeps it, -1 removes the link   */
    int set_type;       /* edit: change the type                            */
    int64_t created_us; /* add: when it became valid and was last changed; 0:
                           now                                              */
    const int64_t *supersedes; /* add: valid entries that this one replaces  */
    size_t n_supersedes;
} quire_memory_options;

#define QUIRE_MEMORY_OPTIONS_INIT                                              \
    {                                                                          \
        sizeof(quire_memory_options), QUIRE_MEMORY_USER, {NULL, 0}, {NULL, 0}, \
            {NULL, 0}, NULL, 0, 0, 0, 0, NULL, 0                               \
    }

/* quire_memory_add() adds an entry, pinned to `session`. Each superseded entry
 * becomes invalid when this one becomes valid, and gets a relation
 * QUIRE_SUPERSEDES from it. quire_memory_edit() changes a valid entry, which
 * keeps its id, session and relations. A session can link only artifacts it
 * may read: its own, or one that a valid entry of the tenant links; the tenant
 * (session NULL) can link any of its artifacts. `out` may be NULL.
 *
 * Owns: text of the options is copied; that of *out is lent until the next
 *   call with `q`.
 * Fails: common
 *   QUIRE_INVALID    a text is too long, empty or not UTF-8; a time before
 *                    1970; too many tags or superseded entries
 *   QUIRE_NOT_FOUND  no such session, artifact, or valid entry
 * Durable: on return. */
quire_status quire_memory_add(quire *q, const char *session,
                              const quire_memory_options *options,
                              quire_memory *out, quire_error *err);
quire_status quire_memory_edit(quire *q, const char *session, int64_t id,
                               const quire_memory_options *options,
                               quire_memory *out, quire_error *err);

/* Return a valid entry by its id; with as_of_us one that was valid then: from
 * valid_from_us on, and before valid_to_us.
 *
 * Owns: text is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such valid entry
 *   QUIRE_INVALID    a time before 1970
 * Durable: reads only. */
quire_status quire_memory_get(quire *q, int64_t id, int64_t as_of_us,
                              quire_memory *out, quire_error *err);

/* Begin with QUIRE_MEMORY_LIST_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_memory_list_options {
    size_t size;
    unsigned types;      /* 1u << type, or'ed; 0: all                       */
    const char *tag;     /* a whole tag, A to Z in any case; NULL: all. '%' and
                            '_' are literal                                 */
    const char *session; /* pinned to this session, or to none; NULL: all   */
    int64_t since_us;    /* changed then or later                           */
    int64_t as_of_us;    /* valid then; 0: now                              */
    int64_t before_us, before_id; /* cursor: updated_us and id of the last one
                                     of the page before; 0: from the start  */
    uint64_t limit;               /* 0: 50; at most 1000. UINT64_MAX: all   */
} quire_memory_list_options;

#define QUIRE_MEMORY_LIST_OPTIONS_INIT                                   \
    {                                                                    \
        sizeof(quire_memory_list_options), 0u, NULL, NULL, 0, 0, 0, 0, 0 \
    }

/* List entries, the last changed first, then the higher id.
 *
 * Owns: *entry is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    a time before 1970
 * Durable: reads only. */
quire_status quire_memory_list(quire *q,
                               const quire_memory_list_options *options,
                               quire_memory_fn each, void *ctx,
                               quire_error *err);

/* Begin with QUIRE_RECALL_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_recall_options {
    size_t size;
    unsigned types;      /* these rank higher (x 1.3); 0: cue words in the query
                            choose them                                     */
    const char *tag;     /* entries with it rank higher (x 1.2)             */
    const char *session; /* the asking session: its own entries are ranked as a
                            list of their own, and come first; NULL: tenant */
    int no_intent;       /* ignore cue words                                */
    int no_decay;        /* ignore age                                      */
    int64_t half_life_days; /* 0: 90                                        */
    int64_t as_of_us;       /* valid then; 0: now                           */
    uint64_t limit;         /* 0: 20; at most 200                           */
} quire_recall_options;

#define QUIRE_RECALL_OPTIONS_INIT                                   \
    {                                                               \
        sizeof(quire_recall_options), 0u, NULL, NULL, 0, 0, 0, 0, 0 \
    }

/* Search entries by the words of a question, best first. Any text is a query:
 * one word must match; several words together or near each other rank higher,
 * the title more than tags, text and source. Entries follow in which a word
 * only begins like one of the query, or like its stem: "deploy" and
 * "Deployments" both find "deployment". Case, accents and words like "the" are
 * ignored; identifiers in code and Chinese, Japanese and Korean text
 * match by their parts. Of very frequent words the best thousand are ranked,
 * and *partial (may be NULL) is set.
 *
 * Owns: *entry is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  nothing matches, or no such session
 *   QUIRE_INVALID    the query has no word; a time or a half-life out of range
 * Durable: reads only. */
quire_status quire_memory_search(quire *q, quire_bytes query,
                                 const quire_recall_options *options,
                                 quire_memory_fn each, void *ctx, int *partial,
                                 quire_error *err);

/* Whether a query has a word that quire_memory_search() can look for.
 *
 * Owns: nothing.
 * Fails: never; 0 also when out of memory.
 * Durable: reads only. */
int quire_memory_query_has_words(quire_bytes query);

/* quire_memory_invalidate() ends an entry at when_us (0: now): from then on it
 * cannot be read by id, edited, related or invalidated again; its relations
 * stay. quire_memory_remove() deletes an entry for good, valid or not, with
 * its relations.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND  invalidate: no such valid entry; remove: no such entry
 *   QUIRE_INVALID    a time before 1970
 * Durable: on return. */
quire_status quire_memory_invalidate(quire *q, int64_t id, int64_t when_us,
                                     quire_error *err);
quire_status quire_memory_remove(quire *q, int64_t id, quire_error *err);

typedef struct quire_relation {
    int64_t id, source, target;
    quire_relation_kind kind;
    int64_t created_us;
    uint64_t reserved[4];
} quire_relation;

typedef quire_status (*quire_relation_fn)(void *ctx,
                                          const quire_relation *relation,
                                          quire_error *err);

/* Relate two valid entries, or remove a relation. `out` may be NULL.
 *
 * Owns: *out is the caller's.
 * Fails: common
 *   QUIRE_EXISTS     add: it exists, and out->id is its id
 *   QUIRE_INVALID    add: an entry with itself, or not a kind
 *   QUIRE_NOT_FOUND  add: an end is not a valid entry; remove: no such relation
 * Durable: on return, also with QUIRE_EXISTS. */
quire_status quire_relation_add(quire *q, int64_t source,
                                quire_relation_kind kind, int64_t target,
                                quire_relation *out, quire_error *err);
quire_status quire_relation_remove(quire *q, int64_t id, quire_error *err);

/* Begin with QUIRE_RELATION_LIST_OPTIONS_INIT; later versions only add fields.
 */
typedef struct quire_relation_list_options {
    size_t size;
    int64_t source, target, either; /* the entry at that end; 0: any        */
    int kind;                       /* -1: any                              */
    int64_t before_id;              /* cursor; 0: from the start            */
    uint64_t limit;                 /* 0: 200; at most 1000                 */
} quire_relation_list_options;

#define QUIRE_RELATION_LIST_OPTIONS_INIT                       \
    {                                                          \
        sizeof(quire_relation_list_options), 0, 0, 0, -1, 0, 0 \
    }

/* List relations, the highest id first; those of invalid entries too.
 *
 * Owns: *relation is lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID  not a kind
 * Durable: reads only. */
quire_status quire_relation_list(quire *q,
                                 const quire_relation_list_options *options,
                                 quire_relation_fn each, void *ctx,
                                 quire_error *err);

/* Begin with QUIRE_GRAPH_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_graph_options {
    size_t size;
    unsigned types;     /* 1u << type, or'ed; 0: all                        */
    int64_t around;     /* the neighbourhood of this entry; 0: everything   */
    unsigned depth;     /* so many steps from it                            */
    uint64_t max_nodes; /* 0: all                                           */
} quire_graph_options;

#define QUIRE_GRAPH_OPTIONS_INIT                 \
    {                                            \
        sizeof(quire_graph_options), 0u, 0, 1, 0 \
    }

/* List valid entries, then the relations between them by id, from one snapshot.
 * With `around`: that entry, of any type, and those within `depth` steps along
 * relations, nearest first.
 *
 * Owns: entries and relations are lent until the callback returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  `around` is not a valid entry
 * Durable: reads only. */
quire_status quire_memory_graph(quire *q, const quire_graph_options *options,
                                quire_memory_fn each_entry,
                                quire_relation_fn each_relation, void *ctx,
                                quire_error *err);

QUIRE_DECLS_END

#endif

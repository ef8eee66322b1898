/* quire/memory.h - facts that outlive a session, and their relations */
#ifndef QUIRE_MEMORY_H
#define QUIRE_MEMORY_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * A memory entry is a typed fact that outlives the session it was learnt in.
 * It belongs to the tenant; it may be pinned to a session, and may link one
 * artifact. An entry is true from valid_from on until it is invalidated; then
 * it is kept, for questions about the past, and is quote_text no more. Homes of
 * Quire's own kind have memory; one without a catalogue has none yet, and that
 * is no error.
 *
 * `session` below names a session as with artifacts, but NULL is no session:
 * the tenant itself.
 */

typedef enum quire_memory_type {
    QUIRE_MEMORY_USER,      /* who somebody is, what they like              */
    QUIRE_MEMORY_FEEDBACK,  /* what somebody said of the work               */
    QUIRE_MEMORY_PROJECT,   /* what is being made, and what was decided     */
    QUIRE_MEMORY_REFERENCE, /* where something is                           */
    QUIRE_MEMORY_LEARNING,  /* what was found out                           */
    QUIRE_MEMORY_CONTEXT    /* how things stand                             */
} quire_memory_type;

/* "user", "feedback", "project", "reference", "learning", "context", and back.
 * A static string; NULL for what is no type. QUIRE_INVALID names all of
 * them. */
const char *quire_memory_type_name(quire_memory_type type);
quire_status quire_memory_type_of(quire_bytes name, quire_memory_type *out,
                                  quire_error *err);

/* Text is on loan until the next call with the same handle. It may hold any
 * character, U+0000 too: hence bytes. */
typedef struct quire_memory {
    int64_t id;
    quire_memory_type type;
    quire_bytes title;   /* UTF-8, 1 to 200 bytes                           */
    quire_bytes content; /* UTF-8, up to 64 KiB                             */
    quire_bytes source;  /* UTF-8, up to 200 bytes                          */
    const char *tags;    /* a JSON array of strings                         */
    int64_t artifact;    /* the id of a living artifact; 0: none. One that was
                            put away comes back here when it is restored    */
    int64_t session_id;  /* of the session's row; 0: none                   */
    const char *session; /* the session's own id; "": none                  */
    int64_t created_us, updated_us;
    int64_t valid_from_us, valid_to_us; /* valid_to_us 0: it is valid       */
    double score;                       /* search: more is better           */
    uint64_t reserved[4];
} quire_memory;

typedef quire_status (*quire_memory_fn)(void *ctx, const quire_memory *entry,
                                        quire_error *err);

/* What an entry is to be. Set `size` with QUIRE_MEMORY_OPTIONS_INIT; fields are
 * only ever added. */
typedef struct quire_memory_options {
    size_t size;
    quire_memory_type type;
    quire_bytes title, content,
        source;              /* edit: .data NULL leaves it as it is */
    const quire_bytes *tags; /* up to 32 of 1 to 64 bytes; duplicates are kept;
                                edit: NULL leaves them                      */
    size_t n_tags;
    int64_t artifact;   /* 0: none; edit: 0 leaves it, -1 takes the link away */
    int set_type;       /* edit: the type changes too                       */
    int64_t created_us; /* add: when it became true, and was last changed;
                           0: now                                           */
    const int64_t *supersedes; /* add: entries that this one makes invalid, all
                                  of which must be valid                    */
    size_t n_supersedes;
} quire_memory_options;

#define QUIRE_MEMORY_OPTIONS_INIT                                              \
    {                                                                          \
        sizeof(quire_memory_options), QUIRE_MEMORY_USER, {NULL, 0}, {NULL, 0}, \
            {NULL, 0}, NULL, 0, 0, 0, 0, NULL, 0                               \
    }

/* Add an entry, pinned to `session`, with its relations and its words for the
 * search. From inside a session only what that session may read can be linked:
 * an artifact of its own, or one that a valid entry of the tenant links, which
 * it could cite; the tenant itself (session NULL) may link any of its artifacts.
 * Each superseded entry becomes invalid when this one becomes valid, and gets
 * a relation QUIRE_SUPERSEDES from it. *out may be NULL. All or nothing, and
 * lasting when it returns QUIRE_OK.
 *
 * QUIRE_INVALID    something is too long, empty, or not UTF-8
 * QUIRE_NOT_FOUND  no such session, artifact, or valid entry to supersede */
quire_status quire_memory_add(quire *q, const char *session,
                              const quire_memory_options *options,
                              quire_memory *out, quire_error *err);

/* Change a valid entry, which keeps its id, its session and its relations. */
quire_status quire_memory_edit(quire *q, const char *session, int64_t id,
                               const quire_memory_options *options,
                               quire_memory *out, quire_error *err);

/* A valid entry by id; with as_of_us one that was valid then: from
 * valid_from_us on, and not at valid_to_us any more. QUIRE_NOT_FOUND for all
 * others. */
quire_status quire_memory_get(quire *q, int64_t id, int64_t as_of_us,
                              quire_memory *out, quire_error *err);

/* Which ones. Set `size` with QUIRE_MEMORY_LIST_OPTIONS_INIT. */
typedef struct quire_memory_list_options {
    size_t size;
    unsigned types;      /* 1u << type, or'ed; 0: all                       */
    const char *tag;     /* a whole tag, A to Z in any case; NULL: all. '%' and
                            '_' are themselves                              */
    const char *session; /* pinned to this session, or to none; NULL: all   */
    int64_t since_us;    /* changed then or later                           */
    int64_t as_of_us;    /* those that were valid then; 0: now              */
    int64_t before_us, before_id; /* after this one in the list: its updated_us
                                     and id; 0: from the start              */
    uint64_t limit;               /* 0: 50; never more than 1000            */
} quire_memory_list_options;

#define QUIRE_MEMORY_LIST_OPTIONS_INIT                                   \
    {                                                                    \
        sizeof(quire_memory_list_options), 0u, NULL, NULL, 0, 0, 0, 0, 0 \
    }

/* Entries, the last changed first, of those changed at once the one with the
 * higher id. QUIRE_NOT_FOUND: no such session. */
quire_status quire_memory_list(quire *q,
                               const quire_memory_list_options *options,
                               quire_memory_fn each, void *ctx,
                               quire_error *err);

/* How to look. Set `size` with QUIRE_RECALL_OPTIONS_INIT. */
typedef struct quire_recall_options {
    size_t size;
    unsigned types;      /* these rank higher (x 1.3); 0: cue words in the
                            question choose them                            */
    const char *tag;     /* with it they rank higher (x 1.2)                */
    const char *session; /* who asks: its own entries are a list of their own,
                            and come first; NULL: the tenant                */
    int no_intent;       /* cue words choose nothing                        */
    int no_decay;        /* age does not count                              */
    int64_t half_life_days; /* 0: 90                                        */
    int64_t as_of_us;       /* those that were valid then; 0: now           */
    uint64_t limit;         /* 0: 20; never more than 200                   */
} quire_recall_options;

#define QUIRE_RECALL_OPTIONS_INIT                                   \
    {                                                               \
        sizeof(quire_recall_options), 0u, NULL, NULL, 0, 0, 0, 0, 0 \
    }

/* Entries by the words of a question, the best first. Any text is a question:
 * one word of it must be there, all of them together or near each other rank
 * higher; in the title more than in tags, text and source. Case and accents do
 * not count, words like "the" neither, and words of code, and Chinese, Japanese
 * and Korean, are found by their parts. Of words that are in very many the
 * newest are ranked; *partial (may be NULL) says so.
 *
 * QUIRE_NOT_FOUND  nothing is found, or no such session
 * QUIRE_INVALID    there is no word in the question */
quire_status quire_memory_search(quire *q, quire_bytes query,
                                 const quire_recall_options *options,
                                 quire_memory_fn each, void *ctx, int *partial,
                                 quire_error *err);

/* It is true no longer, from when_us on (0: now). From now on it cannot be read
 * by id, edited, related or invalidated again: QUIRE_NOT_FOUND. Its relations
 * stay. */
quire_status quire_memory_invalidate(quire *q, int64_t id, int64_t when_us,
                                     quire_error *err);

/* Delete for good, valid or not, with its relations. */
quire_status quire_memory_remove(quire *q, int64_t id, quire_error *err);

typedef enum quire_relation_kind {
    QUIRE_RELATES_TO,
    QUIRE_REFINES,
    QUIRE_CONTRADICTS,
    QUIRE_SUPERSEDES,
    QUIRE_SUPPORTS
} quire_relation_kind;

/* "relates_to", "refines", "contradicts", "supersedes", "supports", and back,
 * as quire_memory_type_name() has it. */
const char *quire_relation_name(quire_relation_kind kind);
quire_status quire_relation_of(quire_bytes name, quire_relation_kind *out,
                               quire_error *err);

typedef struct quire_relation {
    int64_t id, source, target;
    quire_relation_kind kind;
    int64_t created_us;
    uint64_t reserved[4];
} quire_relation;

typedef quire_status (*quire_relation_fn)(void *ctx,
                                          const quire_relation *relation,
                                          quire_error *err);

/* Relate two valid entries. *out may be NULL. Lasting.
 *
 * QUIRE_EXISTS     there already, and out->id is its id
 * QUIRE_INVALID    with itself
 * QUIRE_NOT_FOUND  an end is missing or not valid */
quire_status quire_relation_add(quire *q, int64_t source,
                                quire_relation_kind kind, int64_t target,
                                quire_relation *out, quire_error *err);
quire_status quire_relation_remove(quire *q, int64_t id, quire_error *err);

/* Set `size` with QUIRE_RELATION_LIST_OPTIONS_INIT. */
typedef struct quire_relation_list_options {
    size_t size;
    int64_t source, target, either; /* the entry at that end; 0: any        */
    int kind;                       /* -1: any                              */
    int64_t before_id;              /* below this one; 0: from the start    */
    uint64_t limit;                 /* 0: 200; never more than 1000         */
} quire_relation_list_options;

#define QUIRE_RELATION_LIST_OPTIONS_INIT                       \
    {                                                          \
        sizeof(quire_relation_list_options), 0, 0, 0, -1, 0, 0 \
    }

/* Relations, the newest id first; those of invalid entries too. */
quire_status quire_relation_list(quire *q,
                                 const quire_relation_list_options *options,
                                 quire_relation_fn each, void *ctx,
                                 quire_error *err);

/* Set `size` with QUIRE_GRAPH_OPTIONS_INIT. */
typedef struct quire_graph_options {
    size_t size;
    unsigned types;     /* 1u << type, or'ed; 0: all                        */
    int64_t around;     /* what is near this entry; 0: everything           */
    unsigned depth;     /* so many steps from it                            */
    uint64_t max_nodes; /* 0: all                                           */
} quire_graph_options;

#define QUIRE_GRAPH_OPTIONS_INIT                 \
    {                                            \
        sizeof(quire_graph_options), 0u, 0, 1, 0 \
    }

/* Valid entries, as they are listed, and then the relations whose both ends are
 * among them, by id. With `around` that entry, whatever its type, and those
 * within `depth` steps of it along relations, the nearest first. Of one moment,
 * and all there are unless max_nodes says otherwise.
 *
 * QUIRE_NOT_FOUND  `around` is no valid entry */
quire_status quire_memory_graph(quire *q, const quire_graph_options *options,
                                quire_memory_fn each_entry,
                                quire_relation_fn each_relation, void *ctx,
                                quire_error *err);

QUIRE_DECLS_END

#endif

/*
 * quire/search.h - one search over everything
 *
 * Sessions, outputs, artifacts, memory and prompt history of the handle's tenant.
 * docs/search.md describes queries. The indexes are derived, and can be deleted at any
 * time: they are in search/ of the home; for homes of other programs, and for a reader of
 * a home without them, in the user's cache directory. What is small is indexed in memory.
 * A search finds everything that was acknowledged before it began: it
 * first indexes what is new.
 */
#ifndef QUIRE_SEARCH_H
#define QUIRE_SEARCH_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef enum quire_search_sort {
    QUIRE_SEARCH_RANK = 0, /* the best first, by words, kind and age         */
    QUIRE_SEARCH_NEWEST,
    QUIRE_SEARCH_OLDEST,
} quire_search_sort;

/* Called now and then while the index is brought up to date: bytes read so far, and
 * bytes in all. A status other than QUIRE_OK ends the search with it. */
typedef quire_status (*quire_search_progress_fn)(void *ctx, uint64_t done,
                                                 uint64_t total);

/* Begin with QUIRE_SEARCH_OPTIONS_INIT; later versions only add fields. Filters have
 * the same meaning as in the query (kind:message), and both apply. Lists are ended
 * by NULL; of one list any may match. NULL: no filter. */
typedef struct quire_search_options {
    size_t size;
    const char *const *kinds; /* message thinking tool_input tool_result summary
                                  title label output artifact memory history   */
    const char *const *roles; /* user assistant tool system                   */
    const char *const *tools; /* names                                        */
    const char *session;      /* as for quire_session_open()                  */
    const char *project;      /* a directory, or the last parts of its path   */
    const char *agent;
    int64_t since_us,
        until_us; /* from, before; 0: any                        */
    quire_search_sort sort;
    uint64_t limit; /* hits, or sessions if not `flat`; 0: 20, at most 1000 */
    const char
        *cursor;    /* next_cursor of the page before                      */
    int regex;      /* the query is a regular expression                   */
    int words_only; /* the query has no syntax but quotes                  */
    int flat;       /* hits; else they are grouped by session, the three
                           best of each                                        */
    int versions;   /* older versions of artifacts, too                    */
    int facets;     /* count hits by kind, role, tool, model, project, agent */
    int no_update;  /* search the index as it is                           */
    quire_search_progress_fn
        progress; /* NULL: none                           */
    void *progress_ctx;
} quire_search_options;

#define QUIRE_SEARCH_OPTIONS_INIT                                            \
    {                                                                        \
        sizeof(quire_search_options), NULL, NULL, NULL, NULL, NULL, NULL, 0, \
            0, QUIRE_SEARCH_RANK, 0, NULL, 0, 0, 0, 0, 0, 0, NULL, NULL      \
    }

/* A match in a snippet, in bytes. */
typedef struct quire_search_match {
    uint32_t from, to;
} quire_search_match;

/* Text is "" where it is not known. */
typedef struct quire_search_hit {
    const char *kind;
    const char
        *address; /* quire://session/ID#ENTRY, artifact://3, mem:7, …   */
    const char
        *session;      /* its own id                                         */
    const char *entry; /* id of the entry                                    */
    const char *title; /* of the session, or the path of an artifact         */
    const char
        *project; /* directory                                          */
    const char *agent, *role, *tool, *model;
    int64_t
        created_us; /* 0: unknown                                          */
    const char *snippet;
    const quire_search_match
        *matches; /* in the snippet                       */
    size_t n_matches;
    double score;
    const char
        *how;   /* "exact", "stem", "prefix", "substring", "close"        */
    int active; /* on the session's current branch; 1 where there are none */
    int is_error;
    int first;             /* the first hit of its session, if grouped        */
    uint64_t in_session;   /* of the first: hits in the session               */
    uint64_t line, offset; /* of the entry in its file: bytes                 */
    /* The turn of the entry: a user's message and what follows until the next. */
    uint64_t turn; /* on the path of the entry, from 1; 0: in none */
    const char *turn_first,
        *turn_last; /* ids of its first entry, and of the last one on the branch
                       of the entry; "" where they are not known */
    uint64_t reserved[1];
} quire_search_hit;

typedef quire_status (*quire_search_hit_fn)(void *ctx,
                                            const quire_search_hit *hit,
                                            quire_error *err);

typedef struct quire_search_count {
    const char
        *facet; /* "kind", "role", "tool", "model"; "project" and "agent":
                   of the sources with most hits, the 200 most frequent     */
    const char *name;
    uint64_t n;
} quire_search_count;

typedef struct quire_search_ignored {
    const char *text, *why;
} quire_search_ignored;

/* Text is lent until the next call with the handle. */
typedef struct quire_search_result {
    uint64_t total;     /* hits on all pages                                  */
    int total_is_exact; /* else there are at least so many, but for:          */
    const char
        *next_cursor; /* NULL: there are no more                        */
    const quire_search_ignored
        *ignored; /* parts of the query without effect  */
    size_t n_ignored;
    const quire_search_count
        *counts; /* with `facets`                         */
    size_t n_counts;
    int total_is_at_most; /* with is:active, if there are branches: there are at most
                             so many                                             */
    uint64_t reserved[3];
} quire_search_result;

/* Search. A query that finds nothing is relaxed, step by step: other forms of its
 * words, words that begin with them or contain them, most of its words instead of
 * all; `how` of the hits reports it. `options`, `result` may be NULL.
 *
 * Owns: *hit is lent until `each` returns; *result until the next call with `q`.
 * Fails: common
 *   QUIRE_INVALID    the query is empty; a filter, a regular expression or the
 *                    cursor is not valid
 *   QUIRE_NOT_FOUND  no such session
 * Durable: the index only; nothing else is written. */
quire_status quire_search(quire *q, quire_bytes query,
                          const quire_search_options *options,
                          quire_search_hit_fn each, void *ctx,
                          quire_search_result *result, quire_error *err);

/* Read a time as users write it: RFC 3339, a date, seconds or milliseconds since
 * 1970, 7d, "3 weeks ago", yesterday.
 *
 * Owns: nothing.
 * Fails: QUIRE_INVALID  it is not a time
 * Durable: reads only. */
quire_status quire_search_time(quire *q, const char *text, int64_t *us,
                               quire_error *err);

/* Bring the index up to date, for programs that want to do so before a
 * search begins. One call reads about 32 MiB. *more (may be NULL): there is more to do;
 * call again.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_BUSY  another process updates the index
 * Durable: the index. */
quire_status quire_search_update(quire *q, int *more, quire_error *err);

/* Leave nothing of removed sessions, artifacts, memory entries and prompts in the files
 * of the index. Deleting is quick and leaves this to quire_collect(), to `quire serve`
 * when it is idle, and to programs. A part of the index is written again that had
 * something of them, one in each call. *more (may be NULL): call again. What is new is
 * indexed first; without an index in the home nothing is done.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_BUSY  another process reads or updates the index
 * Durable: the index. */
quire_status quire_search_purge(quire *q, int *more, quire_error *err);

/* Words of the index that begin with `prefix`, the most frequent first, at most
 * `limit` (0: 10).
 *
 * Owns: the text is lent until `each` returns.
 * Fails: common
 * Durable: reads only. */
quire_status quire_search_suggest(quire *q, quire_bytes prefix, uint64_t limit,
                                  quire_text_fn each, void *ctx,
                                  quire_error *err);

/* Delete the index and build it anew.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_BUSY  another process updates the index
 * Durable: the index. */
quire_status quire_search_rebuild(quire *q, quire_error *err);

/* A watch on the directories of session files, for programs that search often: shared
 * by their handles of one home, of any thread, by way of quire_options.search_watch.
 * While it has noticed no change, a search looks at no file. Where directories cannot
 * be watched, searches look as they do without it.
 *
 * quire_search_watch_free(): after the handles are closed; NULL is fine.
 *
 * Owns: the caller frees *out.
 * Fails: QUIRE_NO_MEMORY
 * Durable: reads only. */
typedef struct quire_search_watch quire_search_watch;
quire_status quire_search_watch_new(quire_search_watch **out, quire_error *err);
void quire_search_watch_free(quire_search_watch *w);

typedef struct quire_search_stats {
    uint64_t bytes;                        /* of the index */
    uint64_t n_texts, n_places, n_sources; /* content once; where it is       */
    uint64_t n_removed; /* sources that quire_search_purge() has to do with */
    uint64_t reserved[3];
} quire_search_stats;

/* Report the size of the index, as it is.
 *
 * Owns: nothing.
 * Fails: common
 * Durable: reads only. */
quire_status quire_search_describe(quire *q, quire_search_stats *out,
                                   quire_error *err);

QUIRE_DECLS_END

#endif

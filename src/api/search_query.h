/*
 * search_query.h - run a query of the search language over the indexes of a handle
 *
 * What searches have in common: the query is parsed (search/language.h), its filters
 * and those of the options become conditions of a request (search/run.h), and the
 * request is run. If the query is plain words and finds too little, it is run again
 * with words that match more, in steps: other forms, beginnings, parts; at last most
 * of the words instead of all. Who asks receives the hits of each step.
 *
 *     search_query_prepare()     parse, update the indexes, filters, cursor
 *     search_query_run()         the steps
 *     search_query_release()
 */
#ifndef API_SEARCH_QUERY_H
#define API_SEARCH_QUERY_H

#include "api/search.h"
#include "base/map.h"
#include "search/language.h"

/* Behind the relaxed forms of words: most of the words. */
enum { STEP_CLOSE = N_RELAX, N_STEPS };

/* Indexes to search, as bits. */
#define PARTS_ALL  ((1u << SEARCH_FILES) | (1u << SEARCH_ROWS))
#define PARTS_ROWS (1u << SEARCH_ROWS)

struct search_query;

/* New hits of a step, in order. k->n_given rises by those that are passed on. */
typedef quire_status (*search_emit_fn)(struct search_query *k,
                                       struct run_hit *hits, size_t n,
                                       quire_error *err);

struct search_query {
    /* Set by the caller; the rest is zero. */
    struct quire *q;
    quire_bytes text;
    quire_search_options o;
    unsigned parts;      /* PARTS_ALL, PARTS_ROWS */
    unsigned only_kinds; /* bits: no others, whatever the query says; 0: any */
    const char *key;     /* the id of a session: in it only; NULL: any       */
    int last_step;       /* to relax to   */
    bool
        all_forms; /* of words and beginnings, even when there are enough hits */
    bool parts_last; /* parts of words only if there is no hit at all */
    bool substrings; /* plain words are parts of words, too */
    search_emit_fn emit;
    void *ctx;
    struct arena *keep; /* the whole search */

    struct search_language language;
    struct run_request request;
    int active; /* 1: only hits on the current branch, -1: only others, 0: any */
    const char *only_session; /* hits of others have its number by chance */
    struct source_set sets[RUN_ENGINES_MAX], branched[RUN_ENGINES_MAX];
    int step;
    struct plan *plan;
    struct text_matcher *matcher; /* of the plan, for snippets */
    struct map seen;              /* hits of earlier steps */
    struct run_result result;     /* of the last step */
    uint64_t total;
    bool total_is_exact;
    bool has_branched; /* the branch of a hit decides whether it counts */
    uint64_t n_given;
    struct arena tmp; /* one hit */
};

/* QUIRE_INVALID, with a message: the query is empty, or a filter or the cursor is not
 * valid. */
quire_status search_query_prepare(struct search_query *k, quire_error *err);
quire_status search_query_run(struct search_query *k, quire_error *err);

/* Only whether the query has anything to search for: QUIRE_INVALID with a message. */
quire_status search_query_check(struct quire *q, quire_bytes text,
                                quire_error *err);
void search_query_release(struct search_query *k);

/* Run it; if an index is damaged and nothing was passed on yet, remove the indexes and
 * try once more. `run` prepares, runs and releases. */
quire_status search_query_retry(struct quire *q,
                                quire_status (*run)(void *ctx, bool *given,
                                                    quire_error *err),
                                void *ctx, quire_error *err);

/* The text of a hit, as search_read_text(). */
quire_status search_query_text(struct search_query *k, const struct run_hit *h,
                               struct source *source, struct segment_text *out,
                               quire_bytes *entry, quire_error *err);

enum { SEARCH_SPANS_MAX = 512 };

/* The matches in a text, for its snippet. *keep: it matches still, and well enough for
 * the step. */
quire_status search_query_spans(struct search_query *k,
                                const struct segment_text *text,
                                struct text_span *spans, size_t *n, bool *keep,
                                quire_error *err);

/* ---- search_facets.c ---------------------------------------------------------- */

/* The counts of `from`, by name, as out->counts. */
quire_status search_list_counts(struct search_query *k,
                                const struct run_facets *from,
                                quire_search_result *out, quire_error *err);

/* ---- search_cursor.c ---------------------------------------------------------- */

/* Cursors are text. One holds the numbers that scores depend on and is tied to its
 * query by a digest. NULL: out of memory. */
quire_status search_cursor_read(struct search_query *k, quire_error *err);
const char *search_cursor_write(struct search_query *k,
                                const struct run_cursor *at);

#endif

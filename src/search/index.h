/*
 * index.h - full-text index interface
 *
 * An index holds documents. A document has a positive id and one text for each
 * column of the index's kind. Queries are trees (search/query.h); hits are ids
 * with scores. The rows behind the ids are the caller's: it reads them with
 * statements of its own, for the hits that it needs.
 *
 * An index belongs to a database connection, and takes part in its
 * transactions: documents added in a transaction that is rolled back were never
 * added. One thread uses an index at a time. A backend is done when
 * tests/conform/index_test.c passes over it.
 */
#ifndef SEARCH_INDEX_H
#define SEARCH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "quire.h"
#include "search/query.h"
#include "store/db.h"

/* ---- kinds -------------------------------------------------------------- */

enum { FULLTEXT_COLUMNS_MAX = 7 };

/* The phrases of a query that fulltext_hit.phrases reports. */
enum { FULLTEXT_PHRASES_MAX = 63 };

enum fulltext_ranking {
    /* By place: for each phrase of the query and each column that contains it,
     * the column's weight times 1000, and a little more for each repetition, up
     * to 2500 for eight. The score depends on the document alone, so no
     * statistic has to be read. */
    FULLTEXT_BY_PLACE,
    /* BM25 with k1 = 1.2 and b = 0.75, higher is better, in steps of 1e-12. An
     * occurrence counts as often as the column's weight says. The inverse
     * document frequency is at least 1e-6. Reading it costs a walk through the
     * documents that have the phrase, for every query. */
    FULLTEXT_BY_BM25,
};

struct fulltext_column {
    const char *name; /* an SQL identifier */
    int weight;
};

struct fulltext_kind {
    const char *name; /* an SQL identifier; with the tenant, the index's name */
    struct fulltext_column columns[FULLTEXT_COLUMNS_MAX];
    size_t n_columns;
    bool scoped;   /* a document has a scope, and a query may be within one */
    bool prefixes; /* keep an index of the first three letters of words. Then a
                    * place may count twice for a prefix that two words of it
                    * begin with: an identifier and its first part */
    enum fulltext_ranking ranking;
};

/* ---- documents, queries, hits ------------------------------------------- */

struct fulltext_document {
    int64_t id;
    quire_bytes texts[FULLTEXT_COLUMNS_MAX];
    int64_t scope; /* a number, if the kind is scoped */
};

struct fulltext_find {
    const struct query *query;
    int64_t scope;     /* only documents of it; 0: all */
    bool newest_first; /* by descending id; else in any order */
    bool scored;       /* compute the scores, else they are 0 */
    bool phrases;      /* and which phrases a hit has, else 0 */

    /* Only ids above this one, and of the others those of `also`: `n_also` ids,
     * ascending. With 0, all ids. */
    int64_t above;
    const int64_t *also;
    size_t n_also;

    uint64_t skip;  /* leave out so many hits from the start */
    uint64_t limit; /* at most so many; 0: all */
};

struct fulltext_hit {
    int64_t id;
    double score; /* by the ranking of the kind */
    /* Which phrases of the query the document has, a bit for each leaf in the
     * order of the tree, of the first FULLTEXT_PHRASES_MAX. A leaf without a
     * word need not have a bit, so the bits serve to compare hits of one query.
     * A phrase of an operand that does not match is not counted. */
    uint64_t phrases;
};

struct fulltext_stats {
    uint64_t n_documents;
    uint64_t
        n_words[FULLTEXT_COLUMNS_MAX]; /* places with a word, all documents */
};

typedef quire_status (*fulltext_id_fn)(void *ctx, int64_t id, quire_error *err);

/* ---- the interface ------------------------------------------------------ */

struct fulltext {
    const struct fulltext_ops *ops;
};

struct fulltext_ops {
    /* Whether it was created. The other calls but create, drop and close need
     * that it was. */
    quire_status (*exists)(struct fulltext *x, bool *exists, quire_error *err);

    /* Create it, without documents. */
    quire_status (*create)(struct fulltext *x, quire_error *err);

    /* Delete it with its documents, if it exists. No other index on the same
     * connection may have hits to be fetched. */
    quire_status (*drop)(struct fulltext *x, quire_error *err);

    /* Add a document whose id is not in the index. Texts may be any bytes. */
    quire_status (*add)(struct fulltext *x, const struct fulltext_document *d,
                        quire_error *err);

    /* Remove a document. The caller passes the document as it was added: an
     * index need not keep the texts, and one that does not would be left with
     * wrong words by any other. */
    quire_status (*remove)(struct fulltext *x,
                           const struct fulltext_document *d, quire_error *err);

    /* Begin a query; it replaces an earlier one. What `f` refers to stays valid
     * until the end. QUIRE_INVALID if the query is too long. */
    quire_status (*find)(struct fulltext *x, const struct fulltext_find *f,
                         quire_error *err);

    /* Optional, NULL: none. The same, but `expression` in the backend's own
     * syntax takes the place of f->query. It cannot leave the scope or reach
     * other columns than those of the kind. QUIRE_INVALID, from here or from
     * the first fetch, if it is malformed. */
    quire_status (*find_native)(struct fulltext *x, quire_bytes expression,
                                const struct fulltext_find *f,
                                quire_error *err);

    /* The next hits, up to `max`. *n < max: there are no more. */
    quire_status (*fetch)(struct fulltext *x, struct fulltext_hit *hits,
                          size_t max, size_t *n, quire_error *err);

    /* Forget a query that is not needed any more; without one, do nothing. */
    void (*end)(struct fulltext *x);

    /* What BM25 needs to know. May read a number for each document. */
    quire_status (*stats)(struct fulltext *x, struct fulltext_stats *out,
                          quire_error *err);

    /* The number of documents that have a phrase. */
    quire_status (*frequency)(struct fulltext *x, const struct query *words,
                              uint64_t *n, quire_error *err);

    /* The ids of all documents, ascending. */
    quire_status (*each_id)(struct fulltext *x, fulltext_id_fn each, void *ctx,
                            quire_error *err);

    /* *same: every document of `other`, an index of the same kind and backend,
     * is in this one with the same words at the same places, and the statistics
     * of this one are those of its documents. It may have further documents.
     * Both connections may get temporary tables: neither may be shared. */
    quire_status (*includes)(struct fulltext *x, struct fulltext *other,
                             bool *same, quire_error *err);

    /* Free the handle; the index stays. */
    void (*close)(struct fulltext *x);
};

/* ---- backends ----------------------------------------------------------- */

/* The index of a kind and tenant over `db`, which is borrowed. It need not
 * exist. `kind` is borrowed, too. QUIRE_NO_MEMORY. */
quire_status fulltext_open(struct db *db, const struct fulltext_kind *kind,
                           int64_t tenant, struct fulltext **out,
                           quire_error *err);

/* A new index of the same backend in memory, which is created empty and lost
 * when it is closed. */
quire_status fulltext_open_temporary(const struct fulltext_kind *kind,
                                     int64_t tenant, struct fulltext **out,
                                     quire_error *err);

/* The same in plain arrays: the executable specification. For tests. */
quire_status fulltext_memory_open(const struct fulltext_kind *kind,
                                  struct fulltext **out, quire_error *err);

/* ---- calls -------------------------------------------------------------- */

static inline quire_status fulltext_exists(struct fulltext *x, bool *exists,
                                           quire_error *err)
{
    return x->ops->exists(x, exists, err);
}

static inline quire_status fulltext_create(struct fulltext *x, quire_error *err)
{
    return x->ops->create(x, err);
}

static inline quire_status fulltext_drop(struct fulltext *x, quire_error *err)
{
    return x->ops->drop(x, err);
}

static inline quire_status fulltext_add(struct fulltext *x,
                                        const struct fulltext_document *d,
                                        quire_error *err)
{
    return x->ops->add(x, d, err);
}

static inline quire_status fulltext_remove(struct fulltext *x,
                                           const struct fulltext_document *d,
                                           quire_error *err)
{
    return x->ops->remove(x, d, err);
}

static inline quire_status fulltext_find(struct fulltext *x,
                                         const struct fulltext_find *f,
                                         quire_error *err)
{
    return x->ops->find(x, f, err);
}

static inline quire_status fulltext_find_native(struct fulltext *x,
                                                quire_bytes expression,
                                                const struct fulltext_find *f,
                                                quire_error *err)
{
    if (!x->ops->find_native)
        return err_set(err, QUIRE_INVALID,
                       "this full-text index has no expressions of its own");
    return x->ops->find_native(x, expression, f, err);
}

static inline quire_status fulltext_fetch(struct fulltext *x,
                                          struct fulltext_hit *hits, size_t max,
                                          size_t *n, quire_error *err)
{
    return x->ops->fetch(x, hits, max, n, err);
}

static inline void fulltext_end(struct fulltext *x)
{
    x->ops->end(x);
}

static inline quire_status
fulltext_stats(struct fulltext *x, struct fulltext_stats *out, quire_error *err)
{
    return x->ops->stats(x, out, err);
}

static inline quire_status fulltext_frequency(struct fulltext *x,
                                              const struct query *words,
                                              uint64_t *n, quire_error *err)
{
    return x->ops->frequency(x, words, n, err);
}

static inline quire_status fulltext_each_id(struct fulltext *x,
                                            fulltext_id_fn each, void *ctx,
                                            quire_error *err)
{
    return x->ops->each_id(x, each, ctx, err);
}

static inline quire_status fulltext_includes(struct fulltext *x,
                                             struct fulltext *other, bool *same,
                                             quire_error *err)
{
    return x->ops->includes(x, other, same, err);
}

/* NULL is fine. */
static inline void fulltext_close(struct fulltext *x)
{
    if (x)
        x->ops->close(x);
}

#endif

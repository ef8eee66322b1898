/*
 * memory.h - shared by the files of the backend in memory
 *
 * A document is the list of its words, each with its place. A place is a number,
 * the column in its upper half: no two columns are near each other.
 */
#ifndef SEARCH_MEMORY_H
#define SEARCH_MEMORY_H

#include "base/arena.h"
#include "base/buf.h"
#include "search/index.h"
#include "store/fts_tokenizer.h"

struct word {
    quire_bytes text;
    int64_t at;
};

struct document {
    int64_t id, scope;
    struct buf words;                       /* of struct word, in any order */
    uint64_t lengths[FULLTEXT_COLUMNS_MAX]; /* places of each column */
    uint64_t length;                        /* of all of them */
    struct arena keep;
};

/* A leaf of a query, with the places of a document where it begins. */
struct phrase {
    const struct query *leaf;
    struct buf words; /* of struct word */
    struct buf at;    /* of int64_t, ascending */
    uint64_t n_documents;
};

/* The leaves of a query, in the order of the tree. */
struct matcher {
    struct phrase *phrases;
    size_t n;
    struct arena keep;
};

quire_status matcher_init(struct matcher *p, const struct query *q,
                          struct fts_splitter *splitter, quire_error *err);
void matcher_release(struct matcher *p);

/* List the places of every phrase in a document. */
quire_status matcher_list(struct matcher *p, const struct document *d,
                          quire_error *err);

/* Whether the document that was listed matches. Phrases that do not count lose
 * their places. */
bool matcher_match(const struct matcher *p, const struct query *q);

static inline size_t n_places(const struct phrase *p)
{
    return p->at.len / sizeof(int64_t);
}

static inline int64_t *places(const struct phrase *p)
{
    return (int64_t *)(void *)p->at.data;
}

#endif

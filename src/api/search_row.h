/* search_row.h - one row as the search index has it: see search_row.c */
#ifndef API_SEARCH_ROW_H
#define API_SEARCH_ROW_H

#include "api/search.h"

/* What a list has of a row. */
struct search_row_info {
    int64_t id;
    int64_t stamp; /* differs when what is indexed of it has changed */
    int64_t updated_us;
    uint64_t bytes; /* of its text */
};

typedef quire_status (*search_row_fn)(void *ctx,
                                      const struct search_row_info *row,
                                      quire_error *err);

/* Every row of a kind that is searched; prompts from `since_s` on, 0: all. */
quire_status search_row_list(struct quire *q, enum source_kind kind,
                             int64_t since_s, search_row_fn each, void *ctx,
                             quire_error *err);

struct search_row {
    struct search_row_info info;
    const char *session, *title, *project, *tags;
    int64_t created_us;
    bool older; /* a memory entry that is not valid any more */
    quire_bytes texts[N_FIELDS];
    /* of an artifact */
    int64_t version;
    quire_digest digest;
    bool is_text;
};

/* Load a row, in `keep`. QUIRE_NOT_FOUND without a message: it is not searched. */
quire_status search_row_load(struct quire *q, enum source_kind kind, int64_t id,
                             struct arena *keep, struct search_row *out,
                             quire_error *err);

/* The content of a blob as text, in x->text; empty if it is not text, or cannot be read. */
quire_status search_row_content(struct search_index *x,
                                const quire_digest *digest, bool is_text,
                                quire_error *err);

#endif

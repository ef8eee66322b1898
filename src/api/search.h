/*
 * search.h - the search indexes of a handle
 *
 * There are two: of files (sessions, outputs), and of rows (artifacts, memory, prompt
 * history). A search over everything uses both; one over artifacts, memory or prompts
 * alone uses the index of rows, and is neither slowed nor ranked by what sessions say.
 *
 * Each has two engines: one in a directory of the home (`home`) and one in memory
 * (`pending`). A few new entries go to the one in memory, which takes a millisecond or
 * two and writes nothing; more of them, or those of a program that only starts to
 * search, go to the home's. When the home's has changed, the one in memory is dropped
 * and rebuilt.
 *
 *     search_index.c   open, close, the place of the index
 *     search_update.c  bring an index up to date
 *     search_files.c   find and index what is new in sessions and outputs (search_files.h)
 *     search_turns.c   which turn a line of a session is in
 *     search_watch.c   know that no file has changed
 *     search_rows.c    the same for rows: artifacts, memory, prompt history
 *     search_rows_find.c   hits as ids, for memory
 *     search_query.c   run a query in steps; search_cursor.c pages of it
 *     search_text.c    the text at a place, read from where it is stored
 *     search.c         quire_search(): hits, snippets, facets
 *     search_suggest.c words while typing
 */
#ifndef API_SEARCH_H
#define API_SEARCH_H

#include "api/core/handle.h"
#include "search/engine.h"
#include "search/run.h"
#include "session/entry_text.h"

enum search_part { SEARCH_FILES, SEARCH_ROWS, N_SEARCH_PARTS };

enum { SEARCH_ENGINES = 2 }; /* of a part: of the home, in memory */

/* State of the directories of session files: equal if nothing in them has changed. */
struct search_watch_state {
    uint64_t trees[2];
};

struct search_index {
    struct quire *q; /* borrowed */
    enum search_part part;
    struct engine *home;    /* NULL: there is none */
    bool fixed;             /* `home` is only read */
    struct engine *pending; /* NULL: nothing is pending */
    int64_t home_epoch;     /* that `pending` continues */
    uint64_t pending_bytes;
    struct search_watch_state watched; /* before the files were last listed */
    bool is_watched;                   /* `watched` is known */
    uint8_t list[32];     /* digest of the files of the last update */
    bool list_known;      /* all of them were indexed */
    bool rows_damaged;    /* what it is of cannot be read */
    uint64_t transaction; /* whose rows `pending` has; 0: of none */
    struct entry_text_scratch scratch;
    struct text_cache *cache; /* NULL: empty; see search_text.c */
    struct buf text;          /* content of the last text */
};

/* ---- search_index.c -------------------------------------------------------- */

/* An index of the handle's tenant, opened when first needed; it stays open as long as
 * the tenant's view (tenant_view.c). */
quire_status need_search(struct quire *q, enum search_part part,
                         struct search_index **out, quire_error *err);
void search_index_close(struct search_index *x);

/* Its tenant is left for another: close it if it is large. NULL is fine. */
void search_index_park(struct search_index **x);

/* Open the home's engine. Without `create` only if it is there: where there is little to
 * search, nothing is written. A reader may have no place for one. */
quire_status search_open_home(struct search_index *x, bool create,
                              quire_error *err);

/* Close the index and remove its files: it is derived. */
quire_status search_index_remove(struct search_index *x, quire_error *err);

/* The engines of an index, at their places among those of both; NULL: there is none. */
void search_engines(const struct search_index *x,
                    struct engine *out[RUN_ENGINES_MAX]);

/* The index that has the engine at a place. */
struct search_index *search_index_of(struct quire *q, size_t engine);

/* After QUIRE_DAMAGED: whether the rows that are searched are damaged, not the indexes. To
 * build these again would be in vain. */
bool search_rows_are_damaged(const struct quire *q);

/* Search without the home's engine from now on: it is damaged, and may not be removed. */
void search_pass_over_home(struct search_index *x);

/* Empty the indexes of the handle's tenant: the next search builds them. */
quire_status search_empty(struct quire *q, quire_error *err);

/* Forget texts that were read for earlier hits: files and rows may have changed. */
void search_forget_texts(struct quire *q);

/* Where an update goes: to the home's engine if it is large, or must; else to the one
 * in memory. */
enum search_target { TARGET_ANY, TARGET_HOME, TARGET_MEMORY };

quire_status search_choose_engine(struct search_index *x,
                                  enum search_target target, uint64_t bytes,
                                  struct engine **to, quire_error *err);

/* Drop the engine in memory; or open it, if there is none. */
void search_drop_pending(struct search_index *x);
quire_status search_need_pending(struct search_index *x, quire_error *err);

/* The number that hits of a session have in common. */
uint32_t search_group(const char *session);

/* ---- search_update.c -------------------------------------------------------- */

struct search_progress {
    quire_search_progress_fn each; /* or NULL */
    void *ctx;
    uint64_t done, total;
    uint64_t max; /* after so many bytes the rest is left; 0: no limit */
    bool more;    /* some was left                                     */
};

/* Index what is new. With `all`, everything goes to the home's index; QUIRE_BUSY if
 * another process updates it. */
quire_status search_update(struct search_index *x, bool all,
                           struct search_progress *p, quire_error *err);

/* ---- search_files.c ---------------------------------------------------------- */

/* Index what is new of sessions and outputs. */
quire_status search_update_files(struct search_index *x,
                                 enum search_target target,
                                 struct search_progress *p, quire_error *err);

/* ---- search_watch.c ----------------------------------------------------------- */

/* False: it is not known. */
bool search_watch_read(const struct quire *q, struct search_watch_state *out);

/* ---- search_rows.c ----------------------------------------------------------- */

/* Index what has changed of artifacts, memory and prompts. */
quire_status search_update_rows(struct search_index *x,
                                enum search_target target, quire_error *err);

/* Forget changes that the indexes have long had (catalog/change_log.h). */
void search_trim_changes(struct quire *q);

/* ---- search_row.c ------------------------------------------------------------ */

/* The fields of an artifact as the index has them. Borrowed. */
void search_artifact_fields(const quire_artifact *a, quire_bytes text,
                            struct segment_text *out);

/* The text of a row at a place, as search_read_text(). */
quire_status search_read_row(struct search_index *x,
                             const struct source *source,
                             const struct place *place,
                             struct segment_text *out, struct arena *keep,
                             quire_error *err);

/* ---- search_rows_find.c -------------------------------------------------------- */

/* Bring the index of rows up to date, for search_rows_find(). */
quire_status search_rows_update(struct quire *q, quire_error *err);

/* Rows of a kind whose words match a tree: ids, with the scores of the words alone, the
 * best first. In the index as it is. */
struct search_rows_query {
    const struct query *tree;
    enum text_kind kind; /* TEXT_MEMORY */
    bool older;          /* those that are not valid any more, too */
    const char *key;     /* of this session; NULL: any */
    size_t max;
};

struct search_row_hit {
    int64_t id;
    double score;
};

quire_status search_rows_find(struct quire *q,
                              const struct search_rows_query *r,
                              struct arena *keep, struct search_row_hit **out,
                              size_t *n, quire_error *err);

/* ---- search_text.c ----------------------------------------------------------- */

/* What a text has, as flags of its place. */
unsigned search_text_flags(quire_bytes text);

/* The text at a place of an engine, and the id of its entry: lent until the next
 * call. The strings of *source are lent until the next search. QUIRE_NOT_FOUND without a
 * message: it is not there any more. */
quire_status search_read_text(struct search_index *x, struct engine *e,
                              const struct place *place, struct source *source,
                              struct segment_text *out, quire_bytes *entry,
                              struct arena *keep, quire_error *err);

/* Forget what was read: files and rows may have changed. NULL is fine. */
void text_cache_clear(struct text_cache *c);
void text_cache_free(struct text_cache *c);

#endif

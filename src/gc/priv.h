/* priv.h - one collection, and what its files share */
#ifndef GC_PRIV_H
#define GC_PRIV_H

#include "base/map.h"
#include "gc/gc.h"
#include "blob/priv.h"

/* A source that has changed, or is new, or gone. */
struct gc_task {
    struct ref_index_source
        source;                  /* as it is now                             */
    struct digest_set was, keys; /* what it mentioned, what it does          */
    bool known;                  /* it is in the ledger                      */
    bool gone;
    bool grown; /* it may be what it was, and more                           */
    bool rows;  /* it is no file: the rows of the catalogue                  */
};

/* A blob that nothing mentions. */
struct gc_candidate {
    quire_digest digest;
    int64_t seen_s;  /* put, or found again                                  */
    int64_t since_s; /* doomed since                                         */
    uint64_t stored;
    bool has_row, in_file;
    bool doomed; /* by an earlier run                                        */
    bool absent; /* it is not there any more                                 */
};

/* Keys that lost their last reference, ascending. */
struct gc_dereferenced {
    struct dereferenced_key *list; /* owned */
    size_t n, cap;
};

struct gc {
    struct blobs *b;
    struct ref_index
        *l; /* NULL: nothing is known, in a dry run                */
    const struct gc_config *config;
    struct gc_report *report;
    int64_t now_s;

    /* The sources as the ledger has them, by label. */
    struct arena labels;
    struct ref_index_source *known; /* owned */
    size_t n_known;
    bool *met; /* owned */
    struct map by_label;

    struct gc_task *tasks; /* owned */
    size_t n_tasks, tasks_cap;

    /* In a dry run, what the ledger would be told: ascending, one for each
     * source. */
    struct digest_set come, gone;

    struct gc_dereferenced
        loose;   /* also by runs that did not come to judge them   */
    bool anew;   /* nothing that was noted of files is believed    */
    bool strict; /* files that were read in parts are not believed */
    bool all;    /* every blob is to be judged                     */
    bool strays; /* files without rows were judged, too             */
    bool blind;  /* a dry run that cannot use what the ledger counts   */
};

/* gc_mark.c: bring the counts up to date with what files and rows say. */
quire_status gc_load(struct gc *g, quire_error *err);
quire_status gc_mark(struct gc *g, quire_error *err);
void gc_unload(struct gc *g);

/* End a transaction of the ledger's: keep it if `st` is QUIRE_OK, else not. */
quire_status gc_end(struct gc *g, quire_status st, quire_error *err);

/* Whether anything mentions it. */
quire_status gc_is_referenced(struct gc *g, uint64_t key, bool *held,
                              quire_error *err);

/* gc_loose.c; gc_dereferenced_add() is a ref_index_dereferenced_fn. */
quire_status gc_dereferenced_add(void *ctx, const struct dereferenced_key *one,
                                 quire_error *err);
void gc_dereferenced_sort(struct gc_dereferenced *l);
bool gc_dereferenced_since(const struct gc_dereferenced *l, uint64_t key,
                           int64_t *since_s);
void gc_dereferenced_release(struct gc_dereferenced *l);

/* gc_sweep.c: remove these, if nothing has happened to them meanwhile. */
quire_status gc_sweep(struct gc *g, struct gc_candidate *list, size_t n,
                      quire_error *err);

/* gc_scan.c: read what is to be read, side by side. */
quire_status gc_scan(struct gc *g, quire_error *err);

#endif

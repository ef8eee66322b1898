/* priv.h - the state of one collection */
#ifndef GC_PRIV_H
#define GC_PRIV_H

#include "base/map.h"
#include "gc/gc.h"
#include "blob/priv.h"

/* A source that is changed, new, or gone. */
struct gc_task {
    struct ref_index_source
        source;                  /* as it is now                             */
    struct digest_set was, keys; /* the keys it had, and has */
    bool known;                  /* it is in the reference index */
    bool gone;
    bool grown; /* it may have only grown */
    bool rows;  /* not a file: the rows of the catalogue */
};

/* An unreferenced blob. */
struct gc_candidate {
    quire_digest digest;
    int64_t seen_s;  /* put, or found again                                  */
    int64_t since_s; /* recorded as unreferenced since */
    uint64_t stored;
    bool has_row, in_file;
    bool recorded; /* as unreferenced, by an earlier run */
    bool absent;   /* it does not exist any more */
};

/* Keys that lost their last reference, ascending. */
struct gc_dereferenced {
    struct dereferenced_key *list; /* owned */
    size_t n, cap;
};

struct gc {
    struct blobs *b;
    struct ref_index *l; /* NULL: no records, in a dry run */
    const struct gc_config *config;
    struct gc_report *report;
    int64_t now_s;

    /* The sources in the reference index, by label. */
    struct arena labels;
    struct ref_index_source *known; /* owned */
    size_t n_known;
    bool *met; /* owned */
    struct map by_label;

    struct gc_task *tasks; /* owned */
    size_t n_tasks, tasks_cap;

    /* In a dry run, the changes to the counts: ascending, one for each source.
     */
    struct digest_set come, gone;

    struct gc_dereferenced
        loose;   /* also by runs that ended before judging them */
    bool anew;   /* no record of a file is trusted */
    bool strict; /* files that were read in parts are not trusted */
    bool all;    /* judge every blob */
    bool strays; /* files without rows were judged, too             */
    bool blind;  /* a dry run that cannot use the recorded counts */
};

/* mark.c: update the counts from files and rows. */
quire_status gc_load(struct gc *g, quire_error *err);
quire_status gc_mark(struct gc *g, quire_error *err);
void gc_unload(struct gc *g);

/* End a transaction of the reference index: commit if `st` is QUIRE_OK, else
 * roll back. */
quire_status gc_end(struct gc *g, quire_status st, quire_error *err);

/* Whether anything refers to it. */
quire_status gc_is_referenced(struct gc *g, uint64_t key, bool *held,
                              quire_error *err);

/* dereferenced.c; gc_dereferenced_add() is a ref_index_dereferenced_fn. */
quire_status gc_dereferenced_add(void *ctx, const struct dereferenced_key *one,
                                 quire_error *err);
void gc_dereferenced_sort(struct gc_dereferenced *l);
bool gc_dereferenced_since(const struct gc_dereferenced *l, uint64_t key,
                           int64_t *since_s);
void gc_dereferenced_release(struct gc_dereferenced *l);

/* sweep.c: remove these, if they are unchanged. */
quire_status gc_sweep(struct gc *g, struct gc_candidate *list, size_t n,
                      quire_error *err);

/* scan.c: read the changed files in parallel. */
quire_status gc_scan(struct gc *g, quire_error *err);

#endif

/* gc_priv.h - one collection, and what its files share */
#ifndef BLOB_GC_PRIV_H
#define BLOB_GC_PRIV_H

#include "base/map.h"
#include "blob/gc.h"
#include "blob/priv.h"

/* A source that has changed, or is new, or gone. */
struct gc_task {
    struct ledger_source source; /* as it is now                             */
    struct keys was, keys;       /* what it mentioned, what it does          */
    bool known;                  /* it is in the ledger                      */
    bool gone;
    bool grown; /* it may be what it was, and more                           */
    bool rows;  /* it is no file: the rows of the catalogue                  */
};

struct gc {
    struct blobs *b;
    struct ledger *l; /* NULL: nothing is known, in a dry run                */
    const struct gc_config *config;
    struct gc_report *report;
    int64_t now_s;

    /* The sources as the ledger has them, by label. */
    struct arena labels;
    struct ledger_source *known; /* owned */
    size_t n_known;
    bool *met; /* owned */
    struct map by_label;

    struct gc_task *tasks; /* owned */
    size_t n_tasks, tasks_cap;

    /* In a dry run, what the ledger would be told: ascending, one for each
     * source. */
    struct keys come, gone;

    struct keys loose; /* keys that lost their last reference, ascending     */
    bool all;          /* every blob is to be judged                         */
    uint64_t removed_rows;
    bool strays; /* files without rows were judged, too             */
    bool blind;  /* a dry run that cannot use what the ledger counts   */
};

/* gc_look.c: bring the counts up to date with what files and rows say. */
quire_status gc_load(struct gc *g, quire_error *err);
quire_status gc_look(struct gc *g, quire_error *err);
void gc_unload(struct gc *g);

/* Whether anything mentions it. */
quire_status gc_is_held(struct gc *g, uint64_t key, bool *held,
                        quire_error *err);

/* gc_scan.c: read what is to be read, side by side. */
quire_status gc_scan(struct gc *g, quire_error *err);

#endif

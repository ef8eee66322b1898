/*
 * run.h - run a query over engines: filter, rank, group, count
 *
 * Every place of a matching text that passes the filters is a hit. Hits are ordered
 * by a key: score, time and place, or time and place. The key never changes while the
 * text exists, except that scores depend on how many texts there are: a page that
 * continues another takes these numbers from its cursor, and looks at no text that
 * was added since. So pages neither repeat nor skip hits while entries are appended.
 */
#ifndef SEARCH_RUN_H
#define SEARCH_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "quire.h"
#include "search/engine.h"
#include "search/plan.h"
#include "search/text.h"

enum {
    RUN_ENGINES_MAX = 4,
    RUN_GROUP_HITS = 3,
    RUN_NAMES_MAX = 16,
    RUN_WEIGHTS_MAX = 64
};

/* Names that a place must have one of, and those that it must not have. */
struct run_names {
    quire_bytes any[RUN_NAMES_MAX], not [RUN_NAMES_MAX];
    size_t n, n_not;
};

enum run_sort { RUN_RANK, RUN_NEWEST, RUN_OLDEST };

/* Where a page ended. */
struct run_key {
    double score;
    uint32_t time; /* seconds */
    uint64_t text;
    uint32_t source;
    uint64_t offset;
    uint32_t part;
    /* Not compared: where the hit is, to find it again in another engine. */
    uint32_t group;
    uint64_t place_offset;
    uint32_t place_part;
};

struct run_cursor {
    bool set;
    struct run_key after;
    double n_texts, mean_words;
    float weights[RUN_WEIGHTS_MAX]; /* of the plan's leaves */
    uint32_t n_weights;
    int64_t now_us;
    /* Only texts below these numbers, and others that are older than now_us: those
     * have moved from one engine to the other. */
    uint64_t texts[RUN_ENGINES_MAX];
};

/* The text at a place. `out` is lent until the next call. QUIRE_NOT_FOUND without a
 * message: it is not there any more. */
typedef quire_status (*run_read_fn)(void *ctx, size_t engine,
                                    const struct place *place,
                                    struct segment_text *out, quire_error *err);

struct run_request {
    /* NULL: none. Pages of one search have each at the same place. */
    struct engine *engines[RUN_ENGINES_MAX];
    size_t n_engines;
    const struct plan *plan;   /* NULL: every text */
    unsigned kinds, roles;     /* bits; 0: all */
    unsigned flags, not_flags; /* of the place: all required, none allowed */
    bool versions;    /* older versions of artifacts, and memory entries that
                              * are not valid any more, too */
    bool words_score; /* of the words alone, without kind and age */
    int64_t after_us,
        before_us; /* 0: any; from `after`, before `before`, to the
                                  * second */
    const struct source_set *sources[RUN_ENGINES_MAX];  /* NULL: any */
    const struct source_set *branched[RUN_ENGINES_MAX]; /* see has_branched */
    bool one_group; /* only hits of `group` */
    uint32_t group;
    struct run_names tools, models;
    enum run_sort sort;
    bool flat;    /* hits; else groups of them */
    size_t limit; /* hits, or groups */
    int64_t now_us;
    struct run_cursor cursor; /* in: where to go on */
    bool facets;
    run_read_fn read;
    bool (*stop)(void *ctx); /* NULL: never */
    void *ctx;
};

struct run_hit {
    size_t engine;
    struct place place;
    quire_bytes tool, model;
    double score;
    uint64_t
        in_group; /* hits in the group, of its first one; else 0. At least so
                        * many if the total is not exact */
    struct run_key key;
};

struct run_count {
    quire_bytes name;
    uint64_t n;
};

/* Hits of one source of an engine. */
struct run_source_count {
    uint32_t engine, source;
    uint64_t n;
};

struct run_facets {
    uint64_t kinds[N_TEXT_KINDS], roles[8];
    struct run_count *tools, *models; /* the most frequent first */
    size_t n_tools, n_models;
    struct run_source_count *sources; /* likewise */
    size_t n_sources;
};

struct run_result {
    struct run_hit *hits;
    size_t n;
    uint64_t total; /* and facets: of the hits that were confirmed */
    bool total_is_exact;
    bool has_branched; /* a hit is of a source in request.branched */
    bool more;         /* the cursor continues */
    bool stopped;      /* by stop() */
    struct run_cursor cursor;
    struct run_facets facets;
};

/* Memory of `keep`. */
quire_status search_run(const struct run_request *r, struct arena *keep,
                        struct run_result *out, quire_error *err);

#endif

/*
 * quire/usage.h - what happened: sessions at a glance, and sums over time
 *
 * Each session's activity is summed up once, by hour, model and tool, and counted on
 * when its file grows; it is derived, and kept in the catalogue. Reports add these
 * sums up: they do not read history.
 *
 * The first report of a home reads every session. It does so for `budget_ms` at most;
 * `pending` says how many sessions are not counted yet, and the next report goes on.
 * Homes of other programs have no catalogue: there each report counts anew.
 *
 * An answer for which the agent has recorded no cost gets one from a table of list
 * prices, or from the file that the setting prices.file names. Where a cost comes from
 * is "reported" (by agents), "computed" (at least a part of it), "partial" (of some
 * answers neither the cost nor the price of the model is known), "unknown" (of none).
 */
#ifndef QUIRE_USAGE_H
#define QUIRE_USAGE_H

#include "quire/session_rows.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A session at a glance. */
typedef struct quire_summary {
    const quire_session_row *row;
    int known;         /* 0: not counted yet; what follows is 0              */
    const char *agent; /* that it was imported from; "": none                */
    const char *model; /* that answered last; ""                             */
    int64_t last_us;   /* time of the last entry; 0: unknown                 */
    uint64_t prompts, calls, errors, images, compactions;
    uint64_t branches; /* entries that do not follow the one before          */
    uint64_t cost_micro_usd;  /* reported and computed                        */
    uint64_t unpriced_tokens; /* of answers without a cost or a price        */
    uint64_t computed_micro_usd; /* of the cost: computed from prices        */
    const char *cost_source;     /* see above                                */
    uint64_t reserved[2];
} quire_summary;

typedef quire_status (*quire_summary_fn)(void *ctx, const quire_summary *s,
                                         quire_error *err);

/* List all sessions, archived ones too, the last modified first.
 *
 * Owns: *s is lent until `each` returns.
 * Fails: common
 * Durable: derived data only. */
quire_status quire_session_summaries(quire *q, int64_t budget_ms,
                                     quire_summary_fn each, void *ctx,
                                     uint64_t *pending, quire_error *err);

/* What the rows of a report are for. */
typedef enum quire_usage_by {
    QUIRE_BY_NONE = 0,
    QUIRE_BY_DAY,          /* "2026-02-16"                                   */
    QUIRE_BY_MONTH,        /* "2026-02"                                      */
    QUIRE_BY_HOUR_OF_WEEK, /* "0" (Monday, 0:00) to "167"                    */
    QUIRE_BY_PROJECT,      /* the directory                                  */
    QUIRE_BY_AGENT,        /* "": Quire's own                                */
    QUIRE_BY_MODEL,        /* "": no answer                                  */
    QUIRE_BY_TOOL,         /* only calls and errors are counted              */
    QUIRE_BY_SESSION,      /* its id                                         */
} quire_usage_by;

enum { QUIRE_USAGE_KEYS = 3 };

/* Begin with QUIRE_USAGE_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_usage_options {
    size_t size;
    quire_usage_by by[QUIRE_USAGE_KEYS];
    int64_t from_us, to_us; /* whole hours between these; to_us 0: no end    */
    int zone_minutes;       /* of days and hours, east of UTC                */
    const char *project, *agent, *model; /* only these; NULL: all            */
    int64_t budget_ms;
} quire_usage_options;

#define QUIRE_USAGE_OPTIONS_INIT                                          \
    {                                                                     \
        sizeof(quire_usage_options), {QUIRE_BY_DAY, 0, 0}, 0, 0, 0, NULL, \
            NULL, NULL, 1000                                              \
    }

typedef struct quire_usage_row {
    const char *key[QUIRE_USAGE_KEYS]; /* "" where `by` is QUIRE_BY_NONE     */
    uint64_t sessions, messages, prompts, calls, errors;
    uint64_t input_tokens, output_tokens, cache_read_tokens, cache_write_tokens;
    uint64_t cost_micro_usd, unpriced_tokens, computed_micro_usd; /* as above */
    const char *cost_source;
    uint64_t reserved[2];
} quire_usage_row;

typedef quire_status (*quire_usage_fn)(void *ctx, const quire_usage_row *row,
                                       quire_error *err);

/* Sum up activity: a row for each combination of keys that occurs, sorted by them, and
 * *total (may be NULL), whose keys are empty.
 *
 * Owns: *row is lent until `each` returns; *total is the caller's.
 * Fails: common
 *   QUIRE_INVALID  unknown keys, or a tool beside another key but day, month,
 *                  hour of week, project, agent, session
 * Durable: derived data only. */
quire_status quire_usage_read(quire *q, const quire_usage_options *options,
                              quire_usage_fn each, void *ctx,
                              quire_usage_row *total, uint64_t *pending,
                              quire_error *err);

QUIRE_DECLS_END

#endif

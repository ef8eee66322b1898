/* stats.c - sessions at a glance, reports over time, what uses space */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/routes/handlers.h"
#include "server/server.h"

/* How long a report counts what is new before it answers. */
enum { BUDGET_MS = 400 };

/* ---- sessions at a glance ----------------------------------------------- */

static const char *const session_columns[] =
    {"number",         "session",       "title",
     "first",          "agent",         "model",
     "project",        "parent",        "state",
     "archived",       "folder_id",     "created_at",
     "updated_at",     "entries",       "messages",
     "prompts",        "tool_calls",    "tool_errors",
     "images",         "branches",      "compactions",
     "input_tokens",   "output_tokens", "cached_tokens",
     "cost_micro_usd", "cost_source",   "bytes",
     "pinned",         "hold_reason",   NULL};

static void write_columns(struct request *c, const char *const *names)
{
    json_key(&c->w, "columns");
    json_array(&c->w);
    while (*names)
        json_str(&c->w, *names++);
    json_array_end(&c->w);
}

/* A count that is null while it is not known. */
static void add_count(struct request *c, bool known, uint64_t n)
{
    if (known)
        json_uint(&c->w, n);
    else
        json_null(&c->w);
}

static void write_counts(struct request *c, const quire_summary *s)
{
    const quire_session_row *r = s->row;

    json_uint(&c->w, r->entries);
    json_uint(&c->w, r->messages);
    add_count(c, s->known, s->prompts);
    add_count(c, s->known, s->calls);
    add_count(c, s->known, s->errors);
    add_count(c, s->known, s->images);
    add_count(c, s->known, s->branches);
    add_count(c, s->known, s->compactions);
    json_uint(&c->w, r->input_tokens);
    json_uint(&c->w, r->output_tokens);
    json_uint(&c->w, r->cache_read_tokens + r->cache_write_tokens);
    add_count(c, s->known && s->cost_micro_usd, s->cost_micro_usd);
    json_str(&c->w, s->cost_source);
    json_uint(&c->w, r->info->bytes);
}

static quire_status write_summary(void *ctx, const quire_summary *s,
                                  quire_error *err)
{
    struct request *c = ctx;
    const quire_session_row *r = s->row;

    (void)err;
    json_array(&c->w);
    json_int(&c->w, r->number);
    json_str(&c->w, r->id);
    json_str(&c->w, r->title ? r->title : "");
    json_str(&c->w, r->info->first ? r->info->first : "");
    json_str(&c->w, s->agent);
    json_str(&c->w, s->model);
    json_str(&c->w, r->info->cwd ? r->info->cwd : "");
    if (r->parent && *r->parent)
        json_str(&c->w, r->parent);
    else
        json_null(&c->w);
    json_str(&c->w, r->info->status ? r->info->status : "unknown");
    json_bool(&c->w, !strcmp(r->state, "archived"));
    json_int(&c->w, r->folder);
    json_int(&c->w, r->created_us / 1000000);
    /* The time of the last entry: that of an imported file is when it was imported. */
    json_int(&c->w, (s->last_us ? s->last_us : r->updated_us) / 1000000);
    write_counts(c, s);
    json_bool(&c->w, r->info->pinned);
    if (r->info->hold_reason)
        json_str(&c->w, r->info->hold_reason);
    else
        json_null(&c->w);
    json_array_end(&c->w);
    return QUIRE_OK;
}

void route_stats_sessions(struct request *c)
{
    uint64_t pending;
    quire_error err;
    quire_status st;

    json_object(&c->w);
    write_columns(c, session_columns);
    json_key(&c->w, "rows");
    json_array(&c->w);
    st = quire_session_summaries(c->q, BUDGET_MS, write_summary, c, &pending,
                                 &err);
    json_array_end(&c->w);
    put_number(c, "pending", (int64_t)pending);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
}

/* ---- reports ------------------------------------------------------------ */

static const char *const by_names[] = {
    [QUIRE_BY_DAY] = "day",
    [QUIRE_BY_MONTH] = "month",
    [QUIRE_BY_HOUR_OF_WEEK] = "hour_of_week",
    [QUIRE_BY_PROJECT] = "project",
    [QUIRE_BY_AGENT] = "agent",
    [QUIRE_BY_MODEL] = "model",
    [QUIRE_BY_TOOL] = "tool",
    [QUIRE_BY_SESSION] = "session",
};

static const char *const sum_names[] =
    {"sessions",       "messages",          "prompts",
     "tool_calls",     "tool_errors",       "input_tokens",
     "output_tokens",  "cache_read_tokens", "cache_write_tokens",
     "cost_micro_usd", "unpriced_tokens",   "computed_micro_usd"};

/* Behind the sums. */
static const char source_name[] = "cost_source";

enum {
    N_BY = sizeof by_names / sizeof *by_names,
    N_SUMS = sizeof sum_names / sizeof *sum_names
};

struct report {
    struct request *c;
    quire_usage_options o;
    bool csv;
};

/* False: answered. */
static bool read_keys(struct request *c, quire_usage_options *o)
{
    const char *const *words = request_list(c, "by");
    int n = 0, k;

    memset(o->by, 0, sizeof o->by);
    for (; words && words[n]; n++) {
        for (k = QUIRE_BY_DAY; k < N_BY && strcmp(by_names[k], words[n]) != 0;)
            k++;
        if (k == N_BY || n == QUIRE_USAGE_KEYS) {
            request_refuse(c, 400, "invalid",
                           "day, month, hour_of_week, project, agent, model, "
                           "tool, session",
                           "by must be up to %d of these", QUIRE_USAGE_KEYS);
            return false;
        }
        o->by[n] = (quire_usage_by)k;
    }
    if (!n)
        o->by[0] = QUIRE_BY_DAY;
    return true;
}

static void list_sums(const quire_usage_row *r, uint64_t out[N_SUMS])
{
    const uint64_t sums[N_SUMS] = {r->sessions,
                                   r->messages,
                                   r->prompts,
                                   r->calls,
                                   r->errors,
                                   r->input_tokens,
                                   r->output_tokens,
                                   r->cache_read_tokens,
                                   r->cache_write_tokens,
                                   r->cost_micro_usd,
                                   r->unpriced_tokens,
                                   r->computed_micro_usd};

    memcpy(out, sums, sizeof sums);
}

/* A field of CSV: quoted, and not taken for a formula by programs that open it. */
static void add_field(struct buf *out, const char *text)
{
    buf_add_char(out, '"');
    if (*text && strchr("=+-@", *text))
        buf_add_char(out, '\'');
    for (; *text; text++) {
        if (*text == '"')
            buf_add_char(out, '"');
        buf_add_char(out, *text);
    }
    buf_add_char(out, '"');
}

static void write_csv_row(struct report *r, const quire_usage_row *row)
{
    struct buf *out = &r->c->answer.body;
    uint64_t sums[N_SUMS];
    int k;

    for (k = 0; k < QUIRE_USAGE_KEYS && r->o.by[k]; k++) {
        add_field(out, row->key[k]);
        buf_add_char(out, ',');
    }
    list_sums(row, sums);
    for (k = 0; k < N_SUMS; k++)
        buf_addf(out, "%llu,", (unsigned long long)sums[k]);
    buf_addf(out, "%s\r\n", row->cost_source);
}

static void write_json_row(struct report *r, const quire_usage_row *row)
{
    struct json_writer *w = &r->c->w;
    uint64_t sums[N_SUMS];
    int k;

    json_array(w);
    for (k = 0; k < QUIRE_USAGE_KEYS && r->o.by[k]; k++)
        json_str(w, row->key[k]);
    list_sums(row, sums);
    for (k = 0; k < N_SUMS; k++)
        json_uint(w, sums[k]);
    json_str(w, row->cost_source);
    json_array_end(w);
}

static quire_status write_row(void *ctx, const quire_usage_row *row,
                              quire_error *err)
{
    struct report *r = ctx;

    (void)err;
    if (r->csv)
        write_csv_row(r, row);
    else
        write_json_row(r, row);
    return QUIRE_OK;
}

static void write_names(struct report *r)
{
    struct request *c = r->c;
    int k;

    if (r->csv) {
        for (k = 0; k < QUIRE_USAGE_KEYS && r->o.by[k]; k++)
            buf_addf(&c->answer.body, "%s,", by_names[r->o.by[k]]);
        for (k = 0; k < N_SUMS; k++)
            buf_addf(&c->answer.body, "%s,", sum_names[k]);
        buf_addf(&c->answer.body, "%s\r\n", source_name);
        return;
    }
    json_key(&c->w, "columns");
    json_array(&c->w);
    for (k = 0; k < QUIRE_USAGE_KEYS && r->o.by[k]; k++)
        json_str(&c->w, by_names[r->o.by[k]]);
    for (k = 0; k < N_SUMS; k++)
        json_str(&c->w, sum_names[k]);
    json_str(&c->w, source_name);
    json_array_end(&c->w);
}

static void write_report(struct report *r)
{
    struct request *c = r->c;
    quire_usage_row total;
    uint64_t sums[N_SUMS], pending;
    quire_error err;
    quire_status st;
    int k;

    if (!r->csv) {
        json_object(&c->w);
        write_names(r);
        json_key(&c->w, "rows");
        json_array(&c->w);
    } else {
        write_names(r);
    }
    st = quire_usage_read(c->q, &r->o, write_row, r, &total, &pending, &err);
    if (!r->csv) {
        json_array_end(&c->w);
        list_sums(&total, sums);
        json_key(&c->w, "totals");
        json_object(&c->w);
        for (k = 0; k < N_SUMS; k++)
            json_put_uint(&c->w, sum_names[k], sums[k]);
        json_put_str(&c->w, source_name, total.cost_source);
        json_object_end(&c->w);
        put_number(c, "pending", (int64_t)pending);
        json_object_end(&c->w);
    }
    if (st)
        request_fail(c, st, &err);
}

/* Seconds since 1970 as microseconds. */
static int64_t time_of(struct request *c, const char *name)
{
    uint64_t s = request_number(c, name, 0);

    return s < INT64_MAX / 1000000 ? (int64_t)s * 1000000 : INT64_MAX;
}

/* False: answered. */
static bool read_report(struct request *c, struct report *r)
{
    uint64_t zone = request_number(c, "zone", 0);

    if (!read_keys(c, &r->o))
        return false;
    r->o.from_us = time_of(c, "from");
    r->o.to_us = time_of(c, "to");
    r->o.zone_minutes = request_flag(c, "west", false) ? -(int)zone : (int)zone;
    r->o.project = request_text(c, "project");
    r->o.agent = request_text(c, "agent");
    r->o.model = request_text(c, "model");
    r->o.budget_ms = BUDGET_MS;
    return true;
}

void route_stats_usage(struct request *c)
{
    struct report r = {.c = c, .o = QUIRE_USAGE_OPTIONS_INIT};

    if (read_report(c, &r))
        write_report(&r);
}

void route_stats_usage_csv(struct request *c)
{
    struct report r = {.c = c, .o = QUIRE_USAGE_OPTIONS_INIT, .csv = true};

    if (!read_report(c, &r))
        return;
    write_report(&r);
    if (c->answer.status >= 300)
        return;
    response_header(&c->answer, "Content-Type", "text/csv; charset=utf-8");
    response_header(&c->answer, "Content-Disposition",
                    "attachment; filename=\"usage.csv\"");
}

/* ---- space -------------------------------------------------------------- */

static void put_kind(struct request *c, const char *kind, uint64_t bytes,
                     uint64_t n)
{
    json_object(&c->w);
    put_text(c, "kind", kind);
    put_number(c, "bytes", (int64_t)bytes);
    put_number(c, "n", (int64_t)n);
    json_object_end(&c->w);
}

void route_stats_storage(struct request *c)
{
    quire_stats s = {.size = sizeof s};
    quire_error err;
    quire_status st = quire_stats_read(c->q, &s, NULL, NULL, &err);

    if (st == QUIRE_INVALID) {
        request_refuse(c, 403, "forbidden", "/v1/usage has this tenant's share",
                       "only the tenant `default` can see what uses space");
        return;
    }
    json_object(&c->w);
    json_key(&c->w, "kinds");
    json_array(&c->w);
    put_kind(c, "sessions", s.total.session_bytes, s.total.sessions);
    put_kind(c, "outputs", s.total.output_bytes, s.total.outputs);
    put_kind(c, "artifacts", s.total.artifact_bytes, s.total.artifacts);
    put_kind(c, "blobs", s.stored_bytes, s.blobs);
    put_kind(c, "index", s.search_bytes, s.search_texts);
    put_kind(c, "catalogue", s.database_bytes, 1);
    json_array_end(&c->w);
    put_number(c, "content_bytes", (int64_t)s.blob_bytes);
    put_number(c, "stored_bytes", (int64_t)s.stored_bytes);
    put_number(c, "referenced_bytes", (int64_t)s.referenced_bytes);
    put_number(c, "free_bytes", (int64_t)s.free_bytes);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
}

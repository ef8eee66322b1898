/* metrics.c - see metrics.h */
#include "server/metrics.h"

#include <inttypes.h>
#include <stdlib.h>

#include "server/route.h"

/* Upper bounds in microseconds, and as they are spelled. A local store answers
 * in a fraction of a millisecond, and a long search in seconds. */
static const struct {
    int64_t us;
    const char *le;
} bounds[METRICS_BUCKETS] = {
    {500, "0.0005"},  {1000, "0.001"},  {2500, "0.0025"}, {5000, "0.005"},
    {10000, "0.01"},  {25000, "0.025"}, {50000, "0.05"},  {100000, "0.1"},
    {250000, "0.25"}, {500000, "0.5"},  {1000000, "1"},   {2500000, "2.5"},
    {5000000, "5"},   {10000000, "10"},
};

static int count_ops(void)
{
    int n = 0;

    while (routes[n].name)
        n++;
    return n;
}

struct metrics *metrics_new(void)
{
    size_t rows = (size_t)count_ops() + 1;

    return calloc(1,
                  sizeof(struct metrics) + rows * sizeof(struct metrics_row));
}

static void add(atomic_uint_fast64_t *to, uint64_t n)
{
    atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

static uint64_t get(const atomic_uint_fast64_t *from)
{
    return atomic_load_explicit(from, memory_order_relaxed);
}

void metrics_count(struct metrics *m, int row, int status, int64_t us,
                   uint64_t in, uint64_t out)
{
    struct metrics_row *r = &m->rows[row >= 0 ? row : count_ops()];
    int class = status / 100 - 1, i = 0;

    while (i < METRICS_BUCKETS && us > bounds[i].us)
        i++;
    if (class >= 0 && class < METRICS_CLASSES)
        add(&r->answers[class], 1);
    add(&r->buckets[i], 1);
    add(&r->us, us > 0 ? (uint64_t)us : 0);
    add(&m->in, in);
    add(&m->out, out);
}

void metrics_add(struct metrics *sum, const struct metrics *m)
{
    int i, k, n = count_ops();

    add(&sum->in, get(&m->in));
    add(&sum->out, get(&m->out));
    for (i = 0; i <= n; i++) {
        for (k = 0; k < METRICS_CLASSES; k++)
            add(&sum->rows[i].answers[k], get(&m->rows[i].answers[k]));
        for (k = 0; k <= METRICS_BUCKETS; k++)
            add(&sum->rows[i].buckets[k], get(&m->rows[i].buckets[k]));
        add(&sum->rows[i].us, get(&m->rows[i].us));
    }
}

/* ---- the text ----------------------------------------------------------- */

static void write_help(struct buf *out, const char *name, const char *type,
                       const char *help)
{
    buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static const char *op_name(int row)
{
    return routes[row].name ? routes[row].name : "none";
}

static void write_answers(const struct metrics *m, struct buf *out)
{
    static const char name[] = "quire_http_requests_total";
    int i, k, n = count_ops();

    write_help(out, name, "counter",
               "Answers by operation and class of status.");
    for (i = 0; i <= n; i++)
        for (k = 0; k < METRICS_CLASSES; k++)
            if (get(&m->rows[i].answers[k]))
                buf_addf(out,
                         "%s{operation=\"%s\",code=\"%dxx\"} %" PRIu64 "\n",
                         name, op_name(i), k + 1, get(&m->rows[i].answers[k]));
}

/* Buckets contain those before them. */
static void write_times(const struct metrics *m, struct buf *out)
{
    static const char name[] = "quire_http_request_duration_seconds";
    int i, k, n = count_ops();

    write_help(out, name, "histogram",
               "Time from a request's last byte to its answer.");
    for (i = 0; i <= n; i++) {
        const struct metrics_row *r = &m->rows[i];
        uint64_t so_far = 0, all = 0;

        for (k = 0; k <= METRICS_BUCKETS; k++)
            all += get(&r->buckets[k]);
        for (k = 0; all && k <= METRICS_BUCKETS; k++) {
            so_far += get(&r->buckets[k]);
            buf_addf(out, "%s_bucket{operation=\"%s\",le=\"%s\"} %" PRIu64 "\n",
                     name, op_name(i),
                     k < METRICS_BUCKETS ? bounds[k].le : "+Inf", so_far);
        }
        if (all)
            buf_addf(out,
                     "%s_sum{operation=\"%s\"} %.6f\n"
                     "%s_count{operation=\"%s\"} %" PRIu64 "\n",
                     name, op_name(i), (double)get(&r->us) / 1e6, name,
                     op_name(i), so_far);
    }
}

static void number(struct buf *out, const char *name, const char *type,
                   const char *help, uint64_t n)
{
    write_help(out, name, type, help);
    buf_addf(out, "%s %" PRIu64 "\n", name, n);
}

static void seconds(struct buf *out, const char *name, const char *help,
                    int64_t us)
{
    write_help(out, name, "gauge", help);
    if (us)
        buf_addf(out, "%s %.3f\n", name, (double)us / 1e6);
}

static void write_server(const struct metrics *m, const struct metrics_state *s,
                         struct buf *out)
{
    write_help(out, "quire_build_info", "gauge", "Version of the server.");
    buf_addf(out, "quire_build_info{version=\"%s\"} 1\n", quire_version());
    write_help(out, "quire_uptime_seconds", "gauge", "Time since the start.");
    buf_addf(out, "quire_uptime_seconds %.3f\n", s->uptime_s);
    number(out, "quire_http_request_bytes_total", "counter",
           "Bytes of request bodies.", get(&m->in));
    number(out, "quire_http_response_bytes_total", "counter",
           "Bytes of response bodies, as sent.", get(&m->out));
    number(out, "quire_http_connections", "gauge", "Open connections.",
           s->connections);
    number(out, "quire_http_requests_in_flight", "gauge",
           "Requests in progress, this one included.", s->under_way);
    number(out, "quire_queue_length", "gauge",
           "Requests that wait for a worker.", s->queued);
    number(out, "quire_queue_limit", "gauge",
           "Requests that may wait for a worker.", s->queue_max);
    number(out, "quire_queue_refused_total", "counter",
           "Requests refused because too many waited.", s->queue_refused);
    number(out, "quire_write_groups_total", "counter",
           "Group commits, each with one sync.", s->groups);
    number(out, "quire_grouped_writes_total", "counter",
           "Writes in group commits.", s->grouped);
    number(out, "quire_spool_bytes", "gauge",
           "Bytes of long bodies and answers in files.", s->spooled);
    write_help(out, "quire_rate_limited_total", "counter",
               "Requests refused with 429.");
    buf_addf(out,
             "quire_rate_limited_total{limit=\"tenant\"} %" PRIu64 "\n"
             "quire_rate_limited_total{limit=\"login\"} %" PRIu64 "\n",
             s->limited, s->limited_logins);
    number(out, "quire_mcp_clients", "gauge", "MCP client sessions.",
           s->mcp_clients);
    number(out, "quire_mcp_streams", "gauge", "Open MCP streams.",
           s->mcp_streams);
    number(out, "quire_log_dropped_total", "counter",
           "Log lines dropped because the reader was slow.", s->log_dropped);
}

/* One gauge of what there is; without a number until it was counted. */
static void amount(struct buf *out, const struct metrics_state *s,
                   const char *name, const char *help, uint64_t n)
{
    write_help(out, name, "gauge", help);
    if (s->counted_us)
        buf_addf(out, "%s %" PRIu64 "\n", name, n);
}

static void write_store(const struct metrics_state *s, struct buf *out)
{
    const quire_stats *t = &s->stats;

    seconds(out, "quire_store_counted_timestamp_seconds",
            "When the store was counted.", s->counted_us);
    amount(out, s, "quire_tenants", "Tenants.", t->tenants);
    amount(out, s, "quire_conversations", "Conversations, archived ones too.",
           t->total.sessions);
    amount(out, s, "quire_conversations_archived", "Archived conversations.",
           t->total.archived);
    amount(out, s, "quire_messages", "Messages of all conversations.",
           t->total.messages);
    amount(out, s, "quire_artifacts", "Artifacts.", t->total.artifacts);
    amount(out, s, "quire_artifact_bytes", "Bytes of artifacts.",
           t->total.artifact_bytes);
    amount(out, s, "quire_memory_entries", "Memory entries.",
           t->total.memories);
    amount(out, s, "quire_blobs", "Blobs, each content once.", t->blobs);
    amount(out, s, "quire_blob_bytes", "Bytes of these contents.",
           t->blob_bytes);
    amount(out, s, "quire_blob_stored_bytes", "Bytes they take, compressed.",
           t->stored_bytes);
    amount(out, s, "quire_blob_referenced_bytes",
           "Bytes of contents, each as often as it is referred to.",
           t->referenced_bytes);
    write_help(out, "quire_dedup_ratio", "gauge",
               "Bytes referred to for each byte of content.");
    if (s->counted_us)
        buf_addf(out, "quire_dedup_ratio %.6f\n",
                 t->blob_bytes
                     ? (double)t->referenced_bytes / (double)t->blob_bytes
                     : 1.0);
    amount(out, s, "quire_database_bytes", "Bytes of quire.db.",
           t->database_bytes);
}

static void write_collections(const struct metrics_state *s, struct buf *out)
{
    number(out, "quire_collections_total", "counter",
           "Runs of gc by this server.", s->collections);
    number(out, "quire_collections_failed_total", "counter",
           "Runs of gc that failed.", s->collections_failed);
    number(out, "quire_collection_freed_bytes_total", "counter",
           "Bytes freed by gc.", s->freed_bytes);
    seconds(out, "quire_collection_last_timestamp_seconds",
            "When the last gc ended.", s->collected_us);
    number(out, "quire_collection_last_freed_bytes", "gauge",
           "Bytes freed by the last gc.", s->last_freed_bytes);
}

void metrics_write(const struct metrics *sum, const struct metrics_state *state,
                   struct buf *out)
{
    write_server(sum, state, out);
    write_answers(sum, out);
    write_times(sum, out);
    write_store(state, out);
    write_collections(state, out);
}

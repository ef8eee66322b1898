/*
 * stats.c - counts and sizes of a home
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/timestamp.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

struct tenant_rows {
    struct cli *cli;
    struct json_writer *w;
    uint64_t n;
    struct buf *out;
};

/* ---- JSON --------------------------------------------------------------- */

/* The counts of a tenant, or of all. */
static void add_tenant(struct json_writer *w, const quire_tenant_stats *t)
{
    json_put_uint(w, "sessions", t->sessions);
    json_put_uint(w, "active", t->sessions - t->archived);
    json_put_uint(w, "archived", t->archived);
    json_put_uint(w, "session_bytes", t->session_bytes);
    json_put_uint(w, "entries", t->entries);
    json_put_uint(w, "messages", t->messages);
    json_put_uint(w, "outputs", t->outputs);
    json_put_uint(w, "output_bytes", t->output_bytes);
    json_put_uint(w, "artifacts", t->artifacts);
    json_put_uint(w, "artifact_bytes", t->artifact_bytes);
    json_put_uint(w, "versions", t->versions);
    json_put_uint(w, "memories", t->memories);
}

static void add_session(struct json_writer *w, const quire_stat_session *s)
{
    if (!*s->id) {
        json_null(w);
        return;
    }
    json_object(w);
    json_put_str(w, "id", s->id);
    json_put_str(w, "title", s->title);
    json_put_uint(w, "size_bytes", s->bytes);
    json_put_time(w, "created_at", s->created_us);
    json_object_end(w);
}

static double ratio(const quire_stats *s)
{
    return s->stored_bytes
               ? (double)s->referenced_bytes / (double)s->stored_bytes
               : 0;
}

static void add_blobs(struct json_writer *w, const quire_stats *s)
{
    char text[32];
    int i;

    json_put_uint(w, "blobs", s->blobs);
    json_put_uint(w, "blob_bytes", s->blob_bytes);
    json_put_uint(w, "stored_bytes", s->stored_bytes);
    json_put_uint(w, "references", s->references);
    json_put_uint(w, "referenced_bytes", s->referenced_bytes);
    json_put_uint(w, "unreferenced", s->unreferenced);
    json_key(w, "ratio");
    snprintf(text, sizeof text, "%.2f", ratio(s));
    json_raw(w, bytes_str(text));
    json_key(w, "largest_blobs");
    json_array(w);
    for (i = 0; i < QUIRE_STATS_TOP && s->largest_blobs[i].size; i++) {
        char ref[QUIRE_REF_SIZE];

        quire_ref_format(&s->largest_blobs[i].digest, ref);
        json_object(w);
        json_put_str(w, "ref", ref);
        json_put_uint(w, "size_bytes", s->largest_blobs[i].size);
        json_put_uint(w, "stored_bytes", s->largest_blobs[i].stored);
        json_object_end(w);
    }
    json_array_end(w);
}

static void add_all(struct json_writer *w, const quire_stats *s)
{
    int i;

    add_tenant(w, &s->total);
    add_blobs(w, s);
    json_put_uint(w, "database_bytes", s->database_bytes);
    json_put_uint(w, "free_bytes", s->free_bytes);
    json_put_uint(w, "search_bytes", s->search_bytes);
    json_put_uint(w, "search_texts", s->search_texts);
    json_put_uint(w, "search_places", s->search_places);
    json_put_uint(w, "search_sources", s->search_sources);
    json_key(w, "largest_sessions");
    json_array(w);
    for (i = 0; i < QUIRE_STATS_TOP && *s->largest[i].id; i++)
        add_session(w, &s->largest[i]);
    json_array_end(w);
    json_key(w, "oldest");
    add_session(w, &s->oldest);
    json_key(w, "newest");
    add_session(w, &s->newest);
}

static quire_status add_tenant_json(void *ctx, const quire_tenant_stats *t,
                                    quire_error *err)
{
    struct tenant_rows *l = ctx;

    (void)err;
    json_object(l->w);
    json_put_int(l->w, "id", t->id);
    json_put_str(l->w, "name", t->name);
    add_tenant(l->w, t);
    json_object_end(l->w);
    return QUIRE_OK;
}

/* ---- a table ------------------------------------------------------------ */

__attribute__((format(printf, 3, 4))) static void
row(struct buf *out, const char *label, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    buf_addf(out, "%-12s %s\n", label, text);
}

static const char *size_of(uint64_t bytes, char out[32])
{
    size_text(bytes, out, 32);
    return out;
}

static void table_top(struct buf *out, const quire_stats *s)
{
    const quire_tenant_stats *t = &s->total;
    char a[32], b[32], c[32];

#define N(x) ((unsigned long long)(x))

    row(out, "sessions", "%llu, %llu of them archived, %s", N(t->sessions),
        N(t->archived), size_of(t->session_bytes, a));
    row(out, "entries", "%llu, %llu of them messages", N(t->entries),
        N(t->messages));
    row(out, "outputs", "%llu, %s", N(t->outputs), size_of(t->output_bytes, a));
    row(out, "artifacts", "%llu, %s, %llu version%s", N(t->artifacts),
        size_of(t->artifact_bytes, a), N(t->versions),
        t->versions == 1 ? "" : "s");
    row(out, "memory", "%llu %s", N(t->memories),
        t->memories == 1 ? "entry" : "entries");
    row(out, "blobs", "%llu, %llu of them unreferenced", N(s->blobs),
        N(s->unreferenced));
    row(out, "content", "%s in %llu reference%s, %s distinct, %s stored (%.2f)",
        size_of(s->referenced_bytes, a), N(s->references),
        s->references == 1 ? "" : "s", size_of(s->blob_bytes, b),
        size_of(s->stored_bytes, c), ratio(s));
    row(out, "quire.db", "%s, %s of it free", size_of(s->database_bytes, a),
        size_of(s->free_bytes, b));
    row(out, "search", "%s, %llu text%s in %llu place%s of %llu source%s",
        size_of(s->search_bytes, a), N(s->search_texts),
        s->search_texts == 1 ? "" : "s", N(s->search_places),
        s->search_places == 1 ? "" : "s", N(s->search_sources),
        s->search_sources == 1 ? "" : "s");
#undef N
}

static void table_session(struct buf *out, const char *label,
                          const quire_stat_session *s)
{
    char size[32], created[TIMESTAMP_SIZE] = "";

    if (s->created_us)
        timestamp_format(s->created_us, created);
    buf_addf(out, "%-12s %10s  %.10s  ", label, size_of(s->bytes, size),
             created);
    term_add(out, bytes_str(s->id), true);
    if (*s->title)
        buf_add_str(out, "  ");
    term_add(out, bytes_str(s->title), true);
    buf_add_char(out, '\n');
}

static void table_rest(struct buf *out, const quire_stats *s)
{
    char size[32], ref[QUIRE_REF_SIZE];
    int i;

    for (i = 0; i < QUIRE_STATS_TOP && *s->largest[i].id; i++)
        table_session(out, i ? "" : "largest", &s->largest[i]);
    if (*s->oldest.id)
        table_session(out, "oldest", &s->oldest);
    if (*s->newest.id)
        table_session(out, "newest", &s->newest);
    for (i = 0; i < QUIRE_STATS_TOP && s->largest_blobs[i].size; i++) {
        quire_ref_format(&s->largest_blobs[i].digest, ref);
        buf_addf(out, "%-12s %10s  %.24s\n", i ? "" : "largest blobs",
                 size_of(s->largest_blobs[i].size, size), ref);
    }
}

static quire_status add_tenant_row(void *ctx, const quire_tenant_stats *t,
                                   quire_error *err)
{
    struct tenant_rows *l = ctx;
    char a[32], b[32];

    (void)err;
    buf_addf(l->out, "%s#%lld ", l->n++ ? "" : "\n", (long long)t->id);
    term_add(l->out, bytes_str(t->name), true);
    buf_add_str(l->out, ": ");
    add_count(l->out, t->sessions, "session", "sessions");
    buf_addf(l->out, ", %s; ", size_of(t->session_bytes, a));
    add_count(l->out, t->artifacts, "artifact", "artifacts");
    buf_addf(l->out, ", %s; ", size_of(t->artifact_bytes, b));
    add_count(l->out, t->memories, "memory entry\n", "memory entries\n");
    return QUIRE_OK;
}

/* ---- the command -------------------------------------------------------- */

/* One call reports tenants before the totals; they are printed after them. */
static int print_stats(struct cli *cli, const struct args *args)
{
    struct buf out = BUF_INIT(1 << 22), tenants = BUF_INIT(1 << 22);
    struct json_writer w, inner;
    struct tenant_rows l = {.cli = cli, .w = &inner, .out = &tenants};
    quire_stats s = {.size = sizeof s};
    quire_error err = {0};
    int code = EXIT_DONE;

    (void)args;
    json_begin(&inner, &tenants);
    if (cli->json)
        json_array(&inner);
    cli_warn_absent(cli);
    if (quire_stats_read(cli->q, &s,
                         cli->json ? add_tenant_json : add_tenant_row, &l,
                         &err)) {
        code = cli_fail(cli, &err);
    } else if (cli->json) {
        json_array_end(&inner);
        json_begin(&w, &out);
        json_object(&w);
        add_all(&w, &s);
        json_put_raw(&w, "tenants", buf_bytes(&tenants));
        json_object_end(&w);
        out_line(cli, &out);
    } else {
        table_top(&out, &s);
        table_rest(&out, &s);
        if (l.n > 1)
            buf_add(&out, tenants.data, tenants.len);
        out.len -= out.len > 0; /* out_line() ends it */
        out_line(cli, &out);
    }
    buf_release(&tenants);
    buf_release(&out);
    return code;
}

const struct cmd cmd_stats = {
    .name = "stats",
    .args = "",
    .summary = "show what the home holds and how much space it uses",
    .about =
        "Sessions, entries, outputs, artifacts, memory; and for blobs the bytes "
        "counted at every reference, counted once, and as stored: the ratio is "
        "the first by the last. The five largest sessions and blobs, the oldest "
        "and the newest session, and each tenant if there are several. Of the "
        "search index, as the last search left it: the size, texts, each counted "
        "once, the places where they occur, and the files and rows that these "
        "are in. Reads session files for their references, but no blobs.\n\n"
        "With `--json`, one object: sessions, active, archived, session_bytes, "
        "entries, messages, outputs, output_bytes, artifacts, artifact_bytes, "
        "versions, memories, blobs, blob_bytes, stored_bytes, references, "
        "referenced_bytes, unreferenced, ratio, largest_blobs, database_bytes, "
        "free_bytes, search_bytes, search_texts, search_places, search_sources, "
        "largest_sessions, oldest, newest, tenants.",
    .examples = "quire stats",
    .store = STORE_READ,
    .paged = true,
    .run = print_stats,
};

/* file_sink.c - what a converter makes of a file, on its way to the store; see file.h */
#include "import/file.h"

#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "import/agent.h"
#include "import/read_blob.h"

enum {
    EXCERPT = 2000,  /* bytes of a long text that stay in the entry */
    REPORT_MAX = 20, /* problems of a file that are reported one by one */
};
#define CEILING ((size_t)1 << 30)

/* ---- problems ----------------------------------------------------------- */

void file_report(struct importing *i, uint64_t line, uint64_t byte,
                 const char *message)
{
    quire_error ignored;

    if (i->n_reported++ < REPORT_MAX)
        batch_problem(i->batch, i->found->path, line, byte, message, false,
                      &ignored);
}

/* Those that were not reported. */
void file_report_rest(struct importing *i)
{
    const char *text;

    if (i->n_reported <= REPORT_MAX)
        return;
    text = arena_printf(&i->keep, "%s: %llu more problems", i->found->path,
                        (unsigned long long)(i->n_reported - REPORT_MAX));
    i->n_reported = 0;
    if (text)
        file_report(i, 0, 0, text);
}

/* ---- the sink ----------------------------------------------------------- */

static quire_status on_entry(void *ctx, const struct import_entry *e,
                             quire_error *err)
{
    struct importing *i = ctx;

    i->entries++;
    i->settled += !e->provisional;
    return i->im ? quire_import_entry(i->im, e->json, e->provisional || i->lazy,
                                      err)
                 : QUIRE_OK;
}

/* The bytes of a payload; false: it stays inline. */
static bool decode(struct importing *i, const struct import_payload *p)
{
    struct buf base64 = BUF_INIT(CEILING);
    bool ok = true;

    buf_clear(&i->text);
    if (p->kind == IMPORT_IMAGE) {
        json_decode(p->json, &base64);
        ok = base64_decode(buf_bytes(&base64), &i->text);
        ok = ok && !base64.failed;
    } else if (p->kind == IMPORT_DATA) {
        buf_add(&i->text, p->json.data, p->json.len);
    } else {
        json_decode(p->json, &i->text);
    }
    buf_release(&base64);
    return ok && !i->text.failed && i->text.len > 0;
}

/* A long text keeps its beginning, so that it can be read and found. */
static void add_excerpt(struct importing *i, const char *ref, struct buf *out)
{
    size_t n = utf8_cut(buf_bytes(&i->text), EXCERPT);
    struct buf text = BUF_INIT(CEILING);

    buf_add(&text, i->text.data, n);
    buf_addf(&text, "\n[%zu of %zu bytes; all of them: %s]", n, i->text.len,
             ref);
    json_add_quoted(out, buf_bytes(&text));
    out->failed = out->failed || text.failed;
    buf_release(&text);
}

static quire_status on_payload(void *ctx, const struct import_payload *p,
                               struct buf *out, quire_error *err)
{
    struct importing *i = ctx;
    char ref[QUIRE_REF_SIZE];
    quire_status st;

    if (!i->im || !decode(i, p))
        return QUIRE_OK;
    st = quire_import_blob(i->im, buf_bytes(&i->text), ref, err);
    if (st)
        return st;
    if (p->kind == IMPORT_RESULT || p->kind == IMPORT_TEXT)
        add_excerpt(i, ref, out);
    else
        json_add_quoted(out, bytes_str(ref));
    return buf_status(out, "an entry", err);
}

static quire_status report_blob(struct importing *i, quire_bytes digest,
                                const char *why, quire_error *err)
{
    const char *text = arena_printf(&i->keep, "%s: content blob:sha256:%.*s %s",
                                    i->found->path, (int)digest.len,
                                    (const char *)digest.data, why);

    i->problems++;
    if (!text)
        return err_memory(err);
    file_report(i, 0, 0, text);
    return QUIRE_OK;
}

/* Copy content that the agent's store has, once. */
static quire_status on_link(void *ctx, const struct import_link *l,
                            quire_error *err)
{
    struct importing *i = ctx;
    quire_bytes digest = l->target;
    char ref[QUIRE_REF_SIZE];
    bool fresh = false;
    const char *why;
    quire_status st;

    if (l->kind != IMPORT_BLOB || !i->im)
        return QUIRE_OK;
    if (map_get(&i->copied, digest))
        return QUIRE_OK;
    digest = arena_dup(&i->keep, digest);
    if (!digest.data || !map_put(&i->copied, digest, 1, &fresh))
        return err_memory(err);
    why = read_blob(i->found->blobs, digest, &i->text);
    if (why)
        return report_blob(i, digest, why, err);
    st = quire_import_blob(i->im, buf_bytes(&i->text), ref, err);
    if (st || !memcmp(ref + strlen("blob:sha256:"), digest.data, digest.len))
        return st;
    return report_blob(i, digest, "is damaged in the agent's store", err);
}

static enum import_usage_answer
on_usage(void *ctx, const struct import_usage *u, struct import_cost *cost)
{
    struct importing *i = ctx;
    uint64_t answer = answers_key(i->found->agent->name, u);

    (void)cost;
    if (i->placed_us && u->at_ms * 1000 <= i->placed_us)
        return IMPORT_USAGE_COUNTED; /* the session that was exported has it */
    if (!answer)
        return IMPORT_USAGE_PLAIN;
    if (answers_elsewhere(i->batch->answers, i->batch->q, answer, i->id))
        return IMPORT_USAGE_COUNTED;
    if (i->im && quire_import_answer(i->im, answer, NULL))
        i->usage_status = QUIRE_NO_MEMORY;
    return IMPORT_USAGE_PLAIN;
}

static void on_problem(void *ctx, const struct import_problem *p)
{
    struct importing *i = ctx;

    i->problems += !i->ending;
    i->end_problems += i->ending;
    file_report(i, p->line, p->byte, p->message);
}

struct import_sink file_sink(struct importing *i)
{
    return (struct import_sink){.ctx = i,
                                .entry = on_entry,
                                .payload = i->im ? on_payload : NULL,
                                .link = i->found->blobs ? on_link : NULL,
                                .usage = on_usage,
                                .problem = on_problem};
}

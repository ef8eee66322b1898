/*
 * search_row.c - one row of artifacts, memory or prompts, as the search index has it
 *
 * search_rows.c lists which rows there are, with a stamp each, and loads those that it
 * indexes; a search reads the text of a hit.
 */
#include "api/search_row.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/mime.h"
#include "base/bytes.h"
#include "base/err.h"
#include "memory/history.h"
#include "memory/memory.h"

/* ---- fields --------------------------------------------------------------------- */

static void fields_of_artifact(const quire_artifact *a, quire_bytes *texts)
{
    texts[FIELD_PATH] = bytes_str(a->path);
    texts[FIELD_NOTE] = bytes_str(a->purpose);
    texts[FIELD_TAGS] = bytes_str(a->tags);
}

void search_artifact_fields(const quire_artifact *a, quire_bytes text,
                            struct segment_text *out)
{
    *out = (struct segment_text){{{NULL, 0}}};
    fields_of_artifact(a, out->fields);
    out->fields[FIELD_BODY] = text;
}

static void fields_of_memory(const quire_memory *m, quire_bytes *texts)
{
    texts[FIELD_BODY] = m->content;
    texts[FIELD_TITLE] = m->title;
    texts[FIELD_TAGS] = bytes_str(m->tags);
    texts[FIELD_SOURCE] = m->source;
}

/* ---- listing -------------------------------------------------------------------- */

/* A number that differs when one of the others does. */
static int64_t mix(int64_t a, int64_t b, int64_t c)
{
    uint64_t h = (uint64_t)a * UINT64_C(0x9e3779b97f4a7c15);

    h = (h ^ (uint64_t)b) * UINT64_C(0xc2b2ae3d27d4eb4f);
    h = (h ^ h >> 29 ^ (uint64_t)c) * UINT64_C(0x165667b19e3779f9);
    return (int64_t)(h >> 1);
}

static int64_t stamp_of_artifact(const quire_artifact *a)
{
    return mix(a->updated_us, a->version, a->session_id);
}

static int64_t stamp_of_memory(const quire_memory *m)
{
    return mix(m->updated_us, m->valid_to_us, m->session_id);
}

struct listing {
    search_row_fn each;
    void *ctx;
};

static quire_status list_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    const struct listing *l = ctx;
    struct search_row_info info = {a->id, stamp_of_artifact(a), a->updated_us,
                                   a->size};

    return l->each(l->ctx, &info, err);
}

static quire_status list_memory(void *ctx, const quire_memory *m,
                                quire_error *err)
{
    const struct listing *l = ctx;
    struct search_row_info info = {m->id, stamp_of_memory(m), m->updated_us,
                                   m->content.len};

    return l->each(l->ctx, &info, err);
}

static quire_status list_prompt(void *ctx, const quire_prompt *p,
                                quire_error *err)
{
    const struct listing *l = ctx;
    struct search_row_info info = {p->id, p->created_at_s,
                                   p->created_at_s * 1000000, p->prompt.len};

    return l->each(l->ctx, &info, err);
}

quire_status search_row_list(struct quire *q, enum source_kind kind,
                             int64_t since_s, search_row_fn each, void *ctx,
                             quire_error *err)
{
    struct listing l = {each, ctx};
    struct artifact_range all = {.tenant = q->tenant};
    struct history_find prompts = {.limit = UINT64_MAX, .since_s = since_s};
    quire_status st = QUIRE_OK;

    if (kind == SOURCE_HISTORY)
        return history_find(q->history, &prompts, list_prompt, &l, err);
    st = kind == SOURCE_MEMORY ? need_memory(q, false, err)
                               : need_artifacts(q, false, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (!st && kind == SOURCE_MEMORY)
        st = memory_each(q->memories, q->tenant, list_memory, &l, err);
    else if (!st)
        st = artifact_list(q->artifacts, &all, list_artifact, &l, err);
    return st;
}

/* ---- loading -------------------------------------------------------------------- */

static quire_status load_artifact(struct quire *q, int64_t id,
                                  struct arena *keep, struct search_row *out,
                                  quire_error *err)
{
    quire_artifact a;
    quire_status st = need_artifacts(q, false, err);

    if (!st)
        st = artifact_by_id(q->artifacts, q->tenant, id, keep, &a, err);
    if (!st && a.deleted_us)
        st = QUIRE_NOT_FOUND;
    if (st)
        return st;
    *out = (struct search_row){.info = {id, stamp_of_artifact(&a), a.updated_us,
                                        a.size},
                               .session = a.session,
                               .title = a.path,
                               .project = "",
                               .tags = a.tags,
                               .created_us = a.created_us,
                               .version = a.version,
                               .digest = a.digest,
                               .is_text = mime_is_text(a.mime)};
    fields_of_artifact(&a, out->texts);
    return QUIRE_OK;
}

static quire_status load_memory(struct quire *q, int64_t id, struct arena *keep,
                                struct search_row *out, quire_error *err)
{
    quire_memory m;
    quire_status st = need_memory(q, false, err);

    if (!st)
        st = memory_any(q->memories, q->tenant, id, keep, &m, err);
    if (st)
        return st;
    *out = (struct search_row){.info = {id, stamp_of_memory(&m), m.updated_us,
                                        m.content.len},
                               .session = m.session,
                               .title = arena_text(keep, m.title),
                               .project = "",
                               .tags = m.tags,
                               .created_us = m.created_us,
                               .older = m.valid_to_us != 0};
    fields_of_memory(&m, out->texts);
    return out->title ? QUIRE_OK : err_memory(err);
}

struct loading_prompt {
    struct arena *keep;
    struct search_row *out;
};

static quire_status copy_prompt(void *ctx, const quire_prompt *p,
                                quire_error *err)
{
    struct loading_prompt *k = ctx;
    struct search_row *out = k->out;
    int64_t us = p->created_at_s * 1000000;

    *out = (struct search_row){
        .info = {p->id, p->created_at_s, us, p->prompt.len},
        .session = arena_text(k->keep, bytes_str(p->session ? p->session : "")),
        .title = "",
        .project = arena_text(k->keep, bytes_str(p->cwd ? p->cwd : "")),
        .tags = "",
        .created_us = us};
    out->texts[FIELD_BODY] = arena_dup(k->keep, p->prompt);
    return out->session && out->project && out->texts[FIELD_BODY].data
               ? QUIRE_OK
               : err_memory(err);
}

quire_status search_row_load(struct quire *q, enum source_kind kind, int64_t id,
                             struct arena *keep, struct search_row *out,
                             quire_error *err)
{
    struct loading_prompt prompt = {keep, out};

    if (kind == SOURCE_ARTIFACT)
        return load_artifact(q, id, keep, out, err);
    if (kind == SOURCE_MEMORY)
        return load_memory(q, id, keep, out, err);
    return q->history ? history_get(q->history, id, copy_prompt, &prompt, err)
                      : QUIRE_NOT_FOUND;
}

/* ---- content ---------------------------------------------------------------------- */

/* The content of a blob as text, in x->text; empty if it cannot be read. */
quire_status search_row_content(struct search_index *x,
                                const quire_digest *digest, bool is_text,
                                quire_error *err)
{
    quire_status st;

    buf_clear(&x->text);
    if (!is_text)
        return QUIRE_OK;
    st = read_whole(x->q, digest, buf_write, &x->text, err);
    if (st == QUIRE_DAMAGED && search_rows_are_damaged(x->q))
        return st;
    if (st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED) {
        buf_clear(&x->text);
        st = QUIRE_OK;
    }
    return st;
}

quire_status search_read_row(struct search_index *x,
                             const struct source *source,
                             const struct place *place,
                             struct segment_text *out, struct arena *keep,
                             quire_error *err)
{
    bool older = source->kind == SOURCE_ARTIFACT && place->meta & PLACE_OLDER;
    int64_t id = strtoll(source->key, NULL, 10);
    quire_artifact version = {.id = id};
    struct search_row row = {.info = {.id = id}};
    quire_status st = source->kind == SOURCE_HISTORY
                          ? need_history(x->q, false, err)
                          : QUIRE_OK;

    if (!st)
        st = search_row_load(x->q, source->kind, id, keep, &row, err);
    if (!st && older)
        st = artifact_version(x->q->artifacts, x->q->tenant,
                              (int64_t)place->offset, keep, &version, err);
    if (st)
        return st;
    memcpy(out->fields, row.texts, sizeof out->fields);
    if (source->kind != SOURCE_ARTIFACT)
        return QUIRE_OK;
    st = search_row_content(x, older ? &version.digest : &row.digest,
                            row.is_text, err);
    out->fields[FIELD_BODY] = buf_bytes(&x->text);
    return st;
}

/* catalog_ops.c - artifacts, memory, search */
#include "addon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- artifacts ----------------------------------------------------------------- */

static void put_artifact(struct text *out, const quire_artifact *a)
{
    char hex[65];
    size_t i;

    for (i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", a->digest.byte[i]);
    text_str(out, "{");
    text_member_int(out, "id", a->id);
    text_member(out, "session", a->session);
    text_member(out, "path", a->path);
    text_member_int(out, "version", a->version);
    text_member_int(out, "size", (long long)a->size);
    text_member(out, "sha256", hex);
    text_member(out, "mime", a->mime);
    text_member(out, "purpose", a->purpose);
    text_member_raw(out, "tags", *a->tags ? a->tags : "[]");
    text_member_bool(out, "created", a->created);
    text_member_int(out, "updatedMs", a->updated_us / 1000);
    text_str(out, "}");
}

static quire_status artifact_put(struct job *j)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire_artifact a;
    quire_status st;

    o.mime = job_text(j, 2);
    o.purpose = job_text(j, 3);
    o.expect = job_text(j, 4);
    st = quire_artifact_put(j->h->q, job_text(j, 0), job_text(j, 1), j->data,
                            &o, &a, &j->err);
    if (!st)
        put_artifact(&j->out, &a);
    return st;
}

static quire_status artifact_get(struct job *j)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;

    o.version = job_number(j, 2, 0);
    j->is_bytes = true;
    return quire_artifact_get(j->h->q, job_text(j, 0), job_text(j, 1), &o,
                              take_bytes, j, NULL, &j->err);
}

static quire_status take_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    struct job *j = ctx;

    (void)err;
    if (j->out.len > 1)
        text_str(&j->out, ",");
    put_artifact(&j->out, a);
    return j->out.failed ? QUIRE_NO_MEMORY : QUIRE_OK;
}

static quire_status artifact_list(struct job *j)
{
    quire_status st;

    text_str(&j->out, "[");
    st = quire_artifact_list(j->h->q, job_text(j, 0), NULL, take_artifact, j,
                             &j->err);
    text_str(&j->out, "]");
    return st;
}

static quire_status artifact_remove(struct job *j)
{
    return quire_artifact_remove(j->h->q, job_text(j, 0), job_text(j, 1),
                                 job_flag(j, 2), &j->err);
}

/* ---- memory -------------------------------------------------------------------- */

static void put_memory(struct text *out, const quire_memory *m)
{
    text_str(out, "{");
    text_member_int(out, "id", m->id);
    text_member(out, "type", quire_memory_type_name(m->type));
    text_member_bytes(out, "title", m->title);
    text_member_bytes(out, "content", m->content);
    text_member_raw(out, "tags", *m->tags ? m->tags : "[]");
    text_member(out, "session", m->session);
    text_member_int(out, "createdMs", m->created_us / 1000);
    text_str(out, "}");
}

static quire_bytes text_of(const struct job *j, size_t i)
{
    const char *text = job_text(j, i);

    return (quire_bytes){text ? text : "", text ? strlen(text) : 0};
}

static quire_status memory_add(struct job *j)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    int64_t old = job_number(j, 4, 0);
    quire_bytes tags[ARGS_MAX];
    quire_memory m;
    quire_status st;
    size_t i;

    o.title = text_of(j, 2);
    o.content = text_of(j, 3);
    o.supersedes = &old;
    o.n_supersedes = old > 0;
    for (i = 5; i < j->n_args; i++)
        tags[o.n_tags++] = text_of(j, i);
    o.tags = tags;
    st = quire_memory_type_of(text_of(j, 1), &o.type, &j->err);
    if (!st)
        st = quire_memory_add(j->h->q, job_text(j, 0), &o, &m, &j->err);
    if (!st)
        put_memory(&j->out, &m);
    return st;
}

static quire_status take_memory(void *ctx, const quire_memory *m,
                                quire_error *err)
{
    struct job *j = ctx;

    (void)err;
    if (j->out.len > 1)
        text_str(&j->out, ",");
    put_memory(&j->out, m);
    return j->out.failed ? QUIRE_NO_MEMORY : QUIRE_OK;
}

static quire_status memory_recall(struct job *j)
{
    quire_recall_options o = QUIRE_RECALL_OPTIONS_INIT;
    quire_status st;

    o.session = job_text(j, 1);
    o.limit = (uint64_t)job_number(j, 2, 20);
    text_str(&j->out, "[");
    st = quire_memory_search(j->h->q, text_of(j, 0), &o, take_memory, j, NULL,
                             &j->err);
    text_str(&j->out, "]");
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status memory_list(struct job *j)
{
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_status st;

    o.limit = UINT64_MAX;
    text_str(&j->out, "[");
    st = quire_memory_list(j->h->q, &o, take_memory, j, &j->err);
    text_str(&j->out, "]");
    return st;
}

static quire_status memory_forget(struct job *j)
{
    return quire_memory_invalidate(j->h->q, job_number(j, 0, 0), 0, &j->err);
}

/* ---- search -------------------------------------------------------------------- */

static quire_status take_hit(void *ctx, const quire_search_hit *h,
                             quire_error *err)
{
    struct job *j = ctx;
    struct text *out = &j->out;

    (void)err;
    if (out->data[out->len - 1] != '[')
        text_str(out, ",");
    text_str(out, "{");
    text_member(out, "kind", h->kind);
    text_member(out, "address", h->address);
    text_member(out, "session", h->session);
    text_member(out, "entry", h->entry);
    text_member(out, "title", h->title);
    text_member(out, "project", h->project);
    text_member(out, "role", h->role);
    text_member(out, "tool", h->tool);
    text_member_int(out, "createdMs", h->created_us / 1000);
    text_member(out, "snippet", h->snippet);
    text_member(out, "how", h->how);
    text_str(out, "}");
    return out->failed ? QUIRE_NO_MEMORY : QUIRE_OK;
}

static quire_status search(struct job *j)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    const char *kinds[2] = {job_text(j, 1), NULL};
    const char *roles[2] = {job_text(j, 2), NULL};
    const char *tools[2] = {job_text(j, 3), NULL};
    const char *sort = job_text(j, 6);
    quire_search_result r;
    quire_status st;

    o.kinds = kinds[0] ? kinds : NULL;
    o.roles = roles[0] ? roles : NULL;
    o.tools = tools[0] ? tools : NULL;
    o.session = job_text(j, 4);
    o.project = job_text(j, 5);
    o.sort = sort && !strcmp(sort, "newest")   ? QUIRE_SEARCH_NEWEST
             : sort && !strcmp(sort, "oldest") ? QUIRE_SEARCH_OLDEST
                                               : QUIRE_SEARCH_RANK;
    o.limit = (uint64_t)job_number(j, 7, 20);
    o.cursor = job_text(j, 8);
    o.regex = job_flag(j, 9);
    o.flat = 1;
    text_str(&j->out, "{\"hits\":[");
    st = j->out.failed ? QUIRE_NO_MEMORY
                       : quire_search(j->h->q, text_of(j, 0), &o, take_hit, j,
                                      &r, &j->err);
    if (st)
        return st;
    text_str(&j->out, "]");
    text_member_int(&j->out, "total", (long long)r.total);
    text_member(&j->out, "nextCursor", r.next_cursor);
    text_str(&j->out, "}");
    return QUIRE_OK;
}

const struct op catalog_ops[] = {
    {"artifactPut", KIND_HOME, false, false, artifact_put},
    {"artifactGet", KIND_HOME, false, false, artifact_get},
    {"artifactList", KIND_HOME, false, false, artifact_list},
    {"artifactRemove", KIND_HOME, false, false, artifact_remove},
    {"memoryAdd", KIND_HOME, false, false, memory_add},
    {"memoryRecall", KIND_HOME, false, false, memory_recall},
    {"memoryList", KIND_HOME, false, false, memory_list},
    {"memoryForget", KIND_HOME, false, false, memory_forget},
    {"search", KIND_HOME, false, false, search},
    {NULL, KIND_HOME, false, false, NULL},
};

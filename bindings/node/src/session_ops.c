/* session_ops.c - operations on sessions */
#include "addon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arguments 0 to 2 open the store. */
static quire_status open_with(struct job *j, bool is_new)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    const char *sync = job_text(j, 3);
    quire_status st;

    j->made = handle_new(KIND_SESSION);
    if (!j->made)
        return QUIRE_NO_MEMORY;
    j->made->each = sync && !strcmp(sync, "each");
    o.sync = sync && !strcmp(sync, "none") ? QUIRE_SYNC_NONE : QUIRE_SYNC_FLUSH;
    st = open_store(j, &j->made->q);
    if (st)
        return st;
    if (is_new) {
        o.flags = QUIRE_SESSION_AT_ONCE;
        o.cwd = job_text(j, 4);
        o.title = job_text(j, 5);
        o.parent = job_text(j, 6);
        return quire_session_new(j->made->q, &o, &j->made->s, &j->err);
    }
    o.flags = job_flag(j, 5) || job_flag(j, 2) ? QUIRE_SESSION_READ : 0;
    if (job_flag(j, 5))
        j->made->each = false;
    return quire_session_open(j->made->q, job_text(j, 4), &o, &j->made->s,
                              &j->err);
}

static quire_status session_new(struct job *j)
{
    return open_with(j, true);
}

static quire_status session_open(struct job *j)
{
    return open_with(j, false);
}

/* Without the lock, so that threads share a sync; the handle stays open meanwhile. */
static quire_status flush(struct job *j)
{
    quire_status st;

    pthread_mutex_lock(&j->h->lock);
    if (j->h->closed) {
        pthread_mutex_unlock(&j->h->lock);
        return QUIRE_INVALID;
    }
    j->h->flushing++;
    pthread_mutex_unlock(&j->h->lock);
    st = quire_session_flush(j->h->s, &j->err);
    pthread_mutex_lock(&j->h->lock);
    j->h->flushing--;
    pthread_cond_broadcast(&j->h->idle);
    pthread_mutex_unlock(&j->h->lock);
    return st;
}

static void put_appended(struct text *out, const quire_appended *done,
                         const char *session)
{
    text_str(out, "{");
    text_member(out, "id", done->id);
    text_member(out, "parentId", *done->parent ? done->parent : NULL);
    text_member_bool(out, "existed", done->existed);
    if (session)
        text_member(out, "session", session);
    text_str(out, "}");
}

static quire_status append_one(struct job *j, quire_bytes entry,
                               const quire_append_options *o)
{
    quire_session_info info = {.id = NULL};
    quire_appended done;
    quire_status st = quire_session_append(j->h->s, entry, o, &done, &j->err);

    if (st)
        return st;
    if (done.continued)
        quire_session_describe(j->h->s, &info);
    put_appended(&j->out, &done, info.id);
    return QUIRE_OK;
}

/* Entries, a line each: `data`. Those before one that is refused are appended, and are in the
 * answer, so that the caller knows. */
static quire_status append(struct job *j)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    const char *at = j->data.data, *end = at + j->data.len;
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&j->h->lock);
    if (j->h->closed)
        st = QUIRE_INVALID;
    o.at = job_text(j, 0);
    o.expect = job_text(j, 1);
    o.op = job_text(j, 2);
    o.any = job_flag(j, 3);
    text_str(&j->out, "[");
    while (!st && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop ? stop : end;
        if (j->out.len > 1)
            text_str(&j->out, ",");
        st = append_one(j, (quire_bytes){at, (size_t)(stop - at)}, &o);
        at = stop + 1;
        o.at = o.expect = NULL;
    }
    text_str(&j->out, "]");
    pthread_mutex_unlock(&j->h->lock);
    if (j->h->each && !st)
        st = flush(j);
    return st;
}

void put_session_info(struct text *out, const quire_session_info *i);

void put_session_info(struct text *out, const quire_session_info *i)
{
    text_str(out, "{");
    text_member(out, "id", i->id);
    text_member(out, "path", i->path);
    text_member(out, "cwd", i->cwd);
    text_member(out, "title", i->title);
    text_member(out, "parent", i->parent);
    text_member(out, "created", i->created);
    text_member(out, "leaf", i->leaf);
    text_member(out, "first", i->first);
    text_member(out, "status", i->status);
    text_member_int(out, "modifiedMs", i->modified_us / 1000);
    text_member_int(out, "bytes", (long long)i->bytes);
    text_member_int(out, "entries", (long long)i->entries);
    text_member_int(out, "messages",
                    i->messages == UINT64_MAX ? 0 : (long long)i->messages);
    text_member_bool(out, "archived", i->archived);
    text_str(out, "}");
}

static quire_status info(struct job *j)
{
    quire_session_info i = {.id = NULL};

    quire_session_describe(j->h->s, &i);
    put_session_info(&j->out, &i);
    return QUIRE_OK;
}

static quire_status take_entry(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct job *j = ctx;

    (void)err;
    if (j->out.len > 1)
        text_str(&j->out, ",");
    text_add(&j->out, e->json.data, e->json.len);
    return j->out.failed ? QUIRE_NO_MEMORY : QUIRE_OK;
}

/* So many entries from an ordinal on; fewer at the end. */
static quire_status entries(struct job *j)
{
    size_t from = (size_t)job_number(j, 0, 0), n = (size_t)job_number(j, 1, 64);
    quire_session_info i = {.id = NULL};
    quire_status st = QUIRE_OK;
    size_t *ordinals, k;

    quire_session_describe(j->h->s, &i);
    if (from > i.entries)
        from = (size_t)i.entries;
    if (n > i.entries - from)
        n = (size_t)(i.entries - from);
    ordinals = malloc((n + 1) * sizeof *ordinals);
    if (!ordinals)
        return QUIRE_NO_MEMORY;
    for (k = 0; k < n; k++)
        ordinals[k] = from + k;
    text_str(&j->out, "[");
    if (n > 0)
        st = quire_session_entries_at(j->h->s, ordinals, n, take_entry, j,
                                      &j->err);
    text_str(&j->out, "]");
    free(ordinals);
    return st;
}

static quire_status path(struct job *j)
{
    quire_status st;

    text_str(&j->out, "[");
    st = quire_session_path(j->h->s, job_text(j, 0), 0, take_entry, j, &j->err);
    text_str(&j->out, "]");
    return st;
}

static quire_status entry(struct job *j)
{
    quire_entry e;
    quire_status st = quire_session_entry(j->h->s, job_text(j, 0), &e, &j->err);

    if (!st)
        text_add(&j->out, e.json.data, e.json.len);
    return st;
}

static quire_status context(struct job *j)
{
    return quire_session_context(j->h->s, job_text(j, 0), take_bytes, NULL, j,
                                 &j->err);
}

static quire_status branch(struct job *j)
{
    return quire_session_branch(j->h->s, job_text(j, 0), job_flag(j, 1), NULL,
                                &j->err);
}

static quire_status label(struct job *j)
{
    return quire_session_label(j->h->s, job_text(j, 0), job_text(j, 1), NULL,
                               &j->err);
}

static quire_status rename_session(struct job *j)
{
    return quire_session_rename(j->h->s, job_text(j, 0), &j->err);
}

static quire_status close_session(struct job *j)
{
    handle_close(j->h);
    return QUIRE_OK;
}

const struct op session_ops[] = {
    {"sessionNew", KIND_HOME, false, true, session_new},
    {"sessionOpen", KIND_HOME, false, true, session_open},
    {"append", KIND_SESSION, true, false, append},
    {"flush", KIND_SESSION, true, false, flush},
    {"info", KIND_SESSION, false, false, info},
    {"entries", KIND_SESSION, false, false, entries},
    {"path", KIND_SESSION, false, false, path},
    {"entry", KIND_SESSION, false, false, entry},
    {"context", KIND_SESSION, false, false, context},
    {"branch", KIND_SESSION, false, false, branch},
    {"label", KIND_SESSION, false, false, label},
    {"rename", KIND_SESSION, false, false, rename_session},
    {"sessionClose", KIND_SESSION, false, false, close_session},
    {NULL, KIND_HOME, false, false, NULL},
};

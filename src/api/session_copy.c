/*
 * session_copy.c - fork a session, or extract the path to an entry
 *
 * A copy is complete or absent: outputs are copied first, then the blobs that a
 * source outside the home refers to, and the session file last. No blob is
 * collected between, because the copy holds the blob store.
 *
 * A source outside the home belongs to the home whose sessions/ it lies in, if
 * there is one. Its blobs come from there. Without such a home, an image that
 * this store does not have would be lost: the copy is refused.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"
#include "api/core/removals.h"
#include "api/session.h"
#include "api/transaction.h"

/* Blobs up to here are copied through memory, larger ones through a file. */
enum { COPY_IN_MEMORY = 16 << 20 };

struct copying {
    struct quire *q;
    quire_session_copy_options o;
    quire_session *source;
    bool in_home;
    quire *other; /* the home of the source; NULL: none was found      */
    const char *from_dir, *to_dir; /* of the outputs                   */
    struct blob_view blobs;
    uint64_t n_missing; /* references that neither home resolves       */
};

__attribute__((format(printf, 2, 3))) static void warn(struct copying *c,
                                                       const char *fmt, ...)
{
    char message[1024];
    va_list ap;

    if (!c->o.warn)
        return;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    c->o.warn(c->o.warn_ctx, message);
}

/* ---- outputs ------------------------------------------------------------ */

static quire_status copy_file(struct copying *c, struct object *file,
                              const char *to, bool *unreadable,
                              quire_error *err)
{
    struct store *all = c->q->all;
    uint8_t probe;
    size_t n;
    struct draft *d;
    /* An error here is the source's, whatever happens to the draft. */
    quire_status st = object_read(file, 0, &probe, 1, &n, err);

    *unreadable = st != QUIRE_OK;
    if (!st)
        st = object_create(all->objects, &d, err);
    if (st)
        return st;
    st = object_copy(file, d, err);
    if (!st)
        return object_publish(d, to, true, err);
    object_discard(d);
    return st;
}

static quire_status copy_output(void *ctx, const char *name,
                                const struct object_info *info,
                                quire_error *err)
{
    struct copying *c = ctx;
    struct store *from = session_store(c->source);
    bool flat = strchr(session_name(c->source), '/') == NULL;
    bool unreadable = true;
    struct object_info now;
    struct object *file;
    quire_error why = {0};
    char *to = NULL;
    quire_status st;

    (void)info;
    /* A file beside a single session may be anything. */
    if (flat && !session_is_output(name))
        return QUIRE_OK;
    if (asprintf(&to, "%s%s", c->to_dir, name + strlen(c->from_dir)) < 0)
        return err_memory(err);
    st = object_open(from->objects, name, &file, &now, &why);
    if (!st) {
        st = copy_file(c, file, to, &unreadable, &why);
        object_close(file);
    }
    free(to);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK; /* removed meanwhile */
    if (st && st != QUIRE_NO_MEMORY && unreadable) {
        warn(c, "output %s was not copied: %s", name, why.what);
        return QUIRE_OK;
    }
    if (st && err)
        *err = why;
    return st;
}

/* ---- blobs of another home ---------------------------------------------- */

/* Cut the path of a session file down to its home: what precedes the last
 * "sessions/", without the archive or the tenant. False: it lies in none. */
static bool cut_to_home(char *path)
{
    char *cut = NULL, *at;
    int64_t tenant;

    for (at = path; (at = strstr(at, "/sessions/")) != NULL; at++)
        cut = at;
    if (!cut)
        return false;
    *cut = '\0';
    cut = strrchr(path, '/');
    if (cut && !strcmp(cut, "/archive"))
        *cut = '\0';
    cut = strrchr(path, '/');
    if (cut && read_id(cut + 1, &tenant)) {
        *cut = '\0';
        at = strrchr(path, '/');
        if (at && !strcmp(at, "/tenants"))
            *at = '\0';
        else
            *cut = '/';
    }
    return *path != '\0';
}

static quire_status open_home_of(struct copying *c, quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct store *store = session_store(c->source);
    char path[PATH_MAX], probe[PATH_MAX + 16];
    int n = snprintf(path, sizeof path, "%s/%s", store_place(store),
                     session_name(c->source));

    if (n < 0 || (size_t)n >= sizeof path || !cut_to_home(path))
        return QUIRE_OK;
    snprintf(probe, sizeof probe, "%s/blobs", path);
    n = access(probe, F_OK);
    snprintf(probe, sizeof probe, "%s/quire.db", path);
    if (n != 0 && access(probe, F_OK) != 0)
        return QUIRE_OK;
    o.home = path;
    o.tenant = "default"; /* reads the blobs of all */
    o.flags = QUIRE_READ_ONLY;
    o.busy_ms = c->q->busy_ms;
    return quire_open(&o, &c->other, err);
}

static quire_status write_fd(void *ctx, quire_bytes bytes, quire_error *err)
{
    return fwrite(bytes.data, 1, bytes.len, ctx) == bytes.len
               ? QUIRE_OK
               : err_set(err, QUIRE_IO, "cannot write a temporary file");
}

static quire_status copy_large(struct copying *c, const quire_digest *d,
                               quire_error *err)
{
    FILE *tmp = tmpfile();
    quire_status st;

    if (!tmp)
        return err_set(err, QUIRE_IO, "cannot create a temporary file");
    st = quire_blob_read(c->other, d, 0, UINT64_MAX, write_fd, tmp, err);
    if (!st && fflush(tmp) != 0)
        st = err_set(err, QUIRE_IO, "cannot write a temporary file");
    if (!st)
        st = blob_put_fd(c->blobs, fileno(tmp), 0, NULL, err);
    fclose(tmp);
    return st;
}

static quire_status copy_blob(struct copying *c, const quire_digest *d,
                              quire_error *err)
{
    quire_blob_info info;
    quire_bytes content;
    quire_status st = quire_blob_stat(c->other, d, &info, err);

    if (!st && info.size > COPY_IN_MEMORY)
        return copy_large(c, d, err);
    if (!st)
        st = quire_blob_get(c->other, d, &content, err);
    return st ? st : blob_put(c->blobs, content, 0, NULL, err);
}

static quire_status take_ref(void *ctx, const char *ref, quire_error *err)
{
    struct copying *c = ctx;
    quire_blob_info info;
    quire_digest d;
    quire_status st = quire_ref_parse(ref, &d, err);

    if (!st)
        st = blob_stat(c->blobs, &d, &info, err);
    if (st == QUIRE_NOT_FOUND && c->other)
        st = copy_blob(c, &d, err);
    if (st != QUIRE_NOT_FOUND)
        return st;
    c->n_missing++;
    if (c->other)
        warn(c, "blob %s is missing in %s too", ref, quire_home(c->other));
    return QUIRE_OK;
}

static quire_status count_missing(void *ctx, const quire_entry *entry,
                                  quire_error *err)
{
    uint64_t *n = ctx;

    (void)err;
    *n += entry->missing;
    return QUIRE_OK;
}

/* Text that mentions a blob is no reason to refuse; an image is. */
static quire_status refuse_missing(struct copying *c, quire_error *err)
{
    uint64_t n = 0;
    quire_status st = quire_session_entries(c->source, QUIRE_HYDRATE,
                                            count_missing, &n, err);

    if (st || n == 0)
        return st;
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL "copy the file of the session into sessions/ of "
                               "the home that has its blobs, and fork it "
                               "from there",
                    "%s refers to %llu image%s that this home does not have, "
                    "and lies in no home",
                    session_name(c->source), (unsigned long long)n,
                    n == 1 ? "" : "s");
}

static quire_status take_blobs(struct copying *c, quire_error *err)
{
    quire_status st = transaction_check_none(c->q, "a copy from another home",
                                             err);

    if (!st)
        st = need_own_blobs(c->q, true, &c->blobs, err);
    if (!st)
        st = open_home_of(c, err);
    if (!st)
        st = quire_session_refs(c->source, take_ref, c, err);
    if (!st && c->n_missing > 0 && !c->other)
        st = refuse_missing(c, err);
    return st;
}

/* ---- the session -------------------------------------------------------- */

/* Open the source for reading. */
static quire_status open_source(struct copying *c, const char *which,
                                struct arena *tmp, quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct session_location p = {0};
    quire_status st = session_lookup(c->q, which, tmp, &p, err);

    o.flags = QUIRE_SESSION_READ | QUIRE_SESSION_VERIFY;
    c->in_home = p.in_home;
    return st ? st : session_open_location(c->q, &p, &o, tmp, &c->source, err);
}

/* A source that is moved or removed while it is copied loses outputs one by one:
 * then the copy is incomplete. */
static quire_status still_there(quire_session *source, quire_error *err)
{
    struct store *store = session_store(source);
    const char *name = session_name(source);
    struct object_info info;
    quire_status st = log_stat(store->logs, name, &info, err);

    if (st != QUIRE_NOT_FOUND)
        return st;
    return err_fail(err, QUIRE_CHANGED, "try again",
                    "%s was moved or removed while it was copied", name);
}

static quire_status plan_copy(struct copying *c, struct arena *tmp,
                              struct new_session *b, quire_error *err)
{
    quire_session_info info;
    const char *cwd = c->o.cwd;
    quire_status st;

    quire_session_describe(c->source, &info);
    if (!cwd && *info.cwd)
        cwd = info.cwd;
    st = new_session_plan(c->q, cwd, arena_text(tmp, bytes_str(info.title)),
                          arena_text(tmp, bytes_str(c->o.entry ? info.path
                                                               : info.id)),
                          tmp, b, err);
    if (st)
        return st;
    c->from_dir = session_outputs_dir(session_name(c->source), tmp);
    c->to_dir = session_outputs_dir(b->name, tmp);
    return c->from_dir && c->to_dir ? QUIRE_OK : err_memory(err);
}

static quire_status copy_parts(struct copying *c, const struct new_session *b,
                               quire_error *err)
{
    struct store *from = session_store(c->source);
    quire_status st = object_list(from->objects, c->from_dir, copy_output, c,
                                  err);

    if (!st && !c->in_home)
        st = take_blobs(c, err);
    if (!st)
        st = still_there(c->source, err);
    /* The session last: once it exists, it is complete. */
    if (!st)
        st = session_entry_not_found(c->source, c->o.entry,
                                     session_copy(c->source, c->o.entry,
                                                  c->q->all->logs, b->name,
                                                  &b->birth, err),
                                     err);
    if (st)
        object_clear(c->q->all->objects, c->to_dir, NULL);
    return st;
}

static quire_status copy_held(struct copying *c, const char *which,
                              quire_session **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct new_session b;
    quire_status st = open_source(c, which, &tmp, err);

    if (!st)
        st = need_all(c->q, err);
    if (!st)
        st = sessions_mark_home(c->q, err);
    if (!st)
        st = plan_copy(c, &tmp, &b, err);
    if (!st)
        st = copy_parts(c, &b, err);
    if (!st)
        st = session_open_named(c->q, b.name, &tmp, out, err);
    quire_session_close(c->source);
    quire_close(c->other);
    arena_release(&tmp);
    return st;
}

quire_status quire_session_copy(quire *q, const char *which,
                                const quire_session_copy_options *options,
                                quire_session **out, quire_error *err)
{
    struct copying c = {.q = q, .o = QUIRE_SESSION_COPY_OPTIONS_INIT};
    quire_status st = sessions_may_write(q, err);

    *out = NULL;
    OPTIONS_READ(c.o, options);
    /* The copy refers to the blobs of its source, which may be removed before
     * the copy is named: hold the blobs. */
    if (!st)
        st = hold_blobs(q, err);
    if (st)
        return st;
    st = copy_held(&c, which, out, err);
    release_blobs(q);
    return st;
}

quire_status quire_session_fork(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err)
{
    quire_session_copy_options o = QUIRE_SESSION_COPY_OPTIONS_INIT;

    o.cwd = cwd;
    return quire_session_copy(q, which, &o, out, err);
}

quire_status quire_session_extract(quire *q, const char *which,
                                   const char *entry, quire_session **out,
                                   quire_error *err)
{
    quire_session_copy_options o = QUIRE_SESSION_COPY_OPTIONS_INIT;

    o.entry = entry;
    return quire_session_copy(q, which, &o, out, err);
}

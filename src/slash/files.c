/*
 * files.c - /write, /read, /list: the artifacts of the session
 *
 * The replies have the texts of arbiter's documentation, which clients and
 * models know; with QUIRE_SLASH_ARBITER those of its program, where they differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "slash/priv.h"

#define PERSIST "--persist"

/* Report an error and return false without a session. */
static bool require_session(struct turn *t)
{
    if (!t->session)
        reply_fail(&t->answer, QUIRE_INVALID, "unavailable",
                   "the artifact store is unavailable: no session");
    return t->session != NULL;
}

/* ---- /write ------------------------------------------------------------- */

/* Read a setting that is a number of bytes. */
static quire_status read_quota(struct turn *t, const char *key, uint64_t *out,
                               quire_error *cause)
{
    quire_setting setting;
    quire_status st = quire_config_get(t->q, key, &setting, cause);

    *out = st ? 0 : strtoull(setting.value, NULL, 10);
    return st;
}

static void report_stored(struct turn *t, const quire_artifact *a,
                          uint64_t limit)
{
    bool arbiter = t->o.style == QUIRE_SLASH_ARBITER;

    t->answer.id = a->id;
    reply_add_line(&t->answer,
                   "OK: %s %llu bytes (artifact #%lld, %llu of %llu bytes %s)",
                   a->created || !arbiter ? "persisted" : "updated",
                   (unsigned long long)a->size, (long long)a->id,
                   (unsigned long long)a->session_used,
                   (unsigned long long)limit,
                   arbiter ? "used in this conversation" : "used");
}

static quire_status report_too_large(struct turn *t, size_t bytes,
                                     quire_error *cause)
{
    uint64_t limit;
    quire_status st = read_quota(t, "quota.file", &limit, cause);

    if (!st)
        reply_fail(&t->answer, QUIRE_TOO_LARGE, NULL,
                   "file size %zu exceeds per-file cap %llu bytes", bytes,
                   (unsigned long long)limit);
    return st;
}

/* *a has the totals the put would have led to; `limit` is the session's. */
static quire_status report_quota(struct turn *t, const quire_artifact *a,
                                 uint64_t limit, quire_error *cause)
{
    bool session = a->session_used > limit;
    uint64_t used = session ? a->session_used : a->tenant_used;
    quire_status st = QUIRE_OK;

    if (!session)
        st = read_quota(t, "quota.tenant", &limit, cause);
    if (!st)
        reply_fail(&t->answer, QUIRE_QUOTA, NULL,
                   "%s quota exhausted: %llu > %llu bytes",
                   session ? "conversation" : "tenant",
                   (unsigned long long)used, (unsigned long long)limit);
    return st;
}

/* The limit is read first: after the put, its success must be reported. */
static quire_status put_artifact(struct turn *t, const char *path,
                                 quire_bytes content, quire_error *cause)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire_artifact a = {.id = 0};
    uint64_t limit;
    quire_status st = read_quota(t, "quota.session", &limit, cause);

    o.agent = t->o.agent;
    if (!st)
        st = quire_artifact_put(t->q, t->session, path, content, &o, &a, cause);
    if (!st)
        report_stored(t, &a, limit);
    else if (st == QUIRE_TOO_LARGE)
        st = report_too_large(t, content.len, cause);
    else if (st == QUIRE_QUOTA)
        st = report_quota(t, &a, limit, cause);
    return st;
}

static quire_status persist_file(struct turn *t, quire_bytes path,
                                 quire_bytes content, quire_error *err)
{
    quire_error cause = {.status = QUIRE_OK};
    char clean[257];

    if (!t->session) {
        reply_add_line(&t->answer,
                       "WARN: --persist requested but artifact store is "
                       "unavailable");
        t->answer.kind = "warning";
        return QUIRE_OK;
    }
    if (quire_artifact_path(path, clean, NULL, &cause)) {
        reply_fail(&t->answer, cause.status, "path", "%s", cause.what);
        return QUIRE_OK;
    }
    return put_artifact(t, clean, content, &cause)
               ? reply_error(&t->answer, &cause, err)
               : QUIRE_OK;
}

quire_status slash_write(struct turn *t, quire_error *err)
{
    quire_bytes path = t->command->args, rest = path;
    quire_slash_file file = {.id = 0};
    bool keep = bytes_is(slash_word(&rest), PERSIST) && rest.len > 0;
    quire_status st = QUIRE_OK;

    if (keep)
        path = rest;
    if (path.len == 0) {
        reply_fail(&t->answer, QUIRE_INVALID, "usage",
                   "path is missing; write /write <path> or /write --persist "
                   "<path>");
        return QUIRE_OK;
    }
    file.path = path;
    file.content = slash_content(t->command->body, &t->content);
    if (t->content.failed)
        return err_memory(err);
    if (!keep || !t->session || t->o.style == QUIRE_SLASH_ARBITER)
        reply_add_line(&t->answer, "OK: captured %zu bytes for '%s' (%s)",
                       file.content.len, reply_shown(t, path),
                       keep ? "shown to the client"
                            : "shown to the client, not kept; --persist keeps "
                              "it");
    if (keep)
        st = persist_file(t, path, file.content, err);
    file.id = t->answer.id;
    if (!st && t->o.file)
        st = t->o.file(t->o.file_ctx, &file, err);
    return st;
}

/* ---- /read -------------------------------------------------------------- */

struct reading {
    quire_bytes what; /* the arguments without --from */
    uint64_t from;    /* bytes to skip                */
};

quire_status slash_add_content(void *turn, quire_bytes bytes, quire_error *err)
{
    struct turn *t = turn;
    struct response *a = &t->answer;
    /* One character more, to detect that the limit splits one. */
    size_t space = t->limit + 4 - a->text.len;
    size_t skip = t->skip < bytes.len ? (size_t)t->skip : bytes.len;

    t->skip -= skip;
    bytes = bytes_sub(bytes, skip, bytes.len);
    a->whole += bytes.len;
    buf_add(&a->text, bytes.data, bytes.len < space ? bytes.len : space);
    return a->text.failed ? err_memory(err) : QUIRE_OK;
}

static quire_status add_part_bytes(void *turn, quire_bytes bytes,
                                   quire_error *err)
{
    struct turn *t = turn;

    return buf_write(&t->answer.part, bytes, err);
}

/* How the next part is read, if this one is cut. */
static quire_status set_next(struct turn *t, const struct reading *r,
                             quire_error *err)
{
    t->answer.from = r->from;
    t->answer.next = arena_printf(&t->tmp, "/read %s --from ",
                                  reply_shown(t, r->what));
    return t->answer.next ? QUIRE_OK : err_memory(err);
}

/* Add the content of `one` to the reply. All of it is read, even if only a part
 * is shown: the digest can be verified only at the end. */
static quire_status emit_content(struct turn *t, const struct reading *r,
                                 const quire_artifact *one,
                                 const quire_artifact_get_options *o,
                                 quire_error *err)
{
    struct response *a = &t->answer;
    bool image = !strncmp(one->mime, "image/", 6);
    const char *mime = arena_text(&t->tmp, bytes_str(one->mime));
    const char *path = reply_shown(t, bytes_str(one->path));
    uint64_t size = one->size;
    int64_t id = one->id;
    quire_error cause = {.status = QUIRE_OK};
    char which[32];

    if (!mime)
        return err_memory(err);
    if (r->from > size) {
        reply_fail(a, QUIRE_INVALID, "usage",
                   "--from %llu is beyond the end: '%s' has %llu bytes",
                   (unsigned long long)r->from, path, (unsigned long long)size);
        return QUIRE_OK;
    }
    t->skip = r->from;
    snprintf(which, sizeof which, "#%lld", (long long)id);
    if (quire_artifact_get(t->q, t->session, which, o,
                           image ? add_part_bytes : slash_add_content, t, NULL,
                           &cause)) {
        buf_clear(&a->text);
        buf_clear(&a->part);
        a->whole = 0;
        return reply_error(a, &cause, err);
    }
    a->id = id;
    if (image) {
        a->mime = mime;
        reply_add_line(a, "(image attached: %s, %llu bytes, mime=%s, id=%lld)",
                       path, (unsigned long long)size, mime, (long long)id);
        return QUIRE_OK;
    }
    a->cut = CUT_BYTES;
    return set_next(t, r, err);
}

static quire_status read_path(struct turn *t, const struct reading *r,
                              quire_error *err)
{
    quire_artifact one;
    quire_error cause = {.status = QUIRE_OK};
    quire_status st;
    char clean[257];

    if (quire_artifact_path(r->what, clean, NULL, &cause)) {
        reply_fail(&t->answer, cause.status, "path", "%s", cause.what);
        return QUIRE_OK;
    }
    st = quire_artifact_stat(t->q, t->session, clean, NULL, &one, &cause);
    if (st == QUIRE_NOT_FOUND) {
        reply_fail(&t->answer, st, NULL,
                   "'%s' not found in this conversation's artifacts; /list "
                   "shows all of them",
                   reply_shown(t, bytes_str(clean)));
        return QUIRE_OK;
    }
    return st ? reply_error(&t->answer, &cause, err)
              : emit_content(t, r, &one, NULL, err);
}

/* Whether the entry `via` links the artifact; if not, the reply reports why. */
static quire_status check_citation(struct turn *t, int64_t id, int64_t via,
                                   bool *yes, quire_error *err)
{
    quire_error cause = {.status = QUIRE_OK};
    quire_memory entry;
    quire_status st = quire_memory_get(t->q, via, 0, &entry, &cause);

    *yes = !st && entry.artifact == id;
    if (st == QUIRE_NOT_FOUND)
        reply_fail(&t->answer, st, "uncited",
                   "via=mem:%lld: memory entry not found, or not valid any "
                   "more; /mem search finds others",
                   (long long)via);
    else if (st)
        return reply_error(&t->answer, &cause, err);
    else if (!entry.artifact)
        reply_fail(&t->answer, QUIRE_NOT_FOUND, "uncited",
                   "memory entry #%lld does not reference artifact #%lld: it "
                   "links no artifact",
                   (long long)via, (long long)id);
    else if (!*yes)
        reply_fail(&t->answer, QUIRE_NOT_FOUND, "uncited",
                   "memory entry #%lld does not reference artifact #%lld: it "
                   "links artifact #%lld",
                   (long long)via, (long long)id, (long long)entry.artifact);
    return QUIRE_OK;
}

/* Read an artifact of another session, which takes a memory entry that cites
 * it. */
static quire_status read_elsewhere(struct turn *t, const struct reading *r,
                                   int64_t id, int64_t via, quire_error *err)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_error cause = {.status = QUIRE_OK};
    quire_artifact one;
    quire_status st;
    char which[32];
    bool yes;

    snprintf(which, sizeof which, "#%lld", (long long)id);
    o.any_session = 1;
    st = quire_artifact_stat(t->q, t->session, which, &o, &one, &cause);
    if (st == QUIRE_NOT_FOUND) {
        reply_fail(&t->answer, st, NULL,
                   "artifact #%lld not found; /list shows those of this "
                   "conversation",
                   (long long)id);
        return QUIRE_OK;
    }
    if (st)
        return reply_error(&t->answer, &cause, err);
    if (!via) {
        reply_fail(&t->answer, QUIRE_NOT_FOUND, "elsewhere",
                   "artifact #%lld is in a different conversation; cite a "
                   "memory entry that links it: /read #%lld "
                   "via=mem:<entry_id>",
                   (long long)id, (long long)id);
        return QUIRE_OK;
    }
    st = check_citation(t, id, via, &yes, err);
    if (st || !yes)
        return st;
    /* quire_memory_get() has invalidated the strings of *one. */
    o.any_session = 0;
    o.via = via;
    st = quire_artifact_stat(t->q, t->session, which, &o, &one, &cause);
    return st ? reply_error(&t->answer, &cause, err)
              : emit_content(t, r, &one, &o, err);
}

/* Parse "via=mem:12" or nothing. */
static bool read_citation(quire_bytes rest, int64_t *via)
{
    static const char cite[] = "via=mem:";

    *via = 0;
    if (rest.len == 0)
        return true;
    return bytes_starts(rest, bytes_str(cite)) &&
           slash_id(bytes_sub(rest, strlen(cite), rest.len), via) && *via > 0;
}

static quire_status read_id(struct turn *t, const struct reading *r,
                            quire_bytes word, quire_bytes rest,
                            quire_error *err)
{
    quire_error cause = {.status = QUIRE_OK};
    quire_artifact one;
    int64_t id, via;
    quire_status st;
    char which[32];

    if (!read_citation(rest, &via)) {
        reply_fail(&t->answer, QUIRE_INVALID, "usage",
                   "'%s' cannot be read; write /read #<id>, or /read #<id> "
                   "via=mem:<entry_id>",
                   reply_shown(t, t->command->args));
        return QUIRE_OK;
    }
    /* The number does not fit an id, so no such artifact exists. */
    if (!slash_id(word, &id)) {
        reply_fail(&t->answer, QUIRE_NOT_FOUND, NULL, "artifact %s not found",
                   reply_shown(t, word));
        return QUIRE_OK;
    }
    snprintf(which, sizeof which, "#%lld", (long long)id);
    st = quire_artifact_stat(t->q, t->session, which, NULL, &one, &cause);
    if (!st)
        return emit_content(t, r, &one, NULL, err);
    return st == QUIRE_NOT_FOUND ? read_elsewhere(t, r, id, via, err)
                                 : reply_error(&t->answer, &cause, err);
}

/* '#' and digits. "#12.md" is a path. */
static bool is_id(quire_bytes word)
{
    const char *c = word.data;
    size_t i;

    for (i = 1; i < word.len && c[i] >= '0' && c[i] <= '9'; i++)
        ;
    return word.len > 1 && c[0] == '#' && i == word.len;
}

/* Split "--from <number>" off the end. False: the number is not one. */
static bool read_range(quire_bytes args, struct reading *r)
{
    quire_bytes rest = args, word, before = {NULL, 0};
    int64_t from;

    *r = (struct reading){.what = args};
    while ((word = slash_word(&rest)).len > 0) {
        if (rest.len == 0 || !bytes_is(word, "--from") || !before.data) {
            before = word;
            continue;
        }
        r->what = bytes_of(args.data, (size_t)((const char *)before.data -
                                               (const char *)args.data) +
                                          before.len);
        if (((const char *)rest.data)[0] == '#' || !slash_id(rest, &from))
            return false;
        r->from = (uint64_t)from;
        return true;
    }
    return true;
}

quire_status slash_read(struct turn *t, quire_error *err)
{
    struct reading r;
    quire_bytes rest, word;
    bool valid = read_range(t->command->args, &r);

    if (!require_session(t))
        return QUIRE_OK;
    if (!valid) {
        reply_fail(&t->answer, QUIRE_INVALID, "usage",
                   "--from takes a number of bytes; write /read %s --from 0",
                   reply_shown(t, r.what));
        return QUIRE_OK;
    }
    rest = r.what;
    word = slash_word(&rest);
    if (word.len == 0) {
        reply_fail(&t->answer, QUIRE_INVALID, "usage",
                   "path is missing; write /read <path>, or /read #<id>");
        return QUIRE_OK;
    }
    return is_id(word) ? read_id(t, &r, word, rest, err)
                       : read_path(t, &r, err);
}

/* ---- /list -------------------------------------------------------------- */

struct listing {
    struct response *answer;
    const char *gap; /* between path and description */
    int n;
};

static quire_status list_one(void *ctx, const quire_artifact *a,
                             quire_error *err)
{
    struct listing *l = ctx;
    struct buf *out = &l->answer->text;

    if (l->n++ < LIST_MAX) {
        if (out->len > 0)
            buf_add_char(out, '\n');
        reply_add_shown(out, bytes_str(a->path), ARGS_SHOWN);
        buf_addf(out, "%s(%llu bytes, mime=%s, id=%lld)", l->gap,
                 (unsigned long long)a->size, a->mime, (long long)a->id);
    }
    return out->failed ? err_memory(err) : QUIRE_OK;
}

quire_status slash_list(struct turn *t, quire_error *err)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    struct listing l = {.answer = &t->answer,
                        .gap = t->o.style == QUIRE_SLASH_ARBITER ? "  " : " "};
    quire_error cause = {.status = QUIRE_OK};

    if (!require_session(t))
        return QUIRE_OK;
    if (t->command->args.len > 0) {
        reply_fail(&t->answer, QUIRE_INVALID, "usage",
                   "/list has no arguments; it lists all artifacts of this "
                   "conversation");
        return QUIRE_OK;
    }
    o.limit = LIST_MAX + 1;
    if (quire_artifact_list(t->q, t->session, &o, list_one, &l, &cause)) {
        buf_clear(&t->answer.text);
        return reply_error(&t->answer, &cause, err);
    }
    t->answer.cut = CUT_LINES;
    if (l.n == 0)
        reply_add_line(&t->answer, "(no artifacts in this conversation)");
    if (l.n > LIST_MAX)
        reply_add_line(&t->answer, "(these are the newest %d; there are more)",
                       LIST_MAX);
    return QUIRE_OK;
}

/*
 * secrets.c - secrets in what is stored: the setting, the report
 *
 * quire/secrets.h; src/secrets finds and masks them.
 */
#include "secrets/secrets.h"

#include <string.h>

#include "api/core/handle.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"

void quire_on_secret(quire *q, quire_secret_fn each, void *ctx)
{
    q->on_secret = each;
    q->secret_ctx = ctx;
}

struct finding {
    quire_secret_fn each;
    void *ctx;
};

static void pass_found(void *ctx, const char *place, const struct secret *s)
{
    struct finding *f = ctx;
    quire_secret one = {.kind = s->kind,
                        .place = place,
                        .at = s->at,
                        .bytes = s->len};

    if (f->each)
        f->each(f->ctx, &one);
}

size_t quire_secrets_find(quire_bytes text, quire_secret_fn each, void *ctx)
{
    struct finding f = {each, ctx};

    return secrets_mask_text(text, NULL, pass_found, &f);
}

/* ---- the setting --------------------------------------------------------- */

/* Sessions of several threads share the handle, and may be the first to ask. */
quire_status secrets_policy(struct quire *q, enum secrets_policy *out,
                            quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_setting s = {.value = "off"};
    quire_status st = QUIRE_OK;
    int64_t state;

    pthread_mutex_lock(&q->blob_turn);
    state = quire_changes(q);
    if (!state || state != q->secrets_state) {
        st = need_catalog(q, false, err);
        if (!st)
            st = settings_get(&q->catalog, q->tenant, "secrets", &tmp, &s, err);
        if (!st)
            q->secrets = !strcmp(s.value, "off")    ? SECRETS_OFF
                         : !strcmp(s.value, "warn") ? SECRETS_WARN
                                                    : SECRETS_MASK;
        q->secrets_state = st ? 0 : state;
        /* On a disk that is full or closed, entries can be appended and the ends of
         * outputs are shown: by what was known last. */
        if (st != QUIRE_NO_MEMORY)
            st = QUIRE_OK;
    }
    *out = q->secrets;
    pthread_mutex_unlock(&q->blob_turn);
    arena_release(&tmp);
    return st;
}

/* ---- reports ------------------------------------------------------------- */

struct reporting {
    struct quire *q;
    const char *prefix;
    struct buf place;
    bool masked;
};

static void report_secret(void *ctx, const char *place, const struct secret *s)
{
    struct reporting *r = ctx;
    quire_secret one = {.kind = s->kind,
                        .at = s->at,
                        .bytes = s->len,
                        .masked = r->masked};

    if (!r->q->on_secret)
        return;
    buf_clear(&r->place);
    buf_add_str(&r->place, r->prefix);
    buf_add_str(&r->place, place);
    one.place = buf_text(&r->place);
    if (!one.place)
        one.place = "";
    r->q->on_secret(r->q->secret_ctx, &one);
}

/* Only text has secrets: not an image, not an archive. */
static bool is_text(quire_bytes content)
{
    return content.len > 0 && !memchr(content.data, '\0', content.len) &&
           utf8_find_bad(content) == content.len;
}

quire_status secrets_guard_text(struct quire *q, const char *place,
                                struct arena *keep, quire_bytes *content,
                                uint64_t *n, quire_error *err)
{
    struct reporting r = {.q = q, .prefix = place, .place = BUF_INIT(1 << 20)};
    struct buf masked = BUF_INIT((size_t)1 << 31);
    enum secrets_policy policy;
    quire_status st = secrets_policy(q, &policy, err);

    *n = 0;
    if (st || policy == SECRETS_OFF || !is_text(*content))
        return st;
    r.masked = policy == SECRETS_MASK;
    *n = secrets_mask_text(*content, r.masked ? &masked : NULL, report_secret,
                           &r);
    if (r.masked && *n > 0) {
        *content = masked.failed ? bytes_of(NULL, 0)
                                 : arena_dup(keep, buf_bytes(&masked));
        st = content->data ? QUIRE_OK : err_memory(err);
    }
    buf_release(&masked);
    buf_release(&r.place);
    return st;
}

quire_status secrets_guard_entry(struct quire *q, enum secrets_policy policy,
                                 const char *prefix, struct arena *keep,
                                 quire_bytes *entry, uint64_t *n,
                                 quire_error *err)
{
    struct reporting r = {.q = q,
                          .prefix = prefix,
                          .place = BUF_INIT(1 << 20),
                          .masked = policy == SECRETS_MASK};
    size_t found = 0;
    quire_status st = QUIRE_OK;

    *n = 0;
    if (policy != SECRETS_OFF)
        st = secrets_mask_json(*entry, r.masked, keep, entry, &found,
                               report_secret, &r, err);
    *n = found;
    buf_release(&r.place);
    return st;
}

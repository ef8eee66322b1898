/* s3.c - the S3 backend of object.h: see s3.h */
#include "store/s3.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/s3_calls.h"
#include "store/s3_priv.h"

enum { EMPTY_PAGES_MAX = 100 };

static struct s3_store *of_base(struct object_store *s)
{
    return (struct s3_store *)s;
}

/* ---- one object ----------------------------------------------------------- */

static quire_status stat_object(struct object_store *base, const char *name,
                                struct object_info *info, quire_error *err)
{
    struct s3_store *s = of_base(base);
    struct s3_response a;
    char *key;
    quire_status st = s3_key_of(s, name, &key, err);

    if (st)
        return st;
    st = s3_head(s->client, key, &a, err);
    if (!st)
        s3_fill_info(&a, a.length, info);
    free(key);
    return st;
}

static quire_status remove_object(struct object_store *base, const char *name,
                                  quire_error *err)
{
    struct s3_store *s = of_base(base);
    struct s3_response a;
    char *key;
    quire_status st = s3_key_of(s, name, &key, err);

    if (st)
        return st;
    st = s3_head(s->client, key, &a, err);
    if (!st)
        st = s3_delete(s->client, key, err);
    free(key);
    return st;
}

static quire_status open_object(struct object_store *s, const char *name,
                                struct object **out, struct object_info *info,
                                quire_error *err)
{
    quire_status st = s3_object_open(of_base(s), name, out, info, err);

    if (!st)
        (*out)->ops = s->ops;
    return st;
}

static quire_status create_draft(struct object_store *s, struct draft **out,
                                 quire_error *err)
{
    quire_status st = s3_draft_create(of_base(s), out, err);

    if (!st)
        (*out)->ops = s->ops;
    return st;
}

static quire_status settle(struct draft *d, quire_error *err)
{
    (void)d;
    (void)err;
    return QUIRE_OK;
}

static quire_status touch(struct object *o, int64_t now_s, quire_error *err)
{
    (void)o;
    (void)now_s;
    return err_set(err, QUIRE_INVALID,
                   "objects in a bucket have no time that can be renewed");
}

static quire_status sync_object(struct object *o, quire_error *err)
{
    (void)o;
    (void)err;
    return QUIRE_OK;
}

/* ---- lists ---------------------------------------------------------------- */

typedef quire_status (*page_fn)(struct s3_store *s, const struct s3_page *page,
                                void *ctx, quire_error *err);

/* A list under way. */
struct pages {
    struct buf begin; /* of every key */
    struct arena keep[2];
    unsigned turn;
    struct s3_page page;
    char last[S3_KEY_MAX + 1]; /* the key before */
    int n_empty;               /* pages since */
};

/* A server that repeats itself would be listed for ever. */
static bool goes_on(struct pages *p)
{
    const struct s3_listed *l = p->page.first;

    if (!l)
        return ++p->n_empty <= EMPTY_PAGES_MAX;
    if (strcmp(l->key, p->last) <= 0)
        return false;
    while (l->next)
        l = l->next;
    strcpy(p->last, l->key);
    p->n_empty = 0;
    return true;
}

static quire_status next_page(struct s3_store *s, struct pages *p,
                              quire_error *err)
{
    const char *token = p->page.next; /* in the arena of the page before */
    quire_status st;

    p->turn = !p->turn;
    arena_reset(&p->keep[p->turn]);
    st = s3_list(s->client, p->begin.data, token, &p->keep[p->turn], &p->page,
                 err);
    if (!st && !goes_on(p))
        st = err_fail(err, QUIRE_IO, "check the endpoint of the store",
                      "the list of %.120s does not end",
                      s3_client_config(s->client)->place);
    return st;
}

/* Every page of what is below `prefix`. */
static quire_status each_page(struct s3_store *s, const char *prefix,
                              page_fn take, void *ctx, quire_error *err)
{
    struct pages p = {.begin = BUF_INIT(2 * S3_KEY_MAX)};
    const char *root = s3_client_config(s->client)->prefix;
    quire_status st;

    buf_addf(&p.begin, "%s%s%s%s", root, *root ? "/" : "", prefix,
             *prefix ? "/" : "");
    st = buf_text(&p.begin) ? QUIRE_OK : err_memory(err);
    do {
        if (!st)
            st = next_page(s, &p, err);
        if (!st)
            st = take(s, &p.page, ctx, err);
    } while (!st && p.page.next);
    arena_release(&p.keep[0]);
    arena_release(&p.keep[1]);
    buf_release(&p.begin);
    return st;
}

struct listing {
    object_each_fn each;
    void *ctx;
};

static quire_status list_page(struct s3_store *s, const struct s3_page *page,
                              void *ctx, quire_error *err)
{
    const struct listing *to = ctx;
    size_t skip = s3_prefix_len(s);
    const struct s3_listed *l;
    quire_status st = QUIRE_OK;

    for (l = page->first; l && !st; l = l->next) {
        struct object_info info = {.size = l->size,
                                   .modified_s = l->modified_ms / 1000,
                                   .modified_ns = l->modified_ms * 1000000};

        if (s3_is_name(l->key + skip))
            st = to->each(to->ctx, l->key + skip, &info, err);
    }
    return st;
}

static quire_status list_objects(struct object_store *base, const char *prefix,
                                 object_each_fn each, void *ctx,
                                 quire_error *err)
{
    struct listing to = {each, ctx};

    return each_page(of_base(base), prefix, list_page, &to, err);
}

static quire_status clear_page(struct s3_store *s, const struct s3_page *page,
                               void *ctx, quire_error *err)
{
    size_t skip = s3_prefix_len(s);
    const struct s3_listed *l;
    quire_status st = QUIRE_OK;

    (void)ctx;
    for (l = page->first; l && !st; l = l->next) {
        if (s3_is_name(l->key + skip))
            st = s3_delete(s->client, l->key, err);
    }
    return st;
}

static quire_status clear_objects(struct object_store *base, const char *prefix,
                                  quire_error *err)
{
    return each_page(of_base(base), prefix, clear_page, NULL, err);
}

/* ---- batches -------------------------------------------------------------- */

static void forget_published(struct s3_store *s)
{
    while (s->published) {
        struct s3_published *p = s->published;

        s->published = p->next;
        free(p);
    }
    s->batch = false;
}

static quire_status begin_batch(struct object_store *s, quire_error *err)
{
    (void)err;
    of_base(s)->batch = true;
    return QUIRE_OK;
}

static quire_status commit_batch(struct object_store *s, quire_error *err)
{
    (void)err;
    forget_published(of_base(s));
    return QUIRE_OK;
}

static void rollback_batch(struct object_store *base)
{
    struct s3_store *s = of_base(base);
    const struct s3_published *p;
    quire_status st = QUIRE_OK;

    /* What cannot be removed is harmlessly there. */
    for (p = s->published; p && !st; p = p->next)
        st = s3_delete(s->client, p->key, NULL);
    forget_published(s);
}

/* ---- the store ------------------------------------------------------------ */

static const char *place_of(const struct object_store *s)
{
    return s3_client_config(((const struct s3_store *)s)->client)->place;
}

static void free_store(struct object_store *base)
{
    struct s3_store *s = of_base(base);

    if (s->batch)
        rollback_batch(base);
    s3_client_free(s->client);
    free(s->spool);
    free(s);
}

static const struct object_ops s3_ops = {
    .stat = stat_object,
    .open = open_object,
    .read = s3_object_read,
    .close = s3_object_close,
    .create = create_draft,
    .write = s3_draft_write,
    .settle = settle,
    .publish = s3_draft_publish,
    .discard = s3_draft_discard,
    .touch = touch,
    .sync = sync_object,
    .remove = remove_object,
    .list = list_objects,
    .clear = clear_objects,
    .begin = begin_batch,
    .commit = commit_batch,
    .rollback = rollback_batch,
    .place = place_of,
    .free = free_store,
};

quire_status s3_store_new(struct s3_client *client, const char *spool,
                          struct object_store **out, quire_error *err)
{
    struct s3_store *s = calloc(1, sizeof *s);

    if (!spool)
        spool = getenv("TMPDIR");
    if (s)
        s->spool = strdup(spool && *spool ? spool : "/tmp");
    if (!s || !s->spool) {
        free(s);
        s3_client_free(client);
        return err_memory(err);
    }
    s->base.ops = &s3_ops;
    s->client = client;
    *out = &s->base;
    return QUIRE_OK;
}

quire_status s3_store_open(const char *url, struct object_store **out,
                           quire_error *err)
{
    struct s3_config config;
    struct s3_client *client;
    quire_status st = s3_config_read(url, &s3_env_process, &config, err);

    if (!st)
        st = s3_client_new(&config, &client, err);
    return st ? st : s3_store_new(client, NULL, out, err);
}

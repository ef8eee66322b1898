#include "support/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"

static quire_status lend(void *ctx, const char *path, struct blob_view *out,
                         quire_error *err)
{
    struct house *h = ctx;

    (void)path;
    (void)err;
    *out = blob_view_all(h->blobs.blobs);
    return QUIRE_OK;
}

static void back(void *ctx)
{
    (void)ctx;
}

void house_open(struct house *h, bool disk)
{
    *h = (struct house){.disk = disk};
    if (disk)
        OK(store_files_open(test_path("home"), false, &h->store, &test_err));
    else
        OK(store_memory_open(&test_clock, &h->store, &test_err));
    OK(store_intercept(h->store, fault_hook(&h->fault), &test_err));
    fix_open(&h->blobs, QUIRE_LAYOUT_FLAT, false);
    h->env = (struct session_env){.clock = &test_clock,
                                  .rand = &rand_system,
                                  .busy_ms = 0,
                                  .blobs = lend,
                                  .release = back,
                                  .written = back,
                                  .ctx = h};
}

void house_close(struct house *h)
{
    store_free(h->store);
    fix_close(&h->blobs);
}

void house_each(void (*body)(struct house *h))
{
    int disk;

    for (disk = 0; disk < 2; disk++) {
        struct house h;

        house_open(&h, disk);
        body(&h);
        house_close(&h);
        test_forget_dir();
    }
}

void house_write_bytes(struct house *h, const char *name, quire_bytes text)
{
    struct draft *d;

    OK(object_create(h->store->objects, &d, &test_err));
    OK(object_write(d, text, &test_err));
    OK(object_publish(d, name, true, &test_err));
}

void house_write(struct house *h, const char *name, const char *text)
{
    house_write_bytes(h, name, bytes_str(text));
}

quire_bytes house_read(struct house *h, const char *name)
{
    struct object_info info;
    struct object *o;
    size_t n;
    char *out;

    OK(object_open(h->store->objects, name, &o, &info, &test_err));
    out = test_alloc(info.size + 1);
    OK(object_read(o, 0, out, info.size, &n, &test_err));
    object_close(o);
    out[n] = '\0';
    return bytes_of(out, n);
}

bool house_has(struct house *h, const char *name)
{
    struct object_info info;

    return object_stat(h->store->objects, name, &info, &test_err) == QUIRE_OK;
}

static const struct session_birth birth = {.id = "s1",
                                           .cwd = "/w",
                                           .at_us = 1771237230000000};

quire_session *house_new(struct house *h, const char *name, unsigned flags)
{
    struct session_place place = {.store = h->store, .name = name};
    quire_session *s;

    OK(session_new(&h->env, &place, &birth, flags, QUIRE_SYNC_FLUSH, &s,
                   &test_err));
    return s;
}

quire_session *house_open_session(struct house *h, const char *name,
                                  unsigned flags)
{
    struct session_place place = {.store = h->store, .name = name};
    quire_session *s;

    OK(session_open(&h->env, &place, &birth, flags, QUIRE_SYNC_FLUSH, &s,
                    &test_err));
    return s;
}

const char *put(quire_session *s, const char *json)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_appended *out = test_alloc(sizeof *out);

    o.any = 1; /* other programs write what they like */
    OK(quire_session_append(s, bytes_str(json), &o, out, &test_err));
    return out->id;
}

const char *say(quire_session *s, const char *role, const char *text)
{
    char json[1024];

    snprintf(json, sizeof json,
             "{\"type\":\"message\",\"message\":{\"role\":\"%s\","
             "\"provider\":\"p\",\"model\":\"m\",\"content\":\"%s\"}}",
             role, text);
    return put(s, json);
}

/* ---- looking ------------------------------------------------------------ */

static const char *kept(struct buf *b)
{
    char *out = test_alloc(b->len + 1);

    memcpy(out, b->data ? b->data : "", b->len);
    out[b->len] = '\0';
    buf_release(b);
    return out;
}

static quire_status add_json(void *ctx, const quire_entry *e, quire_error *err)
{
    (void)err;
    buf_add(ctx, e->json.data, e->json.len);
    buf_add_char(ctx, '\n');
    return QUIRE_OK;
}

const char *all_entries(quire_session *s)
{
    struct buf b = BUF_INIT(1 << 28);

    OK(quire_session_entries(s, 0, add_json, &b, &test_err));
    return kept(&b);
}

static quire_status add_id(void *ctx, const quire_entry *e, quire_error *err)
{
    struct buf *b = ctx;

    (void)err;
    if (b->len)
        buf_add_char(b, ' ');
    buf_add(b, e->id.data, e->id.len);
    return QUIRE_OK;
}

const char *path_of(quire_session *s, const char *leaf)
{
    struct buf b = BUF_INIT(1 << 20);

    OK(session_path(s, leaf, 0, add_id, &b, &test_err));
    return kept(&b);
}

struct drawing {
    struct buf b;
    size_t depth;
    bool any;
};

static quire_status draw(void *ctx, const quire_entry *e, quire_error *err)
{
    struct drawing *d = ctx;

    (void)err;
    if (d->any && e->depth > d->depth)
        buf_add_char(&d->b, '(');
    for (; d->any && d->depth > e->depth; d->depth--)
        buf_add_char(&d->b, ')');
    if (d->any && d->b.data[d->b.len - 1] != '(')
        buf_add_char(&d->b, ' ');
    buf_add(&d->b, e->id.data, e->id.len);
    if (e->label.data) {
        buf_add_char(&d->b, '[');
        buf_add(&d->b, e->label.data, e->label.len);
        buf_add_char(&d->b, ']');
    }
    if (e->is_leaf)
        buf_add_char(&d->b, '*');
    d->depth = e->depth;
    d->any = true;
    return QUIRE_OK;
}

const char *tree_of(quire_session *s)
{
    struct drawing d = {.b = BUF_INIT(1 << 20)};

    OK(quire_session_tree(s, draw, &d, &test_err));
    for (; d.depth > 0; d.depth--)
        buf_add_char(&d.b, ')');
    return kept(&d.b);
}

static quire_status add_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

const char *context_of(quire_session *s, const char *leaf)
{
    struct buf b = BUF_INIT(1 << 28);

    OK(quire_session_context(s, leaf, add_bytes, NULL, &b, &test_err));
    return kept(&b);
}

static quire_status add_problem(void *ctx, const quire_session_problem *p,
                                quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s@%llu ", p->kind, (unsigned long long)p->line);
    return QUIRE_OK;
}

const char *problems_of(struct house *h, const char *name)
{
    struct buf b = BUF_INIT(1 << 20);

    OK(session_check(&h->env, h->store, name, add_problem, &b, &test_err));
    return kept(&b);
}

const char *leaf_of(quire_session *s)
{
    quire_session_info info;

    quire_session_describe(s, &info);
    return info.leaf ? info.leaf : "none";
}

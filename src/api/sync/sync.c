/*
 * sync.c - the turns of a sync
 *
 *     caller   HELLO, BUCKETS                            \ one trip: all that is
 *     server   DIFFERENT, ITEMS of different buckets     / needed if nothing is new
 *     caller   ASK: sessions that differ on both sides   \ left out if there is none
 *     server   HASHES of their entries                   /
 *     caller   WANT, OFFER of blobs
 *     server   NEED of those, OFFER of its own
 *     caller   NEED of those, RECORDs
 *     server   RECORDs, DONE
 *
 * Each side reads all of the other's turn before its own, so that no two of them wait
 * for each other with full pipes. A side that fails says why, and stops.
 */
#include <stdio.h>
#include <string.h>

#include "api/sync/plan.h"
#include "api/transaction.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/opts.h"

/* Of an inventory, of hashes, of digests, in one message. */
#define MESSAGE_BYTES ((size_t)48 << 10)

/* ---- messages ------------------------------------------------------------- */

static quire_status send_turn(struct wire *w, quire_error *err)
{
    quire_status st = wire_send(w, WIRE_TURN, bytes_of("", 0), err);

    return st ? st : wire_flush(w, false, err);
}

/* Messages of one type, up to the end of the turn. */
typedef quire_status (*message_fn)(void *ctx, enum wire_type type,
                                   quire_bytes content, quire_error *err);

static quire_status take_turn(struct wire *w, message_fn each, void *ctx,
                              quire_error *err)
{
    enum wire_type type;
    quire_bytes content;
    quire_status st;

    while (!(st = wire_receive(w, &type, &content, err)) && type != WIRE_TURN) {
        st = each(ctx, type, content, err);
        if (st)
            break;
    }
    return st;
}

static quire_status send_bytes(struct wire *w, enum wire_type type,
                               quire_bytes bytes, size_t piece,
                               quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t at;

    for (at = 0; at < bytes.len && !st; at += piece) {
        size_t end = bytes.len - at > piece ? at + piece : bytes.len;

        st = wire_send(w, type, bytes_sub(bytes, at, end), err);
    }
    return st;
}

/* A bit for each of `n`, lowest first; all are 0. False: out of memory. */
static bool bits_init(struct buf *bits, size_t n)
{
    size_t len = (n + 7) / 8;
    char *room = buf_room(bits, len + 1);

    if (!room)
        return false;
    memset(room, 0, len);
    buf_grow(bits, len);
    return true;
}

static void bit_set(struct buf *bits, size_t at)
{
    bits->data[at / 8] = (char)(bits->data[at / 8] | 1 << at % 8);
}

/* ---- offers --------------------------------------------------------------- */

/* Blobs that the other side will refer to: those that are missing here. */
struct offer {
    struct moving *m;
    struct buf bits;
    size_t n;
};

static quire_status take_offer(struct offer *o, quire_bytes digests,
                               quire_error *err)
{
    struct blob_view v;
    quire_blob_info info;
    quire_digest d;
    size_t at;
    quire_status st = need_own_blobs(o->m->q, true, &v, err);

    if (digests.len % sizeof d)
        return bad_record("list of digests", err);
    for (at = 0; at < digests.len && !st; at += sizeof d, o->n++) {
        memcpy(&d, (const char *)digests.data + at, sizeof d);
        if (o->n % 8 == 0)
            buf_add_char(&o->bits, 0);
        st = blob_stat(v, &d, &info, err);
        if (st == QUIRE_NOT_FOUND && !o->bits.failed) {
            bit_set(&o->bits, o->n);
            st = QUIRE_OK;
        }
        if (o->bits.failed)
            st = err_memory(err);
    }
    return st;
}

static quire_status send_offer(struct moving *m, struct wire *w,
                               struct outgoing *out, quire_error *err)
{
    quire_status st = outgoing_blobs(m, out, err);

    return st ? st
              : send_bytes(w, WIRE_OFFER, buf_bytes(&out->blobs),
                           MESSAGE_BYTES / 32 * 32, err);
}

/* ---- the caller ----------------------------------------------------------- */

struct caller {
    struct moving *m;
    struct wire *w;
    struct sync_plan plan;
    uint32_t buckets;
    struct buf different, need;
    struct offer offer;
    struct compared *comparing;
};

static quire_status send_hello(struct caller *c, quire_error *err)
{
    struct buf out = BUF_INIT((size_t)1 << 20);
    struct json_writer j;
    quire_status st;

    c->buckets = inventory_buckets(c->m->inv.n);
    json_begin(&j, &out);
    json_object(&j);
    json_put_int(&j, "protocol", 1);
    json_put_str(&j, "version", QUIRE_VERSION);
    json_put_uint(&j, "buckets", c->buckets);
    json_object_end(&j);
    st = buf_status(&out, "a greeting", err);
    if (!st)
        st = wire_send(c->w, WIRE_HELLO, buf_bytes(&out), err);
    buf_clear(&out);
    inventory_sums(&c->m->inv, c->buckets, &out);
    if (!st)
        st = buf_status(&out, "an inventory", err);
    if (!st)
        st = wire_send(c->w, WIRE_BUCKETS, buf_bytes(&out), err);
    buf_release(&out);
    return st ? st : send_turn(c->w, err);
}

static quire_status take_items(void *ctx, enum wire_type type,
                               quire_bytes content, quire_error *err)
{
    struct caller *c = ctx;

    if (type == WIRE_ITEMS)
        return sync_plan_take_items(&c->plan, content, err);
    if (type != WIRE_DIFFERENT || content.len != (c->buckets + 7) / 8)
        return wire_unexpected(type, content, err);
    buf_clear(&c->different);
    buf_add(&c->different, content.data, content.len);
    return buf_status(&c->different, "an inventory", err);
}

static quire_status take_hashes(void *ctx, enum wire_type type,
                                quire_bytes content, quire_error *err)
{
    struct caller *c = ctx;
    struct compared *each;
    struct item item;
    size_t at = 0;
    char mode;

    if (type != WIRE_HASHES)
        return wire_unexpected(type, content, err);
    if (!item_read(content, &at, &item) || at == content.len)
        return bad_record("list of hashes", err);
    mode = ((const char *)content.data)[at++];
    for (each = c->plan.compared; each; each = each->next)
        if (bytes_equal(each->own->key, item.key))
            break;
    if (!each || (content.len - at) % HASH_SHORT)
        return bad_record("list of hashes", err);
    each->has_answer = true;
    each->continues = mode == 'P';
    buf_add(&each->hashes, (const char *)content.data + at, content.len - at);
    return buf_status(&each->hashes, "hashes", err);
}

static quire_status ask(struct caller *c, quire_error *err)
{
    struct buf out = BUF_INIT(WIRE_MAX);
    struct compared *each;
    quire_status st = QUIRE_OK;

    for (each = c->plan.compared; each && !st; each = each->next) {
        buf_clear(&out);
        item_add(each->own, &out);
        st = wire_send(c->w, WIRE_ASK, buf_bytes(&out), err);
    }
    buf_release(&out);
    if (!st)
        st = send_turn(c->w, err);
    c->m->result.trips++;
    return st ? st : take_turn(c->w, take_hashes, c, err);
}

static quire_status take_need(void *ctx, enum wire_type type,
                              quire_bytes content, quire_error *err)
{
    struct caller *c = ctx;

    if (type == WIRE_OFFER)
        return take_offer(&c->offer, content, err);
    if (type != WIRE_NEED)
        return wire_unexpected(type, content, err);
    buf_add(&c->need, content.data, content.len);
    return buf_status(&c->need, "a plan", err);
}

static quire_status send_wants(struct caller *c, quire_error *err)
{
    const struct buf *wants = &c->plan.wants;
    quire_status st = QUIRE_OK;
    uint32_t len;
    size_t at;

    for (at = 0; at < wants->len && !st; at += sizeof len + len) {
        memcpy(&len, wants->data + at, sizeof len);
        st = wire_send(c->w, WIRE_WANT,
                       bytes_of(wants->data + at + sizeof len, len), err);
    }
    return st;
}

/* Tell what is wanted and what is offered; then exchange records. */
static quire_status exchange(struct caller *c, quire_error *err)
{
    struct outgoing *out = &c->plan.out;
    enum wire_type type;
    quire_bytes content;
    quire_status st = send_wants(c, err);

    if (!st)
        st = send_offer(c->m, c->w, out, err);
    if (!st)
        st = send_turn(c->w, err);
    c->m->result.trips++;
    if (!st)
        st = take_turn(c->w, take_need, c, err);
    if (!st)
        st = send_bytes(c->w, WIRE_NEED, buf_bytes(&c->offer.bits),
                        MESSAGE_BYTES, err);
    if (!st)
        st = outgoing_send(c->m, c->w, out,
                           bytes_of(c->need.data ? c->need.data : "",
                                    c->need.len),
                           err);
    if (!st)
        st = send_turn(c->w, err);
    c->m->result.trips++;
    if (!st)
        st = records_apply(c->m, c->w, &type, &content, err);
    if (!st && type != WIRE_DONE)
        st = wire_unexpected(type, content, err);
    return st;
}

static bool any_bit(const struct buf *bits)
{
    size_t i;

    for (i = 0; i < bits->len; i++)
        if (bits->data[i])
            return true;
    return false;
}

/* The other side has closed the stream: why, if it said so before. */
static quire_status read_reason(struct wire *w, quire_error *err)
{
    quire_error why = {.status = QUIRE_OK};
    enum wire_type type = WIRE_TURN;
    quire_bytes content;
    quire_status st;

    do
        st = wire_receive(w, &type, &content, &why);
    while (!st && type != WIRE_FAIL && type != WIRE_END_OF_STREAM);
    if (!st && type == WIRE_FAIL)
        st = wire_unexpected(type, content, &why);
    if (!st || st == QUIRE_IO)
        return QUIRE_IO;
    *err = why;
    return st;
}

static quire_status run_caller(struct moving *m, struct wire *w,
                               quire_error *err)
{
    struct caller c = {.m = m,
                       .w = w,
                       .different = BUF_INIT(WIRE_MAX),
                       .need = BUF_INIT((size_t)1 << 28),
                       .offer = {.m = m, .bits = BUF_INIT((size_t)1 << 28)}};
    quire_status st;

    sync_plan_init(&c.plan, m);
    st = send_hello(&c, err);
    m->result.trips++;
    if (!st)
        st = take_turn(w, take_items, &c, err);
    if (!st && any_bit(&c.different)) {
        st = sync_plan_items(&c.plan, c.buckets, buf_bytes(&c.different), err);
        if (!st && c.plan.compared)
            st = ask(&c, err);
        if (!st)
            st = sync_plan_compared(&c.plan, err);
        if (!st)
            st = exchange(&c, err);
    } else if (!st) {
        st = wire_send(w, WIRE_DONE, bytes_str("{}"), err);
        if (!st)
            st = wire_flush(w, true, err);
    }
    if (st == QUIRE_IO && wire_write_failed(w))
        st = read_reason(w, err);
    sync_plan_release(&c.plan);
    buf_release(&c.different);
    buf_release(&c.need);
    buf_release(&c.offer.bits);
    return st;
}

/* ---- the server ----------------------------------------------------------- */

struct server {
    struct moving *m;
    struct wire *w;
    int64_t buckets;
    struct buf sums;  /* of the caller */
    struct buf asked; /* items, as they were sent */
    struct outgoing out;
    struct offer offer;
    bool done, asks, wants;
};

static quire_status take_greeting(void *ctx, enum wire_type type,
                                  quire_bytes content, quire_error *err)
{
    struct server *s = ctx;
    int64_t protocol = 0;

    if (type == WIRE_BUCKETS && s->buckets > 0) {
        buf_add(&s->sums, content.data, content.len);
        return buf_status(&s->sums, "an inventory", err);
    }
    if (type != WIRE_HELLO || !json_check(content, 0, NULL))
        return wire_unexpected(type, content, err);
    if (!field_number(content, "protocol", &protocol) || protocol != 1)
        return err_fail(err, QUIRE_INVALID,
                        "use the same version on both sides",
                        "the other side has another protocol");
    if (!field_number(content, "buckets", &s->buckets) || s->buckets < 16 ||
        s->buckets > BUCKETS_MAX || (s->buckets & (s->buckets - 1)))
        return bad_record("greeting", err);
    return QUIRE_OK;
}

/* The buckets that differ, and our items in them. */
static quire_status send_different(struct server *s, quire_error *err)
{
    struct buf own = BUF_INIT((size_t)1 << 20), bits = BUF_INIT(1 << 16),
               items = BUF_INIT(WIRE_MAX);
    uint32_t buckets = (uint32_t)s->buckets, i;
    size_t at;
    quire_status st = QUIRE_OK;

    inventory_sums(&s->m->inv, buckets, &own);
    if (own.failed || !bits_init(&bits, buckets))
        st = err_memory(err);
    else if (own.len != s->sums.len)
        st = bad_record("inventory", err);
    for (i = 0; i < buckets && !st; i++)
        if (memcmp(own.data + (size_t)i * 8, s->sums.data + (size_t)i * 8, 8))
            bit_set(&bits, i);
    if (!st)
        st = wire_send(s->w, WIRE_DIFFERENT, buf_bytes(&bits), err);
    for (at = 0; at < s->m->inv.n && !st; at++) {
        const struct item *item = &s->m->inv.items[at];

        if (bit_get(buf_bytes(&bits), inventory_bucket(item, buckets)))
            item_add(item, &items);
        if (items.len > MESSAGE_BYTES) {
            st = wire_send(s->w, WIRE_ITEMS, buf_bytes(&items), err);
            buf_clear(&items);
        }
    }
    if (!st && items.len)
        st = wire_send(s->w, WIRE_ITEMS, buf_bytes(&items), err);
    buf_release(&own);
    buf_release(&bits);
    buf_release(&items);
    return st ? st : send_turn(s->w, err);
}

static quire_status take_request(void *ctx, enum wire_type type,
                                 quire_bytes content, quire_error *err)
{
    struct server *s = ctx;

    switch (type) {
    case WIRE_DONE: s->done = true; return QUIRE_STOPPED;
    case WIRE_ASK:
        s->asks = true;
        buf_add(&s->asked, content.data, content.len);
        return buf_status(&s->asked, "a request", err);
    case WIRE_WANT:
        s->wants = true;
        return sync_plan_take_want(s->m, &s->out, content, err);
    case WIRE_OFFER:
        s->wants = true;
        return take_offer(&s->offer, content, err);
    default: return wire_unexpected(type, content, err);
    }
}

/* Say that a session continues the caller's, or send the hashes of its entries. */
static quire_status answer_one(struct server *s, const struct item *theirs,
                               quire_error *err)
{
    const struct item *own = inventory_find(&s->m->inv, theirs->kind,
                                            theirs->key);
    struct buf hashes = BUF_INIT((size_t)1 << 30), out = BUF_INIT(WIRE_MAX);
    bool prefix = false, first = true;
    size_t at = 0;
    quire_status st;

    if (!own || own->kind != ITEM_SESSION)
        return QUIRE_OK;
    st = sync_plan_is_prefix(s->m, own, theirs, &prefix, err);
    if (!st && !prefix)
        st = sync_plan_hashes(s->m, own, &hashes, err);
    while (!st && (first || at < hashes.len)) {
        size_t end = hashes.len - at > MESSAGE_BYTES ? at + MESSAGE_BYTES
                                                     : hashes.len;

        buf_clear(&out);
        item_add(own, &out);
        buf_add_char(&out, prefix ? 'P' : 'H');
        buf_add(&out, hashes.data + at, end - at);
        st = buf_status(&out, "hashes", err);
        if (!st)
            st = wire_send(s->w, WIRE_HASHES, buf_bytes(&out), err);
        at = end;
        first = false;
    }
    buf_release(&hashes);
    buf_release(&out);
    return st;
}

static quire_status answer_asked(struct server *s, quire_error *err)
{
    struct item item;
    size_t at = 0;
    quire_status st = QUIRE_OK;

    while (!st && at < s->asked.len)
        st = item_read(buf_bytes(&s->asked), &at, &item)
                 ? answer_one(s, &item, err)
                 : bad_record("request", err);
    s->asks = false;
    return st ? st : send_turn(s->w, err);
}

static quire_status take_needed(struct server *s, struct buf *need,
                                quire_error *err)
{
    enum wire_type type;
    quire_bytes content;
    quire_status st;

    /* Bits stand in front of the records. */
    while (!(st = records_apply(s->m, s->w, &type, &content, err)) &&
           type == WIRE_NEED) {
        buf_add(need, content.data, content.len);
        st = buf_status(need, "a plan", err);
        if (st)
            return st;
    }
    return st || type == WIRE_TURN ? st : wire_unexpected(type, content, err);
}

static quire_status serve_exchange(struct server *s, quire_error *err)
{
    struct buf need = BUF_INIT((size_t)1 << 28);
    quire_status st = send_bytes(s->w, WIRE_NEED, buf_bytes(&s->offer.bits),
                                 MESSAGE_BYTES, err);

    if (!st)
        st = send_offer(s->m, s->w, &s->out, err);
    if (!st)
        st = send_turn(s->w, err);
    if (!st)
        st = take_needed(s, &need, err);
    if (!st)
        st = outgoing_send(s->m, s->w, &s->out,
                           bytes_of(need.data ? need.data : "", need.len), err);
    if (!st)
        st = wire_send(s->w, WIRE_DONE, bytes_str("{}"), err);
    buf_release(&need);
    return st ? st : wire_flush(s->w, true, err);
}

static quire_status run_server(struct moving *m, struct wire *w,
                               quire_error *err)
{
    struct server s = {.m = m,
                       .w = w,
                       .sums = BUF_INIT(WIRE_MAX),
                       .asked = BUF_INIT((size_t)1 << 28),
                       .offer = {.m = m, .bits = BUF_INIT((size_t)1 << 28)}};
    quire_status st;

    outgoing_init(&s.out);
    st = take_turn(w, take_greeting, &s, err);
    if (!st)
        st = send_different(&s, err);
    if (!st)
        st = take_turn(w, take_request, &s, err);
    if (!st && s.asks) {
        st = answer_asked(&s, err);
        if (!st)
            st = take_turn(w, take_request, &s, err);
    }
    if (s.done)
        st = QUIRE_OK;
    else if (!st)
        st = serve_exchange(&s, err);
    outgoing_release(&s.out);
    buf_release(&s.sums);
    buf_release(&s.asked);
    buf_release(&s.offer.bits);
    return st;
}

/* ---- both ----------------------------------------------------------------- */

/* What arrived is in the audit log. */
static quire_status record_sync(struct moving *m, quire_error *err)
{
    char counts[160];
    quire_status st;

    if (!m->result.received)
        return QUIRE_OK;
    snprintf(counts, sizeof counts,
             "{\"received\":%llu,\"merged\":%llu,\"sent\":%llu}",
             (unsigned long long)m->result.received,
             (unsigned long long)m->result.merged,
             (unsigned long long)m->result.sent);
    st = db_begin(m->sql.db, DB_SOON, m->q->tenant, err);
    if (st)
        return st;
    st = audit_log_add(&m->q->catalog, "sync", m->q->tenant, "", NULL, counts,
                       err);
    return sql_end(m->sql.db, st, err);
}

static quire_status run(struct quire *q, const quire_sync_options *options,
                        quire_status (*side)(struct moving *, struct wire *,
                                             quire_error *),
                        quire_sync_result *out, quire_error *err)
{
    quire_sync_options o = QUIRE_SYNC_OPTIONS_INIT;
    quire_error why = {.status = QUIRE_OK};
    struct moving m = {.q = q};
    struct wire_config config;
    struct wire *w = NULL;
    quire_status st, noted;

    OPTIONS_READ(o, options);
    config = (struct wire_config){o.read, o.write, o.ctx, "sync"};
    st = sessions_may_write(q, &why);
    if (!st)
        st = transaction_check_none(q, "a sync", &why);
    if (!st)
        st = wire_new(&config, &w, &why);
    if (!st)
        st = hold_blobs(q, &why);
    if (!st) {
        st = moving_open(q, true, false, &m, &why);
        if (!st)
            st = side(&m, w, &why);
        noted = m.sql.db ? record_sync(&m, st ? NULL : &why) : QUIRE_OK;
        st = st ? st : noted;
        release_blobs(q);
        m.result.bytes_sent = wire_sent(w);
        m.result.bytes_received = wire_received(w);
        if (out)
            *out = m.result;
        moving_release(&m);
    }
    if (st && w)
        wire_fail(w, &why);
    wire_free(w);
    if (st && err)
        *err = why;
    return st;
}

quire_status quire_sync_home(quire *q, const quire_sync_options *options,
                             quire_sync_result *out, quire_error *err)
{
    return run(q, options, run_caller, out, err);
}

quire_status quire_sync_serve(quire *q, const quire_sync_options *options,
                              quire_sync_result *out, quire_error *err)
{
    return run(q, options, run_server, out, err);
}

/* wire.c - see wire.h */
#include "sync/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

enum { HEAD = 5, PREFACE = 13, LEVEL = 6 };

struct wire {
    struct wire_config c;
    char preface[PREFACE + 1];
    bool sent_preface, read_preface, failed;
    bool deflates, inflates; /* the streams are to be ended */
    bool in_ended;           /* the caller's function has no more */
    z_stream out, in;
    struct buf raw; /* what was received and is not inflated yet        */
    size_t raw_at;
    struct buf message; /* the message returned last                        */
    uint64_t n_sent, n_received;
    uint8_t piece[WIRE_PIECE];
};

quire_status wire_new(const struct wire_config *config, struct wire **out,
                      quire_error *err)
{
    struct wire *w = calloc(1, sizeof *w);

    *out = NULL;
    if (!w)
        return err_memory(err);
    w->c = *config;
    snprintf(w->preface, sizeof w->preface, "quire 1 %s\n", config->kind);
    w->raw = (struct buf)BUF_INIT(WIRE_PIECE);
    w->message = (struct buf)BUF_INIT(WIRE_MAX);
    w->deflates = config->write && deflateInit(&w->out, LEVEL) == Z_OK;
    w->inflates = config->read && inflateInit(&w->in) == Z_OK;
    if ((config->write && !w->deflates) || (config->read && !w->inflates)) {
        wire_free(w);
        return err_memory(err);
    }
    *out = w;
    return QUIRE_OK;
}

void wire_free(struct wire *w)
{
    if (!w)
        return;
    if (w->deflates)
        deflateEnd(&w->out);
    if (w->inflates)
        inflateEnd(&w->in);
    buf_release(&w->raw);
    buf_release(&w->message);
    free(w);
}

bool wire_write_failed(const struct wire *w)
{
    return w->failed;
}

uint64_t wire_sent(const struct wire *w)
{
    return w->n_sent;
}

uint64_t wire_received(const struct wire *w)
{
    return w->n_received;
}

/* ---- sending -------------------------------------------------------------- */

static quire_status write_out(struct wire *w, quire_bytes bytes,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (bytes.len > 0)
        st = w->c.write(w->c.ctx, bytes, err);
    w->n_sent += st ? 0 : bytes.len;
    w->failed |= st != QUIRE_OK;
    return st;
}

static quire_status push(struct wire *w, quire_bytes bytes, int flush,
                         quire_error *err)
{
    quire_status st = QUIRE_OK;
    int code;

    if (!w->sent_preface) {
        w->sent_preface = true;
        st = write_out(w, bytes_of(w->preface, PREFACE), err);
    }
    w->out.next_in = (Bytef *)(uintptr_t)bytes.data;
    w->out.avail_in = (uInt)bytes.len;
    do {
        w->out.next_out = w->piece;
        w->out.avail_out = sizeof w->piece;
        code = deflate(&w->out, flush);
        if (code == Z_STREAM_ERROR)
            return err_set(err, QUIRE_IO, "cannot compress a stream");
        if (!st)
            st = write_out(w,
                           bytes_of(w->piece,
                                    sizeof w->piece - w->out.avail_out),
                           err);
    } while (!st && w->out.avail_out == 0);
    return st;
}

quire_status wire_send(struct wire *w, enum wire_type type, quire_bytes content,
                       quire_error *err)
{
    uint8_t head[HEAD] = {(uint8_t)type};
    quire_status st;
    int i;

    if (content.len > WIRE_MAX)
        return err_set(err, QUIRE_TOO_LARGE,
                       "a message of %zu bytes is too long", content.len);
    for (i = 0; i < 4; i++)
        head[1 + i] = (uint8_t)(content.len >> 8 * i);
    st = push(w, bytes_of(head, HEAD), Z_NO_FLUSH, err);
    return st || !content.len ? st : push(w, content, Z_NO_FLUSH, err);
}

quire_status wire_flush(struct wire *w, bool last, quire_error *err)
{
    return push(w, bytes_of("", 0), last ? Z_FINISH : Z_SYNC_FLUSH, err);
}

void wire_fail(struct wire *w, const quire_error *why)
{
    struct buf out = BUF_INIT(16 << 10);
    struct json_writer j;

    if (w->failed || !w->c.write)
        return;
    json_begin(&j, &out);
    json_object(&j);
    json_put_str(&j, "error", why->what);
    json_put_str(&j, "kind", quire_status_name(why->status));
    json_put_str(&j, "hint", why->next);
    json_object_end(&j);
    if (!out.failed && !wire_send(w, WIRE_FAIL, buf_bytes(&out), NULL))
        wire_flush(w, true, NULL);
    buf_release(&out);
}

/* ---- receiving ------------------------------------------------------------ */

/* Read more of the stream. *any: there was some. */
static quire_status refill(struct wire *w, bool *any, quire_error *err)
{
    size_t n = 0;
    void *room;
    quire_status st;

    buf_clear(&w->raw);
    w->raw_at = 0;
    *any = false;
    if (w->in_ended)
        return QUIRE_OK;
    room = buf_room(&w->raw, WIRE_PIECE);
    if (!room)
        return err_memory(err);
    st = w->c.read(w->c.ctx, room, WIRE_PIECE, &n, err);
    if (st)
        return st;
    buf_grow(&w->raw, n);
    w->n_received += n;
    w->in_ended = n == 0;
    *any = n > 0;
    return QUIRE_OK;
}

static quire_status cut_off(quire_error *err)
{
    return err_fail(err, QUIRE_IO,
                    "what arrived is kept: run it again to go on",
                    "the stream ends too early");
}

static quire_status not_ours(struct wire *w, quire_error *err)
{
    return err_fail(err, QUIRE_INVALID,
                    "the other side has to run a Quire of this version",
                    "this is no stream of Quire (expected \"%.12s\")",
                    w->preface);
}

/* Read the preface; at an empty stream *any is false. */
static quire_status take_preface(struct wire *w, bool *any, quire_error *err)
{
    size_t have = 0;
    char text[PREFACE];
    quire_status st;

    *any = true;
    while (have < PREFACE) {
        if (w->raw_at == w->raw.len) {
            st = refill(w, any, err);
            if (st)
                return st;
            if (!*any)
                return have ? not_ours(w, err) : QUIRE_OK;
        }
        text[have++] = w->raw.data[w->raw_at++];
    }
    w->read_preface = true;
    return memcmp(text, w->preface, PREFACE) ? not_ours(w, err) : QUIRE_OK;
}

static quire_status damaged(quire_error *err)
{
    return err_set(err, QUIRE_DAMAGED, "the stream is damaged");
}

/* Inflate exactly `len` bytes; *got is less only at the end of the stream. */
static quire_status pull(struct wire *w, uint8_t *to, size_t len, size_t *got,
                         quire_error *err)
{
    bool any;
    int code = Z_OK;
    quire_status st = QUIRE_OK;

    *got = 0;
    w->in.next_out = to;
    w->in.avail_out = (uInt)len;
    while (!st && w->in.avail_out > 0 && code != Z_STREAM_END) {
        if (w->raw_at == w->raw.len) {
            st = refill(w, &any, err);
            if (st || !any)
                break;
        }
        w->in.next_in = (Bytef *)w->raw.data + w->raw_at;
        w->in.avail_in = (uInt)(w->raw.len - w->raw_at);
        code = inflate(&w->in, Z_SYNC_FLUSH);
        w->raw_at = w->raw.len - w->in.avail_in;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            st = damaged(err);
        if (code == Z_BUF_ERROR && w->in.avail_in > 0)
            st = damaged(err);
    }
    *got = len - w->in.avail_out;
    return st;
}

quire_status wire_receive(struct wire *w, enum wire_type *type,
                          quire_bytes *content, quire_error *err)
{
    uint8_t head[HEAD];
    size_t len, got;
    bool any = true;
    void *room;
    quire_status st = QUIRE_OK;

    *type = WIRE_END_OF_STREAM;
    *content = bytes_of("", 0);
    if (!w->read_preface)
        st = take_preface(w, &any, err);
    if (st || !any)
        return st;
    st = pull(w, head, HEAD, &got, err);
    if (st || got == 0)
        return st;
    if (got < HEAD)
        return cut_off(err);
    len = (size_t)head[1] | (size_t)head[2] << 8 | (size_t)head[3] << 16 |
          (size_t)head[4] << 24;
    if (len > WIRE_MAX)
        return damaged(err);
    buf_clear(&w->message);
    room = buf_room(&w->message, len + !len);
    if (!room)
        return err_memory(err);
    st = pull(w, room, len, &got, err);
    if (!st && got < len)
        st = cut_off(err);
    if (st)
        return st;
    buf_grow(&w->message, len);
    *type = head[0];
    *content = buf_bytes(&w->message);
    return QUIRE_OK;
}

static quire_status status_of(quire_bytes name)
{
    int i;

    for (i = QUIRE_NOT_FOUND; i <= QUIRE_QUOTA; i++)
        if (json_is(name, quire_status_name((quire_status)i)))
            return (quire_status)i;
    return QUIRE_IO;
}

quire_status wire_unexpected(enum wire_type type, quire_bytes content,
                             quire_error *err)
{
    struct json_want wants[] = {JSON_WANT("error"), JSON_WANT("kind"),
                                JSON_WANT("hint")};
    struct arena tmp = ARENA_INIT;
    quire_bytes what, hint;
    quire_status st;

    if (type == WIRE_END_OF_STREAM)
        return cut_off(err);
    if (type != WIRE_FAIL || !json_pick(content, wants, 3, NULL) ||
        json_kind(wants[0].value) != JSON_STRING ||
        json_kind(wants[1].value) != JSON_STRING ||
        json_kind(wants[2].value) != JSON_STRING)
        return err_set(err, QUIRE_INVALID,
                       "the other side sent a message out of turn");
    what = json_text(wants[0].value, &tmp);
    hint = json_text(wants[2].value, &tmp);
    st = status_of(wants[1].value);
    err_set(err, st, "the other side stopped: %.*s",
            (int)(what.len < 200 ? what.len : 200), (const char *)what.data);
    if (hint.data && hint.len)
        err_next(err, "%.*s", (int)(hint.len < 180 ? hint.len : 180),
                 (const char *)hint.data);
    arena_release(&tmp);
    return st;
}

quire_status wire_expect(struct wire *w, enum wire_type type,
                         quire_bytes *content, quire_error *err)
{
    enum wire_type got;
    quire_status st = wire_receive(w, &got, content, err);

    return st || got == type ? st : wire_unexpected(got, *content, err);
}

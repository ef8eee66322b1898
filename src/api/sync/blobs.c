/*
 * blobs.c - blobs and outputs of a sync
 *
 * Content is hashed as it arrives, and has its name only if that is its hash. Small
 * blobs are put in one transaction for many; what is above IN_MEMORY goes through a
 * temporary file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/sync/home.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "output/dir.h"

#define IN_MEMORY   ((size_t)4 << 20)
#define BATCH_BYTES ((size_t)16 << 20)
#define BATCH_BLOBS 512

/* ---- sending -------------------------------------------------------------- */

static quire_status send_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t at;

    for (at = 0; at < bytes.len && !st; at += WIRE_PIECE) {
        size_t end = at + WIRE_PIECE < bytes.len ? at + WIRE_PIECE : bytes.len;

        st = wire_send(ctx, WIRE_DATA, bytes_sub(bytes, at, end), err);
    }
    return st;
}

static quire_status send_head(struct wire *w, const char *kind,
                              const char *session, const char *name,
                              const uint8_t sha[32], uint64_t size,
                              quire_error *err)
{
    struct buf out = BUF_INIT(WIRE_MAX);
    struct json_writer j;
    quire_status st;

    json_begin(&j, &out);
    json_object(&j);
    json_put_str(&j, "kind", kind);
    if (session) {
        json_put_str(&j, "session", session);
        json_put_str(&j, "name", name);
    }
    put_hex(&j, "sha256", sha, 32);
    json_put_uint(&j, "size", size);
    json_object_end(&j);
    st = buf_status(&out, "a record", err);
    if (!st)
        st = wire_send(w, WIRE_RECORD, buf_bytes(&out), err);
    buf_release(&out);
    return st;
}

quire_status blob_send(struct moving *m, struct wire *w,
                       const quire_digest *digest, quire_error *err)
{
    struct blob_view v;
    quire_blob_info info;
    quire_status st = need_own_blobs(m->q, false, &v, err);

    if (!st)
        st = blob_stat(v, digest, &info, err);
    if (!st)
        st = send_head(w, "blob", NULL, NULL, digest->byte, info.size, err);
    if (!st)
        st = blob_read(v, digest, 0, UINT64_MAX, send_bytes, w, err);
    return st ? st : wire_send(w, WIRE_RECORD_END, bytes_of("", 0), err);
}

static quire_status send_file(struct wire *w, struct object *file,
                              quire_error *err)
{
    char piece[WIRE_PIECE];
    uint64_t at = 0;
    size_t n = 1;
    quire_status st = QUIRE_OK;

    while (!st && n > 0) {
        st = object_read(file, at, piece, sizeof piece, &n, err);
        if (!st && n > 0)
            st = wire_send(w, WIRE_DATA, bytes_of(piece, n), err);
        at += n;
    }
    return st;
}

quire_status output_send(struct moving *m, struct wire *w,
                         const struct item *item, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_bytes session, rest, name, hex;
    const char *session_text, *name_text;
    struct object_info info;
    struct object *file;
    uint8_t sha[32];
    quire_status st;

    if (!key_split(item->key, &session, &rest) ||
        !key_split(rest, &name, &hex) || hex.len != 64 ||
        !hex_decode(hex.data, sizeof sha, sha))
        return bad_record("output", err);
    session_text = arena_text(&tmp, session);
    name_text = arena_text(&tmp, name);
    st = session_text && name_text
             ? object_open(m->q->all->objects, item->name, &file, &info, err)
             : err_memory(err);
    if (!st) {
        st = send_head(w, "output", session_text, name_text, sha, info.size,
                       err);
        if (!st)
            st = send_file(w, file, err);
        if (!st)
            st = wire_send(w, WIRE_RECORD_END, bytes_of("", 0), err);
        object_close(file);
    }
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st; /* removed since */
}

/* ---- what arrives --------------------------------------------------------- */

struct bytes_in {
    struct moving *m;
    bool output, refused;
    quire_digest digest;
    uint64_t size, got;
    struct hash hash;
    struct buf small;    /* a blob up to IN_MEMORY  */
    FILE *large;         /* a blob above that       */
    struct draft *draft; /* an output            */
    char session[130], name[256];
};

void bytes_free(struct bytes_in *in)
{
    if (!in)
        return;
    if (in->large)
        fclose(in->large);
    if (in->draft)
        object_discard(in->draft);
    buf_release(&in->small);
    free(in);
}

static bool is_output_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return output_dir_is_output(name) && *name != '.' && !strchr(name, '/') &&
           dot && strlen(name) < 200 &&
           entry_id_plain(bytes_of(name, (size_t)(dot - name))).len ==
               (size_t)(dot - name);
}

static quire_status begin_output(struct bytes_in *in, quire_bytes record,
                                 quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *session, *name;
    quire_status st = QUIRE_OK;

    if (!field_string(record, "session", &tmp, &session) ||
        !moving_is_id(bytes_str(session)) ||
        !field_string(record, "name", &tmp, &name) || !is_output_name(name)) {
        st = bad_record("output", err);
    } else {
        snprintf(in->session, sizeof in->session, "%s", session);
        snprintf(in->name, sizeof in->name, "%s", name);
        in->refused = !moving_takes(in->m, bytes_str(session)) ||
                      !moving_session(in->m, session);
        if (!in->refused)
            st = object_create(in->m->q->all->objects, &in->draft, err);
    }
    arena_release(&tmp);
    return st;
}

quire_status bytes_begin(struct moving *m, bool output, quire_bytes record,
                         struct bytes_in **out, quire_error *err)
{
    struct bytes_in *in = calloc(1, sizeof *in);
    int64_t size;

    *out = in;
    if (!in)
        return err_memory(err);
    in->m = m;
    in->output = output;
    in->small = (struct buf)BUF_INIT(IN_MEMORY);
    hash_init(&in->hash);
    if (!field_hex(record, "sha256", in->digest.byte, 32) ||
        !field_number(record, "size", &size) || size < 0)
        return bad_record(output ? "output" : "blob", err);
    in->size = (uint64_t)size;
    if (output)
        return begin_output(in, record, err);
    if (in->size > IN_MEMORY && !(in->large = tmpfile()))
        return err_set(err, QUIRE_IO, "cannot create a temporary file");
    return QUIRE_OK;
}

quire_status bytes_data(struct bytes_in *in, quire_bytes piece,
                        quire_error *err)
{
    if (in->refused)
        return QUIRE_OK;
    if (piece.len > in->size - in->got)
        return bad_record("content of the size that it names", err);
    in->got += piece.len;
    hash_add(&in->hash, piece);
    if (in->draft)
        return object_write(in->draft, piece, err);
    if (in->large)
        return fwrite(piece.data, 1, piece.len, in->large) == piece.len
                   ? QUIRE_OK
                   : err_set(err, QUIRE_IO, "cannot write a temporary file");
    buf_add(&in->small, piece.data, piece.len);
    return buf_status(&in->small, "a blob", err);
}

/* Publish it under its name, or, if another output has that, under one with a
 * suffix. */
static quire_status publish_output(struct bytes_in *in, quire_error *err)
{
    struct moving *m = in->m;
    struct arena tmp = ARENA_INIT;
    const struct known_session *k = moving_session(m, in->session);
    const char *dir = session_outputs_dir(k->name, &tmp), *name, *dot;
    char suffix[ENTRY_VARIANT_SIZE];
    struct draft *d = in->draft;
    quire_digest there = {{0}};
    quire_status st;

    name = dir ? arena_printf(&tmp, "%s/%s", dir, in->name) : NULL;
    st = name ? object_publish(d, name, false, err) : err_memory(err);
    if (st == QUIRE_EXISTS)
        st = moving_hash_file(m, name, &there, err);
    else
        in->draft = NULL;
    if (!st && in->draft && !digest_equal(&there, &in->digest)) {
        entry_variant_suffix(&in->digest, suffix);
        dot = strrchr(in->name, '.');
        name = arena_printf(&tmp, "%s/%.*s%s%s", dir, (int)(dot - in->name),
                            in->name, suffix, dot);
        st = name ? object_publish(d, name, false, err) : err_memory(err);
        if (st != QUIRE_EXISTS)
            in->draft = NULL;
        else
            st = QUIRE_OK;
    }
    if (!st && !in->draft)
        m->result.received++;
    arena_release(&tmp);
    return st;
}

/* Keep a small blob until there are enough for one transaction. */
static quire_status keep_blob(struct bytes_in *in, quire_error *err)
{
    struct moving *m = in->m;
    struct pending_blob *b = malloc(sizeof *b);

    if (!b)
        return err_memory(err);
    b->content = in->small;
    b->next = m->blobs;
    in->small = (struct buf)BUF_INIT(1);
    m->blobs = b;
    m->n_blobs++;
    m->blob_bytes += b->content.len;
    return m->n_blobs >= BATCH_BLOBS || m->blob_bytes >= BATCH_BYTES
               ? blobs_flush(m, err)
               : QUIRE_OK;
}

void blobs_drop(struct moving *m)
{
    struct pending_blob *b;

    while ((b = m->blobs) != NULL) {
        m->blobs = b->next;
        buf_release(&b->content);
        free(b);
    }
    m->n_blobs = 0;
    m->blob_bytes = 0;
}

quire_status blobs_flush(struct moving *m, quire_error *err)
{
    struct pending_blob *b;
    struct blob_view v;
    quire_status st;

    if (!m->blobs)
        return QUIRE_OK;
    st = need_own_blobs(m->q, true, &v, err);
    if (!st)
        st = blobs_begin(v.store, m->q->tenant, err);
    if (!st) {
        for (b = m->blobs; b && !st; b = b->next)
            st = blob_put(v, buf_bytes(&b->content), 0, NULL, err);
        if (st)
            blobs_rollback(v.store);
        else
            st = blobs_commit(v.store, err);
    }
    blobs_drop(m);
    return st;
}

quire_status bytes_end(struct bytes_in *in, quire_error *err)
{
    struct blob_view v;
    quire_digest d;
    quire_status st;

    if (in->refused) {
        in->m->result.skipped++;
        return QUIRE_OK;
    }
    hash_end(&in->hash, &d);
    if (in->got != in->size || !digest_equal(&d, &in->digest))
        return err_set(err, QUIRE_DAMAGED,
                       "content of %s does not have its SHA-256",
                       in->output ? in->name : "a blob");
    if (in->output)
        return publish_output(in, err);
    if (!in->large)
        return keep_blob(in, err);
    st = need_own_blobs(in->m->q, true, &v, err);
    if (!st && (fflush(in->large) || fseek(in->large, 0, SEEK_SET)))
        st = err_set(err, QUIRE_IO, "cannot write a temporary file");
    return st ? st : blob_put_fd(v, fileno(in->large), 0, NULL, err);
}

/*
 * lines.c - entries of a session that are sent, and that arrive
 *
 * Content of a session's record is a sequence of
 *
 *     'L' length line              an entry, as the sender stores it
 *     'P' length id, 16 bytes      which entry the sender means by an id that the
 *                                  next line has as its parent and the record has
 *                                  not: the first 16 bytes of its hash
 *
 * with lengths as in sync/inventory.h. What arrives for a session that is here is
 * appended: entries are a set under one tree, so their order does not matter, and what
 * was read or proved of the file before stays true.
 *
 *   - An entry that is here by its hash is skipped.
 *   - One whose id another entry has gets a suffix (session/entry_lines.h), and its
 *     children with it.
 *   - The leaf moves only if the sender's leaf continues it. Else a marker at the end
 *     keeps it.
 */
#include <stdlib.h>
#include <string.h>

#include "api/sync/home.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "catalog/import_ledger.h"

enum { HASH_BYTES = 16 };

/* What arrives of one session that is here already is merged in memory. */
#define MERGE_MAX ((size_t)4 << 30)

/* ---- sending -------------------------------------------------------------- */

struct sending {
    struct wire *w;
    const struct lines_wanted *wanted;
    struct buf out;    /* elements that are not sent yet                  */
    struct map hashes; /* id -> hash, of the entries before; partial only */
    struct map sent;   /* ids that the record has                         */
    struct arena keep;
    size_t next; /* in wanted->only */
};

static bool is_wanted(struct sending *s, uint64_t at)
{
    const struct lines_wanted *w = s->wanted;

    if (!w->some)
        return at >= w->from;
    while (s->next < w->n_only && w->only[s->next] < at)
        s->next++;
    return s->next < w->n_only && w->only[s->next] == at;
}

static quire_status send_pieces(struct sending *s, bool all, quire_error *err)
{
    size_t at = 0;
    quire_status st = QUIRE_OK;

    if (buf_status(&s->out, "entries", err))
        return QUIRE_NO_MEMORY;
    while (!st && s->out.len - at > 0 &&
           (all || s->out.len - at >= WIRE_PIECE)) {
        size_t n = s->out.len - at < WIRE_PIECE ? s->out.len - at : WIRE_PIECE;

        st = wire_send(s->w, WIRE_DATA, bytes_of(s->out.data + at, n), err);
        at += n;
    }
    memmove(s->out.data, s->out.data + at, s->out.len - at);
    s->out.len -= at;
    return st;
}

static void add_element(struct buf *out, char kind, quire_bytes content)
{
    buf_add_char(out, kind);
    number_add(content.len, out);
    buf_add(out, content.data, content.len);
}

/* Say which entry is meant by a parent that the receiver may have under another id. */
static void add_anchor(struct sending *s, quire_bytes parent)
{
    uint64_t *hash = map_get(&s->hashes, parent);

    if (!parent.data || map_get(&s->sent, parent) || !hash)
        return;
    add_element(&s->out, 'P', parent);
    buf_add(&s->out, (const void *)(uintptr_t)*hash, HASH_BYTES);
}

/* Remember an entry for the anchors of later ones. */
static bool remember(struct sending *s, const struct entry_line *line,
                     bool sent)
{
    quire_bytes id, hash;

    if (!line->id.data || (!s->wanted->some && !s->wanted->from))
        return true;
    id = arena_dup(&s->keep, line->id);
    hash = arena_dup(&s->keep, bytes_of(line->hash.byte, HASH_BYTES));
    return id.data && hash.data &&
           map_put(&s->hashes, id, (uint64_t)(uintptr_t)hash.data, NULL) &&
           (!sent || map_put(&s->sent, id, 1, NULL));
}

static quire_status send_line(void *ctx, const struct entry_line *line,
                              uint64_t at, quire_error *err)
{
    struct sending *s = ctx;
    bool wanted = is_wanted(s, at);
    struct arena tmp = ARENA_INIT;
    struct buf renamed = BUF_INIT(JSONL_MAX_LINE);
    quire_bytes parent = line->parent, raw = line->raw;
    quire_status st = QUIRE_OK;

    if (wanted) {
        if (parent.data && entry_id_is_marker(parent, &parent)) {
            entry_line_rename(line, bytes_of(NULL, 0), parent, &tmp, &renamed);
            raw = buf_bytes(&renamed);
        }
        add_anchor(s, parent);
        add_element(&s->out, 'L', raw);
        if (renamed.failed)
            st = err_memory(err);
    }
    if (!st && !remember(s, line, wanted))
        st = err_memory(err);
    buf_release(&renamed);
    arena_release(&tmp);
    return st ? st : send_pieces(s, false, err);
}

/* Leaf and header stand in front of the lines: find them first. */
static quire_status no_line(void *ctx, const struct entry_line *line,
                            uint64_t at, quire_error *err)
{
    (void)ctx, (void)line, (void)at, (void)err;
    return QUIRE_OK;
}

static quire_status send_head(struct moving *m, struct wire *w,
                              const struct known_session *k,
                              const struct lines_wanted *wanted,
                              quire_error *err)
{
    struct buf out = BUF_INIT(WIRE_MAX);
    struct json_writer j;
    const char *leaf = NULL;
    quire_bytes header;
    size_t len = strlen(k->name);
    quire_status st = lines_each(m, k->name, no_line, NULL, &leaf, &header,
                                 err);

    if (st)
        return st;
    json_begin(&j, &out);
    json_object(&j);
    json_put_str(&j, "kind", "session");
    json_put_str(&j, "id", k->id);
    json_put_bool(&j, "archived", !strncmp(k->name, "archive/", 8));
    json_put_bool(&j, "compressed",
                  len > 3 && !strcmp(k->name + len - 3, ".gz"));
    json_put_bool(&j, "whole", !wanted->some && !wanted->from);
    if (leaf)
        json_put_str(&j, "leaf", leaf);
    if (header.data) {
        json_key(&j, "header");
        json_raw(&j, header);
    }
    json_object_end(&j);
    st = buf_status(&out, "a header", err);
    if (!st)
        st = wire_send(w, WIRE_RECORD, buf_bytes(&out), err);
    buf_release(&out);
    return st;
}

quire_status lines_send(struct moving *m, struct wire *w,
                        const struct known_session *k,
                        const struct lines_wanted *wanted, quire_error *err)
{
    struct sending s = {.w = w,
                        .wanted = wanted,
                        .keep = ARENA_INIT,
                        .out = BUF_INIT(JSONL_MAX_LINE + WIRE_MAX)};
    quire_bytes header;
    quire_status st = send_head(m, w, k, wanted, err);

    if (st)
        return st;
    map_init(&s.hashes, (uintptr_t)m, 1);
    map_init(&s.sent, (uintptr_t)m, 2);
    st = lines_each(m, k->name, send_line, &s, NULL, &header, err);
    if (!st)
        st = send_pieces(&s, true, err);
    if (!st)
        st = wire_send(w, WIRE_RECORD_END, bytes_of("", 0), err);
    map_release(&s.hashes);
    map_release(&s.sent);
    arena_release(&s.keep);
    buf_release(&s.out);
    return st;
}

/* ---- what arrives --------------------------------------------------------- */

struct lines_in {
    struct moving *m;
    struct arena keep;
    const char *id, *leaf; /* leaf NULL: none                              */
    struct known_session *known; /* NULL: it is not here                   */
    bool refused;

    struct log_draft *draft; /* of a new one */
    const char *name;
    bool has_leaf;   /* an entry with its id has arrived */
    struct buf last; /* the id of the last one           */

    struct buf in;      /* elements; of a new one, the beginning of the next */
    struct buf out;     /* lines to be appended */
    struct map ids;     /* id -> its struct node                           */
    struct map hashes;  /* first 16 bytes of a hash -> its struct node      */
    struct map aliases; /* the sender's id -> the struct node that it means */
    struct node *leaf_node; /* of this home */
    uint64_t n_new;
};

/* An entry of the tree here. */
struct node {
    quire_bytes id, parent; /* .data NULL: none */
    uint8_t hash[HASH_BYTES];
};

void lines_free(struct lines_in *in)
{
    if (!in)
        return;
    if (in->draft)
        log_discard(in->draft);
    buf_release(&in->last);
    buf_release(&in->in);
    buf_release(&in->out);
    map_release(&in->ids);
    map_release(&in->hashes);
    map_release(&in->aliases);
    arena_release(&in->keep);
    free(in);
}

/* Where a new session goes: by its own header. */
static quire_status choose_name(struct lines_in *in, quire_bytes record,
                                quire_bytes header, quire_error *err)
{
    struct quire *q = in->m->q;
    struct buf file = BUF_INIT(512);
    bool archived = false, compressed = false;
    const char *cwd, *dir, *base;
    quire_bytes when;
    int64_t ms = 0;

    json_read_bool(json_get(record, "archived"), &archived);
    json_read_bool(json_get(record, "compressed"), &compressed);
    if (!field_string(header, "cwd", &in->keep, &cwd) || *cwd != '/')
        cwd = "/";
    if (!field_text(header, "timestamp", &in->keep, &when) ||
        !timestamp_parse(when, &ms) || ms < 0 || ms > INT64_C(253402300799999))
        ms = 0;
    names_file(ms * 1000, in->id, compressed, &file);
    base = buf_text(&file);
    dir = session_dir_of_cwd(q, cwd, &in->keep);
    in->name = dir && base ? arena_printf(&in->keep, "%s%s/%s",
                                          archived ? "archive/" : "", dir, base)
                           : NULL;
    buf_release(&file);
    return in->name ? QUIRE_OK : err_memory(err);
}

static quire_status begin_new(struct lines_in *in, quire_bytes record,
                              quire_error *err)
{
    struct quire *q = in->m->q;
    quire_bytes header = json_get(record, "header"), id;
    bool whole = false;
    quire_status st;

    json_read_bool(json_get(record, "whole"), &whole);
    if (!whole)
        return err_fail(err, QUIRE_NOT_FOUND, "apply what it is based on first",
                        "session %.60s is not here, and only its new entries "
                        "arrive",
                        in->id);
    if (json_kind(header) != JSON_OBJECT ||
        !json_is(json_get(header, "type"), "session") ||
        !field_text(header, "id", &in->keep, &id) || !bytes_is(id, in->id))
        return bad_record("session", err);
    st = sessions_mark_home(q, err);
    if (!st)
        st = choose_name(in, record, header, err);
    if (!st)
        st = log_create(q->all->logs, in->name, &in->draft, err);
    if (!st)
        st = log_write(in->draft, header, err);
    return st ? st : log_write(in->draft, bytes_str("\n"), err);
}

static quire_status see_import(void *ctx, const quire_import_file *f,
                               quire_error *err)
{
    (void)err;
    if (f->is_main)
        *(bool *)ctx = true;
    return QUIRE_OK;
}

quire_status lines_begin(struct moving *m, quire_bytes record,
                         struct lines_in **out, quire_error *err)
{
    struct lines_in *in = calloc(1, sizeof *in);
    bool imported = false;
    quire_status st = QUIRE_OK;

    *out = in;
    if (!in)
        return err_memory(err);
    in->m = m;
    in->last = (struct buf)BUF_INIT(1 << 20);
    in->in = (struct buf)BUF_INIT(MERGE_MAX);
    in->out = (struct buf)BUF_INIT(MERGE_MAX);
    map_init(&in->ids, (uintptr_t)in, 1);
    map_init(&in->hashes, (uintptr_t)in, 2);
    map_init(&in->aliases, (uintptr_t)in, 3);
    if (!field_string(record, "id", &in->keep, &in->id) ||
        !moving_is_id(bytes_str(in->id)) || session_key_is_reserved(in->id))
        return bad_record("session", err);
    field_string(record, "leaf", &in->keep, &in->leaf);
    in->known = moving_session(m, in->id);
    in->refused = !moving_takes(m, bytes_str(in->id));
    /* The file of an import is what its original says. */
    if (in->known && !in->refused)
        st = import_list(&m->q->catalog, m->q->tenant, in->id, see_import,
                         &imported, err);
    in->refused |= imported;
    return st || in->refused || in->known ? st : begin_new(in, record, err);
}

/* ---- a new session -------------------------------------------------------- */

static quire_status bad_entry(struct lines_in *in, quire_error *err)
{
    return err_set(err, QUIRE_INVALID,
                   "the other side sent an entry of session %.60s that is none",
                   in->id);
}

static quire_status write_line(struct lines_in *in, quire_bytes text,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct entry_line line;
    quire_status st;

    if (!entry_line_read(text, &tmp, &line) || line.marker) {
        arena_release(&tmp);
        return bad_entry(in, err);
    }
    if (line.id.data) {
        in->has_leaf |= in->leaf && bytes_is(line.id, in->leaf);
        buf_clear(&in->last);
        buf_add(&in->last, line.id.data, line.id.len);
    }
    st = log_write(in->draft, line.raw, err);
    arena_release(&tmp);
    return st ? st : log_write(in->draft, bytes_str("\n"), err);
}

/* ---- elements ------------------------------------------------------------- */

struct element {
    char kind;
    quire_bytes content;
    const uint8_t *hash; /* of 'P' */
};

/* The element at *at, which is moved behind it. *whole false: more of it has to
 * arrive. False: it is none. */
static bool take_element(quire_bytes from, size_t *at, struct element *e,
                         bool *whole)
{
    const char *bytes = from.data;
    size_t to = *at + 1;
    uint64_t len;

    *whole = false;
    e->kind = bytes[*at];
    if (e->kind != 'L' && e->kind != 'P')
        return false;
    if (!number_read(from, &to, &len))
        return from.len - *at < 11;
    if (len > JSONL_MAX_LINE)
        return false;
    if (from.len - to < len + (e->kind == 'P' ? HASH_BYTES : 0))
        return true;
    e->content = bytes_sub(from, to, to + len);
    e->hash = (const uint8_t *)bytes + to + len;
    *at = to + len + (e->kind == 'P' ? HASH_BYTES : 0);
    *whole = true;
    return true;
}

quire_status lines_data(struct lines_in *in, quire_bytes piece,
                        quire_error *err)
{
    struct element e;
    size_t at = 0;
    bool whole = true;
    quire_status st = QUIRE_OK;

    if (in->refused)
        return QUIRE_OK;
    buf_add(&in->in, piece.data, piece.len);
    if (buf_status(&in->in, "a session", err))
        return QUIRE_NO_MEMORY;
    if (!in->draft)
        return QUIRE_OK;
    while (!st && whole && at < in->in.len) {
        if (!take_element(buf_bytes(&in->in), &at, &e, &whole))
            return bad_entry(in, err);
        if (whole && e.kind == 'L')
            st = write_line(in, e.content, err);
    }
    memmove(in->in.data, in->in.data + at, in->in.len - at);
    in->in.len -= at;
    return st;
}

/* ---- merging -------------------------------------------------------------- */

/* Add an entry to the tree here. */
static struct node *add_node(struct lines_in *in, quire_bytes id,
                             quire_bytes parent, const quire_digest *hash)
{
    struct node *n = arena_alloc(&in->keep, sizeof *n);

    if (!n)
        return NULL;
    n->id = id.data ? arena_dup(&in->keep, id) : id;
    n->parent = parent.data ? arena_dup(&in->keep, parent) : parent;
    memcpy(n->hash, hash->byte, HASH_BYTES);
    if ((id.data && !n->id.data) || (parent.data && !n->parent.data) ||
        !map_put(&in->hashes, bytes_of(n->hash, HASH_BYTES),
                 (uint64_t)(uintptr_t)n, NULL) ||
        (id.data && !map_put(&in->ids, n->id, (uint64_t)(uintptr_t)n, NULL)))
        return NULL;
    return n;
}

static struct node *find_node(const struct map *by, quire_bytes key)
{
    uint64_t *at = key.data ? map_get(by, key) : NULL;

    return at ? (void *)(uintptr_t)*at : NULL;
}

static quire_status take_own(void *ctx, const struct entry_line *line,
                             uint64_t at, quire_error *err)
{
    struct lines_in *in = ctx;
    quire_bytes parent = line->parent;

    (void)at;
    if (parent.data)
        entry_id_is_marker(parent, &parent);
    return add_node(in, line->id, parent, &line->hash) ? QUIRE_OK
                                                       : err_memory(err);
}

static bool set_alias(struct lines_in *in, quire_bytes id, struct node *n)
{
    quire_bytes key = id.data ? arena_dup(&in->keep, id) : id;

    return !id.data || (key.data && map_put(&in->aliases, key,
                                            (uint64_t)(uintptr_t)n, NULL));
}

/* The id here of a new entry: its own, or with a suffix. */
static quire_bytes own_id(struct lines_in *in, const struct entry_line *line)
{
    char suffix[ENTRY_VARIANT_SIZE];
    quire_bytes plain;
    const char *text;

    if (!line->id.data || !find_node(&in->ids, line->id))
        return line->id;
    plain = entry_id_plain(line->id);
    entry_variant_suffix(&line->hash, suffix);
    text = arena_printf(&in->keep, "%.*s%s", (int)plain.len,
                        (const char *)plain.data, suffix);
    return text ? bytes_str(text) : bytes_of(NULL, 0);
}

/* Add a new entry to the lines to be appended. */
static quire_status add_new(struct lines_in *in, const struct entry_line *line,
                            quire_error *err)
{
    struct node *above = find_node(&in->aliases, line->parent), *n;
    quire_bytes id = own_id(in, line);
    quire_bytes parent = above ? above->id : line->parent, none = {NULL, 0};
    bool same_id = bytes_equal(id, line->id),
         same_parent = bytes_equal(parent, line->parent);

    if (line->id.data && !id.data)
        return err_memory(err);
    if (same_id && same_parent)
        buf_add(&in->out, line->raw.data, line->raw.len);
    else
        entry_line_rename(line, same_id ? none : id,
                          same_parent ? none : parent, &in->keep, &in->out);
    buf_add_char(&in->out, '\n');
    n = add_node(in, id, parent, &line->hash);
    if (!n || !set_alias(in, line->id, n))
        return err_memory(err);
    in->n_new++;
    if (id.data) {
        buf_clear(&in->last);
        buf_add(&in->last, id.data, id.len);
    }
    return buf_status(&in->out, "a session", err);
}

static quire_status merge_line(struct lines_in *in, quire_bytes text,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct entry_line line;
    struct node *here;
    quire_status st = QUIRE_OK;

    if (!entry_line_read(text, &tmp, &line) || line.marker)
        st = bad_entry(in, err);
    if (!st) {
        here = find_node(&in->hashes, bytes_of(line.hash.byte, HASH_BYTES));
        if (!here)
            st = add_new(in, &line, err);
        else if (!set_alias(in, line.id, here))
            st = err_memory(err);
    }
    arena_release(&tmp);
    return st;
}

static quire_status merge_elements(struct lines_in *in, quire_error *err)
{
    struct element e;
    struct node *n;
    size_t at = 0;
    bool whole;
    quire_status st = QUIRE_OK;

    while (!st && at < in->in.len) {
        if (!take_element(buf_bytes(&in->in), &at, &e, &whole) || !whole)
            return bad_entry(in, err);
        if (e.kind == 'L') {
            st = merge_line(in, e.content, err);
        } else {
            n = find_node(&in->hashes, bytes_of(e.hash, HASH_BYTES));
            if (n && !set_alias(in, e.content, n))
                st = err_memory(err);
        }
    }
    return st;
}

/* Whether `below` is a descendant of `above`, or the same. */
static bool continues(struct lines_in *in, struct node *below,
                      const struct node *above)
{
    size_t steps = in->ids.n + 1;

    for (; below && steps > 0; steps--) {
        if (below == above)
            return true;
        below = find_node(&in->ids, below->parent);
    }
    return false;
}

/* A marker at the end, unless the leaf is the last entry. */
static quire_status keep_leaf(struct lines_in *in, quire_bytes leaf,
                              quire_error *err)
{
    struct quire *q = in->m->q;
    char when[TIMESTAMP_SIZE], digits[9];
    uint8_t noise[4];
    quire_status st;

    if (!leaf.data || bytes_equal(leaf, buf_bytes(&in->last)))
        return QUIRE_OK;
    st = rand_bytes(&rand_system, noise, sizeof noise, err);
    if (st)
        return st;
    hex_encode(noise, sizeof noise, digits);
    timestamp_format(clock_us(&q->clock), when);
    entry_marker_add(leaf, digits, when, &in->out);
    buf_add_char(&in->out, '\n');
    return buf_status(&in->out, "a marker", err);
}

/* Append what is new to the log, which is held. */
static quire_status append_new(struct lines_in *in, struct log *log,
                               quire_error *err)
{
    uint64_t size;
    bool named;
    size_t n;
    char end = '\n';
    quire_status st = log_status(log, &size, &named, err);

    if (!st && size > 0)
        st = log_read(log, size - 1, &end, 1, &n, err);
    if (!st && end != '\n') {
        st = log_append(log, LOG_NO_EPOCH, size, bytes_str("\n"), err);
        size++;
    }
    if (!st)
        st = log_append(log, LOG_NO_EPOCH, size, buf_bytes(&in->out), err);
    return st ? st : log_sync(log, err);
}

static quire_status merge_held(struct lines_in *in, struct log *log,
                               quire_error *err)
{
    struct buf leaf = BUF_INIT(1 << 20);
    struct node *own, *theirs;
    quire_bytes header;
    quire_status st = lines_walk(log, take_own, in, &leaf, &in->keep, &header,
                                 err);

    own = find_node(&in->ids, buf_bytes(&leaf));
    if (!st)
        st = merge_elements(in, err);
    if (!st && in->n_new > 0) {
        theirs = in->leaf ? find_node(&in->aliases, bytes_str(in->leaf)) : NULL;
        if (in->leaf && !theirs)
            theirs = find_node(&in->ids, bytes_str(in->leaf));
        if (own && !continues(in, theirs, own)) {
            in->m->result.merged++;
            theirs = own;
        }
        st = theirs ? keep_leaf(in, theirs->id, err) : QUIRE_OK;
        if (!st)
            st = append_new(in, log, err);
    }
    buf_release(&leaf);
    return st;
}

/* A session that another process writes to is left for the next run. */
static quire_status merge(struct lines_in *in, quire_error *err)
{
    struct quire *q = in->m->q;
    struct log *log;
    quire_status st = session_hold(q->all->logs, in->known->name, q->busy_ms,
                                   &log, err);

    if (st == QUIRE_BUSY || st == QUIRE_NOT_FOUND) {
        in->m->result.skipped++;
        return QUIRE_OK;
    }
    if (st)
        return st;
    st = merge_held(in, log, err);
    log_close(log);
    if (!st && in->n_new > 0)
        in->m->result.received++;
    return st;
}

/* A new file with its leaf last. */
static quire_status publish(struct lines_in *in, quire_error *err)
{
    struct known_session now = {.cwd = ""};
    struct log_draft *d = in->draft;
    quire_status st = QUIRE_OK;

    if (in->in.len > 0)
        return bad_entry(in, err);
    if (in->has_leaf)
        st = keep_leaf(in, bytes_str(in->leaf), err);
    if (!st && in->out.len > 0)
        st = log_write(d, buf_bytes(&in->out), err);
    if (st)
        return st;
    st = log_publish(d, in->name, false, NULL, err);
    if (st == QUIRE_EXISTS) { /* it was created since: the next run merges it */
        in->m->result.skipped++;
        return QUIRE_OK;
    }
    in->draft = NULL;
    if (st)
        return st;
    in->m->result.received++;
    now.id = arena_text(&in->m->keep, bytes_str(in->id));
    now.name = arena_text(&in->m->keep, bytes_str(in->name));
    return now.id && now.name ? moving_add_session(in->m, &now, err)
                              : err_memory(err);
}

quire_status lines_end(struct lines_in *in, quire_error *err)
{
    if (in->refused) {
        in->m->result.skipped++;
        return QUIRE_OK;
    }
    return in->draft ? publish(in, err) : merge(in, err);
}

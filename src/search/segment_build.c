/*
 * segment_build.c - invert texts in memory
 *
 * A hash table has an entry for each term. Its postings grow in two streams,
 * documents and positions. A stream is a chain of slices in chunks of memory, each
 * twice as long as the one before: most terms occur once or twice, a few very
 * often, and neither is copied while it grows.
 *
 *     slice    [ data ............ | u32 next ]
 *
 * Terms come from untrusted texts, so the hash has a random key: no text can turn
 * look-ups into a linear walk.
 *
 * The document of an entry is written to its stream when the next document has the
 * term: only then is the number of its occurrences known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <nettle/sha2.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/segment_priv.h"
#include "search/tokenizer.h"
#include "search/varint.h"

enum {
    CHUNK_BITS = 20, /* bytes of a chunk: 1 MiB */
    CHUNK_BYTES = 1 << CHUNK_BITS,
    CHUNKS_MAX = 1 << (32 - CHUNK_BITS),
    SLICE_FIRST = 16,
    SLICE_MAX = 4096,
    NEXT_BYTES = 4,
    TABLE_FIRST = 1 << 14,
};

/* Where a stream is written: offsets of chunk and byte. */
struct stream {
    uint32_t first; /* 0: nothing was written */
    uint32_t at, end;
    uint32_t slice; /* size of the current slice */
    uint32_t len;   /* bytes written in all      */
};

struct entry {
    uint32_t hash;
    uint32_t name; /* offset in the chunks */
    uint32_t last_doc, tf, last_position;
    uint32_t written_doc; /* in the stream so far */
    uint32_t n_docs;      /* the current one included; 0: free */
    uint16_t name_len;
    struct stream docs, positions;
};

/* A text, its place and its digest. */
struct built_text {
    uint8_t digest[DIGEST_BYTES];
    struct place place;
    uint64_t names; /* where those of its tool and model are */
    uint32_t n_words;
};

/* A further place. */
struct built_extra {
    struct place place;
    uint64_t names;
};

struct segment_builder {
    uint8_t **chunks; /* owned, each too */
    uint32_t n_chunks;
    uint32_t used; /* of the last chunk */

    uint32_t *table; /* number of the entry + 1; 0: free; owned */
    uint32_t table_size;
    struct entry *entries; /* owned */
    uint32_t n_entries, cap_entries;
    uint64_t seed[2];

    struct buf texts;  /* struct built_text */
    struct buf extra;  /* struct built_extra; OWN_TEXT: of this builder */
    struct buf names;  /* of tools and models: u16 length and bytes each */
    uint32_t *digests; /* hash table: number of the text + 1; owned */
    uint32_t digests_size;

    /* While a text is added. */
    uint32_t doc, base, n_places;
    uint8_t field;
    bool failed;
};

#define OWN_TEXT ((uint64_t)1 << 63)

/* ---- memory --------------------------------------------------------------- */

/* `len` bytes of a chunk; 0: out of memory. Offset 0 is never returned. */
static uint32_t chunk_alloc(struct segment_builder *b, uint32_t len)
{
    uint8_t **more;
    uint32_t at;

    if (b->n_chunks == 0 || b->used + len > CHUNK_BYTES) {
        if (b->n_chunks == CHUNKS_MAX)
            return 0;
        more = realloc(b->chunks, (b->n_chunks + 1) * sizeof *more);
        if (!more)
            return 0;
        b->chunks = more;
        b->chunks[b->n_chunks] = malloc(CHUNK_BYTES);
        if (!b->chunks[b->n_chunks])
            return 0;
        b->used = b->n_chunks == 0 ? 8 : 0;
        b->n_chunks++;
    }
    at = (b->n_chunks - 1) << CHUNK_BITS | b->used;
    b->used += len;
    return at;
}

static uint8_t *chunk_at(const struct segment_builder *b, uint32_t at)
{
    return b->chunks[at >> CHUNK_BITS] + (at & (CHUNK_BYTES - 1));
}

/* Begin the next slice of a stream. */
static bool stream_grow(struct segment_builder *b, struct stream *s)
{
    uint32_t size = s->first == 0          ? SLICE_FIRST
                    : s->slice < SLICE_MAX ? 2 * s->slice
                                           : SLICE_MAX;
    uint32_t at = chunk_alloc(b, size);

    if (at == 0)
        return false;
    if (s->first == 0)
        s->first = at;
    else
        memcpy(chunk_at(b, s->end), &at, NEXT_BYTES);
    s->slice = size;
    s->at = at;
    s->end = at + size - NEXT_BYTES;
    return true;
}

static void stream_put(struct segment_builder *b, struct stream *s,
                       uint64_t value)
{
    uint8_t bytes[VARINT_MAX];
    size_t n = varint_put(bytes, value), i;

    if (s->first && s->end - s->at >= n) {
        uint8_t *to = chunk_at(b, s->at);

        for (i = 0; i < n; i++)
            to[i] = bytes[i];
        s->at += (uint32_t)n;
    } else {
        for (i = 0; i < n; i++) {
            if ((s->first == 0 || s->at == s->end) && !stream_grow(b, s)) {
                b->failed = true;
                return;
            }
            *chunk_at(b, s->at++) = bytes[i];
        }
    }
    s->len += (uint32_t)n;
}

/* Copy a stream to `out`, which has room for it. */
static void stream_copy(const struct segment_builder *b, const struct stream *s,
                        uint8_t *out)
{
    uint32_t at = s->first, slice = SLICE_FIRST, left = s->len;

    while (left > 0) {
        uint32_t n = slice - NEXT_BYTES < left ? slice - NEXT_BYTES : left;

        memcpy(out, chunk_at(b, at), n);
        out += n;
        left -= n;
        if (left > 0)
            memcpy(&at, chunk_at(b, at + slice - NEXT_BYTES), NEXT_BYTES);
        slice = slice < SLICE_MAX ? 2 * slice : SLICE_MAX;
    }
}

/* ---- life ------------------------------------------------------------------ */

quire_status segment_builder_new(struct segment_builder **out, quire_error *err)
{
    struct segment_builder *b = calloc(1, sizeof *b);

    *out = NULL;
    if (!b)
        return err_memory(err);
    b->texts = (struct buf)BUF_INIT(SIZE_MAX);
    b->extra = (struct buf)BUF_INIT(SIZE_MAX);
    b->names = (struct buf)BUF_INIT(SIZE_MAX);
    if (getrandom(b->seed, sizeof b->seed, 0) != sizeof b->seed)
        b->seed[0] = (uint64_t)(uintptr_t)b;
    b->seed[0] |= 1;
    b->seed[1] |= 1;
    *out = b;
    return QUIRE_OK;
}

static void empty_builder(struct segment_builder *b)
{
    uint32_t i;

    for (i = 0; i < b->n_chunks; i++)
        free(b->chunks[i]);
    free(b->chunks);
    free(b->table);
    free(b->entries);
    free(b->digests);
    buf_release(&b->texts);
    buf_release(&b->extra);
    buf_release(&b->names);
    *b = (struct segment_builder){
        .seed = {b->seed[0], b->seed[1]},
        .texts = BUF_INIT(SIZE_MAX),
        .extra = BUF_INIT(SIZE_MAX),
        .names = BUF_INIT(SIZE_MAX),
    };
}

void segment_builder_free(struct segment_builder *b)
{
    if (b)
        empty_builder(b);
    free(b);
}

size_t segment_builder_memory(const struct segment_builder *b)
{
    return (size_t)b->n_chunks * CHUNK_BYTES +
           (size_t)b->table_size * sizeof *b->table +
           (size_t)b->cap_entries * sizeof *b->entries + b->texts.cap +
           b->extra.cap + b->names.cap +
           (size_t)b->digests_size * sizeof *b->digests;
}

uint32_t segment_builder_texts(const struct segment_builder *b)
{
    return (uint32_t)(b->texts.len / sizeof(struct built_text));
}

bool segment_builder_is_empty(const struct segment_builder *b)
{
    return b->texts.len == 0 && b->extra.len == 0;
}

/* ---- terms ------------------------------------------------------------------ */

static uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t hash_name(const struct segment_builder *b, uint8_t field,
                          quire_bytes name)
{
    const uint8_t *at = name.data;
    uint64_t h = b->seed[0] ^ name.len ^ (uint64_t)field << 32, word;
    size_t left = name.len;

    for (; left >= 8; left -= 8, at += 8) {
        memcpy(&word, at, 8);
        h = mix(h ^ word, b->seed[1]);
    }
    word = 0;
    if (left)
        memcpy(&word, at, left);
    h = mix(h ^ word, b->seed[1]);
    return (uint32_t)(h ^ h >> 32);
}

static bool grow_table(struct segment_builder *b)
{
    uint32_t size = b->table_size ? 2 * b->table_size : TABLE_FIRST, i;
    uint32_t *table = calloc(size, sizeof *table);

    if (!table)
        return false;
    for (i = 0; i < b->n_entries; i++) {
        uint32_t at = b->entries[i].hash & (size - 1);

        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    free(b->table);
    b->table = table;
    b->table_size = size;
    return true;
}

static bool same_name(const struct segment_builder *b, const struct entry *e,
                      uint8_t field, quire_bytes name)
{
    const uint8_t *have = chunk_at(b, e->name);
    size_t skip = field > 0;

    return e->name_len == name.len + skip && (!skip || have[0] == field) &&
           !memcmp(have + skip, name.data, name.len);
}

static struct entry *add_entry(struct segment_builder *b, uint32_t hash,
                               uint8_t field, quire_bytes name)
{
    struct entry *e, *more;
    uint32_t cap, skip = field > 0;

    if (b->n_entries == b->cap_entries) {
        cap = b->cap_entries ? b->cap_entries + b->cap_entries / 2 : 4096;
        more = realloc(b->entries, cap * sizeof *more);
        if (!more)
            return NULL;
        b->entries = more;
        b->cap_entries = cap;
    }
    e = &b->entries[b->n_entries];
    *e = (struct entry){.hash = hash, .name_len = (uint16_t)(name.len + skip)};
    e->name = chunk_alloc(b, e->name_len ? e->name_len : 1);
    if (e->name == 0)
        return NULL;
    if (skip)
        *chunk_at(b, e->name) = field;
    memcpy(chunk_at(b, e->name) + skip, name.data, name.len);
    b->n_entries++;
    return e;
}

/* The entry of a term, a new one if need be. NULL: out of memory. */
static struct entry *entry_of(struct segment_builder *b, uint8_t field,
                              quire_bytes name)
{
    uint32_t hash = hash_name(b, field, name), at;
    struct entry *e;

    if (2 * (uint64_t)b->n_entries >= b->table_size && !grow_table(b))
        return NULL;
    at = hash & (b->table_size - 1);
    while (b->table[at]) {
        e = &b->entries[b->table[at] - 1];
        if (e->hash == hash && same_name(b, e, field, name))
            return e;
        at = (at + 1) & (b->table_size - 1);
    }
    e = add_entry(b, hash, field, name);
    if (e)
        b->table[at] = b->n_entries;
    return e;
}

/* Write the current document of an entry to its stream. */
static void end_doc(struct segment_builder *b, struct entry *e)
{
    stream_put(b, &e->docs,
               (uint64_t)(e->last_doc - e->written_doc) << 1 | (e->tf == 1));
    if (e->tf != 1)
        stream_put(b, &e->docs, e->tf - 2);
    e->written_doc = e->last_doc;
}

static void add_term(struct segment_builder *b, quire_bytes name,
                     uint32_t position)
{
    struct entry *e = entry_of(b, b->field, name);

    if (!e) {
        b->failed = true;
        return;
    }
    if (e->n_docs == 0 || e->last_doc != b->doc) {
        if (e->n_docs > 0)
            end_doc(b, e);
        e->n_docs++;
        e->last_doc = b->doc;
        e->tf = 0;
        e->last_position = 0;
    } else if (position == e->last_position) {
        return; /* the same word twice at one place */
    }
    e->tf++;
    stream_put(b, &e->positions, position - e->last_position);
    e->last_position = position;
}

static void on_token(void *ctx, const struct token *t)
{
    struct segment_builder *b = ctx;

    if (!b->failed)
        add_term(b, t->text, b->base + t->place);
}

/* ---- texts ------------------------------------------------------------------ */

void segment_text_digest(const struct segment_text *t,
                         uint8_t digest[DIGEST_BYTES])
{
    struct sha256_ctx sha;
    uint64_t len;
    int f;

    sha256_init(&sha);
    for (f = 0; f < N_FIELDS; f++) {
        len = t->fields[f].len;
        sha256_update(&sha, sizeof len, (const uint8_t *)&len);
        if (len)
            sha256_update(&sha, len, t->fields[f].data);
    }
    sha256_digest(&sha, DIGEST_BYTES, digest);
}

static uint32_t digest_slot_of(const uint8_t digest[DIGEST_BYTES],
                               uint32_t size)
{
    return load_u32(digest) & (size - 1);
}

static const struct built_text *built(const struct segment_builder *b,
                                      uint32_t i)
{
    return (const struct built_text *)(const void *)b->texts.data + i;
}

int64_t segment_builder_find(const struct segment_builder *b,
                             const uint8_t digest[DIGEST_BYTES])
{
    uint32_t at;

    if (b->digests_size == 0)
        return -1;
    at = digest_slot_of(digest, b->digests_size);
    for (; b->digests[at]; at = (at + 1) & (b->digests_size - 1)) {
        if (!memcmp(built(b, b->digests[at] - 1)->digest, digest, DIGEST_BYTES))
            return b->digests[at] - 1;
    }
    return -1;
}

/* Room for the digest of one more text. */
static bool grow_digests(struct segment_builder *b)
{
    uint32_t n = segment_builder_texts(b), size, i, at;
    uint32_t *more;

    if (2 * (n + 1) <= b->digests_size)
        return true;
    size = b->digests_size ? 2 * b->digests_size : 1024;
    more = calloc(size, sizeof *more);
    if (!more)
        return false;
    for (i = 0; i < n; i++) {
        at = digest_slot_of(built(b, i)->digest, size);
        while (more[at])
            at = (at + 1) & (size - 1);
        more[at] = i + 1;
    }
    free(b->digests);
    b->digests = more;
    b->digests_size = size;
    return true;
}

static void add_name(struct segment_builder *b, quire_bytes name)
{
    uint16_t len = (uint16_t)(name.len < 255 ? name.len : 255);

    buf_add(&b->names, &len, sizeof len);
    if (len)
        buf_add(&b->names, name.data, len);
}

quire_status segment_builder_add(struct segment_builder *b,
                                 const struct segment_text *t,
                                 const uint8_t digest[DIGEST_BYTES],
                                 struct place *place, quire_bytes tool,
                                 quire_bytes model, quire_error *err)
{
    struct built_text one = {.place = *place};
    struct tokenize_result r;
    uint32_t at;
    int f;

    if (!grow_digests(b))
        return err_memory(err);
    b->doc = segment_builder_texts(b);
    for (f = 0; f < N_FIELDS; f++) {
        if (t->fields[f].len == 0)
            continue;
        b->field = (uint8_t)f;
        b->base = 0;
        r = tokenize_document(t->fields[f], on_token, b);
        one.n_words += r.n_places;
        b->field = 0;
        if (r.left_out)
            add_term(b, bytes_str(TERM_LEFT_OUT), 0);
    }
    memcpy(one.digest, digest, DIGEST_BYTES);
    one.names = b->names.len;
    buf_add(&b->texts, &one, sizeof one);
    add_name(b, tool);
    add_name(b, model);
    if (b->failed || b->texts.failed || b->names.failed)
        return err_memory(err);
    place->text = b->doc;
    at = digest_slot_of(digest, b->digests_size);
    while (b->digests[at])
        at = (at + 1) & (b->digests_size - 1);
    b->digests[at] = b->doc + 1;
    return QUIRE_OK;
}

quire_status segment_builder_extra(struct segment_builder *b, bool own,
                                   const struct place *place, quire_bytes tool,
                                   quire_bytes model, quire_error *err)
{
    struct built_extra one = {*place, b->names.len};

    if (own)
        one.place.text |= OWN_TEXT;
    buf_add(&b->extra, &one, sizeof one);
    add_name(b, tool);
    add_name(b, model);
    return b->extra.failed || b->names.failed ? err_memory(err) : QUIRE_OK;
}

/* ---- writing ---------------------------------------------------------------- */

/* Entries by name. */
struct sorting {
    uint64_t first; /* eight bytes, so that most comparisons read no name */
    const uint8_t *name;
    uint32_t len, entry;
};

static int by_name(const void *a, const void *b)
{
    const struct sorting *x = a, *y = b;
    uint32_t len = x->len < y->len ? x->len : y->len;
    int order;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    order = memcmp(x->name, y->name, len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* The first bytes of a name as a number that sorts like them. */
static uint64_t first_bytes(const uint8_t *name, size_t len)
{
    uint64_t value = 0;
    size_t i;

    for (i = 0; i < 8; i++)
        value = value << 8 | (i < len ? name[i] : 0);
    return value;
}

/* Pass the postings of an entry on; `docs` and `positions` have its streams. */
static quire_status write_entry(const struct entry *e, const uint8_t *docs,
                                const uint8_t *positions,
                                struct segment_writer *w, quire_error *err)
{
    struct varint_reader d = {docs, docs + e->docs.len, false};
    struct varint_reader p = {positions, positions + e->positions.len, false};
    quire_status st = QUIRE_OK;
    uint32_t doc = 0, i;

    for (i = 0; i < e->n_docs && !st; i++) {
        uint64_t step = varint_get(&d);
        uint64_t tf = step & 1 ? 1 : varint_get(&d) + 2;
        const uint8_t *from = p.at;

        doc += (uint32_t)(step >> 1);
        varint_skip(&p, tf);
        st = segment_writer_posting(w, doc, (uint32_t)tf, from,
                                    (size_t)(p.at - from), err);
    }
    return st;
}

static quire_status write_terms(struct segment_builder *b,
                                struct segment_writer *w, quire_error *err)
{
    struct sorting *order = malloc((b->n_entries + 1) * sizeof *order);
    struct buf docs = BUF_INIT(SIZE_MAX), positions = BUF_INIT(SIZE_MAX);
    quire_status st = order ? QUIRE_OK : err_memory(err);
    uint32_t i;

    for (i = 0; order && i < b->n_entries; i++) {
        const struct entry *e = &b->entries[i];
        const uint8_t *name = chunk_at(b, e->name);

        order[i] = (struct sorting){first_bytes(name, e->name_len), name,
                                    e->name_len, i};
    }
    if (order)
        qsort(order, b->n_entries, sizeof *order, by_name);
    for (i = 0; i < b->n_entries && !st; i++) {
        struct entry *e = &b->entries[order[i].entry];

        end_doc(b, e);
        buf_clear(&docs);
        buf_clear(&positions);
        if (b->failed || !buf_room(&docs, e->docs.len) ||
            !buf_room(&positions, e->positions.len + 1)) {
            st = err_memory(err);
            break;
        }
        stream_copy(b, &e->docs, (uint8_t *)docs.data);
        stream_copy(b, &e->positions, (uint8_t *)positions.data);
        st = segment_writer_term(w, bytes_of(order[i].name, order[i].len), err);
        if (!st)
            st = write_entry(e, (uint8_t *)docs.data, (uint8_t *)positions.data,
                             w, err);
    }
    buf_release(&positions);
    buf_release(&docs);
    free(order);
    return st;
}

/* The next name of the builder, as a number of the segment. */
static quire_status next_name(struct segment_builder *b, size_t *at,
                              struct segment_writer *w, uint16_t *out,
                              quire_error *err)
{
    uint16_t len;

    memcpy(&len, b->names.data + *at, sizeof len);
    *at += sizeof len + len;
    return segment_writer_name(w, bytes_of(b->names.data + *at - len, len), out,
                               err);
}

static int by_text(const void *a, const void *b)
{
    const struct built_extra *x = a, *y = b;

    if (x->place.text != y->place.text)
        return x->place.text < y->place.text ? -1 : 1;
    return (x->names > y->names) - (x->names < y->names);
}

static quire_status write_extra(struct segment_builder *b,
                                struct segment_writer *w, uint64_t first_text,
                                quire_error *err)
{
    struct built_extra *list = (struct built_extra *)(void *)b->extra.data;
    size_t n = b->extra.len / sizeof *list, i, at;
    uint32_t n_texts = segment_builder_texts(b);
    quire_status st = QUIRE_OK;

    for (i = 0; i < n; i++) {
        if (list[i].place.text & OWN_TEXT)
            list[i].place.text = (list[i].place.text & ~OWN_TEXT) + first_text;
        list[i].place.added = (uint32_t)(first_text +
                                         (n_texts ? n_texts - 1 : 0));
    }
    if (n > 0)
        qsort(list, n, sizeof *list, by_text);
    for (i = 0; i < n && !st; i++) {
        at = (size_t)list[i].names;
        st = next_name(b, &at, w, &list[i].place.tool, err);
        if (!st)
            st = next_name(b, &at, w, &list[i].place.model, err);
        if (!st)
            st = segment_writer_extra(w, &list[i].place, err);
    }
    return st;
}

static quire_status write_texts(struct segment_builder *b,
                                struct segment_writer *w, uint64_t first_text,
                                quire_error *err)
{
    uint32_t n = segment_builder_texts(b), i;
    size_t at = 0;
    quire_status st = QUIRE_OK;

    for (i = 0; i < n && !st; i++) {
        struct built_text one = *built(b, i);

        at = (size_t)one.names;
        st = next_name(b, &at, w, &one.place.tool, err);
        if (!st)
            st = next_name(b, &at, w, &one.place.model, err);
        if (!st)
            st = segment_writer_text(w, one.n_words ? one.n_words : 1,
                                     one.digest, &one.place, err);
    }
    return st ? st : write_extra(b, w, first_text, err);
}

quire_status segment_builder_write(struct segment_builder *b,
                                   struct object_store *store, uint64_t number,
                                   uint64_t first_text, uint64_t *bytes,
                                   quire_error *err)
{
    struct segment_writer *w = NULL;
    quire_status st = segment_writer_new(store, number, first_text, &w, err);

    if (!st)
        st = write_terms(b, w, err);
    if (!st)
        st = write_texts(b, w, first_text, err);
    if (st)
        segment_writer_discard(w);
    else
        st = segment_writer_finish(w, bytes, err);
    empty_builder(b);
    return st;
}

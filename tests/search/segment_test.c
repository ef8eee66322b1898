/*
 * Segments have exactly the words and places that were put in: every list is
 * compared with a naive inversion of the same texts, for segments that were
 * built, merged, and merged again, with sources that died in between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "search/segment.h"
#include "search/segment_verify.h"
#include "search/tokenizer.h"
#include "store/store.h"
#include "support/catalog.h"
#include "support/test.h"

enum { TEXTS_MAX = 6000, EXTRA_MAX = 2000, SOURCES = 40, TERM_ROOM = 72 };

/* ---- the model ---------------------------------------------------------- */

struct model_text {
    struct segment_text text;
    uint8_t digest[DIGEST_BYTES];
    struct place place;
    const char *tool, *model;
    bool gone;     /* a merge has removed it            */
    bool own_gone; /* a merge has removed its own place */
};

struct model_extra {
    struct place place; /* .text is the index in the model */
    const char *tool, *model;
    size_t segment;
    bool gone;
};

static struct world {
    struct model_text texts[TEXTS_MAX];
    struct model_extra extra[EXTRA_MAX];
    size_t n_texts, n_extra;
    bool dead[SOURCES + 1];
    uint64_t first; /* number of texts[0] */
    uint64_t random;
} world;

static uint32_t roll(uint32_t below)
{
    world.random = world.random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(world.random >> 33) % below;
}

static void begin_world(uint64_t seed, uint64_t first)
{
    memset(&world, 0, sizeof world);
    world.random = seed * 7919 + 1;
    world.first = first;
}

static const char *random_name(void)
{
    static const char *const names[] = {"",      "bash",
                                        "read",  "claude-4",
                                        "gpt-5", "werkzeug-\xc3\xa4",
                                        "x"};

    return names[roll(sizeof names / sizeof *names)];
}

static struct place random_place(void)
{
    return (struct place){
        .offset = (uint64_t)roll(1 << 30) * 100000 % ((uint64_t)1 << 48),
        .time_us = (int64_t)roll(1u << 31) * 1000000 + roll(1000) * 1000,
        .source = 1 + roll(SOURCES),
        .length = roll(1u << 31),
        .part = (uint16_t)roll(1 << 16),
        .meta = (uint16_t)roll(1 << 10),
        .group = roll(1u << 31),
    };
}

static quire_bytes random_body(uint32_t n_words)
{
    static const char *const words[] = {
        "alpha",
        "beta",
        "Gamma",
        "snake_case_name",
        "HTTPServer",
        "x1y2",
        "__init__",
        "\xe4\xb8\xad\xe6\x96\x87",
        "42",
        "caf\xc3\xa9",
        "a/b.c",
        "\xe6\x97\xa5\xe6\x9c\xac",
        "std::list",
        "C++",
        "zeta-theta",
        "\xd0\x96\xd1\x83\xd0\xba",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    };
    char *text = test_alloc((size_t)n_words * 100 + 1), *at = text;
    uint32_t i, which;

    for (i = 0; i < n_words; i++) {
        which = roll(40);
        if (which < sizeof words / sizeof *words)
            at += sprintf(at, "%s%c", words[which], " \n,"[roll(3)]);
        else
            at += sprintf(at, "w%u ", roll(which < 30 ? 50 : 3000));
    }
    return bytes_of(text, (size_t)(at - text));
}

static struct segment_text random_text(void)
{
    struct segment_text t = {.fields = {{NULL, 0}}};
    int f;

    t.fields[FIELD_BODY] = random_body(roll(20) ? roll(12) : roll(400));
    for (f = 1; f < N_FIELDS; f++)
        if (roll(6) == 0)
            t.fields[f] = random_body(1 + roll(3));
    return t;
}

static size_t find_text(const uint8_t digest[DIGEST_BYTES], size_t end)
{
    size_t i;

    for (i = 0; i < end; i++)
        if (!world.texts[i].gone &&
            !memcmp(world.texts[i].digest, digest, DIGEST_BYTES))
            break;
    return i;
}

/* ---- segments ----------------------------------------------------------- */

static void add_text(struct segment_builder *b, struct segment_text t,
                     size_t segment, size_t from)
{
    struct place place = random_place();
    const char *tool = random_name(), *model = random_name();
    uint8_t digest[DIGEST_BYTES];
    size_t known;

    segment_text_digest(&t, digest);
    known = find_text(digest, world.n_texts);
    if (known < world.n_texts) {
        struct place extra = place;
        bool own = known >= from;

        EQ(own ? (int64_t)(known - from) : -1, segment_builder_find(b, digest));
        if (world.n_extra == EXTRA_MAX)
            return;
        extra.text = own ? known - from : world.first + known;
        OK(segment_builder_extra(b, own, &extra, bytes_str(tool),
                                 bytes_str(model), &test_err));
        place.text = known;
        world.extra[world.n_extra++] = (struct model_extra){place, tool, model,
                                                            segment, false};
        return;
    }
    EQ(-1, segment_builder_find(b, digest));
    world.texts[world.n_texts] = (struct model_text){.text = t,
                                                     .place = place,
                                                     .tool = tool,
                                                     .model = model};
    memcpy(world.texts[world.n_texts].digest, digest, DIGEST_BYTES);
    OK(segment_builder_add(b, &t, digest, &place, bytes_str(tool),
                           bytes_str(model), &test_err));
    EQ(world.n_texts - from, place.text);
    world.n_texts++;
}

static void write_builder(struct segment_builder *b, struct object_store *store,
                          uint64_t number, size_t from)
{
    uint64_t bytes = 0;

    OK(segment_builder_write(b, store, number, world.first + from, &bytes,
                             &test_err));
    YES(bytes > 0);
    YES(segment_builder_is_empty(b));
}

/* A segment of about `n` random texts, some of which are known already. */
static void build_random(struct object_store *store, uint64_t number, size_t n)
{
    struct segment_builder *b;
    size_t from = world.n_texts, i;

    OK(segment_builder_new(&b, &test_err));
    for (i = 0; i < n; i++) {
        struct segment_text t = random_text();

        if (world.n_texts > 0 && roll(5) == 0)
            t = world.texts[roll((uint32_t)world.n_texts)].text;
        add_text(b, t, number, from);
    }
    write_builder(b, store, number, from);
    segment_builder_free(b);
}

/* ---- a naive inversion -------------------------------------------------- */

struct posting {
    char term[TERM_ROOM];
    size_t len;
    uint32_t doc, position;
};

struct inversion {
    struct posting *list;
    size_t n, cap;
    uint32_t doc;
    uint8_t field;
};

static int by_posting(const void *a, const void *b)
{
    const struct posting *x = a, *y = b;
    size_t len = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->term, y->term, len);

    if (order || x->len != y->len)
        return order ? order : x->len < y->len ? -1 : 1;
    if (x->doc != y->doc)
        return x->doc < y->doc ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static void add_posting(struct inversion *v, quire_bytes text, uint8_t field,
                        uint32_t position)
{
    struct posting *p;

    if (v->n == v->cap) {
        v->cap = v->cap ? 2 * v->cap : 4096;
        v->list = realloc(v->list, v->cap * sizeof *v->list);
        YES(v->list != NULL);
    }
    p = &v->list[v->n++];
    *p = (struct posting){.doc = v->doc, .position = position};
    if (field)
        p->term[p->len++] = (char)field;
    memcpy(p->term + p->len, text.data, text.len);
    p->len += text.len;
}

static void invert_token(void *ctx, const struct token *t)
{
    struct inversion *v = ctx;

    add_posting(v, t->text, v->field, t->place);
}

/* Every posting of the texts [from, to), sorted, each once. */
static struct inversion invert(size_t from, size_t to)
{
    struct inversion v = {.n = 0};
    size_t i, n = 0;

    for (i = from; i < to; i++) {
        bool left_out = false;

        if (world.texts[i].gone)
            continue;
        v.doc = (uint32_t)(i - from);
        for (v.field = 0; v.field < N_FIELDS; v.field++)
            left_out |= tokenize_document(world.texts[i].text.fields[v.field],
                                          invert_token, &v)
                            .left_out;
        if (left_out)
            add_posting(&v, bytes_str(TERM_LEFT_OUT), 0, 0);
    }
    if (v.n)
        qsort(v.list, v.n, sizeof *v.list, by_posting);
    for (i = 0; i < v.n; i++)
        if (n == 0 || by_posting(&v.list[n - 1], &v.list[i]))
            v.list[n++] = v.list[i];
    v.n = n;
    return v;
}

/* ---- comparing ---------------------------------------------------------- */

struct comparing {
    struct segment *s;
    const struct posting *at, *end;
};

struct one_list {
    const struct posting *at;
    const uint32_t *docs;
    size_t next;
};

static quire_status compare_positions(void *ctx, size_t i,
                                      const uint32_t *positions, size_t n,
                                      quire_error *err)
{
    struct one_list *l = ctx;
    size_t k;

    (void)err;
    EQ(l->next++, i);
    for (k = 0; k < n; k++, l->at++) {
        EQ(l->docs[i], l->at->doc);
        EQ(l->at->position, positions[k]);
    }
    return QUIRE_OK;
}

static quire_status check_subset(void *ctx, size_t i, const uint32_t *positions,
                                 size_t n, quire_error *err)
{
    (void)err;
    (void)i;
    YES(n > 0 && positions[n - 1] >= positions[0]);
    ++*(size_t *)ctx;
    return QUIRE_OK;
}

/* Some documents, with and without the term. */
static void check_intersection(struct segment *s, const struct term *t,
                               const uint32_t *docs, const uint32_t *tfs)
{
    size_t room = s->n_texts + 1, n = 0, found, want = 0, i, k = 0, seen = 0;
    uint32_t *some = malloc(room * sizeof *some);
    uint32_t *counts = malloc(room * sizeof *counts), step = 1 + roll(40);

    YES(some && counts);
    for (i = roll(step); i < s->n_texts; i += 1 + roll(step))
        some[n++] = (uint32_t)i;
    OK(segment_positions(s, t, some, n, check_subset, &seen, &test_err));
    found = n;
    OK(segment_intersect(s, t, some, counts, &found, &test_err));
    EQ(found, seen);
    for (i = 0; i < found; i++) {
        while (k < t->n_docs && docs[k] < some[i])
            k++;
        YES(k < t->n_docs && docs[k] == some[i]);
        EQ(tfs[k], counts[i]);
        want++;
    }
    EQ(want, found);
    free(counts);
    free(some);
}

/* One term of the segment, and the next one of the model. */
static quire_status compare_term(void *ctx, quire_bytes name,
                                 const struct term *t, bool *more,
                                 quire_error *err)
{
    struct comparing *c = ctx;
    const struct posting *from = c->at;
    uint32_t *docs = malloc(t->n_docs * sizeof *docs);
    uint32_t *tfs = malloc(t->n_docs * sizeof *tfs), i, tf;
    struct one_list positions = {from, docs, 0};
    struct term again;
    bool found;

    (void)more;
    (void)err;
    YES(docs && tfs && from < c->end);
    SAME(bytes_of(from->term, from->len), name);
    OK(segment_read_docs(c->s, t, docs, NULL, &test_err));
    OK(segment_read_docs(c->s, t, docs, tfs, &test_err));
    for (i = 0; i < t->n_docs; i++) {
        EQ(c->at->doc, docs[i]);
        for (tf = 0; c->at < c->end && c->at->doc == docs[i] &&
                     c->at->len == from->len &&
                     !memcmp(c->at->term, from->term, from->len);
             tf++)
            c->at++;
        EQ(tf, tfs[i]);
    }
    OK(segment_positions(c->s, t, docs, t->n_docs, compare_positions,
                         &positions, &test_err));
    EQ(t->n_docs, positions.next);
    check_intersection(c->s, t, docs, tfs);
    OK(segment_find_term(c->s, name, &found, &again, &test_err));
    YES(found && again.at == t->at && again.n_docs == t->n_docs);
    free(tfs);
    free(docs);
    return QUIRE_OK;
}

static void check_place(const struct segment *s, const struct place *want,
                        const char *tool, const char *model,
                        const struct place *got)
{
    EQ(want->offset, got->offset);
    EQ(want->time_us, got->time_us);
    EQ(want->source, got->source);
    EQ(want->length, got->length);
    EQ(want->part, got->part);
    EQ(want->meta, got->meta);
    EQ(want->group, got->group);
    SAME(bytes_str(tool), segment_name(s, got->tool));
    SAME(bytes_str(model), segment_name(s, got->model));
}

static void check_texts(struct segment *s, size_t from, size_t to)
{
    static const struct place none;
    uint64_t live = 0;
    size_t i;

    OK(segment_load_columns(s, &test_err));
    for (i = from; i < to; i++) {
        const struct model_text *t = &world.texts[i];
        struct place place;
        int64_t doc;

        OK(segment_find_digest(s, t->digest, &doc, &test_err));
        if (t->gone) {
            EQ(0, s->lengths[i - from]);
            YES(doc != (int64_t)(i - from));
            continue;
        }
        live++;
        YES(s->lengths[i - from] > 0);
        EQ(i - from, doc);
        OK(segment_place(s, (uint32_t)(i - from), &place, &test_err));
        EQ(world.first + i, place.text);
        check_place(s, t->own_gone ? &none : &t->place,
                    t->own_gone ? "" : t->tool, t->own_gone ? "" : t->model,
                    &place);
    }
    EQ(live, s->stats.n_texts);
}

/* The further places that segments [low, high] were given, by text. */
static void check_extra(struct segment *s, size_t low, size_t high)
{
    size_t text, i, from, to, n = 0;

    for (text = 0; text < world.n_texts; text++) {
        segment_extra_of(s, world.first + text, &from, &to);
        for (i = 0; i < world.n_extra; i++) {
            const struct model_extra *e = &world.extra[i];

            if (e->gone || e->place.text != text || e->segment < low ||
                e->segment > high)
                continue;
            YES(from < to);
            EQ(world.first + text, s->extra[from].text);
            check_place(s, &e->place, e->tool, e->model, &s->extra[from++]);
            n++;
        }
        EQ(to, from);
    }
    EQ(n, s->n_extra);
}

/* Segment `number` has the texts [from, to), and places found by [low, high]. */
static void check_segment(struct object_store *store, uint64_t number,
                          size_t from, size_t to, size_t low, size_t high)
{
    struct inversion v = invert(from, to);
    struct comparing c;
    struct segment *s;

    OK(segment_open(store, number, &s, &test_err));
    EQ(world.first + from, s->first_text);
    EQ(to - from, s->n_texts);
    c = (struct comparing){s, v.list, v.list + v.n};
    OK(segment_terms(s, bytes_of("", 0), compare_term, &c, &test_err));
    EQ(0, c.end - c.at);
    check_texts(s, from, to);
    check_extra(s, low, high);
    OK(segment_verify(s, &test_err));
    segment_close(s);
    free(v.list);
}

static struct store *open_memory(void)
{
    struct store *s;

    OK(store_memory_open(&clock_system, &s, &test_err));
    return s;
}

TEST(a_segment_has_every_word_and_place_of_random_texts)
{
    struct store *s;
    uint64_t seed;

    for (seed = 0; seed < 6; seed++) {
        begin_world(seed, seed * 1000003);
        if (seed % 3 == 2)
            OK(store_files_open(test_path("segments"), false, &s, &test_err));
        else
            s = open_memory();
        build_random(s->objects, 3, 300);
        check_segment(s->objects, 3, 0, world.n_texts, 0, 9);
        store_free(s);
    }
}

TEST(an_empty_segment_has_nothing)
{
    struct store *store = open_memory();
    struct segment_builder *b;
    struct segment *s;
    struct term t;
    bool found = true;
    int64_t doc;

    begin_world(1, 0);
    OK(segment_builder_new(&b, &test_err));
    write_builder(b, store->objects, 1, 0);
    check_segment(store->objects, 1, 0, 0, 0, 9);
    OK(segment_open(store->objects, 1, &s, &test_err));
    OK(segment_find_term(s, bytes_str("x"), &found, &t, &test_err));
    NO(found);
    OK(segment_find_digest(s, (const uint8_t *)"0123456789ab", &doc,
                           &test_err));
    EQ(-1, doc);
    segment_close(s);
    segment_builder_free(b);
    store_free(store);
}

/* ---- borders ------------------------------------------------------------ */

TEST(lists_are_whole_at_the_borders_of_blocks)
{
    static const size_t sizes[] = {1, 2, 127, 128, 129, 256, 257, 5000};
    size_t i, k;

    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct store *s = open_memory();
        struct segment_builder *b;

        begin_world(i, 7);
        OK(segment_builder_new(&b, &test_err));
        for (k = 0; k < sizes[i]; k++) {
            char *text = test_alloc(64);
            struct segment_text t = {.fields = {{NULL, 0}}};

            /* Documents without "common" make steps of more than one byte. */
            sprintf(text, "%s u%zu %s", k % 997 == 3 ? "" : "common", k,
                    k % 3 ? "common twice" : "");
            t.fields[FIELD_BODY] = bytes_str(text);
            add_text(b, t, 1, 0);
        }
        write_builder(b, s->objects, 1, 0);
        check_segment(s->objects, 1, 0, world.n_texts, 0, 9);
        segment_builder_free(b);
        store_free(s);
    }
}

TEST(a_word_may_occur_very_often)
{
    struct store *s = open_memory();
    struct segment_builder *b;
    size_t i, n;

    begin_world(5, 0);
    OK(segment_builder_new(&b, &test_err));
    for (i = 0; i < 4; i++) {
        char *text = test_alloc(400000), *at = text;
        struct segment_text t = {.fields = {{NULL, 0}}};

        for (n = 0; n < 30000; n++)
            at += sprintf(at, n % 50 == i ? "rare%zu " : "often ", i % 2);
        t.fields[FIELD_BODY] = bytes_of(text, (size_t)(at - text));
        t.fields[FIELD_TITLE] = i == 2 ? t.fields[FIELD_BODY] : bytes_str("");
        add_text(b, t, 1, 0);
    }
    write_builder(b, s->objects, 1, 0);
    check_segment(s->objects, 1, 0, 4, 0, 9);
    segment_builder_free(b);
    store_free(s);
}

TEST(lengths_of_texts_are_rounded_by_less_than_a_tenth)
{
    uint32_t n, e, back;

    for (n = 0; n < 100000; n += 1 + n / 50) {
        back = segment_length_words(segment_length_of(n));
        YES(back <= n && n - back <= n / 10);
    }
    for (e = 20; e < 32; e++)
        EQ(255, segment_length_of((1u << e) - 1) | (e < 21 ? 255 : 0));
    EQ(255, segment_length_of(UINT32_MAX));
}

TEST(times_before_1970_are_the_first_second)
{
    struct store *store = open_memory();
    struct segment_builder *b;
    struct segment_text t = {.fields = {{"word", 4}}};
    struct place place = {.time_us = -5000, .source = 1}, got;
    uint8_t digest[DIGEST_BYTES];
    struct segment *s;

    segment_text_digest(&t, digest);
    OK(segment_builder_new(&b, &test_err));
    OK(segment_builder_add(b, &t, digest, &place, bytes_str(""), bytes_str(""),
                           &test_err));
    OK(segment_builder_write(b, store->objects, 1, 0, NULL, &test_err));
    OK(segment_open(store->objects, 1, &s, &test_err));
    OK(segment_place(s, 0, &got, &test_err));
    EQ(0, got.time_us);
    segment_close(s);
    segment_builder_free(b);
    store_free(store);
}

/* ---- parts of words ------------------------------------------------------ */

struct containing {
    quire_bytes part;
    size_t n;
    char last[TERM_ROOM];
};

static quire_status count_containing(void *ctx, quire_bytes name,
                                     const struct term *t, bool *more,
                                     quire_error *err)
{
    struct containing *c = ctx;

    (void)t;
    (void)more;
    (void)err;
    c->n += memmem(name.data, name.len, c->part.data, c->part.len) != NULL;
    return QUIRE_OK;
}

static quire_status check_containing(void *ctx, quire_bytes name,
                                     const struct term *t, bool *more,
                                     quire_error *err)
{
    struct containing *c = ctx;

    (void)t;
    (void)more;
    (void)err;
    YES(memmem(name.data, name.len, c->part.data, c->part.len) != NULL);
    c->n++;
    return QUIRE_OK;
}

TEST(terms_with_a_part_are_those_of_a_scan)
{
    static const char *const parts[] = {"a",  "w1", "w12",          "case",
                                        "99", "zz", "\xe4\xb8\xad", "_"};
    struct store *store = open_memory();
    struct segment *s;
    size_t i;

    begin_world(11, 0);
    build_random(store->objects, 1, 1500);
    OK(segment_open(store->objects, 1, &s, &test_err));
    YES(s->n_blocks > 2);
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct containing all = {.part = bytes_str(parts[i])}, some = all;

        OK(segment_terms(s, bytes_of("", 0), count_containing, &all,
                         &test_err));
        OK(segment_terms_with(s, all.part, check_containing, &some, &test_err));
        EQ(all.n, some.n);
        YES(all.n > 0 || i == 5);
    }
    segment_close(s);
    store_free(store);
}

/* ---- merging ------------------------------------------------------------ */

static bool is_live(void *ctx, uint32_t source)
{
    (void)ctx;
    return source > 0 && source <= SOURCES && !world.dead[source];
}

static bool has_extra(void *ctx, uint64_t text)
{
    size_t i;

    (void)ctx;
    for (i = 0; i < world.n_extra; i++)
        if (!world.extra[i].gone &&
            world.extra[i].place.text + world.first == text &&
            !world.dead[world.extra[i].place.source])
            return true;
    return false;
}

static const struct merge_filter filter = {is_live, has_extra, NULL};

/* Merge segments [low, high], whose texts are [from, to), into `number`. */
static void merge(struct object_store *store, const uint64_t *numbers, size_t n,
                  uint64_t number)
{
    struct segment *inputs[16] = {NULL};
    uint64_t bytes = 0;
    size_t i;

    for (i = 0; i < n; i++)
        OK(segment_open(store, numbers[i], &inputs[i], &test_err));
    OK(segment_merge(store, inputs, n, number, &filter, &bytes, &test_err));
    YES(bytes > 0);
    for (i = 0; i < n; i++) {
        segment_close(inputs[i]);
        OK(segment_remove(store, numbers[i], &test_err));
    }
}

/* What a merge of the texts [from, to) and the places of segments [low, high]
 * removes from the model. */
static void bury(size_t from, size_t to, size_t low, size_t high)
{
    size_t i;

    for (i = from; i < to; i++) {
        struct model_text *t = &world.texts[i];
        bool own = !t->own_gone && is_live(NULL, t->place.source);

        t->own_gone = !own;
        t->gone = t->gone || (!own && !has_extra(NULL, world.first + i));
    }
    for (i = 0; i < world.n_extra; i++)
        if (world.extra[i].segment >= low && world.extra[i].segment <= high &&
            world.dead[world.extra[i].place.source])
            world.extra[i].gone = true;
}

static quire_bytes read_object(struct object_store *store, const char *name)
{
    struct object_info info;
    struct object *o;
    char *data;
    size_t n;

    OK(object_open(store, name, &o, &info, &test_err));
    data = test_alloc((size_t)info.size + 1);
    OK(object_read(o, 0, data, (size_t)info.size, &n, &test_err));
    EQ(info.size, n);
    object_close(o);
    return bytes_of(data, n);
}

static void same_postings(struct object_store *a, struct object_store *b)
{
    char name[32];

    sprintf(name, "%016x.postings", 99);
    SAME(read_object(a, name), read_object(b, name));
}

TEST(a_merge_equals_building_at_once)
{
    uint64_t numbers[9];
    size_t n, i;

    for (n = 2; n <= 9; n++) {
        struct store *s = open_memory(), *other = open_memory();
        struct segment_builder *b;
        static struct world copy;

        begin_world(n, 50);
        for (i = 0; i < n; i++) {
            numbers[i] = i + 1;
            build_random(s->objects, i + 1, roll(3) ? roll(60) : 0);
        }
        merge(s->objects, numbers, n, 99);
        check_segment(s->objects, 99, 0, world.n_texts, 0, 20);

        /* The same texts again, in one builder. */
        copy = world;
        OK(segment_builder_new(&b, &test_err));
        for (i = 0; i < copy.n_texts; i++) {
            const struct model_text *t = &copy.texts[i];
            struct place place = t->place;

            OK(segment_builder_add(b, &t->text, t->digest, &place,
                                   bytes_str(t->tool), bytes_str(t->model),
                                   &test_err));
        }
        for (i = 0; i < copy.n_extra; i++)
            OK(segment_builder_extra(b, true, &copy.extra[i].place,
                                     bytes_str(copy.extra[i].tool),
                                     bytes_str(copy.extra[i].model),
                                     &test_err));
        write_builder(b, other->objects, 99, 0);
        segment_builder_free(b);
        check_segment(other->objects, 99, 0, world.n_texts, 0, 20);
        same_postings(s->objects, other->objects);
        store_free(s);
        store_free(other);
    }
}

TEST(merges_of_merges_drop_dead_sources_and_keep_numbers)
{
    uint64_t seed;

    for (seed = 0; seed < (catalogue_long() ? 200 : 8); seed++) {
        struct store *s = open_memory();
        size_t border[10], i;
        uint64_t low[3], all[3] = {101, 102, 103};

        begin_world(seed + 100, seed % 2 ? 0 : (uint64_t)1 << 40);
        border[0] = 0;
        for (i = 0; i < 9; i++) {
            build_random(s->objects, i + 1, roll(4) ? roll(50) : 0);
            border[i + 1] = world.n_texts;
        }
        for (i = 0; i < 3; i++) {
            size_t k;

            for (k = 1; k <= SOURCES; k++)
                world.dead[k] |= roll(4) == 0;
            for (k = 0; k < 3; k++)
                low[k] = 3 * i + k + 1;
            merge(s->objects, low, 3, all[i]);
            bury(border[3 * i], border[3 * i + 3], low[0], low[2]);
            check_segment(s->objects, all[i], border[3 * i], border[3 * i + 3],
                          low[0], low[2]);
        }
        merge(s->objects, all, 3, 200);
        bury(0, world.n_texts, 0, 99);
        check_segment(s->objects, 200, 0, world.n_texts, 0, 99);
        store_free(s);
    }
}

TEST(a_text_whose_own_place_is_dead_stays_for_a_later_one)
{
    struct store *s = open_memory();
    struct segment_builder *b;
    struct segment_text t = {.fields = {{"shared words", 12}}};
    uint64_t numbers[] = {1};

    begin_world(3, 0);
    OK(segment_builder_new(&b, &test_err));
    add_text(b, t, 1, 0);
    write_builder(b, s->objects, 1, 0);
    add_text(b, t, 2, 1);
    write_builder(b, s->objects, 2, 1);
    segment_builder_free(b);
    EQ(1, world.n_extra);
    world.dead[world.texts[0].place.source] = true;
    YES(world.texts[0].place.source != world.extra[0].place.source);
    merge(s->objects, numbers, 1, 5);
    bury(0, 1, 1, 1);
    NO(world.texts[0].gone);
    check_segment(s->objects, 5, 0, 1, 1, 1);
    check_segment(s->objects, 2, 1, 1, 2, 2);
    /* And once more, when its own place is no place any more. */
    numbers[0] = 5;
    merge(s->objects, numbers, 1, 6);
    check_segment(s->objects, 6, 0, 1, 1, 1);
    world.dead[world.extra[0].place.source] = true;
    numbers[0] = 6;
    merge(s->objects, numbers, 1, 7);
    bury(0, 1, 0, 9);
    YES(world.texts[0].gone);
    check_segment(s->objects, 7, 0, 1, 1, 1);
    store_free(s);
}

/*
 * What an index finds for a query is what a plain scan finds, and that is what
 * a naive implementation in this file finds: random texts, random trees, every
 * level of relaxation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/bytes.h"
#include "search/language.h"
#include "search/plan.h"
#include "search/segment.h"
#include "search/stem.h"
#include "search/tokenizer.h"
#include "store/store.h"
#include "support/catalog.h"
#include "support/test.h"

enum {
    TEXTS = 150,
    TOKENS_MAX = 400,
    QUERY_TOKENS = 16,
    STARTS_MAX = 400,
    SPANS_MAX = 40,
};

static uint64_t dice;

static uint32_t roll(uint32_t below)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice >> 33) % below;
}

#define PICK(list) ((list)[roll(sizeof(list) / sizeof *(list))])

/* ---- texts ------------------------------------------------------------- */

static const char *const words[] = {
    "foo",
    "bar",
    "baz",
    "fo",
    "food",
    "getUser",
    "getUserName",
    "get_user",
    "User",
    "users",
    "deploy",
    "deployment",
    "running",
    "run",
    "C++",
    "c",
    "a->b",
    "$HOME",
    "caf\xc3\xa9",
    "cafe\xcc\x81",
    "CAFE",
    "42",
    "x86_64",
    "\xe4\xb8\xad\xe6\x96\x87",
    "\xe4\xb8\xad",
    "\xe6\x96\x87\xe5\xad\x97\xe4\xb8\xad",
    "_private_",
    "std::map",
    "foo-bar",
    "foo.bar",
    "stra\u00dfe",
    "HTTPServer2",
    "\xd0\x96\xd1\x83\xd0\xba",
    "b",
    "it's",
};

static const char *const gaps[] = {" ", " ", " ",  " ", "\n", ", ", ". ",
                                   "(", ")", "\t", "",  "-",  "/",  "_"};

static quire_bytes random_body(uint32_t n)
{
    char *text = test_alloc((size_t)n * 32 + 1), *at = text;
    uint32_t i;

    for (i = 0; i < n; i++)
        at += sprintf(at, "%s%s", PICK(words), PICK(gaps));
    return bytes_of(text, (size_t)(at - text));
}

static struct segment_text random_text(void)
{
    static const char encoded[] =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhg"
        "GAWjR9awAAAABJRU5ErkJggg9k3Jd8Lq0ZxW2vN5bT7yHpRfGcEiKuMoSa4w6sVtXz1B8";
    struct segment_text t = {.fields = {{NULL, 0}}};

    t.fields[FIELD_BODY] = random_body(roll(14));
    if (roll(5) == 0)
        t.fields[FIELD_TITLE] = random_body(1 + roll(4));
    if (roll(8) == 0)
        t.fields[FIELD_PATH] = random_body(1 + roll(3));
    if (roll(20) == 0)
        t.fields[FIELD_NOTE] = bytes_of(encoded, sizeof encoded - 1);
    return t;
}

/* ---- a naive implementation --------------------------------------------- */

struct naive_token {
    char text[TOKEN_BYTES_MAX];
    size_t len;
    uint32_t place, from;
};

struct naive_tokens {
    struct naive_token list[TOKENS_MAX];
    size_t n;
};

static void keep_token(void *ctx, const struct token *t)
{
    struct naive_tokens *k = ctx;
    struct naive_token *one = &k->list[k->n++];

    YES(k->n <= TOKENS_MAX);
    memcpy(one->text, t->text.data, t->text.len);
    one->len = t->text.len;
    one->place = t->place;
    one->from = t->from;
}

struct naive {
    enum relax relax;
    struct naive_tokens fields[N_FIELDS];
    struct segment_text text;
};

static size_t stem_of(const struct naive_token *t)
{
    char word[TOKEN_BYTES_MAX + 1];

    memcpy(word, t->text, t->len);
    word[t->len] = '\0';
    return stem_length(word);
}

static bool is_plain(const struct naive_token *t)
{
    size_t i;

    for (i = 0; i < t->len; i++)
        if (t->text[i] < 'a' || t->text[i] > 'z')
            return false;
    return true;
}

/* Whether a token of a text is one of the query. */
static bool same_word(enum relax relax, bool prefix,
                      const struct naive_token *want,
                      const struct naive_token *have)
{
    size_t stem = is_plain(want) ? stem_of(want) : want->len;

    if (want->len == have->len && !memcmp(want->text, have->text, want->len))
        return true;
    switch (relax) {
    case RELAX_STEM:
        if (stem > 2 && have->len >= stem && stem_of(have) == stem &&
            !memcmp(want->text, have->text, stem))
            return true;
        break;
    case RELAX_SUBSTRING:
        if (want->len >= 3 &&
            memmem(have->text, have->len, want->text, want->len))
            return true;
        prefix = true;
        break;
    case RELAX_PREFIX: prefix = true; break;
    case RELAX_NONE:
    case N_RELAX: break;
    }
    return prefix && have->len >= want->len &&
           !memcmp(want->text, have->text, want->len);
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* The text of a query in which signs count, without marks around it. */
static quire_bytes literal_of(quire_bytes text)
{
    const char *from = text.data, *to = from + text.len, *at;

    while (from < to && strchr(".,;:!?'()[]{}*\"", *from))
        from++;
    while (from < to && strchr(".,;:!?'()[]{}*\"", to[-1]))
        to--;
    for (at = from; at < to && *at != ' '; at++)
        if (strchr("+#$@%&=~^|<>\\", *at))
            return bytes_of(from, (size_t)(to - from));
    return bytes_of("", 0);
}

/* Whether the literal covers byte `at` of the text, as a word of its own. */
static bool literal_covers(quire_bytes text, quire_bytes literal, size_t at,
                           bool prefix)
{
    const char *t = text.data, *l = literal.data;
    size_t from, i;

    for (from = 0; from <= at && from + literal.len <= text.len; from++) {
        size_t end = from + literal.len;

        if (end <= at)
            continue;
        for (i = 0; i < literal.len; i++)
            if ((t[from + i] | (t[from + i] >= 'A' && t[from + i] <= 'Z')
                                   << 5) !=
                (l[i] | (l[i] >= 'A' && l[i] <= 'Z') << 5))
                break;
        if (i < literal.len)
            continue;
        if (from > 0 && is_word_char(l[0]) && is_word_char(t[from - 1]))
            continue;
        if (!prefix && end < text.len && is_word_char(t[end]) &&
            is_word_char(l[literal.len - 1]))
            continue;
        return true;
    }
    return false;
}

struct starts {
    uint32_t list[STARTS_MAX];
    size_t n;
    uint32_t len; /* words of the phrase */
};

/* The places of a field where a phrase begins. False: the query has no word. */
static bool find_starts(const struct naive *d, const struct query *q, int field,
                        struct starts *out)
{
    static struct naive_tokens want;
    const struct naive_tokens *have = &d->fields[field];
    quire_bytes literal = literal_of(q->text);
    size_t i, k, x;

    out->n = 0;
    want.n = 0;
    tokenize_query(q->text, keep_token, &want);
    if (want.n == 0)
        return false;
    out->len = want.list[want.n - 1].place - want.list[0].place + 1;
    for (i = 0; i < have->n; i++) {
        uint32_t place = have->list[i].place;

        if (out->n && out->list[out->n - 1] == place)
            continue;
        for (k = 0; k < want.n; k++) {
            uint32_t at = place + want.list[k].place - want.list[0].place;

            for (x = 0; x < have->n; x++)
                if (have->list[x].place == at &&
                    same_word(d->relax, q->prefix && k == want.n - 1,
                              &want.list[k], &have->list[x]))
                    break;
            if (x == have->n)
                break;
        }
        if (k == want.n &&
            (literal.len == 0 ||
             literal_covers(d->text.fields[field], literal, have->list[i].from,
                            q->prefix || d->relax >= RELAX_PREFIX))) {
            YES(out->n < STARTS_MAX);
            out->list[out->n++] = place;
        }
    }
    return true;
}

enum answer { NOWHERE, YES_IT_DOES, NO_IT_DOES_NOT };

static enum answer answer_of(bool yes)
{
    return yes ? YES_IT_DOES : NO_IT_DOES_NOT;
}

/* Every choice of one occurrence for each operand. */
static bool choose_near(const struct starts *s, size_t n, uint32_t from,
                        uint32_t to, uint32_t room)
{
    size_t i;

    if (n == 0)
        return to - from <= room;
    for (i = 0; i < s->n; i++) {
        uint32_t a = s->list[i], b = a + s->len;

        if (choose_near(s + 1, n - 1, a < from ? a : from, b > to ? b : to,
                        room))
            return true;
    }
    return false;
}

static enum answer naive_near(const struct naive *d, const struct query *q)
{
    static struct starts s[8];
    const struct query *kid;
    uint32_t room = 0;
    size_t n = 0;
    int f;

    for (f = 0; f < N_FIELDS; f++) {
        n = 0;
        room = (uint32_t)(q->reach > 0 ? q->reach : 0);
        for (kid = q->first; kid; kid = kid->next) {
            if (!find_starts(d, kid, f, &s[n]))
                continue;
            room += s[n++].len;
        }
        if (n > 0 && choose_near(s, n, UINT32_MAX, 0, room))
            return YES_IT_DOES;
    }
    return n ? NO_IT_DOES_NOT : NOWHERE;
}

static bool naive_substring(const struct naive *d, const struct query *q)
{
    struct buf part = BUF_INIT(SIZE_MAX), all = BUF_INIT(SIZE_MAX);
    bool found = false;
    int f;

    fold_text(q->text, &part, NULL);
    for (f = 0; f < N_FIELDS && part.len > 0; f++) {
        buf_clear(&all);
        fold_text(d->text.fields[f], &all, NULL);
        found |= all.len > 0 &&
                 memmem(all.data, all.len, part.data, part.len) != NULL;
    }
    buf_release(&part);
    buf_release(&all);
    return found;
}

static bool naive_regex(const struct naive *d, const struct query *q)
{
    int code, f;
    size_t at;
    pcre2_code *r = pcre2_compile((PCRE2_SPTR)q->text.data, q->text.len,
                                  PCRE2_UTF | PCRE2_MULTILINE |
                                      (q->sensitive ? 0 : PCRE2_CASELESS),
                                  &code, &at, NULL);
    pcre2_match_data *m = pcre2_match_data_create(1, NULL);
    bool found = false;

    YES(r && m);
    for (f = 0; f < N_FIELDS; f++)
        if (d->text.fields[f].len > 0)
            found |= pcre2_match(r, d->text.fields[f].data,
                                 d->text.fields[f].len, 0, PCRE2_NOTEMPTY, m,
                                 NULL) >= 0;
    pcre2_match_data_free(m);
    pcre2_code_free(r);
    return found;
}

static enum answer naive_matches(const struct naive *d, const struct query *q)
{
    static struct starts s;
    const struct query *kid;
    enum answer all = NOWHERE, one;
    bool any = false;
    int f;

    switch (q->op) {
    case QUERY_EVERY: return YES_IT_DOES;
    case QUERY_SUBSTRING: return answer_of(naive_substring(d, q));
    case QUERY_REGEX: return answer_of(naive_regex(d, q));
    case QUERY_NEAR: return naive_near(d, q);
    case QUERY_WORDS:
        for (f = 0; f < N_FIELDS; f++) {
            if (!find_starts(d, q, f, &s))
                return NOWHERE;
            any |= s.n > 0;
        }
        return answer_of(any);
    case QUERY_NOT:
        all = naive_matches(d, q->first);
        one = naive_matches(d, q->first->next);
        return all == YES_IT_DOES && one == YES_IT_DOES ? NO_IT_DOES_NOT : all;
    case QUERY_AND:
    case QUERY_OR: break;
    }
    for (kid = q->first; kid; kid = kid->next) {
        one = naive_matches(d, kid);
        if (one == NOWHERE)
            continue;
        if (all == NOWHERE || (one == YES_IT_DOES) == (q->op == QUERY_OR))
            all = one;
    }
    return all;
}

/* ---- queries ------------------------------------------------------------ */

static struct query *random_words(struct arena *keep)
{
    struct query *q = query_new(QUERY_WORDS, keep);
    char *text = arena_alloc(keep, 256), *at = text;
    uint32_t n = roll(3) ? 1 : 1 + roll(3), i;

    if (roll(15) == 0)
        at += sprintf(at, "%s", roll(2) ? "--" : "+");
    else
        for (i = 0; i < n; i++)
            at += sprintf(at, "%s%s", i ? " " : "", PICK(words));
    q->text = bytes_of(text, (size_t)(at - text));
    q->prefix = roll(5) == 0;
    return q;
}

static struct query *random_substring(struct arena *keep)
{
    static const char *const parts[] = {
        "oo",
        "tUser",
        "ser",
        "o b",
        "foo bar",
        "C++",
        "++",
        "\xc3\xa9",
        "caf\xc3\xa9",
        "fe",
        "_",
        "get_",
        "\xe6\x96\x87",
        "\xe4\xb8\xad\xe6\x96\x87",
        "\xe6\x96\x87\xe5\xad\x97",
        " ",
        ".",
        "86_6",
        "::",
        "A",
        "tp",
        "o\nb",
        "iVBORw0K",
        "e\xcc\x81",
        "",
        "0KGgo",
    };
    struct query *q = query_new(QUERY_SUBSTRING, keep);

    q->text = bytes_str(PICK(parts));
    return q;
}

static struct query *random_regex(struct arena *keep)
{
    static const char *const patterns[] = {
        "foo",
        "fo+d?",
        "^foo",
        "bar$",
        "get(User|_user)",
        "[0-9]+",
        "caf.",
        "\\bget",
        "x?",
        "foo.bar",
        "f.*z",
        "\\$[A-Z]+",
        "(?i)cafe",
        "\xe6\x96\x87.",
        "User\\w",
        "(foo|bar)baz",
        "deploy(ment)?\\b",
        "foo\\nbar",
        "C\\+\\+",
        "iVBOR",
        "\\bfoo\\b.*\\bbaz\\b",
        "STRASSE|stra\u00dfe",
    };
    struct query *q = query_new(QUERY_REGEX, keep);

    q->text = bytes_str(PICK(patterns));
    q->sensitive = roll(2);
    return q;
}

static struct query *random_tree(int depth, struct arena *keep)
{
    static const enum query_op ops[] = {QUERY_AND, QUERY_OR, QUERY_NOT,
                                        QUERY_NEAR};
    struct query *q;
    uint32_t n, i;

    if (depth == 0 || roll(3) == 0) {
        switch (roll(12)) {
        case 0:
        case 1: return random_substring(keep);
        case 2: return random_regex(keep);
        case 3: return query_new(QUERY_EVERY, keep);
        default: return random_words(keep);
        }
    }
    q = query_new(PICK(ops), keep);
    q->reach = (int)roll(6) - 1;
    n = q->op == QUERY_NOT ? 2 : 2 + roll(2);
    for (i = 0; i < n; i++)
        YES(query_add(q, q->op == QUERY_NEAR ? random_words(keep)
                                             : random_tree(depth - 1, keep)));
    return q;
}

/* The tree of a text of a user; NULL: it has none. */
static struct query *random_language(struct arena *keep)
{
    static const char *const forms[] = {
        "%s %s",   "%s OR %s",        "\"%s %s\"",    "%s -%s",
        "*%s* %s", "%s* %s",          "%s near/2 %s", "(%s | %s)",
        "/%s/ %s", "%s NOT (%s foo)", "\"%s %s\"*",   "NEAR(%s %s, 3)",
        "-%s -%s", "%s && %s",        "*\"%s %s\"*",
    };
    struct search_language l;
    char *text = test_alloc(256);
    const char *form = PICK(forms), *first = PICK(words);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, 256, form, first, PICK(words));
#pragma GCC diagnostic pop
    OK(search_language_parse(bytes_str(text), 1, false, keep, &l, &test_err));
    return l.tree;
}

/* ---- comparing ---------------------------------------------------------- */

static struct naive docs[TEXTS];
static struct segment_text corpus[TEXTS];
static size_t n_docs;

static struct segment *build_corpus(struct object_store *store)
{
    struct segment_builder *b;
    struct segment *s;
    uint8_t digest[DIGEST_BYTES];
    size_t i;
    int f;

    n_docs = 0;
    OK(segment_builder_new(&b, &test_err));
    for (i = 0; i < TEXTS; i++) {
        struct segment_text t = random_text();
        struct place place = {.source = 1};
        struct naive *d = &docs[n_docs];

        segment_text_digest(&t, digest);
        if (segment_builder_find(b, digest) >= 0)
            continue;
        OK(segment_builder_add(b, &t, digest, &place, bytes_str(""),
                               bytes_str(""), &test_err));
        EQ(n_docs, place.text);
        d->text = corpus[n_docs++] = t;
        for (f = 0; f < N_FIELDS; f++) {
            d->fields[f].n = 0;
            tokenize_document(t.fields[f], keep_token, &d->fields[f]);
        }
    }
    OK(segment_builder_write(b, store, 1, 0, NULL, &test_err));
    segment_builder_free(b);
    OK(segment_open(store, 1, &s, &test_err));
    return s;
}

static const char *describe(const struct query *q, enum relax relax, size_t doc)
{
    struct buf out = BUF_INIT(1 << 16);
    char *text = test_alloc(4096);

    search_language_print(q, &out);
    snprintf(text, 4096, "relax %d: %.*s\nin %.*s | %.*s | %.*s", (int)relax,
             (int)out.len, out.data ? out.data : "",
             (int)corpus[doc].fields[0].len,
             (const char *)corpus[doc].fields[0].data,
             (int)corpus[doc].fields[1].len,
             (const char *)corpus[doc].fields[1].data,
             (int)corpus[doc].fields[2].len,
             (const char *)corpus[doc].fields[2].data);
    buf_release(&out);
    return text;
}

static void is_same(bool want, bool got, const char *what,
                    const struct query *q, enum relax relax, size_t doc)
{
    if (want != got) {
        fprintf(stderr, "%s: %d, not %d: %s\n", what, got, want,
                describe(q, relax, doc));
        YES(want == got);
    }
}

static bool at_character(quire_bytes text, uint32_t at)
{
    return at == text.len ||
           (((const unsigned char *)text.data)[at] & 0xc0) != 0x80;
}

static void check_spans(const struct plan *p, quire_bytes text,
                        const struct text_span *spans, size_t n, size_t max)
{
    size_t i;

    YES(n <= max);
    for (i = 0; i < n; i++) {
        YES(spans[i].from < spans[i].to && spans[i].to <= text.len);
        YES(at_character(text, spans[i].from));
        YES(at_character(text, spans[i].to));
        YES(spans[i].leaf < p->n_leaves && p->leaves[spans[i].leaf].wanted);
        YES(i == 0 || spans[i - 1].from <= spans[i].from);
    }
}

/* What the segment gives, with the texts confirmed where it is not sure. */
static void check_segment(const struct plan *p, const struct query *q,
                          struct segment *s, const bool *scan)
{
    struct arena keep = ARENA_INIT;
    struct plan_stats stats;
    struct matches m;
    bool exact, has[TEXTS] = {false};
    size_t i;

    OK(plan_stats_read(p, &s, 1, &keep, &stats, &test_err));
    OK(plan_match(p, &stats, s, &keep, &m, &exact, &test_err));
    YES(!p->exact || exact);
    for (i = 0; i < m.n; i++) {
        YES(m.docs[i] < n_docs && (i == 0 || m.docs[i - 1] < m.docs[i]));
        YES(m.scores[i] >= 0 && m.scores[i] < 1e9f);
        has[m.docs[i]] = true;
    }
    for (i = 0; i < n_docs; i++)
        is_same(scan[i], has[i] && (exact || scan[i]), "segment", q, p->relax,
                i);
    arena_release(&keep);
}

static size_t n_found, n_queries;

static void check_query(const struct query *q, enum relax relax,
                        struct segment *s)
{
    struct arena keep = ARENA_INIT;
    struct text_span spans[SPANS_MAX];
    struct text_matcher *m = NULL;
    struct plan *p;
    bool scan[TEXTS], yes;
    size_t i, n, max = 1 + roll(SPANS_MAX);

    OK(search_plan_new(q, relax, &keep, &p, &test_err));
    if (p)
        OK(text_matcher_new(p, &m, &test_err));
    for (i = 0; i < n_docs; i++) {
        enum answer want;

        docs[i].relax = relax;
        want = naive_matches(&docs[i], q);
        YES((want == NOWHERE) == (p == NULL));
        if (!p)
            continue;
        OK(text_matches(m, corpus[i].fields, N_FIELDS, &scan[i], spans, max, &n,
                        &test_err));
        is_same(want == YES_IT_DOES, scan[i], "text", q, relax, i);
        check_spans(p, corpus[i].fields[0], spans, n, max);
        n_found += scan[i];
        OK(text_matches(m, corpus[i].fields, N_FIELDS, &yes, NULL, 0, NULL,
                        &test_err));
        EQ(scan[i], yes);
    }
    if (p)
        check_segment(p, q, s, scan);
    n_queries++;
    text_matcher_free(m);
    search_plan_release(p);
    arena_release(&keep);
}

static void check_many(struct query *(*make)(struct arena *keep), int n)
{
    int seed, i, relax;

    n_found = n_queries = 0;
    for (seed = 0; seed < (catalogue_long() ? 100 : 3); seed++) {
        struct store *store;
        struct segment *s;

        dice = (uint64_t)seed * 104729 + 17;
        OK(store_memory_open(&clock_system, &store, &test_err));
        s = build_corpus(store->objects);
        for (i = 0; i < n; i++) {
            struct arena keep = ARENA_INIT;
            struct query *q = make(&keep);

            for (relax = 0; q && relax < N_RELAX; relax++)
                check_query(q, (enum relax)relax, s);
            arena_release(&keep);
        }
        segment_close(s);
        store_free(store);
    }
    YES(n_found > n_queries);
}

static struct query *small_tree(struct arena *keep)
{
    return random_tree(1, keep);
}

static struct query *deep_tree(struct arena *keep)
{
    return random_tree(3, keep);
}

TEST(random_leaves_match_as_a_naive_scan_does)
{
    check_many(small_tree, 80);
}

TEST(random_trees_match_as_a_naive_scan_does)
{
    check_many(deep_tree, 40);
}

TEST(queries_of_users_match_as_a_naive_scan_does)
{
    check_many(random_language, 60);
}

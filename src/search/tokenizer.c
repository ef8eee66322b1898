/*
 * tokenizer.c - split text into words, identifiers, characters
 *
 *     text          get          User    Name      全      文      检
 *     token         get          user    name      全      文      检
 *     same place    getusername                    全文    文检
 *
 * An identifier is indexed as its parts, one after the other, and the whole at
 * the place of the first part. So `name`, "user name" and getusername all find
 * getUserName. Each character of Chinese, Japanese and Korean is a token, and
 * so is each pair with the next.
 *
 * A query is split the same way but takes one token for each place, the most
 * specific: the pair; the whole, if the query is one word; the parts, if it has
 * several, because words behind the whole are as far away as there are parts.
 *
 * Long runs of base64, hex and similar data take one place and have no token:
 * they would fill most of the index, and queries do not contain them.
 *
 * Invariants:
 *
 *   (1) A text searched as a phrase is found in every document that has it
 *       between separators: both take the same places.
 *   (2) The first tokens of two places do not overlap in the text, and their
 *       order is that of the text.
 *   (3) Folding depends on the single character. So the pieces of a text have
 *       the tokens that tokenizer.h promises wherever the text is cut.
 *   (4) Unless something was left out, every word but "___" has a token that is
 *       the whole word, folded.
 *   (5) Time is linear in the length of the text, whatever it contains.
 *
 * Most text is ASCII. Its words are found 16 bytes at a time where there is
 * SSE2; words in lower case are lent from the text without a copy.
 */
#include "search/tokenizer.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"
#include "base/utf8.h"
#include "search/encoded_data.h"
#include "search/unicode_table.h"

/* More, and it is a hash or a key rather than a name: alternating letters and
 * digits. It is found whole; sixteen fragments of it would be useless. */
#define MAX_PARTS 16

/* Kinds of ASCII within a word. */
#define ASCII_WORD (CHAR_LOWER | CHAR_UPPER | CHAR_DIGIT | CHAR_UNDERSCORE)

/* The input; as a pointer of bytes, because every loop needs one. */
struct text {
    const unsigned char *data;
    size_t len;
};

static struct text text_of(quire_bytes b)
{
    return (struct text){b.len ? b.data : (const void *)"", b.len};
}

/* ---- characters -------------------------------------------------------- */

struct character {
    uint32_t cp;
    unsigned len;
    const struct unicode_record *record;
};

static const struct unicode_record *find_record(uint32_t cp)
{
    static const struct unicode_record none = {0, CHAR_NONE},
                                       han = {0, CHAR_CJK},
                                       selector = {0, CHAR_MARK};
    const uint32_t size = 1u << UNICODE_SHIFT;

    if (cp < UNICODE_TABLE_END) {
        uint32_t block = unicode_blocks[cp >> UNICODE_SHIFT];

        return &unicode_records[unicode_chars[block * size + cp % size]];
    }
    if (cp < 0x40000 && (cp & 0xffff) < 0xfffe)
        return &han;
    return cp >= 0xe0100 && cp <= 0xe01ef ? &selector : &none;
}

/* The character at `at`, which is not ASCII. Damage is of kind CHAR_NONE, like
 * U+FFFD. */
static struct character read_character(const struct text *t, size_t at)
{
    const unsigned char *p = t->data + at;
    struct character c;

    /* Most letters of Latin, Greek and Cyrillic. */
    if (p[0] >= 0xc2 && p[0] <= 0xdf && t->len - at > 1 &&
        (p[1] & 0xc0) == 0x80) {
        c.cp = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
        c.len = 2;
    } else {
        c.len = (unsigned)utf8_decode(bytes_of(p, t->len - at), &c.cp, NULL);
    }
    c.record = find_record(c.cp);
    return c;
}

/* The kind of the character at `at`, and where the next begins. */
static inline unsigned kind_at(const struct text *t, size_t at, size_t *next)
{
    struct character c;

    if (t->data[at] < 0x80) {
        *next = at + 1;
        return ascii_kinds[t->data[at]];
    }
    c = read_character(t, at);
    *next = at + c.len;
    return c.record->kind;
}

static char fold_ascii(unsigned char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* Fold the character at `at` and return the number of its bytes in `out`: 0 for
 * a mark that folding removes. */
static inline size_t fold_character(const struct text *t, size_t at,
                                    char out[4], size_t *next)
{
    struct character c;

    if (t->data[at] < 0x80) {
        *next = at + 1;
        out[0] = fold_ascii(t->data[at]);
        return 1;
    }
    c = read_character(t, at);
    *next = at + c.len;
    if (c.record->kind == CHAR_MARK)
        return 0;
    if (c.record->delta)
        return utf8_encode(c.cp + (uint32_t)c.record->delta, out);
    memcpy(out, t->data + at, c.len);
    return c.len;
}

struct folded {
    char text[TOKEN_BYTES_MAX];
    size_t len;
    bool cut;
};

/* Fold as much of the text from `from` to `to` as fits. */
static void fold_range(const struct text *t, size_t from, size_t to,
                       struct folded *out)
{
    char c[4];
    size_t n, len = 0;

    out->cut = false;
    while (from < to) {
        n = fold_character(t, from, c, &from);
        if (n > TOKEN_BYTES_MAX - len) {
            out->cut = true;
            break;
        }
        if (n == 1)
            out->text[len] = c[0];
        else
            memcpy(out->text + len, c, n);
        len += n;
    }
    out->len = len;
}

/* ---- runs -------------------------------------------------------------- */

/* A word, or the characters of Chinese, Japanese and Korean up to something
 * else: bytes of the text, and the kinds of its characters. */
struct run {
    size_t from, to;
    unsigned first; /* of the first that is not a mark                       */
    unsigned rest;  /* of all behind it; CHAR_MULTI if not all is ASCII      */
};

/* Continue a run with a character that is not ASCII. */
static void extend_run(const struct text *t, struct run *r)
{
    unsigned kind, cjk;
    size_t next;

    r->rest |= CHAR_MULTI;
    for (; r->to < t->len; r->to = next) {
        kind = kind_at(t, r->to, &next);
        cjk = r->first & CHAR_CJK;
        if (!kind ||
            (r->first && kind != CHAR_MARK && (kind & CHAR_CJK) != cjk))
            return;
        if (r->first || kind == CHAR_MARK)
            r->rest |= kind;
        else
            r->first = kind;
    }
}

/* Continue a run with ASCII, byte by byte. */
static inline void extend_bytes(const struct text *t, struct run *r)
{
    unsigned kind;

    for (; r->to < t->len; r->to++) {
        kind = ascii_kinds[t->data[r->to]];
        if (!(kind & ASCII_WORD))
            return;
        r->rest |= kind;
    }
}

#ifdef __SSE2__
/* A bit for each byte that is one of the `n` from `first` on. Comparison is
 * signed: the subtraction makes `first` the smallest value. */
static inline unsigned find_bytes(__m128i v, int first, int n)
{
    __m128i moved = _mm_sub_epi8(v, _mm_set1_epi8((char)(first - 128)));

    return (unsigned)_mm_movemask_epi8(
        _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(n - 128))));
}

/* Continue a run with ASCII. Where a word ends is the branch that a processor
 * predicts worst. Most end within 16 bytes, which are examined together. */
static inline void extend_ascii(const struct text *t, struct run *r)
{
    unsigned upper, lower, digit, under, end;
    __m128i v;

    if (t->len - r->to < 16) {
        extend_bytes(t, r);
        return;
    }
    v = _mm_loadu_si128((const __m128i *)(const void *)(t->data + r->to));
    upper = find_bytes(v, 'A', 26);
    lower = find_bytes(v, 'a', 26);
    digit = find_bytes(v, '0', 10);
    under = find_bytes(v, '_', 1);
    /* The first byte that does not belong to the word, as a bit. */
    end = ~(upper | lower | digit | under);
    end &= -end;
    r->rest |= ((lower & (end - 1)) ? CHAR_LOWER : 0u) |
               ((upper & (end - 1)) ? CHAR_UPPER : 0u) |
               ((digit & (end - 1)) ? CHAR_DIGIT : 0u) |
               ((under & (end - 1)) ? CHAR_UNDERSCORE : 0u);
    r->to += (unsigned)__builtin_ctz(end);
    if (end == 1u << 16)
        extend_bytes(t, r);
}

/* The first byte from `at` on that is not an ASCII separator, or one that is
 * less than 16 before the end. */
static inline size_t skip_separators(const struct text *t, size_t at)
{
    for (; t->len - at >= 16; at += 16) {
        __m128i v = _mm_loadu_si128(
            (const __m128i *)(const void *)(t->data + at));
        unsigned found = find_bytes(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a',
                                    26) |
                         find_bytes(v, '0', 10) | find_bytes(v, '_', 1) |
                         (unsigned)_mm_movemask_epi8(v);

        if (found)
            return at + (unsigned)__builtin_ctz(found);
    }
    return at;
}
#else
static inline void extend_ascii(const struct text *t, struct run *r)
{
    extend_bytes(t, r);
}

static inline size_t skip_separators(const struct text *t, size_t at)
{
    (void)t;
    return at;
}
#endif

/* Find the next run from `at` on. */
static inline bool next_run(const struct text *t, size_t at, struct run *r)
{
    unsigned kind = 0;
    size_t next;

    for (at = skip_separators(t, at); at < t->len; at = next) {
        next = at + 1;
        kind = ascii_kinds[t->data[at]];
        if (kind == CHAR_MULTI)
            kind = kind_at(t, at, &next);
        if (kind)
            break;
    }
    *r = (struct run){at, at, 0, 0};
    if (at == t->len)
        return false;
    if (t->data[at] < 0x80) {
        r->first = kind;
        r->to++;
        extend_ascii(t, r);
    }
    if (r->to < t->len && t->data[r->to] >= 0x80)
        extend_run(t, r);
    return true;
}

/* Does it have more than underscores and marks? */
static bool has_content(const struct run *r)
{
    return (r->first | r->rest) & (ASCII_WORD ^ CHAR_UNDERSCORE);
}

/* ---- tokens ------------------------------------------------------------ */

/* One text being tokenized. */
struct pass {
    struct text text;
    token_fn each;
    void *ctx;
    uint32_t place;
    bool query;
    bool alone; /* the query is one run */
    bool left_out;
};

static inline void emit_token(const struct pass *p, const void *text,
                              size_t len, size_t from, size_t to)
{
    struct token t = {bytes_of(text, len), p->place, (uint32_t)from,
                      (uint32_t)to};

    p->each(p->ctx, &t);
}

static void emit_folded(struct pass *p, size_t from, size_t to)
{
    struct folded f;

    fold_range(&p->text, from, to, &f);
    p->left_out |= f.cut;
    emit_token(p, f.text, f.len, from, to);
}

/* ---- identifiers ------------------------------------------------------- */

struct part {
    size_t from, to;
};

/* The kind of the next character that is not a mark; CHAR_UNDERSCORE at the
 * end. */
static unsigned kind_behind_marks(const struct text *t, size_t at, size_t end,
                                  size_t *next)
{
    unsigned kind = CHAR_MARK;

    for (; at < end && kind == CHAR_MARK; at = *next)
        kind = kind_at(t, at, next);
    return kind == CHAR_MARK ? CHAR_UNDERSCORE : kind;
}

/* Is a capital the first of a word, after other capitals: the S of HTTPServer?
 * Not the L of URLs. `at` is behind it. */
static bool begins_word(const struct text *t, size_t at, size_t end)
{
    size_t after = at;

    if (kind_behind_marks(t, at, end, &after) != CHAR_LOWER)
        return false;
    return t->data[after - 1] != 's' ||
           kind_behind_marks(t, after, end, &after) == CHAR_LOWER;
}

/* The parts of a run; more than MAX_PARTS are only counted. */
static size_t find_parts(const struct text *t, const struct run *r,
                         struct part *parts)
{
    unsigned kind, before = CHAR_UNDERSCORE;
    size_t at, next, start = r->from, n = 0;

    for (at = r->from; at <= r->to; at = next) {
        next = at + 1;
        kind = at < r->to ? kind_at(t, at, &next) : CHAR_UNDERSCORE;
        if (kind == CHAR_MARK)
            continue;
        if (kind == CHAR_UNDERSCORE || before == CHAR_UNDERSCORE ||
            (before == CHAR_DIGIT) != (kind == CHAR_DIGIT) ||
            (kind == CHAR_UPPER &&
             (before == CHAR_LOWER || begins_word(t, next, r->to)))) {
            if (before != CHAR_UNDERSCORE && n < MAX_PARTS)
                parts[n] = (struct part){start, at};
            n += before != CHAR_UNDERSCORE;
            start = at;
        }
        before = kind;
    }
    return n;
}

/* An identifier in the making. If it is ASCII and not cut, its tokens are
 * slices of the folded whole. */
struct identifier {
    const struct run *run;
    struct folded whole;
    bool sliced;
};

static void emit_slice(struct pass *p, const struct identifier *w,
                       struct part slice)
{
    if (w->sliced)
        emit_token(p, w->whole.text + (slice.from - w->run->from),
                   slice.to - slice.from, slice.from, slice.to);
    else
        emit_folded(p, slice.from, slice.to);
}

/* A run without the underscores around it. */
static struct part core_of(const struct text *t, const struct run *r)
{
    struct part core = {r->from, r->to};

    while (t->data[core.from] == '_')
        core.from++;
    while (t->data[core.to - 1] == '_')
        core.to--;
    return core;
}

/* Emit the parts, and at the place of the first the whole: with surrounding
 * underscores and without. */
static void emit_identifier(struct pass *p, const struct run *r)
{
    struct part parts[MAX_PARTS], core = core_of(&p->text, r);
    size_t i, n = find_parts(&p->text, r, parts), len = r->to - r->from;
    struct identifier w;

    w.run = r;
    w.sliced = !(r->rest & CHAR_MULTI) && len <= TOKEN_BYTES_MAX;
    if (w.sliced)
        fold_range(&p->text, r->from, r->to, &w.whole);
    if (n > MAX_PARTS) {
        parts[0] = core;
        n = 1;
    }
    for (i = 0; i < n; i++) {
        emit_slice(p, &w, parts[i]);
        if (!p->query && i == 0) {
            if (parts[0].to - parts[0].from < len)
                emit_slice(p, &w, (struct part){r->from, r->to});
            if (n > 1 && core.to - core.from < len)
                emit_slice(p, &w, core);
        }
        p->place++;
    }
}

/* ---- words ------------------------------------------------------------- */

/* Is it one part whatever the order of its characters: word, Word, WORD, 42? */
static inline bool has_one_part(const struct run *r)
{
    /* By the kinds of the rest: those that the first may have. */
    static const uint8_t first[ASCII_WORD + 1] = {
        [0] = ASCII_WORD,
        [CHAR_LOWER] = CHAR_LOWER | CHAR_UPPER,
        [CHAR_UPPER] = CHAR_UPPER,
        [CHAR_DIGIT] = CHAR_DIGIT,
    };

    return first[r->rest & ASCII_WORD] & r->first;
}

static inline void emit_word(struct pass *p, const struct run *r)
{
    const unsigned as_is = CHAR_LOWER | CHAR_DIGIT;

    if (!has_one_part(r) && !p->alone) {
        emit_identifier(p, r);
        return;
    }
    if (!((r->first | r->rest) & ~as_is) && r->to - r->from <= TOKEN_BYTES_MAX)
        emit_token(p, p->text.data + r->from, r->to - r->from, r->from, r->to);
    else
        emit_folded(p, r->from, r->to);
    p->place++;
}

/* ---- scripts without spaces -------------------------------------------- */

/* The next character from `at` on, without marks that folding removes. */
static bool next_cjk(const struct text *t, size_t at, size_t end,
                     struct part *out)
{
    size_t next;

    for (; at < end; at = next) {
        if (kind_at(t, at, &next) != CHAR_MARK) {
            *out = (struct part){at, next};
            return true;
        }
    }
    return false;
}

static void emit_cjk(struct pass *p, const struct run *r)
{
    const unsigned char *data = p->text.data;
    struct part c, next = {0, 0};
    bool more = next_cjk(&p->text, r->from, r->to, &c);
    char pair[8];

    for (; more; c = next) {
        size_t len = c.to - c.from;

        more = next_cjk(&p->text, c.to, r->to, &next);
        if (!p->query || !more)
            emit_token(p, data + c.from, len, c.from, c.to);
        if (more) {
            memcpy(pair, data + c.from, len);
            memcpy(pair + len, data + next.from, next.to - next.from);
            emit_token(p, pair, len + next.to - next.from, c.from, c.to);
        }
        p->place++;
    }
}

/* ---- documents and queries --------------------------------------------- */

static struct tokenize_result tokenize(struct pass *p)
{
    size_t at = 0, clear = 0;
    struct run r;

    while (next_run(&p->text, at, &r)) {
        at = r.to;
        if (r.from >= clear) {
            size_t end = encoded_data_end(bytes_of(p->text.data, p->text.len),
                                          r.from, &clear);

            if (end > r.from) {
                p->left_out = true;
                p->place++;
                at = end;
                continue;
            }
        }
        if (r.first == CHAR_CJK)
            emit_cjk(p, &r);
        else if (has_content(&r))
            emit_word(p, &r);
    }
    return (struct tokenize_result){p->place, p->left_out};
}

struct tokenize_result tokenize_document(quire_bytes text, token_fn each,
                                         void *ctx)
{
    struct pass p = {.text = text_of(text), .each = each, .ctx = ctx};

    return tokenize(&p);
}

struct tokenize_result tokenize_query(quire_bytes text, token_fn each,
                                      void *ctx)
{
    struct pass p = {.text = text_of(text),
                     .each = each,
                     .ctx = ctx,
                     .query = true};
    size_t at = 0;
    int n = 0;
    struct run r;

    for (; n < 2 && next_run(&p.text, at, &r); at = r.to)
        n += r.first != 0;
    p.alone = n == 1;
    return tokenize(&p);
}

/* ---- substrings -------------------------------------------------------- */

/* Characters with marks between them. Where they do not fit, the last of a
 * piece is the first of the next: each pair is in one. */
static void emit_cjk_pieces(const struct text *t, const struct run *r,
                            struct text_piece *p, text_piece_fn each, void *ctx)
{
    char folded[TOKEN_BYTES_MAX];
    size_t at = r->from, len = 0, n;
    struct part c = {0, 0}, last;

    while (last = c, next_cjk(t, at, r->to, &c)) {
        n = c.to - c.from;
        if (n > sizeof folded - len) {
            p->text = bytes_of(folded, len);
            each(ctx, p);
            len = last.to - last.from;
            memcpy(folded, t->data + last.from, len);
        }
        memcpy(folded + len, t->data + c.from, n);
        len += n;
        at = c.to;
    }
    p->text = bytes_of(folded, len);
    each(ctx, p);
}

void tokenize_pieces(quire_bytes text, text_piece_fn each, void *ctx)
{
    struct text t = text_of(text);
    struct folded f;
    struct run r;
    size_t at = 0;

    for (; next_run(&t, at, &r); at = r.to) {
        struct text_piece p = {.cjk = r.first == CHAR_CJK,
                               .open_left = r.from == 0,
                               .open_right = r.to == t.len};

        if (p.cjk && r.rest & CHAR_MARK) {
            emit_cjk_pieces(&t, &r, &p, each, ctx);
        } else if (p.cjk) {
            p.text = bytes_of(t.data + r.from, r.to - r.from);
            each(ctx, &p);
        } else if (has_content(&r)) {
            fold_range(&t, r.from, r.to, &f);
            p.text = bytes_of(f.text, f.len);
            p.open_right |= f.cut;
            each(ctx, &p);
        }
    }
}

void fold_text(quire_bytes text, struct buf *out, uint32_t *map)
{
    struct text t = text_of(text);
    size_t at = 0, next, n, len = 0;
    uint32_t total = 0;
    char some[1024];

    for (; at < t.len; at = next) {
        if (sizeof some - len < 4) {
            buf_add(out, some, len);
            len = 0;
        }
        n = fold_character(&t, at, some + len, &next);
        if (map) {
            size_t i;

            for (i = at; i < next; i++)
                map[i] = total;
        }
        len += n;
        total += (uint32_t)n;
    }
    buf_add(out, some, len);
    if (map)
        map[t.len] = total;
}

/*
 * fts_tokenizer.c - split text into words for the index
 *
 * SQLite's own unicode61 decides what a letter is and folds case and accents;
 * it carries the tables. Here its words are split further. A word may be an
 * identifier, or a sentence in a script without spaces:
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
 * Invariants:
 *
 *   (1) A text searched as a phrase is found in every document that has it
 *       between separators: both take the same places.
 *   (2) Tokens at different places never overlap in the text. highlight() and
 *       snippet() of SQLite 3.40 repeat text where they do. This is why a
 *       character has a place of its own, beside its pair.
 *   (3) The inner tokenizer sees well-formed UTF-8 only. It would read broken
 *       bytes together with their neighbours; here they separate words.
 *
 * Nothing is allocated: tokens are slices of the text, of the inner tokenizer's
 * buffer, or on the stack.
 */
#include "store/fts_tokenizer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "store/fts_letters.h"

/* Longer ones are not words but base64 or minified code. They are found by
 * their first bytes. */
#define WORD_MAX_BYTES 128

/* More, and it is a hash or a key rather than a name: alternating letters and
 * digits. It is found whole; sixteen fragments of it would be useless. */
#define MAX_PARTS 16

/* Folding grows a character from two bytes to three at most. */
#define FOLDED_BYTES (2 * WORD_MAX_BYTES)

/* Three instances of unicode61: one cannot be called again while it emits
 * words. */
struct words {
    fts5_tokenizer inner;
    Fts5Tokenizer *split; /* text into words                                */
    Fts5Tokenizer *fold;  /* one part of a word */
    Fts5Tokenizer *lower; /* the same with its accents: a character this changes
                           * was a capital */
};

typedef int token_fn(void *ctx, int flags, const char *token, int len, int from,
                     int to);

/* One text being tokenized. */
struct pass {
    struct words *words;
    const char *text; /* a well-formed run, and where it begins in the whole
                       * text */
    int base;
    bool query;
    int n_words; /* counted before the pass, for a query only */
    token_fn *emit;
    void *ctx;
};

/* A piece of a word without Chinese, Japanese or Korean: bytes of the pass's
 * text. `folded` is the same folded byte by byte, or NULL if it is not ASCII.
 */
struct piece {
    int from, to;
    const char *folded;
    bool alone; /* the query has nothing else */
};

static int emit_token(const struct pass *p, int flags, const char *token,
                      int len, int from, int to)
{
    return p->emit(p->ctx, flags, token, len, p->base + from, p->base + to);
}

static quire_bytes slice(const struct pass *p, int from, int to)
{
    return bytes_of(p->text + from, (size_t)(to - from));
}

/* ---- folding ---------------------------------------------------------- */

struct folded {
    char text[FOLDED_BYTES];
    int len;
};

static int keep_folded(void *ctx, int flags, const char *token, int len,
                       int from, int to)
{
    struct folded *f = ctx;

    (void)flags, (void)from, (void)to;
    if (len > FOLDED_BYTES - f->len)
        len = FOLDED_BYTES - f->len;
    memcpy(f->text + f->len, token, (size_t)len);
    f->len += len;
    return SQLITE_OK;
}

static int fold_text(const struct pass *p, Fts5Tokenizer *by, int from, int to,
                     struct folded *out)
{
    out->len = 0;
    return p->words->inner.xTokenize(by, out, FTS5_TOKENIZE_AUX, p->text + from,
                                     to - from, keep_folded);
}

/* Emit the text from `from` to `to`, within a piece, as a token. */
static int emit_text(const struct pass *p, int flags, const struct piece *w,
                     int from, int to)
{
    struct folded f;
    int rc;

    if (w->folded)
        return emit_token(p, flags, w->folded + (from - w->from), to - from,
                          from, to);
    rc = fold_text(p, p->words->fold, from, to, &f);
    if (rc)
        return rc;
    /* Never empty: a missing token would shift those behind it. */
    if (f.len == 0)
        return emit_token(p, flags, p->text + from, to - from, from, to);
    return emit_token(p, flags, f.text, f.len, from, to);
}

/* ---- identifiers -------------------------------------------------------- */

enum kind {
    JOINED, /* the rest of a character, or a mark on it */
    LOWER,  /* and letters of scripts without capitals  */
    UPPER,
    DIGIT,
    LINE,
};

static enum kind kind_of_ascii(char c)
{
    if (c >= 'A' && c <= 'Z')
        return UPPER;
    if (c >= '0' && c <= '9')
        return DIGIT;
    return c == '_' ? LINE : LOWER;
}

/* Marks that the inner tokenizer takes as part of a word. The last two are the
 * voice marks of kana. */
static bool is_mark(uint32_t cp)
{
    return (cp >= 0x300 && cp <= 0x36f) || cp == 0x3099 || cp == 0x309a;
}

/* The kind of each byte. SQLite does not export what a capital is: it is a
 * character that differs from its lower case. */
static int find_kinds(const struct pass *p, const struct piece *w,
                      unsigned char *kinds)
{
    quire_bytes text = slice(p, w->from, w->to), low;
    struct folded f = {.len = 0};
    size_t at = 0, low_at = 0;
    uint32_t cp, low_cp;
    int rc = SQLITE_OK;

    if (!w->folded)
        rc = fold_text(p, p->words->lower, w->from, w->to, &f);
    if (rc)
        return rc;
    low = bytes_of(f.text, (size_t)f.len);
    memset(kinds, JOINED, text.len);
    while (at < text.len) {
        size_t len = utf8_decode(bytes_sub(text, at, text.len), &cp, NULL);

        low_cp = cp;
        if (low_at < low.len)
            low_at += utf8_decode(bytes_sub(low, low_at, low.len), &low_cp,
                                  NULL);
        if (cp < 0x80)
            kinds[at] = (unsigned char)kind_of_ascii((char)cp);
        else if (!is_mark(cp))
            kinds[at] = cp == low_cp ? LOWER : UPPER;
        at += len;
    }
    return SQLITE_OK;
}

/* Is the capital at `at` the first of a word, after other capitals: the S of
 * HTTPServer? Not the L of URLs. */
static bool begins_word(const char *text, const unsigned char *kinds, int at,
                        int to)
{
    int next = at + 1, after;

    while (next < to && kinds[next] == JOINED)
        next++;
    if (next == to || kinds[next] != LOWER)
        return false;
    for (after = next + 1; after < to && kinds[after] == JOINED;)
        after++;
    return text[next] != 's' || (after < to && kinds[after] == LOWER);
}

struct part {
    int from, to;
};

/* The parts of a word, as offsets into it; more than MAX_PARTS are only
 * counted. */
static int find_parts(const char *text, const unsigned char *kinds, int len,
                      struct part *parts)
{
    int at, start = 0, n = 0;
    unsigned char before = LINE, kind;

    for (at = 0; at <= len; at++) {
        kind = at < len ? kinds[at] : LINE;
        if (kind == JOINED)
            continue;
        if (kind == LINE || before == LINE ||
            (before == DIGIT) != (kind == DIGIT) ||
            (kind == UPPER &&
             (before == LOWER || begins_word(text, kinds, at, len)))) {
            if (before != LINE && n < MAX_PARTS)
                parts[n] = (struct part){start, at};
            n += before != LINE;
            start = at;
        }
        before = kind;
    }
    return n;
}

/* Emit the parts, and at the place of the first the whole: with surrounding
 * underscores and without. */
static int emit_parts(const struct pass *p, const struct piece *w,
                      const struct part *parts, int n, struct part core)
{
    int i, rc;

    for (i = 0; i < n; i++) {
        rc = emit_text(p, 0, w, w->from + parts[i].from, w->from + parts[i].to);
        if (!rc && !p->query && i == 0 &&
            parts[0].to - parts[0].from < w->to - w->from)
            rc = emit_text(p, FTS5_TOKEN_COLOCATED, w, w->from, w->to);
        if (!rc && !p->query && i == 0 && n > 1 &&
            core.to - core.from < w->to - w->from)
            rc = emit_text(p, FTS5_TOKEN_COLOCATED, w, w->from + core.from,
                           w->from + core.to);
        if (rc)
            return rc;
    }
    return SQLITE_OK;
}

static int emit_piece(const struct pass *p, const struct piece *whole)
{
    unsigned char kinds[WORD_MAX_BYTES];
    struct part parts[MAX_PARTS], core = {0, whole->to - whole->from};
    struct piece w = *whole;
    const char *text = p->text + w.from;
    int n, rc;

    while (core.from < core.to && text[core.from] == '_')
        core.from++;
    while (core.from < core.to && text[core.to - 1] == '_')
        core.to--;
    if (core.from == core.to)
        return SQLITE_OK;
    if (w.to - w.from > WORD_MAX_BYTES) {
        w.to = w.from + (int)utf8_cut(slice(p, w.from, w.to), WORD_MAX_BYTES);
        return emit_text(p, 0, &w, w.from, w.to);
    }
    if (p->query && w.alone)
        return emit_text(p, 0, &w, w.from, w.to);
    rc = find_kinds(p, &w, kinds);
    if (rc)
        return rc;
    n = find_parts(text, kinds, w.to - w.from, parts);
    if (n > MAX_PARTS) {
        parts[0] = core;
        n = 1;
    }
    return emit_parts(p, &w, parts, n, core);
}

/* ---- scripts without spaces ------------------------------------------- */

/* Blocks of Han, kana, Hangul and Bopomofo, in order. Their punctuation never
 * arrives here. */
static bool is_cjk(uint32_t cp)
{
    static const struct {
        uint32_t first, last;
    } blocks[] = {
        {0x1100, 0x11ff},   /* Hangul Jamo                               */
        {0x2e80, 0x2fdf},   /* radicals                                  */
        {0x3005, 0x3007},   /* iteration mark, closing mark, zero        */
        {0x3021, 0x303c},   /* Suzhou numerals, kana repeat marks        */
        {0x3040, 0x31bf},   /* kana, Bopomofo, Hangul letters            */
        {0x31f0, 0x31ff},   /* small katakana                            */
        {0x3400, 0x4dbf},   /* Han, extension A                          */
        {0x4e00, 0x9fff},   /* Han                                       */
        {0xa960, 0xa97f},   /* Hangul Jamo, extended A                   */
        {0xac00, 0xd7ff},   /* Hangul syllables, Jamo extended B         */
        {0xf900, 0xfaff},   /* Han, compatibility                        */
        {0xff66, 0xffdc},   /* half-width katakana and Hangul            */
        {0x16fe0, 0x16fff}, /* marks of Han                              */
        {0x1aff0, 0x1b16f}, /* kana, extended                            */
        {0x20000, 0x3ffff}, /* Han, extensions B and on                  */
    };
    size_t i;

    for (i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        if (cp <= blocks[i].last)
            return cp >= blocks[i].first;
    }
    return false;
}

/* The end of the character at `at`, with the marks on it. */
static int char_end(const struct pass *p, int at, int to, uint32_t *cp)
{
    uint32_t mark;
    size_t len;

    at += (int)utf8_decode(slice(p, at, to), cp, NULL);
    while (at < to && (unsigned char)p->text[at] >= 0x80) {
        len = utf8_decode(slice(p, at, to), &mark, NULL);
        if (!is_mark(mark))
            break;
        at += (int)len;
    }
    return at;
}

/* These scripts have no case and no accents to fold: tokens are the text
 * itself. */
static int emit_cjk(const struct pass *p, int from, int to)
{
    uint32_t cp;
    int end = char_end(p, from, to, &cp), next, rc = SQLITE_OK;

    for (; from < to && !rc; from = end, end = next) {
        next = end < to ? char_end(p, end, to, &cp) : to;
        if (!p->query || end == to)
            rc = emit_token(p, 0, p->text + from, end - from, from, end);
        if (!rc && end < to)
            rc = emit_token(p, p->query ? 0 : FTS5_TOKEN_COLOCATED,
                            p->text + from, next - from, from, end);
    }
    return rc;
}

/* ---- words ------------------------------------------------------------ */

static bool is_ascii(const char *text, int len)
{
    unsigned char any = 0;
    int i;

    for (i = 0; i < len; i++)
        any |= (unsigned char)text[i];
    return any < 0x80;
}

enum sort { SORT_CJK, SORT_OTHER, SORT_NONE };

static enum sort script_of(uint32_t cp)
{
    if (cp < 0x80)
        return SORT_OTHER;
    if (is_cjk(cp) || is_mark(cp))
        return SORT_CJK;
    return letters_none(cp) ? SORT_NONE : SORT_OTHER;
}

/* A word with more than ASCII: runs of one kind of character. */
static int emit_mixed(const struct pass *p, int from, int to)
{
    int at, end, next, rc = SQLITE_OK;
    enum sort sort, other;
    uint32_t cp;

    for (at = from; at < to && !rc; at = end) {
        end = char_end(p, at, to, &cp);
        sort = other = script_of(cp);
        while (end < to && other == sort) {
            next = char_end(p, end, to, &cp);
            other = script_of(cp);
            if (other == sort)
                end = next;
        }
        if (sort == SORT_CJK)
            rc = emit_cjk(p, at, end);
        if (sort == SORT_OTHER)
            rc = emit_piece(p, &(struct piece){at, end, NULL,
                                               p->n_words == 1 && at == from &&
                                                   end == to});
    }
    return rc;
}

static int on_word(void *ctx, int flags, const char *folded, int len, int from,
                   int to)
{
    const struct pass *p = ctx;

    (void)flags;
    /* ASCII is folded byte by byte, so its parts are already folded. */
    if (len == to - from && is_ascii(p->text + from, len))
        return emit_piece(p,
                          &(struct piece){from, to, folded, p->n_words == 1});
    return emit_mixed(p, from, to);
}

static int on_count(void *ctx, int flags, const char *folded, int len, int from,
                    int to)
{
    (void)flags, (void)folded, (void)len, (void)from, (void)to;
    ++*(int *)ctx;
    return SQLITE_OK;
}

/* Tokenize the well-formed runs, one after the other. */
static int tokenize_runs(struct pass *p, const char *text, int len, int flags,
                         void *ctx, token_fn *fn)
{
    int at = 0, end, rc = SQLITE_OK;

    while (at < len && !rc) {
        end = at + (int)utf8_find_bad(bytes_of(text + at, (size_t)(len - at)));
        p->text = text + at;
        p->base = at;
        if (end > at)
            rc = p->words->inner.xTokenize(p->words->split, ctx, flags, p->text,
                                           end - at, fn);
        at = end;
        if (at < len)
            at += (int)utf8_decode(bytes_of(text + at, (size_t)(len - at)),
                                   &(uint32_t){0}, NULL);
    }
    return rc;
}

static int words_tokenize(Fts5Tokenizer *self, void *ctx, int flags,
                          const char *text, int len, token_fn *fn)
{
    struct pass p = {.words = (struct words *)self,
                     .query = flags & FTS5_TOKENIZE_QUERY,
                     .emit = fn,
                     .ctx = ctx};
    int rc = SQLITE_OK;

    if (p.query)
        rc = tokenize_runs(&p, text, len, flags, &p.n_words, on_count);
    return rc ? rc : tokenize_runs(&p, text, len, flags, &p, on_word);
}

/* ---- create and delete -------------------------------------------------- */

static void words_delete(Fts5Tokenizer *self)
{
    struct words *w = (struct words *)self;

    if (w->split)
        w->inner.xDelete(w->split);
    if (w->fold)
        w->inner.xDelete(w->fold);
    if (w->lower)
        w->inner.xDelete(w->lower);
    sqlite3_free(w);
}

/* The voice marks of kana are not letters, but belong to one where a file name
 * comes from a system that writes them separately. */
#define WORD_MARKS "_\xe3\x82\x99\xe3\x82\x9a"

static int words_create(void *ctx, const char **args, int n_args,
                        Fts5Tokenizer **out)
{
    static const char *plain[] = {"remove_diacritics", "2", "tokenchars",
                                  WORD_MARKS};
    static const char *accents[] = {"remove_diacritics", "0", "tokenchars",
                                    WORD_MARKS};
    fts5_api *api = ctx;
    struct words *w;
    void *inner_ctx;
    int rc;

    (void)args;
    if (n_args)
        return SQLITE_ERROR;
    w = sqlite3_malloc(sizeof *w);
    if (!w)
        return SQLITE_NOMEM;
    memset(w, 0, sizeof *w);
    rc = api->xFindTokenizer(api, "unicode61", &inner_ctx, &w->inner);
    if (!rc)
        rc = w->inner.xCreate(inner_ctx, plain, 4, &w->split);
    if (!rc)
        rc = w->inner.xCreate(inner_ctx, plain, 4, &w->fold);
    if (!rc)
        rc = w->inner.xCreate(inner_ctx, accents, 4, &w->lower);
    if (rc)
        words_delete((Fts5Tokenizer *)w);
    else
        *out = (Fts5Tokenizer *)w;
    return rc;
}

/* ---- rank --------------------------------------------------------------- */

enum { RANK_COLUMNS = 8, RANK_PHRASES = 64 };

/* The weight of `n` occurrences, in thousandths of one: two count 1.5, eight
 * 2.5, and more than that no more. */
static int64_t weight_of_count(int n)
{
    static const int64_t worth[] = {0,    1000, 1500, 1790, 2000,
                                    2160, 2290, 2400, 2500};

    return worth[n < 8 ? n : 8];
}

static void rank_row(const Fts5ExtensionApi *api, Fts5Context *fts,
                     sqlite3_context *out, int n_weights,
                     sqlite3_value **weights)
{
    unsigned char times[RANK_PHRASES][RANK_COLUMNS] = {{0}};
    int i, n, phrase, column, offset, rc = api->xInstCount(fts, &n);
    int64_t sum = 0;

    for (i = 0; i < n && !rc; i++) {
        rc = api->xInst(fts, i, &phrase, &column, &offset);
        if (!rc && phrase < RANK_PHRASES && column < RANK_COLUMNS &&
            times[phrase][column] < 8)
            times[phrase][column]++;
    }
    n = api->xPhraseCount(fts);
    for (phrase = 0; phrase < n && phrase < RANK_PHRASES; phrase++) {
        for (column = 0; column < n_weights && column < RANK_COLUMNS; column++)
            if (times[phrase][column])
                sum += sqlite3_value_int(weights[column]) *
                       weight_of_count(times[phrase][column]);
    }
    if (rc)
        sqlite3_result_error_code(out, rc);
    else
        sqlite3_result_int64(out, sum);
}

static void phrases_of_row(const Fts5ExtensionApi *api, Fts5Context *fts,
                           sqlite3_context *out, int n_args,
                           sqlite3_value **args)
{
    int i, n, phrase, column, offset, rc = api->xInstCount(fts, &n);
    uint64_t mask = 0;

    (void)n_args;
    (void)args;
    for (i = 0; i < n && !rc; i++) {
        rc = api->xInst(fts, i, &phrase, &column, &offset);
        if (!rc && phrase < FTS_PHRASES_MAX)
            mask |= (uint64_t)1 << phrase;
    }
    if (rc)
        sqlite3_result_error_code(out, rc);
    else
        sqlite3_result_int64(out, (int64_t)mask);
}

/* Whether the id, the first argument, is in the second: a blob of ids as they
 * are in memory, ascending. */
static void is_among(sqlite3_context *out, int n_args, sqlite3_value **args)
{
    int64_t wanted = sqlite3_value_int64(args[0]), one = 0;
    const char *ids = sqlite3_value_blob(args[1]);
    size_t from = 0, to = (size_t)sqlite3_value_bytes(args[1]) / sizeof one;

    (void)n_args;
    while (from < to) {
        size_t middle = from + (to - from) / 2;

        memcpy(&one, ids + middle * sizeof one, sizeof one);
        if (one == wanted)
            break;
        if (one < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    sqlite3_result_int(out, from < to);
}

/* SQLite's interface for extensions of FTS5. */
static int find_api(sqlite3 *handle, fts5_api **api)
{
    sqlite3_stmt *s = NULL;
    int done, rc = sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &s, NULL);

    *api = NULL;
    if (!rc)
        rc = sqlite3_bind_pointer(s, 1, (void *)api, "fts5_api_ptr", NULL);
    if (!rc)
        sqlite3_step(s);
    /* After a failed step this returns the error code. */
    done = sqlite3_finalize(s);
    if (rc || done)
        return rc ? rc : done;
    return !*api || (*api)->iVersion < 2 ? SQLITE_ERROR : SQLITE_OK;
}

int fts_tokenizer_register(sqlite3 *handle)
{
    fts5_tokenizer methods = {words_create, words_delete, words_tokenize};
    fts5_api *api;
    int rc = find_api(handle, &api);

    if (!rc)
        rc = api->xCreateFunction(api, "quire_rank", NULL, rank_row, NULL);
    if (!rc)
        rc = api->xCreateFunction(api, "quire_phrases", NULL, phrases_of_row,
                                  NULL);
    if (!rc)
        rc = sqlite3_create_function_v2(handle, "quire_among", 2,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC |
                                            SQLITE_DIRECTONLY,
                                        NULL, is_among, NULL, NULL, NULL);
    return rc ? rc : api->xCreateTokenizer(api, "quire", api, &methods, NULL);
}

/* ---- without a table ---------------------------------------------------- */

struct fts_splitter {
    sqlite3 *handle;
    Fts5Tokenizer *words;
};

struct splitting {
    fts_word_fn each;
    void *ctx;
    quire_status status; /* of `each` */
    quire_error *err;
};

static int emit_word(void *ctx, int flags, const char *token, int len, int from,
                     int to)
{
    struct splitting *k = ctx;

    (void)from, (void)to;
    k->status = k->each(k->ctx, bytes_of(token, (size_t)len),
                        flags & FTS5_TOKEN_COLOCATED, k->err);
    return k->status ? SQLITE_ABORT : SQLITE_OK;
}

quire_status fts_splitter_new(struct fts_splitter **out, quire_error *err)
{
    struct fts_splitter *s = calloc(1, sizeof *s);
    fts5_api *api;
    int rc = s ? sqlite3_open_v2(":memory:", &s->handle,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY,
                                 NULL)
               : SQLITE_NOMEM;

    if (!rc)
        rc = find_api(s->handle, &api);
    if (!rc)
        rc = words_create(api, NULL, 0, &s->words);
    if (!rc) {
        *out = s;
        return QUIRE_OK;
    }
    fts_splitter_free(s);
    return rc == SQLITE_NOMEM
               ? err_memory(err)
               : err_set(err, QUIRE_IO, "SQLite has no full-text tokenizer");
}

quire_status fts_split(struct fts_splitter *s, quire_bytes text, bool query,
                       fts_word_fn each, void *ctx, quire_error *err)
{
    struct splitting k = {each, ctx, QUIRE_OK, err};
    int rc = words_tokenize(s->words, &k,
                            query ? FTS5_TOKENIZE_QUERY
                                  : FTS5_TOKENIZE_DOCUMENT,
                            text.len ? text.data : "", (int)text.len,
                            emit_word);

    return k.status ? k.status : rc ? err_memory(err) : QUIRE_OK;
}

void fts_splitter_free(struct fts_splitter *s)
{
    if (s && s->words)
        words_delete(s->words);
    if (s)
        sqlite3_close(s->handle);
    free(s);
}

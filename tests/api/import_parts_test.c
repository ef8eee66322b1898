/* The original of an import, cut into parts and made again. */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "blob/hash.h"
#include "store/sql.h"
#include "support/catalog.h"
#include "support/test.h"

#define CEILING ((size_t)1 << 28)

static uint64_t rng = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng % below;
}

static quire *open_home(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    OK(quire_open(&o, &q, &test_err));
    return q;
}

/* Import `bytes` in pieces, the first `old` of them by an import of their own. */
static void import_pieces(quire *q, const char *path, quire_bytes bytes,
                          size_t from, size_t old)
{
    quire_import_file f = {.path = path,
                           .agent = "test",
                           .session = "s",
                           .cwd = "/",
                           .title = ""};
    quire_import *im;
    size_t n;

    OK(quire_import_begin(q, path, from > 0, &im, &test_err));
    while (from < old) {
        n = 1 + draw(draw(2) ? 100000 : 700);
        n = old - from < n ? old - from : n;
        OK(quire_import_bytes(im, bytes_sub(bytes, from, from + n), &test_err));
        from += n;
    }
    OK(quire_import_commit(im, &f, NULL, bytes_of("s", 1), &test_err));
}

static void same_again(quire *q, const char *path, quire_bytes bytes)
{
    struct buf got = BUF_INIT(CEILING);

    OK(quire_import_original(q, path, buf_write, &got, &test_err));
    SAME(bytes, buf_bytes(&got));
    buf_release(&got);
}

static void round_trip(quire *q, const char *path, quire_bytes bytes)
{
    import_pieces(q, path, bytes, 0, bytes.len);
    same_again(q, path, bytes);
}

static void add_noise(struct buf *b, size_t n)
{
    while (n-- > 0)
        buf_add_char(b, (char)draw(256));
}

/* A string of any kind: base64, escapes as programs write them and others, what is
 * no string at all. */
static void add_string(struct buf *b)
{
    static const char *const words[] = {
        "plain ",  "\\n",     "\\t\\\"",        "\\\\",
        "\\u0001", "\\u00e9", "\\ud83d\\ude00", "\xc3\xa9",
        "\\/",     "\\ud800", "\\u001F",        "\xff\xfe",
    };
    struct buf raw = BUF_INIT(CEILING);
    size_t n = draw(3) == 0 ? draw(200000) : draw(6000), kinds = 1 + draw(12);
    size_t from = b->len;

    buf_add_char(b, '"');
    if (draw(3) == 0) {
        if (draw(2))
            buf_add_str(b, "data:image/png;base64,");
        add_noise(&raw, n);
        base64_encode(buf_bytes(&raw), b);
        if (draw(4) == 0)
            buf_add_char(b, '=');
    } else {
        while (b->len - from < n)
            buf_add_str(b, words[draw(kinds)]);
    }
    if (draw(20))
        buf_add_char(b, '"');
    buf_release(&raw);
}

static void add_lines(struct buf *b, size_t n)
{
    while (b->len < n) {
        buf_add_str(b, "{\"type\":\"x\",\"a\":");
        add_string(b);
        buf_add_str(b, ",\"b\":[1,2,");
        add_string(b);
        buf_add_str(b, draw(30) ? "]}\n" : "\r\n\n\"");
        if (draw(40) == 0)
            add_noise(b, draw(3000));
    }
}

TEST(an_original_of_any_bytes_is_given_back)
{
    struct buf b = BUF_INIT(CEILING);
    quire *q = open_home();
    char path[64];
    int i;

    for (i = 0; i < 40; i++) {
        snprintf(path, sizeof path, "/x/%d", i);
        buf_clear(&b);
        if (i % 8 == 0)
            add_noise(&b, draw(3000000));
        else
            add_lines(&b, draw(2000000));
        round_trip(q, path, buf_bytes(&b));
    }
    buf_release(&b);
    quire_close(q);
}

TEST(an_original_that_grew_in_any_steps_is_given_back)
{
    struct buf b = BUF_INIT(CEILING);
    quire *q = open_home();
    size_t from, to;

    add_lines(&b, 3000000);
    for (from = 0; from < b.len; from = to) {
        to = from + 1 + draw(draw(3) ? 30000 : 500000);
        to = to < b.len ? to : b.len;
        import_pieces(q, "/x/y", buf_bytes(&b), from, to);
        same_again(q, "/x/y", bytes_of(b.data, to));
    }
    buf_release(&b);
    quire_close(q);
}

TEST(a_string_longer_than_any_limit_is_given_back)
{
    struct buf b = BUF_INIT(CEILING);
    quire *q = open_home();
    size_t i;

    buf_add_str(&b, "{\"a\":\"");
    for (i = 0; i < (size_t)20 << 20; i++)
        buf_add_char(&b, (char)('a' + i % 26));
    buf_add_str(&b, "\"}\n{\"a\":\"short\"}\n");
    round_trip(q, "/x/y", buf_bytes(&b));
    buf_release(&b);
    quire_close(q);
}

static int64_t number(struct db *db, const char *sql)
{
    struct stmt *s;
    int64_t n;

    OK(db_prepare(db, sql, &s, &test_err));
    OK(sql_row(s, &test_err));
    n = stmt_column_int(s, 0);
    stmt_finalize(s);
    return n;
}

TEST(a_long_string_is_stored_once_however_often_it_is_there)
{
    struct buf raw = BUF_INIT(CEILING), text = BUF_INIT(CEILING),
               b = BUF_INIT(CEILING);
    quire *q = open_home();
    quire_blob_info info;
    quire_digest d;
    struct db *db;
    int i;

    add_noise(&raw, 50000);
    for (i = 0; i < 3000; i++)
        buf_add_str(&text, "a \"result\"\n");
    for (i = 0; i < 20; i++) {
        buf_addf(&b, "{\"id\":%d,\"data\":\"", i);
        base64_encode(buf_bytes(&raw), &b);
        buf_add_str(&b, "\",\"text\":");
        json_add_quoted(&b, buf_bytes(&text));
        buf_add_str(&b, "}\n");
    }
    round_trip(q, "/x/y", buf_bytes(&b));
    /* The blob is what the session file would refer to. */
    hash_bytes(buf_bytes(&raw), &d);
    OK(quire_blob_stat(q, &d, &info, &test_err));
    hash_bytes(buf_bytes(&text), &d);
    OK(quire_blob_stat(q, &d, &info, &test_err));
    quire_close(q);
    db = catalogue_open();
    EQ(20 + 20, number(db, "SELECT count(*) FROM import_part WHERE form > 0"));
    EQ(2, number(db, "SELECT count(DISTINCT sha256) FROM import_part"
                     " WHERE form > 0"));
    db_close(db);
    buf_release(&raw);
    buf_release(&text);
    buf_release(&b);
}

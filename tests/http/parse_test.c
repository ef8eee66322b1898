/* Heads of requests and chunked bodies, read strictly. */
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "http/parse.h"
#include "support/test.h"

static struct head head;
static size_t used;
static int status;
static const char *why;

static enum head_state read_text(const char *text)
{
    status = 0;
    why = "";
    return http_parse_head(bytes_str(text), &head, &used, &status, &why);
}

static bool is(quire_bytes b, const char *text)
{
    return bytes_equal(b, bytes_str(text));
}

TEST(a_head_is_slices_of_what_was_sent)
{
    static const char text[] = "POST /v1/a%20b/c?x=1&y=2 HTTP/1.1\r\n"
                               "Host: localhost:7733\r\n"
                               "content-length:  12  \r\n"
                               "Accept: */*\r\n"
                               "Expect: 100-continue\r\n"
                               "\r\nhello, world";

    EQ(HEAD_DONE, read_text(text));
    EQ(strlen(text) - 12, used);
    YES(is(head.method, "POST"));
    YES(is(head.path, "/v1/a%20b/c"));
    YES(is(head.query, "x=1&y=2"));
    YES(is(head.host, "localhost:7733"));
    YES(is(http_head_get(&head, "ACCEPT"), "*/*"));
    NO(http_head_get(&head, "Authorization").data);
    EQ(12, head.length);
    YES(head.keep && head.expects && !head.chunked);
}

TEST(a_head_is_awaited_byte_by_byte)
{
    static const char text[] = "\r\nGET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\r\n";
    size_t n;

    for (n = 0; n < strlen(text); n++)
        EQ(HEAD_MORE,
           http_parse_head(bytes_of(text, n), &head, &used, &status, &why));
    EQ(HEAD_DONE, read_text(text));
    EQ(strlen(text), used);
}

TEST(what_two_readers_could_understand_differently_is_refused)
{
    static const struct {
        int status;
        const char *text;
    } bad[] = {
        {400, "GET / HTTP/1.1\nHost: h\n\n"},
        {400, "GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost : h\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: h\r\nA: b\rc\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nA: b\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
              "Content-Length: 1\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x10\r\n\r\n"},
        {413, "POST / HTTP/1.1\r\nHost: h\r\n"
              "Content-Length: 9999999999999999999\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
              "Transfer-Encoding: chunked\r\n\r\n"},
        {501, "POST / HTTP/1.1\r\nHost: h\r\n"
              "Transfer-Encoding: gzip, chunked\r\n\r\n"},
        {501, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
              "Transfer-Encoding: chunked\r\n\r\n"},
        {501, "POST / HTTP/1.1\r\nHost: h\r\n"
              "Transfer-Encoding: xchunked\r\n\r\n"},
        {400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {417, "POST / HTTP/1.1\r\nHost: h\r\nExpect: cake\r\n\r\n"},
        {505, "GET / HTTP/2.0\r\nHost: h\r\n\r\n"},
        {400, "GET / HTTP/1.1 \r\nHost: h\r\n\r\n"},
        {400, "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"},
        {400, "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"},
        {400, "GET a HTTP/1.1\r\nHost: h\r\n\r\n"},
        {400, "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n"},
        {400, "G@T / HTTP/1.1\r\nHost: h\r\n\r\n"},
        {400, "GET /\r\n\r\n"},
        {400, "GET /\x80 HTTP/1.1\r\nHost: h\r\n\r\n"},
        {400, "hello\r\n\r\n"},
    };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        EQ(HEAD_BAD, read_text(bad[i].text));
        EQ(bad[i].status, status);
        YES(why && *why);
    }
}

TEST(a_head_has_its_limits)
{
    struct buf text = BUF_INIT(1 << 20);
    int i;

    buf_add_str(&text, "GET /");
    for (i = 0; i < 9000; i++)
        buf_add_char(&text, 'a');
    buf_add_str(&text, " HTTP/1.1\r\nHost: h\r\n\r\n");
    EQ(HEAD_BAD, read_text(buf_text(&text)));
    EQ(414, status);
    buf_clear(&text);
    buf_add_str(&text, "GET / HTTP/1.1\r\nHost: h\r\n");
    for (i = 0; i < 200; i++)
        buf_addf(&text, "A%d: b\r\n", i);
    buf_add_str(&text, "\r\n");
    EQ(HEAD_BAD, read_text(buf_text(&text)));
    EQ(431, status);
    buf_clear(&text);
    buf_add_str(&text, "GET / HTTP/1.1\r\nHost: h\r\nA: ");
    while (text.len < 70000)
        buf_add_char(&text, 'a');
    EQ(HEAD_BAD, read_text(buf_text(&text)));
    EQ(431, status);
    buf_release(&text);
}

TEST(a_connection_is_kept_as_the_version_and_the_header_say)
{
    EQ(HEAD_DONE, read_text("GET / HTTP/1.0\r\n\r\n"));
    NO(head.keep);
    EQ(HEAD_DONE,
       read_text("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    YES(head.keep);
    EQ(HEAD_DONE,
       read_text("GET / HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n"));
    NO(head.keep);
    EQ(HEAD_DONE,
       read_text("GET / HTTP/1.1\r\nHost: h\r\nConnection: a, close\r\n\r\n"));
    NO(head.keep);
    EQ(HEAD_DONE,
       read_text("GET / HTTP/1.1\r\nHost: h\r\nConnection: closed\r\n\r\n"));
    YES(head.keep);
    EQ(HEAD_DONE, read_text("GET http://x:1/y?z HTTP/1.1\r\nHost: h\r\n\r\n"));
    YES(is(head.host, "x:1") && is(head.path, "/y") && is(head.query, "z"));
}

/* ---- chunks ------------------------------------------------------------- */

/* All of a body that comes `step` bytes at a time. */
static enum head_state decode(const char *text, size_t step, struct buf *out)
{
    struct chunks c = {0};
    enum head_state st = HEAD_MORE;
    size_t at = 0, len = strlen(text), n;
    quire_bytes piece;

    while (st == HEAD_MORE && at < len) {
        size_t part = len - at < step ? len - at : step;

        st = http_parse_chunk(&c, bytes_of(text + at, part), &n, &piece);
        if (st == HEAD_BAD)
            break;
        buf_add(out, piece.data, piece.len);
        at += n;
    }
    return st;
}

TEST(chunks_are_decoded_wherever_they_are_cut)
{
    static const char text[] = "5\r\nhello\r\n2;name=value\r\n, \r\n"
                               "05 \r\nworld\r\n0\r\nTrailer: x\r\n\r\n";
    size_t step;

    for (step = 1; step <= strlen(text); step++) {
        struct buf out = BUF_INIT(1024);

        EQ(HEAD_DONE, decode(text, step, &out));
        SAME_TEXT("hello, world", buf_text(&out));
        buf_release(&out);
    }
}

TEST(chunks_that_make_no_sense_are_refused)
{
    static const char *const bad[] = {
        "x\r\n",          "\r\n",
        "-1\r\n",         "5\nhello\r\n",
        "5\r\nhelloX\n",  "5\r\nhello\n0\r\n\r\n",
        "0\r\nx\n\r\n\r", "fffffffffffffffff\r\n",
        "5 x\x01\r\n",    "0x5\r\nhello\r\n",
    };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct buf out = BUF_INIT(1024);
        enum head_state st = decode(bad[i], 1024, &out);

        NO(st == HEAD_DONE);
        if (i != 6) /* it may still become one */
            EQ(HEAD_BAD, st);
        buf_release(&out);
    }
}

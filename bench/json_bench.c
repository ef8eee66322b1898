/*
 * json_bench.c - how far from the memory the JSON code is
 *
 * Two texts of 100 MB: lines as sessions have them (a mean of 7 KB: prose
 * with escapes, now and then an image in base64), and dense lines of about 200
 * bytes, where tokens cost more than bytes. Each way to look is put beside a
 * newline scan over the same bytes, which any loader pays.
 *
 *     json_bench            prints GB/s, the best of five
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"

#define TEXT_BYTES ((size_t)100 << 20)

static uint64_t seed = 42;

static uint64_t rnd(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

/* ---- texts ------------------------------------------------------------- */

static void add_prose(struct buf *b, size_t len)
{
    static const char *const words[] = {
        "the ",   "function ", "returns ",     "an ",       "error ",
        "when ",  "\\n",       "\\n    ",      "if (x) ",   "\\\"quoted\\\" ",
        "file ",  "not ",      "src/main.c:1", "value ",    "entry ",
        "agent ", "session ",  "\\t",          "größer → ", "const char *",
    };
    size_t stop = b->len + len;

    while (b->len < stop)
        buf_add_str(b, words[rnd(sizeof words / sizeof *words)]);
}

static void add_base64(struct buf *b, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789+/";

    while (len--)
        buf_add_char(b, digits[rnd(64)]);
}

static void add_head(struct buf *b, const char *type, size_t n)
{
    buf_addf(b,
             "{\"type\":\"%s\",\"id\":\"%08zx\",\"parentId\":\"%08zx\","
             "\"timestamp\":\"2025-01-02T03:04:05.678Z\",",
             type, n, n - 1);
}

static void add_session_line(struct buf *b, size_t n)
{
    uint64_t dice = rnd(100);

    add_head(b, "message", n);
    buf_add_str(b, "\"message\":{\"role\":\"assistant\",\"content\":[");
    buf_add_str(b, "{\"type\":\"text\",\"text\":\"");
    add_prose(b, dice < 60 ? 200 + rnd(800) : 2000 + rnd(8000));
    if (dice >= 97) {
        buf_add_str(b, "\"},{\"type\":\"image\",\"mimeType\":\"image/png\","
                       "\"data\":\"");
        add_base64(b, 40000 + rnd(200000));
    }
    buf_addf(b,
             "\"}],\"usage\":{\"input\":%d,\"output\":%d,\"cost\":"
             "{\"total\":0.%06d}},\"stopReason\":\"stop\"}}\n",
             (int)rnd(100000), (int)rnd(5000), (int)rnd(1000000));
}

static void add_dense_line(struct buf *b, size_t n)
{
    add_head(b, "custom", n);
    buf_addf(b,
             "\"data\":{\"a\":[1,2,3,-4.5e6,true,null],\"step\":%05d,"
             "\"ok\":false,\"s\":\"%08x\",\"o\":{\"x\":%04d,\"y\":[]}}}\n",
             (int)rnd(100000), (unsigned)rnd(1u << 31), (int)rnd(10000));
}

static struct buf make(void (*line)(struct buf *, size_t))
{
    struct buf b = BUF_INIT(SIZE_MAX / 2);
    size_t n = 1;

    while (b.len < TEXT_BYTES && !b.failed)
        line(&b, n++);
    if (b.failed)
        abort();
    return b;
}

/* ---- looks ------------------------------------------------------------- */

static size_t look_none(quire_bytes line)
{
    return line.len;
}

static size_t look_head(quire_bytes line)
{
    struct json_want wants[] = {JSON_WANT("type"), JSON_WANT("id"),
                                JSON_WANT("parentId"), JSON_WANT("timestamp")};

    return json_head(line, wants, 4, NULL) + wants[3].value.len;
}

static size_t look_pick(quire_bytes line)
{
    struct json_want wants[] = {JSON_WANT("type"), JSON_WANT("id"),
                                JSON_WANT("parentId"), JSON_WANT("timestamp")};

    return json_pick(line, wants, 4, NULL) + wants[3].value.len;
}

static size_t look_check(quire_bytes line)
{
    return json_check(line, 0, NULL);
}

static size_t look_check_utf8(quire_bytes line)
{
    return json_check(line, JSON_UTF8, NULL);
}

static size_t look_utf8(quire_bytes line)
{
    return utf8_check(line);
}

static size_t look_tree(quire_bytes line)
{
    static struct arena a = ARENA_INIT;
    struct json_node *root;

    arena_reset(&a);
    root = json_tree_read(line, &a, NULL);
    return root ? root->raw.len : 0;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure(const char *name, const struct buf *text,
                    size_t (*look)(quire_bytes))
{
    double best = 1e9;
    size_t sum = 0;
    int i;

    for (i = 0; i < 5; i++) {
        const char *at = text->data, *end = at + text->len;
        double began = now_s(), took;

        while (at < end) {
            const char *nl = memchr(at, '\n', (size_t)(end - at));

            sum += look(bytes_of(at, (size_t)(nl - at)));
            at = nl + 1;
        }
        took = now_s() - began;
        best = took < best ? took : best;
    }
    printf("    %-34s %6.2f GB/s   (%zx)\n", name,
           (double)text->len / best / 1e9, sum & 0xfff);
}

static void measure_all(const char *title, struct buf text)
{
    printf("%s\n", title);
    measure("newline scan", &text, look_none);
    measure("newlines + json_head", &text, look_head);
    measure("newlines + json_pick", &text, look_pick);
    measure("newlines + json_check", &text, look_check);
    measure("newlines + json_check, UTF-8", &text, look_check_utf8);
    measure("newlines + utf8_check", &text, look_utf8);
    measure("newlines + json_tree_read", &text, look_tree);
    buf_release(&text);
}

int main(void)
{
    measure_all("session lines", make(add_session_line));
    measure_all("dense lines", make(add_dense_line));
    return 0;
}

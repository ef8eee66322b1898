/*
 * json_bench.c - how far from the memory the JSON code is
 *
 * Two texts of 100 MB: lines as sessions have them (a mean of 7 KB: prose
 * with escapes, now and then an image in base64), and dense lines of about 200
 * bytes, where tokens cost more than bytes. Each way to look includes finding
 * the end of the line, and is put beside a newline scan over the same bytes,
 * which any loader pays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"
#include "bench.h"
#include "secrets/secrets.h"

static uint64_t seed = 42;

static uint64_t rnd(uint64_t below)
{
    return text_rnd(&seed, below);
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

static struct buf make(void (*line)(struct buf *, size_t), size_t len)
{
    struct buf b = BUF_INIT(SIZE_MAX / 2);
    size_t n = 1;

    while (b.len < len && !b.failed)
        line(&b, n++);
    if (b.failed)
        bench_fail("no memory");
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

/* ---- measuring ---------------------------------------------------------- */

static double pass(const struct buf *text, size_t (*look)(quire_bytes))
{
    const char *at = text->data, *end = at + text->len;
    double began = now_s(), took;
    size_t sum = 0;

    while (at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));

        sum += look(bytes_of(at, (size_t)(nl - at)));
        at = nl + 1;
    }
    took = now_s() - began;
    if (sum == 0) /* asked, so that no look is in vain */
        bench_fail("nothing was found in the lines");
    return (double)text->len / took / 1e9;
}

/* What an append does under the setting `secrets`, where none is found. */
static size_t look_secrets(quire_bytes line)
{
    struct arena keep = ARENA_INIT;
    quire_bytes out;
    quire_error err;
    size_t n;

    bench_ok(secrets_mask_json(line, true, &keep, &out, &n, NULL, NULL, &err),
             &err);
    arena_release(&keep);
    return out.len + n;
}

enum { N_LOOKS = 7 };

static size_t (*const looks[N_LOOKS])(quire_bytes) = {
    look_head, look_pick, look_check,   look_check_utf8,
    look_utf8, look_tree, look_secrets,
};

#define NAMES(kind)                                              \
    "json_head, " kind, "json_pick, " kind, "json_check, " kind, \
        "json_check with UTF-8, " kind, "utf8_check, " kind,     \
        "json_tree_read, " kind, "secrets, " kind

static const char *const session_names[N_LOOKS] = {NAMES("session lines")};
static const char *const dense_names[N_LOOKS] = {NAMES("dense lines")};

static void measure(struct bench *b, const char *const *names,
                    void (*line)(struct buf *, size_t))
{
    struct buf text = make(line, (size_t)(b->quick ? 8 : 100) << 20);
    int i, k, n = b->quick ? 3 : 7;

    for (i = 0; i < N_LOOKS; i++) {
        struct readings r = {.n = 0};

        if (!bench_wants(b, names[i]))
            continue;
        for (k = 0; k < n; k++) {
            double ours = pass(&text, looks[i]);

            readings_add(&r, ours, pass(&text, look_none));
        }
        report(b,
               (struct line){names[i], "GB/s", "newline scan", NEED_NOTHING, 0},
               &r);
    }
    buf_release(&text);
}

static void session_lines(struct bench *b)
{
    measure(b, session_names, add_session_line);
}

static void dense_lines(struct bench *b)
{
    measure(b, dense_names, add_dense_line);
}

const struct measure json_measures[] = {
    {session_lines, {NAMES("session lines")}},
    {dense_lines, {NAMES("dense lines")}},
    {NULL, {NULL}},
};

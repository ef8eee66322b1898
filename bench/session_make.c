/*
 * session_make.c - session files to measure with
 *
 * A turn is a question, one to three steps of thinking, saying and calling
 * tools with a result for each call, and an answer. Results have a heavy tail
 * around a median of 2 KB; an entry has 2.5 KB in the mean. Every 40 turns
 * someone goes three turns back and tries again, every 60 turns all but the
 * last ten turns are compacted.
 *
 *     turns  1 ... 37 - 38 - 39 - 40
 *                   \
 *                    41 ... 50 ... 60 - [compaction, kept from 51] - 61 ...
 *
 * Text is cut from a pool that is made once: making a gigabyte of new text
 * takes longer than everything that is measured on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "bench.h"
#include "session_make.h"

enum {
    BRANCH_EVERY = 40,
    BRANCH_BACK = 3,
    COMPACT_EVERY = 60,
    COMPACT_KEEP = 10,
    IMAGE_EVERY = 12,
    END_AFTER = 20,     /* turns after the last compaction              */
    RECENT = 16,        /* turns remembered: more than we ever go back  */
    POOL = 1 << 20,     /* bytes of each text                           */
    SLICE_MAX = 1 << 17 /* the longest piece of it                      */
};

/* 2026-01-05, and a second for every entry. */
#define EPOCH_MS 1767571200000

struct id {
    char text[9];
};

struct maker {
    enum make_kind kind;
    struct buf out; /* what is not written yet           */
    int fd;
    struct made made;
    uint64_t state; /* of the random numbers             */
    struct id leaf;
    struct id first[RECENT], last[RECENT]; /* entries of turns  */
    uint64_t turns, calls;
    struct buf code, output; /* the pool                  */
};

static uint64_t rnd(struct maker *m, uint64_t below)
{
    return text_rnd(&m->state, below);
}

/* ---- pieces ------------------------------------------------------------- */

/* All different, as every step can be undone; and no order to be seen. */
static struct id id_of(uint64_t number)
{
    uint32_t x = (uint32_t)number * 0x9e3779b1u;
    struct id id;

    x ^= x >> 15;
    x *= 0x85ebca77u;
    x ^= x >> 13;
    snprintf(id.text, sizeof id.text, "%08x", x);
    return id;
}

static void add_time(struct buf *out, uint64_t s)
{
    buf_addf(out, "\"timestamp\":\"2026-01-%02uT%02u:%02u:%02u.000Z\"",
             (unsigned)(5 + s / 86400), (unsigned)(s / 3600 % 24),
             (unsigned)(s / 60 % 60), (unsigned)(s % 60));
}

static void add_ms(struct maker *m)
{
    buf_addf(&m->out, ",\"timestamp\":%llu",
             (unsigned long long)(EPOCH_MS + m->made.entries * 1000));
}

/* `len` bytes of the pool, quoted; now and then with something that is not
 * ASCII. */
static void add_text(struct maker *m, const struct buf *pool, uint64_t len)
{
    static const char far[] = "größer → 你好 ✓ ";
    size_t at = (size_t)rnd(m, POOL - SLICE_MAX);

    json_add_quoted(&m->out, bytes_of(pool->data + at, (size_t)len));
    if (rnd(m, 8) == 0) {
        m->out.len--; /* the quote that ends it */
        buf_add(&m->out, far, sizeof far - 1);
        buf_add_char(&m->out, '"');
    }
}

/* Around a median of 2 KB, from 32 bytes to 128 KB: the logarithm is nearly
 * normal, with a deviation of 1.7 octaves. */
static uint64_t heavy(struct maker *m)
{
    uint64_t octave, x = 0;
    int i;

    for (i = 0; i < 4; i++)
        x += rnd(m, 1024);
    x *= 3;
    octave = x / 1024;
    return ((32 + x % 1024 / 32) << octave) - 1;
}

static void flush(struct maker *m)
{
    if (m->out.failed)
        bench_fail("no memory for a session");
    if (fs_write_all(m->fd, buf_bytes(&m->out)) < 0)
        bench_fail("cannot write a session: %s", strerror(errno));
    buf_clear(&m->out);
}

static uint64_t size(const struct maker *m)
{
    return m->made.bytes + m->out.len;
}

/* ---- entries ------------------------------------------------------------ */

static void begin(struct maker *m, const char *type)
{
    struct id id = id_of(++m->made.entries);

    buf_addf(&m->out, "{\"type\":\"%s\",\"id\":\"%s\",\"parentId\":", type,
             id.text);
    if (m->leaf.text[0])
        buf_addf(&m->out, "\"%s\",", m->leaf.text);
    else
        buf_add_str(&m->out, "null,");
    add_time(&m->out, m->made.entries);
    m->leaf = id;
}

static void end(struct maker *m)
{
    buf_add_str(&m->out, "}\n");
    if (m->out.len >= POOL) {
        m->made.bytes += m->out.len;
        flush(m);
    }
}

static void add_user(struct maker *m)
{
    begin(m, "message");
    buf_add_str(&m->out, ",\"message\":{\"role\":\"user\",\"content\":"
                         "[{\"type\":\"text\",\"text\":");
    add_text(m, &m->code, 100 + rnd(m, 500));
    buf_add_str(&m->out, "}]");
    add_ms(m);
    buf_add_char(&m->out, '}');
    end(m);
}

static void begin_assistant(struct maker *m)
{
    begin(m, "message");
    buf_add_str(&m->out, ",\"message\":{\"role\":\"assistant\",\"content\":[");
}

static void end_assistant(struct maker *m, const char *stop)
{
    unsigned in = 1000 + (unsigned)rnd(m, 90000), out = (unsigned)rnd(m, 4000);

    buf_addf(&m->out,
             "],\"api\":\"example-messages\",\"provider\":\"example\","
             "\"model\":\"example-large-2\",\"usage\":{\"input\":%u,"
             "\"output\":%u,\"cacheRead\":%u,\"cacheWrite\":0,"
             "\"totalTokens\":%u,\"cost\":{\"input\":0.0%u,\"output\":0.00%u,"
             "\"cacheRead\":0,\"cacheWrite\":0,\"total\":0.0%u}},"
             "\"stopReason\":\"%s\"",
             in, out, in / 2, in + out, in, out, in + out, stop);
    add_ms(m);
    buf_add_char(&m->out, '}');
    end(m);
}

static void add_answer(struct maker *m)
{
    begin_assistant(m);
    buf_add_str(&m->out, "{\"type\":\"text\",\"text\":");
    add_text(m, &m->code, 200 + rnd(m, 1300));
    buf_add_char(&m->out, '}');
    end_assistant(m, "stop");
}

static void add_result(struct maker *m, uint64_t call)
{
    begin(m, "message");
    buf_addf(&m->out,
             ",\"message\":{\"role\":\"toolResult\",\"toolCallId\":"
             "\"call_%llu\",\"toolName\":\"bash\",\"content\":"
             "[{\"type\":\"text\",\"text\":",
             (unsigned long long)call);
    add_text(m, &m->output, heavy(m));
    buf_add_str(&m->out, "}],\"isError\":false");
    add_ms(m);
    buf_add_char(&m->out, '}');
    end(m);
}

static void add_step(struct maker *m)
{
    uint64_t i, n = rnd(m, 10) < 3 ? 2 : 1;

    begin_assistant(m);
    buf_add_str(&m->out, "{\"type\":\"thinking\",\"thinking\":");
    add_text(m, &m->code, 100 + rnd(m, 400));
    buf_add_str(&m->out, "},{\"type\":\"text\",\"text\":");
    add_text(m, &m->code, 50 + rnd(m, 250));
    for (i = 0; i < n; i++) {
        buf_addf(&m->out,
                 "},{\"type\":\"toolCall\",\"id\":\"call_%llu\",\"name\":"
                 "\"bash\",\"arguments\":{\"command\":",
                 (unsigned long long)(m->calls + i));
        add_text(m, &m->code, 20 + rnd(m, 100));
        buf_add_str(&m->out, ",\"timeout\":30}");
    }
    buf_add_char(&m->out, '}');
    end_assistant(m, "toolUse");
    for (i = 0; i < n; i++)
        add_result(m, m->calls++);
}

/* 18 KB: 24,576 digits. */
static void add_image(struct maker *m)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789+/";
    int i;

    begin(m, "message");
    buf_add_str(&m->out, ",\"message\":{\"role\":\"user\",\"content\":"
                         "[{\"type\":\"image\",\"data\":\"");
    for (i = 0; i < 24576; i++)
        buf_add_char(&m->out, digits[rnd(m, 64)]);
    buf_add_str(&m->out, "\",\"mimeType\":\"image/png\"}]");
    add_ms(m);
    buf_add_char(&m->out, '}');
    end(m);
}

static void add_compaction(struct maker *m)
{
    begin(m, "compaction");
    buf_add_str(&m->out, ",\"summary\":");
    add_text(m, &m->code, 2000);
    buf_add_str(&m->out, ",\"shortSummary\":");
    add_text(m, &m->code, 60);
    buf_addf(&m->out, ",\"firstKeptEntryId\":\"%s\",\"tokensBefore\":%u",
             m->first[(m->turns - COMPACT_KEEP + 1) % RECENT].text,
             100000 + (unsigned)rnd(m, 80000));
    end(m);
}

/* ---- sessions ----------------------------------------------------------- */

static void add_turn(struct maker *m)
{
    uint64_t steps = 1 + rnd(m, 3), here = ++m->turns % RECENT;
    uint64_t next = m->made.entries + 1;

    if (m->kind == MAKE_MIXED && m->turns % IMAGE_EVERY == 0)
        add_image(m);
    add_user(m);
    m->first[here] = id_of(next);
    while (steps--)
        add_step(m);
    add_answer(m);
    m->last[here] = m->leaf;
    if (m->kind == MAKE_LINEAR)
        return;
    if (m->turns % BRANCH_EVERY == 0)
        m->leaf = m->last[(m->turns - BRANCH_BACK) % RECENT];
    if (m->turns % COMPACT_EVERY == 0)
        add_compaction(m);
}

static void add_short(struct maker *m)
{
    struct buf message = BUF_INIT(1 << 16);
    size_t skip = strlen("{\"type\":\"message\"");

    make_message(&message, m->made.entries, 200);
    begin(m, "message");
    buf_add(&m->out, message.data + skip, message.len - skip - 1);
    end(m);
    buf_release(&message);
}

static void fill(struct maker *m, uint64_t bytes, uint64_t entries)
{
    while (size(m) < bytes || m->made.entries < entries) {
        if (m->kind == MAKE_SHORT)
            add_short(m);
        else
            add_turn(m);
    }
    /* So that as much is left of the path whatever the size. */
    while (m->turns % COMPACT_EVERY != END_AFTER && m->turns > COMPACT_EVERY)
        add_turn(m);
}

/* What tools print, of every kind there is. */
static void fill_output(struct buf *pool)
{
    struct buf piece = BUF_INIT(POOL);
    uint64_t seed;

    for (seed = 0; seed < 32; seed++) {
        text_output(&piece, 100 + seed, POOL / 32);
        buf_add(pool, piece.data, piece.len);
    }
    buf_release(&piece);
}

uint64_t make_bytes(const struct bench *b)
{
    return b->quick ? 10000000 : 100000000;
}

struct made make_session(const char *path, enum make_kind kind, uint64_t bytes,
                         uint64_t entries)
{
    struct maker m = {.kind = kind, .state = 1000 + (uint64_t)kind};

    m.out.max = m.code.max = m.output.max = 8 * POOL;
    m.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (m.fd < 0)
        bench_fail("cannot make %s: %s", path, strerror(errno));
    text_code(&m.code, 11, POOL);
    fill_output(&m.output);
    make_header(&m.out, 1, "/srv/work");
    fill(&m, bytes, entries);
    m.made.bytes += m.out.len;
    flush(&m);
    if (fsync(m.fd) < 0)
        bench_fail("cannot sync %s: %s", path, strerror(errno));
    close(m.fd);
    buf_release(&m.out);
    buf_release(&m.code);
    buf_release(&m.output);
    return m.made;
}

void make_header(struct buf *out, uint64_t number, const char *cwd)
{
    buf_addf(out, "{\"type\":\"session\",\"version\":3,\"id\":\"%016llx\",",
             (unsigned long long)number);
    add_time(out, number % 86400);
    buf_addf(out, ",\"cwd\":\"%s\",\"title\":\"Session %llu\"}\n", cwd,
             (unsigned long long)number);
}

void make_message(struct buf *out, uint64_t number, size_t len)
{
    static const char words[] = "what the function returns when it is not ";
    bool user = number % 2 == 0;
    size_t stop = out->len + len, tail;
    char rest[128];

    snprintf(rest, sizeof rest,
             "\"}],\"provider\":\"example\",\"model\":\"example-large-2\","
             "\"stopReason\":\"stop\",\"timestamp\":%llu}}",
             (unsigned long long)(EPOCH_MS + number * 1000));
    if (user)
        snprintf(rest, sizeof rest, "\"}],\"timestamp\":%llu}}",
                 (unsigned long long)(EPOCH_MS + number * 1000));
    tail = strlen(rest);
    buf_addf(out,
             "{\"type\":\"message\",\"message\":{\"role\":\"%s\",\"content\":"
             "[{\"type\":\"text\",\"text\":\"%llu ",
             user ? "user" : "assistant", (unsigned long long)number);
    while (out->len + tail < stop) {
        size_t left = stop - tail - out->len;

        buf_add(out, words, left < sizeof words - 1 ? left : sizeof words - 1);
    }
    buf_add(out, rest, tail);
    if (out->failed)
        bench_fail("no memory for a message");
}

/* ---- handles ------------------------------------------------------------ */

quire *make_home(const char *home)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_error err;
    quire *q;

    options.home = home;
    options.kind = QUIRE_KIND_NATIVE;
    bench_ok(quire_open(&options, &q, &err), &err);
    return q;
}

quire_session *make_open(quire *q, const char *path, unsigned flags)
{
    quire_session_options options = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s;
    quire_error err;

    options.flags = flags;
    bench_ok(quire_session_open(q, path, &options, &s, &err), &err);
    return s;
}

quire_session *make_new(quire *q, unsigned flags, quire_durability sync)
{
    quire_session_options options = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s;
    quire_error err;

    options.flags = flags;
    options.sync = sync;
    options.cwd = "/";
    bench_ok(quire_session_new(q, &options, &s, &err), &err);
    return s;
}

void make_empty(quire *q, char id[64])
{
    quire_session *s = make_new(q, QUIRE_SESSION_AT_ONCE, QUIRE_SYNC_FLUSH);
    quire_session_info info;

    quire_session_describe(s, &info);
    snprintf(id, 64, "%s", info.id);
    quire_session_close(s);
}

int make_fd(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        bench_fail("cannot open %s: %s", path, strerror(errno));
    return fd;
}

/* What the kernel says of this process: the number behind `key`. */
double kernel_says(const char *file, const char *key)
{
    char text[8192], *at;
    int fd = make_fd(file);
    ssize_t n = fs_read_full(fd, text, sizeof text - 1);

    close(fd);
    text[n > 0 ? n : 0] = '\0';
    at = strstr(text, key);
    if (!at)
        bench_fail("%s does not tell %s", file, key);
    return atof(at + strlen(key));
}

/*
 * A home with many files, most of them damaged in some way, looked at by one
 * thread and by several: the same findings, word for word and in the same order,
 * from the thread that called.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "api/core/handle.h"
#include "support/catalog.h"
#include "support/flip.h"
#include "support/tenants.h"

/* ---- listening ---------------------------------------------------------- */

struct ears {
    struct buf text; /* a line for each finding */
    int n, stop_at;  /* 0: never                */
    uint64_t calls, stop_progress;
    bool accident; /* something could not be read, or not be written down */
    pthread_t caller;
    quire_check_summary sum;
    quire_status status;
    quire_error err;
};

static quire_status hear(void *ctx, const quire_problem *p, quire_error *err)
{
    struct ears *e = ctx;

    (void)err;
    YES(pthread_equal(e->caller, pthread_self()));
    buf_addf(&e->text, "%s|%s|%llu|%llu|%s|%s\n", p->where, p->kind,
             (unsigned long long)p->line, (unsigned long long)p->byte, p->what,
             p->next);
    e->accident = e->accident || e->text.failed ||
                  !strcmp(p->kind, "unreadable") ||
                  !strcmp(p->kind, "database");
    return ++e->n == e->stop_at ? QUIRE_STOPPED : QUIRE_OK;
}

static quire_status count(void *ctx, uint64_t done, uint64_t total,
                          quire_error *err)
{
    struct ears *e = ctx;

    (void)done, (void)total, (void)err;
    YES(pthread_equal(e->caller, pthread_self()));
    return ++e->calls == e->stop_progress ? QUIRE_STOPPED : QUIRE_OK;
}

static void be_heard(void *ctx, const char *line)
{
    (void)ctx, (void)line;
}

/* `alone`: whoever wants to hear each call keeps other threads away. */
static struct ears listen(struct ears e, unsigned flags, bool alone)
{
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = hear,
                               .progress = count,
                               .ctx = &e,
                               .summary = &e.sum};
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    e.text = (struct buf)BUF_INIT(16 << 20);
    e.caller = pthread_self();
    o.home = test_path("home");
    o.flags = QUIRE_READ_ONLY;
    o.busy_ms = 5000;
    o.trace = alone ? be_heard : NULL;
    e.status = quire_open(&o, &q, &e.err);
    if (!e.status) {
        e.status = quire_check(q, flags, &hooks, &e.err);
        quire_close(q);
    }
    return e;
}

/* ---- the home ----------------------------------------------------------- */

#define HEAD                                                \
    "{\"type\":\"session\",\"version\":3,\"id\":\"%016x\"," \
    "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/p\"}\n"
#define ENTRY                                                  \
    "{\"type\":\"message\",\"id\":\"%08x\",\"parentId\":%s,"   \
    "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{" \
    "\"role\":\"user\",\"content\":\"%s\"}}\n"
#define ABSENT                                                       \
    "blob:sha256:00000000000000000000000000000000000000000000000000" \
    "00000000000000"

enum { KINDS = 12 };

static void add_lines(struct buf *b, int kind, unsigned number)
{
    int i;

    if (kind != 1)
        buf_addf(b, HEAD, number);
    buf_addf(b, ENTRY, 1, "null", "first");
    switch (kind) {
    case 2: /* more than wait to be told of one file */
        for (i = 0; i < 150; i++)
            buf_addf(b, "no JSON, number %d\n", i);
        break;
    case 3: buf_addf(b, ENTRY, 1, "null", "twice"); break;
    case 4: buf_addf(b, ENTRY, 2, "\"nobody\"", "an orphan"); break;
    case 5:
        buf_addf(b, ENTRY, 2, "\"00000003\"", "round");
        buf_addf(b, ENTRY, 3, "\"00000002\"", "and round");
        break;
    case 6: buf_addf(b, HEAD, number); break;
    case 7: buf_addf(b, ENTRY, 2, "\"00000001\"", ABSENT); break;
    case 8: buf_add_str(b, "{\"type\":\"message\",\"id\":\"00"); break;
    case 9: buf_add_str(b, "{\"id\":\"00000009\",\"parentId\":null}"); break;
    case 10: buf_addf(b, ENTRY, 2, "\"00000001\"", "\xff\xfe"); break;
    }
}

/* A file of each kind, again and again; `n` of them. */
static void furnish(int n, size_t blobs)
{
    struct buf b = BUF_INIT(1 << 20);
    char name[160], noise[3000];
    quire *q;
    size_t k;
    int i;

    flip_furnish("home");
    mkdir(test_path("home/sessions/--many--"), 0700);
    for (i = 0; i < n; i++) {
        buf_clear(&b);
        if (i % KINDS != 11)
            add_lines(&b, i % KINDS, (unsigned)i);
        snprintf(name, sizeof name,
                 "home/sessions/--many--/2026-01-01_%016x.%s", (unsigned)i,
                 i % 29 == 28 ? "txt" : "jsonl");
        test_write_file(test_path(name), buf_bytes(&b));
    }
    buf_release(&b);
    q = tenants_open(NULL, 0);
    OK(quire_begin(q, &test_err));
    for (k = 0; k < blobs; k++) {
        test_noise(k, noise, sizeof noise);
        OK(quire_blob_put(q, bytes_of(noise, sizeof noise), 0, NULL,
                          &test_err));
    }
    OK(quire_commit(q, &test_err));
    quire_close(q);
}

/* So much that SQLite is asked in a thread of its own. */
enum { MUCH = 2000 };

static void same(const struct ears *a, const struct ears *b)
{
    IS(a->status, b->status);
    EQ(a->n, b->n);
    SAME(buf_bytes(&a->text), buf_bytes(&b->text));
    SAME(bytes_of(&a->sum, sizeof a->sum), bytes_of(&b->sum, sizeof b->sum));
}

static void compare(unsigned flags)
{
    struct ears alone = listen((struct ears){0}, flags, true);
    struct ears many = listen((struct ears){0}, flags, false);

    OK(alone.status);
    YES(alone.n > 100);
    same(&alone, &many);
    buf_release(&alone.text);
    buf_release(&many.text);
}

TEST(several_threads_find_in_files_what_one_finds_in_the_same_order)
{
    furnish(600, 0);
    compare(0);
    compare(QUIRE_CHECK_FULL);
}

/* More findings than are held, and some of the catalogue before them. */
TEST(what_sqlite_says_is_told_first_whoever_asked_it)
{
    struct ears e;

    furnish(300, MUCH);
    tenants_sql("UPDATE session SET used = used + 1");
    tenants_sql("PRAGMA foreign_keys=OFF; INSERT INTO body(id, bytes)"
                " VALUES(123456789, x'00')");
    compare(0);
    compare(QUIRE_CHECK_FULL);
    e = listen((struct ears){0}, QUIRE_CHECK_FULL, false);
    YES(e.n > 1000);
    YES(!strncmp(e.text.data, "quire.db|foreign_key|", 21));
    buf_release(&e.text);
}

TEST(several_threads_end_when_who_listens_has_heard_enough)
{
    static const int stops[] = {1, 2, 40, 333, 1500};
    struct ears all, e;
    size_t i;

    furnish(300, MUCH);
    all = listen((struct ears){0}, QUIRE_CHECK_FULL, false);
    for (i = 0; i < 5; i++) {
        e = listen((struct ears){.stop_at = stops[i]}, QUIRE_CHECK_FULL, false);
        IS(QUIRE_STOPPED, e.status);
        EQ(stops[i], e.n);
        SAME(bytes_of(all.text.data, e.text.len), buf_bytes(&e.text));
        buf_release(&e.text);
        e = listen((struct ears){.stop_progress = (uint64_t)stops[i] % 250 + 1},
                   QUIRE_CHECK_FULL, false);
        IS(QUIRE_STOPPED, e.status);
        buf_release(&e.text);
    }
    buf_release(&all.text);
}

/* ---- the index of blobs ------------------------------------------------- */

/* Each place where the digest stands in quire.db: the row, and the index. */
static size_t find_digest(const quire_digest *d, size_t from)
{
    quire_bytes all = test_read_file(catalogue_file());
    const char *at = memmem((const char *)all.data + from, all.len - from,
                            d->byte, sizeof d->byte);

    return at ? (size_t)(at - (const char *)all.data) : 0;
}

/* The type of a digest in an index stands two bytes before it: a text that has
 * the same bytes is not what anybody asks for. */
TEST(an_index_of_blobs_that_is_not_that_of_its_table_is_found)
{
    quire_blob_info info;
    size_t at = 0, found = 0;
    int back[] = {0, 2}, i;
    quire *q;

    flip_furnish("home");
    q = tenants_open(NULL, 0);
    OK(quire_blob_put(q, bytes_str("looked for by its name"), 0, &info,
                      &test_err));
    quire_close(q);
    while ((at = find_digest(&info.digest, at + 1)) != 0) {
        for (i = 0; i < 2; i++) {
            struct ears e;

            flip_bit(catalogue_file(), at - (size_t)back[i], 0);
            e = listen((struct ears){0}, QUIRE_CHECK_FULL, false);
            OK(e.status);
            YES(e.n > 0);
            found += strstr(buf_text(&e.text), "|index|") != NULL;
            buf_release(&e.text);
            flip_bit(catalogue_file(), at - (size_t)back[i], 0);
        }
    }
    YES(found >= 3);
    EQ(0, flip_check("home", QUIRE_CHECK_FULL).n);
}

/* ---- faults ------------------------------------------------------------- */

/* Whatever fails: either it is told, be it as one finding more, or what is found
 * is all there is. */
static void sweep(long step, unsigned flags)
{
    struct ears all = listen((struct ears){0}, flags, false), e;
    bool struck = true;
    long n;

    for (n = 1; struck; n += step) {
        fault_arm(n, n % 2 ? ENOMEM : EIO, false);
        e = listen((struct ears){0}, flags, false);
        struck = fault_disarm();
        if (!e.status && !e.accident && e.n <= all.n)
            SAME(buf_bytes(&all.text), buf_bytes(&e.text));
        buf_release(&e.text);
    }
    e = listen((struct ears){0}, flags, false);
    same(&all, &e);
    buf_release(&e.text);
    buf_release(&all.text);
}

TEST(several_threads_that_meet_a_fault_tell_it_or_do_without)
{
    furnish(80, 0);
    sweep(catalogue_long() ? 3 : 131, QUIRE_CHECK_FULL);
}

TEST(a_look_of_sqlite_beside_others_that_fails_is_told_or_made_again)
{
    furnish(20, MUCH);
    sweep(catalogue_long() ? 37 : 499, QUIRE_CHECK_FULL);
}

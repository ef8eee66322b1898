/*
 * session_work_bench.c - working with sessions: contexts, appends, lists
 *
 * 100,000 entries on one path is the longest life we could think of, 10,000
 * sessions are some years.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "bench.h"
#include "session_make.h"

/* ---- a long path -------------------------------------------------------- */

struct sink {
    char *to;
    size_t len, cap;
};

static quire_status copy_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct sink *sink = ctx;

    (void)err;
    if (bytes.len > sink->cap - sink->len)
        bench_fail("a context is larger than %zu bytes", sink->cap);
    memcpy(sink->to + sink->len, bytes.data, bytes.len);
    sink->len += bytes.len;
    return QUIRE_OK;
}

static struct sink sink_new(size_t cap)
{
    struct sink sink = {malloc(cap), 0, cap};

    if (!sink.to)
        bench_fail("no memory");
    memset(sink.to, 1, cap); /* so that no page is new when it is timed */
    return sink;
}

/* The context, and a copy of as many bytes. */
static void read_context(quire_session *s, struct sink *from, struct sink *to,
                         struct readings *r)
{
    double began = now_s(), took;
    quire_error err;

    to->len = 0;
    bench_ok(quire_session_context(s, NULL, copy_bytes, NULL, to, &err), &err);
    took = (now_s() - began) * 1e3;
    began = now_s();
    memcpy(from->to, to->to, to->len);
    readings_add(r, took, (now_s() - began) * 1e3);
}

/* `n` 0: nothing is needed of it. */
static void report_context(struct bench *b, const char *name, uint64_t n,
                           const struct readings *r, const struct sink *to)
{
    report(b,
           (struct line){name, "ms", "memcpy of its bytes",
                         n ? NEED_WITHIN : NEED_NOTHING,
                         5 * (double)n / 100000},
           r);
    report_note(b, name, "%.1f MB; the first one took %.2f ms",
                (double)to->len / 1e6, r->value[0]);
}

static uint64_t path_length(const struct bench *b)
{
    return b->quick ? 10000 : 100000;
}

#define PATH_MEMORY "session context, 100,000 in memory"
#define PATH_FILE   "session context, 100,000 in a file"
#define PATH_LINEAR "session context, 100 MB linear"

static void path_in_memory(struct bench *b, quire *q, struct sink *from,
                           struct sink *to)
{
    uint64_t i, n = path_length(b);
    quire_session *s = make_new(q, QUIRE_SESSION_MEMORY, QUIRE_SYNC_NONE);
    struct readings r = {.n = 0};
    struct buf message = BUF_INIT(1 << 16);
    quire_error err;

    for (i = 0; i < n; i++) {
        buf_clear(&message);
        make_message(&message, i, 200);
        bench_ok(quire_session_append(s, buf_bytes(&message), NULL, NULL, &err),
                 &err);
    }
    for (i = 0; i < (b->quick ? 5 : 21); i++)
        read_context(s, from, to, &r);
    report_context(b, PATH_MEMORY, n, &r, to);
    quire_session_close(s);
    buf_release(&message);
}

/* Each time from a session just opened: what is remembered of the first
 * context shall not help the second. */
static void path_in_file(struct bench *b, quire *q, const char *name,
                         struct sink *from, struct sink *to)
{
    bool linear = !strcmp(name, PATH_LINEAR);
    char *path = place_path(b, "path.jsonl");
    struct readings r = {.n = 0};
    int i;

    if (linear)
        make_session(path, MAKE_LINEAR, make_bytes(b), 0);
    else
        make_session(path, MAKE_SHORT, 0, path_length(b));
    for (i = 0; i < (b->quick ? 5 : 11); i++) {
        quire_session *s = make_open(q, path,
                                     QUIRE_SESSION_READ | QUIRE_SESSION_VERIFY);

        read_context(s, from, to, &r);
        quire_session_close(s);
    }
    report_context(b, name, linear ? 0 : path_length(b), &r, to);
    place_clear(b, "path.jsonl");
    free(path);
}

static void long_path(struct bench *b)
{
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    struct sink from = sink_new(make_bytes(b) * 5 / 4);
    struct sink to = sink_new(make_bytes(b) * 5 / 4);

    if (bench_wants(b, PATH_MEMORY))
        path_in_memory(b, q, &from, &to);
    if (bench_wants(b, PATH_FILE))
        path_in_file(b, q, PATH_FILE, &from, &to);
    if (bench_wants(b, PATH_LINEAR))
        path_in_file(b, q, PATH_LINEAR, &from, &to);
    free(from.to);
    free(to.to);
    quire_close(q);
}

/* ---- appending ---------------------------------------------------------- */

/* Lines or messages, one behind the other. */
struct pieces {
    struct buf bytes;
    size_t *at; /* where each begins, and the end */
    size_t n;
};

static struct pieces pieces_new(size_t n)
{
    struct pieces p = {.bytes = {.max = SIZE_MAX / 2},
                       .at = calloc(n + 1, sizeof *p.at),
                       .n = n};

    if (!p.at)
        bench_fail("no memory");
    return p;
}

static void pieces_release(struct pieces *p)
{
    buf_release(&p->bytes);
    free(p->at);
}

static quire_bytes piece(const struct pieces *p, size_t i)
{
    return bytes_of(p->bytes.data + p->at[i], p->at[i + 1] - p->at[i]);
}

static struct pieces messages_new(size_t n, size_t len)
{
    struct pieces p = pieces_new(n);
    size_t i;

    for (i = 0; i < n; i++) {
        make_message(&p.bytes, i, len);
        p.at[i + 1] = p.bytes.len;
    }
    return p;
}

/* The lines of a session's file that appends have made: the last `n`. */
static struct pieces lines_of(const char *path, size_t n)
{
    struct pieces p = pieces_new(n);
    int fd = make_fd(path);
    struct stat st;
    size_t i;

    if (fstat(fd, &st) < 0 || !buf_room(&p.bytes, (size_t)st.st_size) ||
        fs_read_full(fd, p.bytes.data, (size_t)st.st_size) != st.st_size)
        bench_fail("cannot read %s", path);
    buf_grow(&p.bytes, (size_t)st.st_size);
    close(fd);
    p.at[n] = p.bytes.len;
    for (i = n; i-- > 0;) {
        const char *nl = memrchr(p.bytes.data, '\n', p.at[i + 1] - 1);

        if (!nl)
            bench_fail("fewer than %zu lines in %s", n, path);
        p.at[i] = (size_t)(nl + 1 - p.bytes.data);
    }
    return p;
}

/* Seconds until all is written, and until it is on the disk. */
struct append_times {
    double written, synced;
};

static struct append_times time_appends(const struct bench *b,
                                        const struct pieces *messages,
                                        struct pieces *lines)
{
    quire *q = place_store(b, "append", QUIRE_LAYOUT_PACKED, NULL);
    quire_session *s = make_new(q, QUIRE_SESSION_AT_ONCE, QUIRE_SYNC_FLUSH);
    struct append_times t;
    quire_session_info info;
    quire_error err;
    double began = now_s();
    size_t i;

    for (i = 0; i < messages->n; i++)
        bench_ok(quire_session_append(s, piece(messages, i), NULL, NULL, &err),
                 &err);
    t.written = now_s() - began;
    bench_ok(quire_session_flush(s, &err), &err);
    t.synced = now_s() - began;
    quire_session_describe(s, &info);
    *lines = lines_of(info.path, messages->n);
    quire_session_close(s);
    quire_close(q);
    place_clear(b, "append");
    return t;
}

static struct append_times time_writes(const struct bench *b,
                                       const struct pieces *lines)
{
    char *path = place_path(b, "plain");
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct append_times t;
    double began = now_s();
    size_t i;

    for (i = 0; i < lines->n; i++) {
        quire_bytes line = piece(lines, i);

        if (write(fd, line.data, line.len) != (ssize_t)line.len)
            bench_fail("cannot write %s: %s", path, strerror(errno));
    }
    t.written = now_s() - began;
    if (fdatasync(fd) < 0)
        bench_fail("cannot sync %s: %s", path, strerror(errno));
    t.synced = now_s() - began;
    close(fd);
    place_clear(b, "plain");
    free(path);
    return t;
}

#define APPEND_FLUSH "session append, 10,000 and a flush"
#define APPEND_ONLY  "session append, 10,000, no flush"

static void appending(struct bench *b)
{
    size_t n = b->quick ? 1000 : 10000;
    struct pieces messages = messages_new(n, 900), lines;
    struct readings flushed = {.n = 0}, written = {.n = 0};
    double line_len = 0;
    int i;

    for (i = 0; i < (b->quick ? 5 : 21); i++) {
        struct append_times ours = time_appends(b, &messages, &lines), theirs;

        theirs = time_writes(b, &lines);
        line_len = (double)(lines.at[n] - lines.at[0]) / (double)n;
        pieces_release(&lines);
        readings_add(&flushed, (double)n / ours.synced,
                     (double)n / theirs.synced);
        readings_add(&written, (double)n / ours.written,
                     (double)n / theirs.written);
    }
    report(b,
           (struct line){APPEND_FLUSH, "per s", "write and one fdatasync",
                         NEED_RATIO, 0.7},
           &flushed);
    report(b,
           (struct line){APPEND_ONLY, "per s", "write of the same lines",
                         NEED_NOTHING, 0},
           &written);
    report_note(b, APPEND_ONLY, "lines of %.0f bytes", line_len);
    pieces_release(&messages);
}

/* ---- appending with a sync each ----------------------------------------- */

#define SYNCED "session append, synced, 16 threads"

enum { N_WRITERS = 16 };

struct writer {
    quire_session *s;
    const struct pieces *messages;
    size_t n;
};

static void *write_all(void *ctx)
{
    const struct writer *w = ctx;
    quire_error err;
    size_t i;

    for (i = 0; i < w->n; i++)
        bench_ok(quire_session_append(w->s, piece(w->messages, i), NULL, NULL,
                                      &err),
                 &err);
    return NULL;
}

/* Appends a second. */
static double synced_rate(const struct bench *b, const struct pieces *messages,
                          int n_threads)
{
    quire *q = place_store(b, "append", QUIRE_LAYOUT_PACKED, NULL);
    quire_session *s = make_new(q, QUIRE_SESSION_AT_ONCE, QUIRE_SYNC_EACH);
    struct writer writer = {s, messages, messages->n};
    pthread_t threads[N_WRITERS];
    double began, took;
    int i;

    write_all(&(struct writer){s, messages, 1}); /* what only the first pays */
    began = now_s();
    for (i = 0; i < n_threads; i++) {
        if (pthread_create(&threads[i], NULL, write_all, &writer))
            bench_fail("cannot start a thread");
    }
    for (i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    took = now_s() - began;
    quire_session_close(s);
    quire_close(q);
    place_clear(b, "append");
    return (double)n_threads * (double)messages->n / took;
}

static void synced(struct bench *b)
{
    struct pieces messages = messages_new(b->quick ? 50 : 300, 900);
    struct readings r = {.n = 0};
    int i;

    for (i = 0; i < (b->quick ? 3 : 11); i++) {
        double many = synced_rate(b, &messages, N_WRITERS);

        readings_add(&r, many, synced_rate(b, &messages, 1));
    }
    report(b, (struct line){SYNCED, "per s", "one thread", NEED_RATIO, 4}, &r);
    pieces_release(&messages);
}

/* ---- listing ------------------------------------------------------------ */

struct listing {
    const char *again, *first, *read; /* names of lines */
    size_t n_dirs;
};

#define LIST_NAMES(of)                                  \
    "session list, " of ", again", "session list, " of, \
        "session list, " of ", read"

static const struct listing many_dirs = {LIST_NAMES("10,000 of 100"), 100};
static const struct listing one_dir = {LIST_NAMES("10,000 of one"), 1};

static void make_dir(const char *path)
{
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        bench_fail("cannot make %s: %s", path, strerror(errno));
}

/* A session of 64 KB, without its header. */
static struct buf session_body(const struct bench *b)
{
    char *path = place_path(b, "one.jsonl");
    struct made made = make_session(path, MAKE_TEXT, 64000, 0);
    struct buf body = BUF_INIT(1 << 24);
    int fd = make_fd(path);
    char *nl;

    if (!buf_room(&body, made.bytes) ||
        fs_read_full(fd, body.data, made.bytes) != (ssize_t)made.bytes)
        bench_fail("cannot read %s", path);
    nl = memchr(body.data, '\n', made.bytes);
    buf_grow(&body, made.bytes - (size_t)(nl + 1 - body.data));
    memmove(body.data, nl + 1, body.len);
    close(fd);
    place_clear(b, "one.jsonl");
    free(path);
    return body;
}

static void make_listed(const char *home, size_t number, size_t dir,
                        const struct buf *body)
{
    struct buf text = BUF_INIT(1 << 24);
    char *path, cwd[64];
    int fd;

    snprintf(cwd, sizeof cwd, "/srv/work/%zu", dir);
    make_header(&text, number, cwd);
    buf_add(&text, body->data, body->len);
    if (asprintf(&path,
                 "%s/sessions/--srv-work-%zu--/2026-01-05T00-00-00-000Z_"
                 "%016zx.jsonl",
                 home, dir, number) < 0)
        bench_fail("no memory");
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || text.failed || fs_write_all(fd, buf_bytes(&text)) < 0)
        bench_fail("cannot make %s: %s", path, strerror(errno));
    close(fd);
    buf_release(&text);
    free(path);
}

static void make_sessions(const struct bench *b, const char *home, size_t n,
                          size_t n_dirs)
{
    struct buf body = session_body(b);
    char *path;
    size_t i;
    int fd;

    make_dir(home);
    for (i = 0; i <= n_dirs; i++) {
        int rc = i == 0 ? asprintf(&path, "%s/sessions", home)
                        : asprintf(&path, "%s/sessions/--srv-work-%zu--", home,
                                   i - 1);

        if (rc < 0)
            bench_fail("no memory");
        make_dir(path);
        free(path);
    }
    for (i = 0; i < n; i++)
        make_listed(home, i + 1, i % n_dirs, &body);
    /* What is timed next shall not share the disk with it. */
    fd = make_fd(home);
    if (syncfs(fd) < 0)
        bench_fail("cannot sync %s: %s", home, strerror(errno));
    close(fd);
    buf_release(&body);
}

static quire_status count_session(void *ctx, const quire_session_info *info,
                                  quire_error *err)
{
    (void)info;
    (void)err;
    ++*(size_t *)ctx;
    return QUIRE_OK;
}

/* Milliseconds until all were given, from a handle just opened; the bytes
 * read for it. */
static double time_list(const char *home, size_t n, double *read_bytes)
{
    quire *q = make_home(home);
    double rchar = kernel_says("/proc/self/io", "rchar:");
    double began = now_s(), took;
    size_t given = 0;
    quire_error err;

    bench_ok(quire_session_list(q, NULL, count_session, &given, &err), &err);
    took = (now_s() - began) * 1e3;
    *read_bytes = kernel_says("/proc/self/io", "rchar:") - rchar;
    if (given != n)
        bench_fail("%zu sessions listed of %zu", given, n);
    quire_close(q);
    return took;
}

/* Milliseconds to read one directory and to look at each of its files, which
 * nobody who lists them can avoid. */
static double time_look(const char *path)
{
    double began = now_s();
    struct dirent *entry;
    DIR *dir = opendir(path);
    struct stat st;

    if (!dir)
        bench_fail("cannot open %s: %s", path, strerror(errno));
    while ((entry = readdir(dir))) {
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            bench_fail("cannot look at %s: %s", entry->d_name, strerror(errno));
    }
    closedir(dir);
    return (now_s() - began) * 1e3;
}

/* All of them; the shortest of five times. */
static double time_looks(const char *home, size_t n_dirs)
{
    double best = 0;
    int k;

    for (k = 0; k < 5; k++) {
        double sum = 0;
        size_t i;

        for (i = 0; i < n_dirs; i++) {
            char *path;

            if (asprintf(&path, "%s/sessions/--srv-work-%zu--", home, i) < 0)
                bench_fail("no memory");
            sum += time_look(path);
            free(path);
        }
        if (k == 0 || sum < best)
            best = sum;
    }
    return best;
}

/* What the last listing learnt is in the catalogue. A home that sessions were
 * made in has one, so there is a new one when this returns. */
static void forget_list(const struct bench *b)
{
    static const char *const names[] = {"list/quire.db", "list/quire.db-wal",
                                        "list/quire.db-shm"};
    quire_error err;
    size_t i;
    quire *q;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = place_path(b, names[i]);

        if (unlink(path) < 0 && errno != ENOENT)
            bench_fail("cannot remove %s: %s", path, strerror(errno));
        free(path);
    }
    q = place_store(b, "list", QUIRE_LAYOUT_PACKED, NULL);
    bench_ok(quire_blob_put(q, bytes_str("a blob"), 0, NULL, &err), &err);
    quire_close(q);
}

static void list_lines(struct bench *b, const struct listing *l)
{
    struct readings first = {.n = 0}, again = {.n = 0}, bytes = {.n = 0};
    char *home = place_path(b, "list");
    size_t n = b->quick ? 1000 : 10000;
    size_t n_dirs = b->quick ? (l->n_dirs + 9) / 10 : l->n_dirs;
    double got, sum = 0, may = 20 * (double)n / 10000;
    int i, k;

    make_sessions(b, home, n, n_dirs);
    for (i = 0; i < (b->quick ? 2 : 3); i++) {
        forget_list(b);
        readings_add(&first, time_list(home, n, &got), 1);
        readings_add(&bytes, got / (double)n, 4096 + 32768);
        for (k = 0; k < 5; k++) {
            readings_add(&again, time_list(home, n, &got), may);
            sum += got / (double)n;
        }
    }
    report(b, (struct line){l->again, "ms", "what it may take", NEED_BELOW, 1},
           &again);
    report_note(b, l->again,
                "%.0f bytes read for each session; to look at each file alone "
                "took %.2f ms",
                sum / again.n, time_looks(home, n_dirs));
    report(b, (struct line){l->first, "ms", NULL, NEED_NOTHING, 0}, &first);
    /* The catalogue is read as well, and so is the kernel's answer how much
     * was: a hundredth for these. */
    report(b,
           (struct line){l->read, "bytes", "its beginning and its end",
                         NEED_BELOW, 1.01},
           &bytes);
    place_clear(b, "list");
    free(home);
}

static void list_many_dirs(struct bench *b)
{
    list_lines(b, &many_dirs);
}

static void list_one_dir(struct bench *b)
{
    list_lines(b, &one_dir);
}

const struct measure session_work_measures[] = {
    {long_path, {PATH_MEMORY, PATH_FILE, PATH_LINEAR}},
    {appending, {APPEND_FLUSH, APPEND_ONLY}},
    {synced, {SYNCED}},
    {list_many_dirs, {LIST_NAMES("10,000 of 100")}},
    {list_one_dir, {LIST_NAMES("10,000 of one")}},
    {NULL, {NULL}},
};

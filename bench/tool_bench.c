/*
 * tool_bench.c - the tool `workspace` as its client sees it
 *
 * A client that writes a line to a program and waits for a line, and does the
 * same with the filesystem server that the authors of the Model Context Protocol
 * publish: 10 KB written to a file of a new name, and read again. Both are asked
 * in turns by the same few lines of C; neither's start is counted.
 *
 * The two do not do the same. What that server says is written is in the
 * kernel's memory; what Quire says is written is on the disk, the file and the
 * version, with its words in an index. The first lines compare them as they are.
 * Others compare like with like: a write that lasts with that server's and a sync
 * by its client, and Quire with `durability` set to `flush`, where rows do not
 * wait for the disk (its file still does, so that no half of one is seen).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "bench.h"
#include "peer.h"

enum { SIZE = 10 * 1024 };

#define BOTH          "tool at a client: write + read 10 KB"
#define READ          "tool at a client: read 10 KB"
#define LASTING       "tool at a client: write 10 KB"
#define BOTH_RELAXED  "tool, relaxed: write + read 10 KB"
#define WRITE_RELAXED "tool, relaxed: write 10 KB"

/* ---- our spelling ------------------------------------------------------- */

static void spell_ours(struct buf *out, const char *filename,
                       const struct buf *content)
{
    struct json_writer w;

    buf_clear(out);
    json_begin(&w, out);
    json_object(&w);
    json_put_str(&w, "action", content ? "write" : "read");
    json_put_str(&w, "filename", filename);
    if (content) {
        json_put_bytes(&w, "content", buf_bytes(content));
    }
    json_object_end(&w);
    buf_add_char(out, '\n');
}

/* ---- asking ------------------------------------------------------------- */

/* Milliseconds of a write, of a read, and of making the write last where that
 * is left to the client. */
struct took {
    double write, read, sync;
};

static double ask(struct talk *t, const char *filename,
                  const struct buf *content)
{
    char path[4096];

    if (t->dir) {
        snprintf(path, sizeof path, "%s/%s", t->dir, filename);
        peer_spell_file(&t->request, ++t->peer.n_asked, path, content);
    } else {
        spell_ours(&t->request, filename, content);
    }
    return talk_ask(t,
                    t->dir ? "{\"result\":{\"content\":" : "{\"success\":true",
                    content ? 0 : SIZE);
}

static double time_sync(const char *dir, const char *filename)
{
    double began = now_s();
    int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = at < 0 ? -1 : openat(at, filename, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fdatasync(fd) < 0 || fsync(at) < 0)
        bench_fail("cannot sync %s/%s: %s", dir, filename, strerror(errno));
    close(fd);
    close(at);
    return (now_s() - began) * 1e3;
}

static struct took ask_both(struct talk *t, const char *filename,
                            const struct buf *content)
{
    struct took took = {.write = ask(t, filename, content)};

    took.read = ask(t, filename, NULL);
    if (t->dir)
        took.sync = time_sync(t->dir, filename);
    return took;
}

static void start_ours(const struct bench *b, struct talk *t, const char *home,
                       const char *durability)
{
    char *argv[] = {peer_arg("env"),       peer_arg(durability),
                    peer_arg(b->quire),    peer_arg("--home"),
                    peer_arg(home),        peer_arg("tool"),
                    peer_arg("workspace"), NULL};

    talk_start(t, argv);
}

/* ---- the lines ---------------------------------------------------------- */

enum { N_LINES = 5 };

static const struct {
    const char *name;
    bool needed; /* ten times as fast */
} lines[N_LINES] = {{BOTH, true},
                    {READ, true},
                    {LASTING, false},
                    {BOTH_RELAXED, false},
                    {WRITE_RELAXED, false}};

static const char *const limits[N_LINES] =
    {"the filesystem server of MCP", "the filesystem server of MCP",
     "that server, and a sync of its file", "the filesystem server of MCP",
     "the filesystem server of MCP"};

/* A rate, or 0 where there is nobody to have one. */
static double rate(double ms)
{
    return ms > 0 ? 1e3 / ms : 0;
}

static void add_readings(struct readings r[N_LINES], struct took ours,
                         struct took relaxed, struct took theirs)
{
    readings_add(&r[0], rate(ours.write + ours.read),
                 rate(theirs.write + theirs.read));
    readings_add(&r[1], rate(ours.read), rate(theirs.read));
    readings_add(&r[2], rate(ours.write), rate(theirs.write + theirs.sync));
    readings_add(&r[3], rate(relaxed.write + relaxed.read),
                 rate(theirs.write + theirs.read));
    readings_add(&r[4], rate(relaxed.write), rate(theirs.write));
}

/* Ask all of them, in turns; `theirs` may be NULL. */
static void measure(struct bench *b, struct talk *lasting, struct talk *relaxed,
                    struct talk *theirs)
{
    struct readings *r = calloc(N_LINES, sizeof *r);
    struct buf text = BUF_INIT(4 * SIZE);
    int i, n = b->quick ? 20 : 500;

    if (!r)
        bench_fail("no memory");
    /* Those that have to warm up may. */
    for (i = -n / 5; i < n; i++) {
        struct took ours, other, there = {0, 0, 0};
        char filename[64];

        snprintf(filename, sizeof filename, "file_%d.c", i + n);
        text_code(&text, (uint64_t)i + (uint64_t)n, SIZE);
        ours = ask_both(lasting, filename, &text);
        if (theirs)
            there = ask_both(theirs, filename, &text);
        other = ask_both(relaxed, filename, &text);
        if (i >= 0)
            add_readings(r, ours, other, there);
    }
    for (i = 0; i < N_LINES; i++)
        report(b,
               (struct line){lines[i].name, "per s", theirs ? limits[i] : NULL,
                             theirs && lines[i].needed ? NEED_RATIO
                                                       : NEED_NOTHING,
                             10},
               &r[i]);
    buf_release(&text);
    free(r);
}

static void at_a_client(struct bench *b)
{
    char *home = place_path(b, "home"), *other = place_path(b, "home-2");
    char *dir = place_path(b, "theirs");
    struct talk lasting, relaxed, theirs;
    bool known;

    signal(SIGPIPE, SIG_IGN);
    known = talk_start_theirs(b, &theirs, dir, BOTH);
    start_ours(b, &lasting, home, "QUIRE_DURABILITY=each");
    start_ours(b, &relaxed, other, "QUIRE_DURABILITY=flush");
    measure(b, &lasting, &relaxed, known ? &theirs : NULL);
    talk_stop(&lasting);
    talk_stop(&relaxed);
    if (known)
        talk_stop(&theirs);
    place_clear(b, "home");
    place_clear(b, "home-2");
    place_clear(b, "theirs");
    free(home);
    free(other);
    free(dir);
}

const struct measure tool_measures[] = {
    {at_a_client, {BOTH, READ, LASTING, BOTH_RELAXED, WRITE_RELAXED}},
    {NULL, {NULL}},
};

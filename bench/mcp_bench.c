/*
 * mcp_bench.c - `quire mcp` as its client sees it
 *
 * How long a client waits for the first answer of a program that it starts, and
 * for 10 KB that it has written or read. The filesystem server that the authors
 * of the protocol publish is asked the same, by the same few lines, in turns.
 * What it says is written is in the kernel's memory; what Quire says is written
 * is on the disk (tool_bench.c has more about that).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "bench.h"
#include "peer.h"

enum { SIZE = 10 * 1024 };

#define START "mcp: start to first answer"
#define WRITE "mcp at a client: write 10 KB"
#define READ  "mcp at a client: read 10 KB"
#define BOTH  "mcp at a client: write + read 10 KB"

static void start_ours(const struct bench *b, struct talk *t, const char *home)
{
    char *argv[] = {peer_arg(b->quire), peer_arg("--home"), peer_arg(home),
                    peer_arg("mcp"), NULL};

    talk_start(t, argv);
}

/* ---- the start ---------------------------------------------------------- */

static void first_answer(struct bench *b)
{
    struct readings *r = calloc(1, sizeof *r);
    char *home = place_path(b, "home");
    int i, n = b->quick ? 5 : 50;

    if (!r)
        bench_fail("no memory");
    signal(SIGPIPE, SIG_IGN);
    for (i = -1; i < n; i++) { /* the first makes the home */
        struct talk t;
        double began = now_s();

        start_ours(b, &t, home);
        talk_greet(&t);
        if (i >= 0)
            readings_add(r, (now_s() - began) * 1e3, 20);
        talk_stop(&t);
    }
    report(b, (struct line){START, "ms", "20 ms", NEED_BELOW, 1}, r);
    place_clear(b, "home");
    free(home);
    free(r);
}

/* ---- files -------------------------------------------------------------- */

/* Milliseconds. */
static double ask(struct talk *t, const char *filename,
                  const struct buf *content)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", t->dir ? t->dir : "", filename);
    if (t->dir)
        peer_spell_file(&t->request, ++t->peer.n_asked, path, content);
    else
        peer_spell_workspace(&t->request, ++t->peer.n_asked, filename, content);
    return talk_ask(t, "\"content\":[", content ? 0 : SIZE);
}

static void report_all(struct bench *b, const struct readings r[3], bool beside)
{
    report(b, (struct line){WRITE, "ms", "1 ms", NEED_BELOW, 1}, &r[0]);
    report(b, (struct line){READ, "ms", "1 ms", NEED_BELOW, 1}, &r[1]);
    report(b,
           (struct line){BOTH, "per s",
                         beside ? "the filesystem server of MCP" : NULL,
                         beside ? NEED_RATIO : NEED_NOTHING, 5},
           &r[2]);
}

/* `theirs` may be NULL. */
static void measure(struct bench *b, struct talk *ours, struct talk *theirs)
{
    struct readings *r = calloc(3, sizeof *r);
    struct buf text = BUF_INIT(4 * SIZE);
    int i, n = b->quick ? 20 : 500;

    if (!r)
        bench_fail("no memory");
    for (i = -n / 5; i < n; i++) { /* who has to warm up may */
        double wrote, read, there = 0;
        char filename[64];

        snprintf(filename, sizeof filename, "file_%d.c", i + n);
        text_code(&text, (uint64_t)i + (uint64_t)n, SIZE);
        wrote = ask(ours, filename, &text);
        read = ask(ours, filename, NULL);
        if (theirs)
            there = ask(theirs, filename, &text) + ask(theirs, filename, NULL);
        if (i < 0)
            continue;
        readings_add(&r[0], wrote, 1);
        readings_add(&r[1], read, 1);
        readings_add(&r[2], 1e3 / (wrote + read), theirs ? 1e3 / there : 0);
    }
    report_all(b, r, theirs);
    buf_release(&text);
    free(r);
}

static void files(struct bench *b)
{
    char *home = place_path(b, "home"), *dir = place_path(b, "theirs");
    struct talk ours, theirs;
    bool known;

    signal(SIGPIPE, SIG_IGN);
    known = talk_start_theirs(b, &theirs, dir, BOTH);
    start_ours(b, &ours, home);
    talk_greet(&ours);
    measure(b, &ours, known ? &theirs : NULL);
    talk_stop(&ours);
    if (known)
        talk_stop(&theirs);
    place_clear(b, "home");
    place_clear(b, "theirs");
    free(home);
    free(dir);
}

const struct measure mcp_measures[] = {
    {first_answer, {START}},
    {files, {WRITE, READ, BOTH}},
    {NULL, {NULL}},
};

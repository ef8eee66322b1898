/*
 * peer.h - a program that answers lines, and what a client says to one that
 * speaks the Model Context Protocol
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"

struct bench;

struct peer {
    pid_t pid;
    int to;
    FILE *from;
    char *line; /* owned; the last answer */
    size_t cap;
    int n_asked;
};

/* For an argv that nobody changes. */
char *peer_arg(const char *text);

void peer_start(struct peer *p, char *const *argv);

/* Its end is that of its input. */
void peer_stop(struct peer *p);

/* Send a line and wait for its answer; what it tells unasked is passed over.
 * False: it has ended, or the answer has no `sign` in it. */
bool peer_ask(struct peer *p, const struct buf *request, const char *sign);

/* The two ends of a talk shake hands first. */
bool peer_greet(struct peer *p);

/* A call that writes `content`, or reads if it is NULL: of that server's tools,
 * and of ours. */
void peer_spell_file(struct buf *out, int id, const char *path,
                     const struct buf *content);
void peer_spell_workspace(struct buf *out, int id, const char *filename,
                          const struct buf *content);

/* ---- a talk about files -------------------------------------------------- */

struct talk {
    struct peer peer;
    const char *dir; /* NULL: ours, and names are the session's own */
    struct buf request;
};

/* With Quire, by `argv`. */
void talk_start(struct talk *t, char *const *argv);

/* With the filesystem server that the authors of the protocol publish, which has
 * `dir` to itself; it is greeted. False: it is not installed, and beside `name`
 * of the report that is said. */
bool talk_start_theirs(struct bench *b, struct talk *t, const char *dir,
                       const char *name);

void talk_greet(struct talk *t);
void talk_stop(struct talk *t);

/* Send the request, whose answer has `sign` in it and at least `size` bytes.
 * Milliseconds. */
double talk_ask(struct talk *t, const char *sign, size_t size);

#endif

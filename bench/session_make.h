/*
 * session_make.h - sessions to measure with: files, and handles on them
 *
 * The same arguments give the same bytes in every run. What is written is
 * what programs of the format write (version 3, header first), so that they
 * can be measured on the same file.
 */
#ifndef BENCH_SESSION_MAKE_H
#define BENCH_SESSION_MAKE_H

#include <stddef.h>
#include <stdint.h>

#include "bench.h"

enum make_kind {
    MAKE_TEXT,   /* the usual mix, with branches and compactions  */
    MAKE_MIXED,  /* and an image of 18 KB every 12 turns, inline  */
    MAKE_LINEAR, /* the usual mix, one path from first to last    */
    MAKE_SHORT,  /* one path of short messages                    */
};

struct made {
    uint64_t bytes;
    uint64_t entries; /* without the header */
};

/* What is called 100 MB: less of it in a hurry. */
uint64_t make_bytes(const struct bench *b);

/* Write a session to `path` and wait until it is on the disk: what is timed
 * next shall not share the disk with it. Ends at the first good place where
 * there are at least so many bytes and entries. */
struct made make_session(const char *path, enum make_kind kind, uint64_t bytes,
                         uint64_t entries);

/* Add the header of session `number`, with its newline. */
void make_header(struct buf *out, uint64_t number, const char *cwd);

/* Add a message as one would append it, without id, parent and time: about
 * `len` bytes. */
void make_message(struct buf *out, uint64_t number, size_t len);

/* ---- handles: they end the program when they fail ----------------------- */

quire *make_home(const char *home);
quire_session *make_open(quire *q, const char *path, unsigned flags);
quire_session *make_new(quire *q, unsigned flags, quire_durability sync);
void make_empty(quire *q, char id[64]); /* a new one, closed again */
int make_fd(const char *path);          /* for reading */

/* What the kernel says of this process in `file`: the number behind `key`. */
double kernel_says(const char *file, const char *key);

/* ---- for main.c --------------------------------------------------------- */

extern const struct measure session_measures[];
extern const struct measure session_work_measures[];

/* The way `bench --session-child WORK HOME FILE` is answered. */
int session_child(char **argv);

#endif

/*
 * store.h - blob stores for tests: every layout over files and over memory
 */
#ifndef TESTS_STORE_H
#define TESTS_STORE_H

#include "blob/blob.h"
#include "store/intercept.h"
#include "support/test.h"

/* A clock that stands still until it is moved. */
extern int64_t test_now_s;
extern const struct clock test_clock;

struct fix {
    quire_layout layout;
    struct db *db; /* packed only */
    struct store *files;
    struct blobs *blobs;
    const char *dir; /* NULL: in memory */
    struct fault fault;
};

/* A store below the test's directory (`disk`) or in memory. The fault's hook
 * sits in both seams, disarmed. */
void fix_open(struct fix *f, quire_layout layout, bool disk);
void fix_close(struct fix *f);

/* Run `body` over every layout, on disk and in memory. */
void fix_each(void (*body)(struct fix *f));

quire_digest fix_put(struct fix *f, quire_bytes content);
bool fix_has(struct fix *f, const quire_digest *d);

/* The path of a blob's file on disk. */
const char *fix_file(const struct fix *f, const quire_digest *d);

#endif

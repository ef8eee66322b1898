/*
 * persist.h - entries on their way to the disk and back, for tests
 *
 * Texts that these give live until the test ends.
 */
#ifndef TESTS_PERSIST_H
#define TESTS_PERSIST_H

#include "base/buf.h"
#include "support/store.h"

/* An empty buffer, and its content as a text, which ends it. */
struct buf txt_fresh(void);
const char *txt_kept(struct buf *b);

const char *txt_join(const char *a, const char *b, const char *c);
const char *txt_run(const char *unit, size_t n);

/* Base64 of noise, `n` characters of it; a multiple of four. */
const char *txt_noise64(uint64_t seed, size_t n);

/* What is stored of an entry; txt_persisted() sees to it that it is JSON and
 * needs nothing more. */
const char *txt_persisted_as(const char *entry, struct blobs *blobs, bool omp);
const char *txt_persisted(const char *entry, struct blobs *blobs);
void txt_stays(const char *entry, struct blobs *blobs);
void txt_becomes(const char *want, const char *entry);

/* With images in their place; persist_missing counts those that are not. */
extern int persist_missing;
const char *txt_hydrated(const char *value, struct blobs *blobs);

#endif

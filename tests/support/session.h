/*
 * session.h - sessions for tests, in memory or in the test's directory
 */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include "session/session.h"
#include "support/store.h"

/* A home of files (`disk`) or memory, and the house around a session. */
struct house {
    struct store *store;
    struct session_env env;
    struct fix blobs; /* flat, in memory                              */
    bool has_blobs;
    struct fault fault; /* in the store's tap                         */
    bool disk;
};

void house_open(struct house *h, bool disk);
void house_close(struct house *h);

/* Run `body` with both. */
void house_each(void (*body)(struct house *h));

/* A file called `name` with this content. */
void house_write(struct house *h, const char *name, const char *text);
void house_write_bytes(struct house *h, const char *name, quire_bytes text);
quire_bytes house_read(struct house *h, const char *name);
bool house_has(struct house *h, const char *name);

quire_session *house_new(struct house *h, const char *name, unsigned flags);
quire_session *house_open_session(struct house *h, const char *name,
                                  unsigned flags);

/* Append a message of this role and text; gives its id, until the test ends. */
const char *say(quire_session *s, const char *role, const char *text);
const char *put(quire_session *s, const char *json);

/* All entries as JSON lines; ids along the path, "a b c"; the tree as
 * "a(b(c)d)"; the context; the problems as "kind@line ". */
const char *all_entries(quire_session *s);
const char *path_of(quire_session *s, const char *leaf);
const char *tree_of(quire_session *s);
const char *context_of(quire_session *s, const char *leaf);
const char *problems_of(struct house *h, const char *name);
const char *leaf_of(quire_session *s);

#define HEADER                                           \
    "{\"type\":\"session\",\"version\":3,\"id\":\"s1\"," \
    "\"timestamp\":\"2026-02-16T10:20:30.000Z\",\"cwd\":\"/w\"}\n"

#endif

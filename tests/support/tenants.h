/*
 * tenants.h - a home that several share, for tests
 */
#ifndef TESTS_TENANTS_H
#define TESTS_TENANTS_H

#include "base/buf.h"
#include "support/test.h"

/* The test's home, for a tenant; NULL: the default one. */
quire *tenants_open(const char *tenant, unsigned flags);

/* The same, which must be refused. */
void tenants_refused(const char *tenant, quire_status status);

/* Add one through a handle of its own; gives its id. */
int64_t tenants_add(const char *name);

/* "user" artifacts. tenants_read() lives until the test ends. */
quire_artifact tenants_put(quire *q, const char *path, const char *text);
const char *tenants_read(quire *q, const char *which);

/* A session with a title, closed again; its id and path, until the test ends. */
struct tenants_session {
    const char *id, *path;
};
struct tenants_session tenants_session(quire *q, const char *title);

/* The titles of all sessions, "a b "; until the test ends. */
const char *tenants_sessions(quire *q);

/* Run SQL on quire.db behind everybody's back. */
void tenants_sql(const char *sql);

/* How many of its counters are wrong. */
uint64_t tenants_recount(void);

#endif

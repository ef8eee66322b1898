/*
 * importer.h - import the sessions of other agents in the background
 *
 * One thread, with handles of its own, started by the first import, or to watch what
 * agents write (the setting import.watch). It writes to the tenant `default`, whose machine this is, and reads the agents' own places alone:
 * no client can name a path. Progress is published as events of that tenant, and
 * kept for importer_describe().
 */
#ifndef SERVER_IMPORTER_H
#define SERVER_IMPORTER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/json.h"
#include "import/agents.h"

struct events;
struct importer;
struct indexer;

/* `draining` ends an import early. */
quire_status importer_new(const quire_options *store, struct events *events,
                          const atomic_bool *draining, struct importer **out,
                          quire_error *err);

/* The server runs, until importer_end(), which waits for the import that runs. */
quire_status importer_begin(struct importer *m, struct indexer *indexer,
                            quire_error *err);
void importer_end(struct importer *m);

/* NULL is fine. */
void importer_free(struct importer *m);

/* Whether to keep importing what agents write (import/watch.h): first all they have.
 * Any thread. */
quire_status importer_watch(struct importer *m, bool on, quire_error *err);

/* Begin to import what these agents have, ended by NULL. Any thread.
 *
 * QUIRE_BUSY  an import is running */
quire_status importer_start(struct importer *m,
                            const struct import_agent *const *agents,
                            quire_error *err);

/* Write the members of `Import` (openapi/schema.c): the import that runs, or the last
 * one. Any thread. */
void importer_describe(struct importer *m, struct json_writer *w);

#endif

/* engine_dir.c - see engine_dir.h */
#include "search/engine_dir.h"

#include "base/err.h"
#include "store/store.h"

const char *const engine_dirs[] = {"search/files", "search/rows", NULL};

char *engine_dir_database(const char *dir, struct arena *keep)
{
    return arena_printf(keep, "%s/search.db", dir);
}

static quire_status open_parts(const char *dir, int busy_ms,
                               struct engine_config *c, struct arena *tmp,
                               quire_error *err)
{
    char *segments = arena_printf(tmp, "%s/segments", dir);
    struct db_config config = {.path = engine_dir_database(dir, tmp),
                               .access = DB_READ,
                               .busy_ms = busy_ms,
                               .cache_kib = 1024};
    struct store *store = NULL;
    quire_status st = segments && config.path ? QUIRE_OK : err_memory(err);

    if (!st)
        st = db_sqlite_open(&config, &c->db, err);
    if (!st)
        st = store_files_open(segments, true, &store, err);
    if (st)
        return st;
    c->store = store->objects;
    store->objects = NULL;
    store_free(store);
    return QUIRE_OK;
}

quire_status engine_dir_open(const char *dir, int busy_ms, struct engine **out,
                             quire_error *err)
{
    struct engine_config c = {.read_only = true};
    struct arena tmp = ARENA_INIT;
    quire_status st = open_parts(dir, busy_ms, &c, &tmp, err);

    *out = NULL;
    arena_release(&tmp);
    if (!st)
        return engine_open(&c, out, err);
    db_close(c.db);
    return st;
}

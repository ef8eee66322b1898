/* memory_store.c - open a store in memory: see store.h */
#include <stdlib.h>

#include "base/err.h"
#include "store/memory_priv.h"

static void free_store(struct store *s)
{
    memory_drop_part(memory_of_store(s));
}

quire_status store_memory_open(const struct clock *clock, struct store **out,
                               quire_error *err)
{
    struct memory *m = calloc(1, sizeof *m);

    if (!m)
        return err_memory(err);
    m->objects.ops = &memory_object_ops;
    m->logs.ops = &memory_log_ops;
    m->leases.ops = &memory_lease_ops;
    m->dirs.ops = &memory_directory_ops;
    m->store = (struct store){.objects = &m->objects,
                              .logs = &m->logs,
                              .leases = &m->leases,
                              .dirs = &m->dirs,
                              .free = free_store};
    m->n_parts = 5; /* the struct itself is one */
    m->clock = clock;
    *out = &m->store;
    return QUIRE_OK;
}

/* store.c - see store.h */
#include "store/store.h"

void store_free(struct store *s)
{
    if (!s)
        return;
    object_store_free(s->objects);
    log_store_free(s->logs);
    lease_store_free(s->leases);
    directory_store_free(s->dirs);
    s->free(s);
}

const char *store_place(const struct store *s)
{
    return object_place(s->objects);
}

/* intercept_store.c - wrap every part of a store: see intercept.h */
#include "store/intercept.h"

quire_status store_intercept(struct store *s, struct intercept intercept,
                             quire_error *err)
{
    quire_status st = object_intercept(s->objects, intercept, &s->objects, err);

    if (!st)
        st = log_intercept(s->logs, intercept, &s->logs, err);
    if (!st)
        st = lease_intercept(s->leases, intercept, &s->leases, err);
    if (!st && s->dirs)
        st = directory_intercept(s->dirs, intercept, &s->dirs, err);
    return st;
}

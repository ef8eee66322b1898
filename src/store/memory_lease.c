/*
 * memory_lease.c - locks and leases in memory: the executable specification
 *
 * No other handle can reach the store, so its locks are always free.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/memory_priv.h"

static quire_status memory_lock(struct lease_store *s, enum lease_mode mode,
                                int wait_ms, quire_error *err)
{
    (void)s;
    (void)mode;
    (void)wait_ms;
    (void)err;
    return QUIRE_OK; /* no other handle can reach it */
}

static void memory_touch_gen(struct lease_store *s)
{
    memory_of_leases(s)->marks++;
}

static quire_status memory_gen(struct lease_store *s, int64_t *mark,
                               quire_error *err)
{
    (void)err;
    *mark = memory_of_leases(s)->marks;
    return QUIRE_OK;
}

static quire_status memory_lock_dir(struct lease_store *s, const char *dir,
                                    int wait_ms, quire_error *err)
{
    (void)s; /* only one handle exists */
    (void)dir;
    (void)wait_ms;
    (void)err;
    return QUIRE_OK;
}

static void memory_unlock_dir(struct lease_store *s)
{
    (void)s;
}

static struct memory_lease **find_lease(struct memory *m, const char *name)
{
    struct memory_lease **at = &m->leased;

    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static quire_status memory_take(struct lease_store *s, const char *name,
                                const char *holder, int64_t duration_ms,
                                uint64_t *epoch, quire_error *err)
{
    struct memory *m = memory_of_leases(s);
    struct memory_lease **at = find_lease(m, name), *new = NULL;
    struct lease_record first = {.epoch = 0};
    struct lease_record *r = *at ? &(*at)->record : &first;
    quire_status st = lease_record_take(r, name, holder,
                                        clock_us(m->clock) / 1000, duration_ms,
                                        err);

    if (st)
        return st;
    if (!*at) {
        new = malloc(sizeof *new + strlen(name) + 1);
        if (!new)
            return err_memory(err);
        *new = (struct memory_lease){.record = first};
        strcpy(new->name, name);
        *at = new;
    }
    *epoch = (*at)->record.epoch;
    return QUIRE_OK;
}

static quire_status memory_renew(struct lease_store *s, const char *name,
                                 uint64_t epoch, int64_t duration_ms,
                                 quire_error *err)
{
    struct memory *m = memory_of_leases(s);
    struct memory_lease *l = *find_lease(m, name);
    struct lease_record never = {.epoch = 0};

    return lease_record_renew(l ? &l->record : &never, name, epoch,
                              clock_us(m->clock) / 1000, duration_ms, err);
}

static quire_status memory_release(struct lease_store *s, const char *name,
                                   uint64_t epoch, quire_error *err)
{
    struct memory_lease *l = *find_lease(memory_of_leases(s), name);
    struct lease_record never = {.epoch = 0};

    return lease_record_release(l ? &l->record : &never, name, epoch, err);
}

static void memory_free_leases(struct lease_store *s)
{
    struct memory *m = memory_of_leases(s);

    while (m->leased) {
        struct memory_lease *next = m->leased->next;

        free(m->leased);
        m->leased = next;
    }
    memory_drop_part(m);
}

const struct lease_ops memory_lease_ops = {
    .lock = memory_lock,
    .touch_gen = memory_touch_gen,
    .gen = memory_gen,
    .lock_dir = memory_lock_dir,
    .unlock_dir = memory_unlock_dir,
    .take = memory_take,
    .renew = memory_renew,
    .release = memory_release,
    .free = memory_free_leases,
};

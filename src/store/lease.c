/* lease.c - the rules of a lease, for any backend */
#include "store/lease.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"

static bool is_line(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len < LEASE_NAME_SIZE && !strchr(text, '\n');
}

static bool is_name(const char *name)
{
    return is_line(name) && !strchr(name, '/') && name[0] != '.';
}

quire_status lease_record_take(struct lease_record *r, const char *name,
                               const char *holder, int64_t now_ms,
                               int64_t duration_ms, quire_error *err)
{
    if (!is_name(name) || !is_line(holder) || duration_ms <= 0)
        return err_set(err, QUIRE_INVALID,
                       "a lease needs a name, a holder and a duration");
    if (r->until_ms > now_ms && strcmp(r->holder, holder) != 0)
        return err_fail(err, QUIRE_BUSY, "wait for it to end",
                        "the lease %s is held by %s", name, r->holder);
    r->epoch++;
    r->until_ms = now_ms + duration_ms;
    snprintf(r->holder, sizeof r->holder, "%s", holder);
    return QUIRE_OK;
}

static quire_status check_epoch(const struct lease_record *r, const char *name,
                                uint64_t epoch, quire_error *err)
{
    if (epoch != 0 && epoch == r->epoch && r->until_ms != 0)
        return QUIRE_OK;
    return err_fail(err, QUIRE_CHANGED, "take it again",
                    "the lease %s with epoch %llu is lost", name,
                    (unsigned long long)epoch);
}

quire_status lease_record_renew(struct lease_record *r, const char *name,
                                uint64_t epoch, int64_t now_ms,
                                int64_t duration_ms, quire_error *err)
{
    quire_status st = check_epoch(r, name, epoch, err);

    if (!st && duration_ms <= 0)
        st = err_set(err, QUIRE_INVALID, "a lease needs a duration");
    if (!st)
        r->until_ms = now_ms + duration_ms;
    return st;
}

quire_status lease_record_release(struct lease_record *r, const char *name,
                                  uint64_t epoch, quire_error *err)
{
    quire_status st = check_epoch(r, name, epoch, err);

    if (!st)
        r->until_ms = 0;
    return st;
}

/* postgres_snapshot.c - see postgres_snapshot.h */
#include "store/postgres_snapshot.h"

#include <stdlib.h>

/* A larger distance is not looked through. */
enum { DISTANCE_MAX = 4096 };

static bool read_number(quire_bytes *text, uint64_t *out)
{
    const char *at = text->data;
    size_t n = 0;

    *out = 0;
    while (n < text->len && at[n] >= '0' && at[n] <= '9' && n < 19)
        *out = 10 * *out + (uint64_t)(at[n++] - '0');
    *text = (quire_bytes){at + n, text->len - n};
    return n > 0;
}

static bool skip_char(quire_bytes *text, char c)
{
    const char *at = text->data;

    if (text->len == 0 || *at != c)
        return false;
    *text = (quire_bytes){at + 1, text->len - 1};
    return true;
}

bool pg_snapshot_read(quire_bytes text, struct pg_snapshot *out)
{
    uint64_t first, end = 0;
    bool fine = read_number(&text, &first) && skip_char(&text, ':') &&
                read_number(&text, &end) && skip_char(&text, ':');

    out->n = 0;
    while (fine && text.len > 0) {
        fine = out->n < SNAPSHOT_RUNNING_MAX &&
               (out->n == 0 || skip_char(&text, ',')) &&
               read_number(&text, &out->running[out->n]);
        out->n += fine;
    }
    out->end = fine ? end : 0;
    return fine;
}

static bool has_number(const uint64_t *list, size_t n, uint64_t number)
{
    while (n > 0)
        if (list[--n] == number)
            return true;
    return false;
}

static bool has_ended(const struct pg_snapshot *s, uint64_t number)
{
    return number < s->end && !has_number(s->running, s->n, number);
}

bool pg_snapshot_same(const struct pg_snapshot *before,
                      const struct pg_snapshot *after, const uint64_t *own,
                      size_t n_own)
{
    uint64_t number;
    size_t i;

    if (!before->end || !after->end || after->end < before->end ||
        after->end - before->end > DISTANCE_MAX)
        return false;
    for (i = 0; i < before->n; i++)
        if (has_ended(after, before->running[i]) &&
            !has_number(own, n_own, before->running[i]))
            return false;
    for (number = before->end; number < after->end; number++)
        if (has_ended(after, number) && !has_number(own, n_own, number))
            return false;
    return true;
}

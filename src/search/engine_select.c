/* engine_select.c - sources by conditions: filters of a search */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "search/engine_priv.h"

static bool below_directory(quire_bytes path, const char *dir)
{
    size_t len = strlen(dir);

    while (len > 1 && dir[len - 1] == '/')
        len--;
    return path.len >= len && !memcmp(path.data, dir, len) &&
           (path.len == len || ((const char *)path.data)[len] == '/' ||
            (len == 1 && dir[0] == '/'));
}

/* Whether the name of a project is meant: its path, a part of it, or its last
 * components. */
static bool is_project(quire_bytes path, const char *wanted)
{
    const char *at;
    size_t len = strlen(wanted);

    if (path.len == 0)
        return false;
    if (wanted[0] == '/')
        return below_directory(path, wanted);
    for (at = path.data;
         len > 0 &&
         (at = memmem(at, path.len - (size_t)(at - (const char *)path.data),
                      wanted, len));
         at++) {
        size_t from = (size_t)(at - (const char *)path.data);

        if ((from == 0 || at[-1] == '/') &&
            (from + len == path.len || at[len] == '/'))
            return true;
    }
    return false;
}

/* Whether a tag is in a JSON array of tags, in any case. */
static bool has_tag(quire_bytes tags, const char *wanted, struct arena *tmp)
{
    struct json_scan it;

    json_iter_init(&it, tags);
    while (json_next(&it)) {
        quire_bytes tag = json_text(it.value, tmp);

        if (tag.len == strlen(wanted) &&
            !strncasecmp(tag.data, wanted, tag.len))
            return true;
    }
    return false;
}

/* The path of an artifact is its title: the key is its id. */
static quire_bytes path_of(struct stmt *s)
{
    return stmt_column_bytes(s,
                             stmt_column_int(s, 6) == SOURCE_ARTIFACT ? 7 : 5);
}

static bool meets(const struct source_condition *c, struct stmt *s,
                  struct arena *tmp)
{
    switch (c->by) {
    case SOURCE_BY_SESSION: return bytes_is(stmt_column_bytes(s, 1), c->value);
    case SOURCE_BY_PROJECT:
        return is_project(stmt_column_bytes(s, 2), c->value);
    case SOURCE_BY_AGENT: return bytes_is(stmt_column_bytes(s, 3), c->value);
    case SOURCE_BY_PATH:
        return path_of(s).len > 0 && memmem(path_of(s).data, path_of(s).len,
                                            c->value, strlen(c->value));
    case SOURCE_BY_TAG: return has_tag(stmt_column_bytes(s, 8), c->value, tmp);
    }
    return false;
}

/* Whether one of the alternatives of list[at] is met. */
static bool meets_any(const struct source_filter *f, const bool *met, size_t at)
{
    const struct source_condition *c = &f->list[at];
    size_t i;

    for (i = 0; i < f->n; i++)
        if (met[i] && !f->list[i].negated && f->list[i].by == c->by &&
            f->list[i].group == c->group)
            return true;
    return false;
}

static bool is_selected(const struct source_filter *f, struct stmt *s,
                        struct arena *tmp)
{
    unsigned flags = (unsigned)stmt_column_int(s, 4);
    bool met[SOURCE_CONDITIONS_MAX];
    size_t i;

    if (f->archived >= 0 && !(flags & SOURCE_ARCHIVED) != !f->archived)
        return false;
    if (f->branched && !(flags & SOURCE_BRANCHED))
        return false;
    if (f->pinned &&
        !map_get(f->pinned, stmt_column_bytes(s, 1)) != f->unpinned)
        return false;
    for (i = 0; i < f->n; i++) {
        met[i] = meets(&f->list[i], s, tmp);
        if (met[i] && f->list[i].negated)
            return false;
    }
    for (i = 0; i < f->n; i++)
        if (!met[i] && !f->list[i].negated && !meets_any(f, met, i))
            return false;
    return true;
}

quire_status engine_select(struct engine *e, const struct source_filter *f,
                           struct arena *keep, struct source_set *out,
                           quire_error *err)
{
    uint32_t end = (uint32_t)e->now.source;
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    quire_status st;

    *out = (struct source_set){.first = e->c.first_source};
    out->n = end > out->first ? end - out->first : 0;
    out->bits = arena_array(keep, out->n / 8 + 1, 1);
    if (!out->bits)
        return err_memory(err);
    if (!e->ready)
        return QUIRE_OK;
    st = sql_use(&e->sql, SQL_ALL_SOURCES, &s, err);
    while (!st && !(st = sql_row(s, err))) {
        uint32_t number = (uint32_t)stmt_column_int(s, 0) - out->first;

        arena_reset(&tmp);
        if (number < out->n && is_selected(f, s, &tmp))
            out->bits[number / 8] |= (uint8_t)(1u << number % 8);
    }
    if (s)
        stmt_reset(s);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/*
 * migrate.c - read files of version 1 and 2 as version 3
 *
 * Version 1 has no ids: an entry's parent is the entry before it, and a
 * compaction refers to the first value it keeps by counting, header included.
 * So the ids assigned so far are kept, one place for each value:
 *
 *     values   header   entry   3     entry      compaction, index 3
 *     ids      -        5f2c…   -     91d0…      c4a7…
 *     parent            null          5f2c…      91d0…, keeps 91d0…
 *
 * An id is the beginning of the SHA-256 of "<session id>:<line>", so all
 * readers of the file derive the same without writing anything. If an earlier
 * entry has the same, of "<session id>:<line>:1", and so on.
 *
 * Invariants, of version 1:
 *
 *   (1) ids[i] is set for objects other than headers, and for no others.
 *   (2) No two are equal, and the parent of each is the one set before it.
 */
#include "session/migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "blob/hash.h"

int migrate_version_of(quire_bytes header)
{
    enum { VERSION_MAX = 1000000 };
    quire_bytes json = json_get(header, "version");
    char text[64];
    double n;

    if (!json.data)
        return 1;
    if (json_kind(json) != JSON_NUMBER || json.len >= sizeof text)
        return MIGRATE_VERSION;
    memcpy(text, json.data, json.len);
    text[json.len] = '\0';
    n = strtod(text, NULL);
    return n < 1 ? 1 : n > VERSION_MAX ? VERSION_MAX : (int)n;
}

quire_status migrate_init(struct migrate *m, int64_t version,
                          quire_bytes session_id, struct arena *arena,
                          quire_error *err)
{
    *m = (struct migrate){.version = version, .arena = arena};
    /* Keys of this map are our own hashes: they cannot be chosen to collide,
     * and the seed need not be secret. */
    map_init(&m->given, 0, 0);
    m->session_id = arena_dup(arena, session_id);
    return m->session_id.data ? QUIRE_OK : err_memory(err);
}

void migrate_release(struct migrate *m)
{
    map_release(&m->given);
}

/* ---- ids ---------------------------------------------------------------- */

/* The n-th candidate for an id. */
static void derive_id(const struct migrate *m, uint64_t line, uint64_t nth,
                      char id[MIGRATE_ID_LEN + 1])
{
    char tail[48];
    quire_digest digest;
    struct hash h;

    snprintf(tail, sizeof tail, ":%llu", (unsigned long long)line);
    if (nth)
        snprintf(tail + strlen(tail), sizeof tail - strlen(tail), ":%llu",
                 (unsigned long long)nth);
    hash_init(&h);
    hash_add(&h, m->session_id);
    hash_add(&h, bytes_str(tail));
    hash_end(&h, &digest);
    hex_encode(digest.byte, MIGRATE_ID_LEN / 2, id);
}

/* An unused id; NULL when out of memory. */
static const char *assign_id(struct migrate *m, uint64_t line)
{
    char *id = arena_alloc(m->arena, MIGRATE_ID_LEN + 1);
    uint64_t nth = 0;

    if (!id)
        return NULL;
    do
        derive_id(m, line, nth++, id);
    while (map_get(&m->given, bytes_of(id, MIGRATE_ID_LEN)));
    if (!map_put(&m->given, bytes_of(id, MIGRATE_ID_LEN), 0, NULL))
        return NULL;
    return id;
}

/* Reserve a place for the id of the next value. */
static bool reserve_place(struct migrate *m)
{
    size_t cap = m->cap ? m->cap * 2 : 64;
    const char **ids;

    if (m->n_values < m->cap)
        return true;
    ids = arena_array(m->arena, cap, sizeof *ids);
    if (!ids)
        return false;
    if (m->cap)
        memcpy(ids, m->ids, m->cap * sizeof *ids);
    m->ids = ids;
    m->cap = cap;
    return true;
}

/* ---- numbers ------------------------------------------------------------ */

/* The exponent of a number, clamped beyond any valid index. */
static int read_exponent(const char *at, const char *end)
{
    bool minus = *at == '-';
    int v = 0;

    for (at += minus || *at == '+'; at < end; at++)
        if (v < 100000)
            v = v * 10 + (*at - '0');
    return minus ? -v : v;
}

/* A number as an index from 0, however it is spelled: 12, 12.0, 1.2e1. False if
 * it is not an index, or too large for one. */
static bool read_index(quire_bytes number, uint64_t *out)
{
    const char *at = number.data, *end = at + number.len, *e = at;
    bool fraction = false;
    int exponent = 0;
    uint64_t v = 0;

    while (e < end && *e != 'e' && *e != 'E')
        e++;
    if (e < end)
        exponent = read_exponent(e + 1, end);
    if (memchr(at, '.', (size_t)(e - at)))
        while (e[-1] == '0')
            e--;
    for (; at < e; at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        if (*at == '-' || v > UINT32_MAX)
            return false;
        v = v * 10 + (uint64_t)(*at - '0');
        exponent -= fraction;
    }
    for (; v && exponent > 0 && v <= UINT32_MAX; exponent--)
        v *= 10;
    for (; v && exponent < 0 && v % 10 == 0; exponent++)
        v /= 10;
    *out = v;
    return !v || !exponent;
}

/* ---- values ------------------------------------------------------------- */

/* One value being migrated. */
struct passage {
    struct migrate *m;
    struct json_edits edits;
    struct arena tmp;
    quire_bytes value;
};

enum { WANT_TYPE, WANT_MESSAGE, WANT_KEPT_INDEX, N_WANTS };

static quire_bytes quoted(struct passage *p, const char *id)
{
    char *text = arena_printf(&p->tmp, "\"%s\"", id);

    p->edits.failed |= !text;
    return text ? bytes_str(text) : bytes_str("null");
}

/* The id that a compaction keeps first; NULL if it keeps nothing. At this point
 * the compaction itself, and what follows it, have no id yet. */
static const char *kept_id(const struct migrate *m, quire_bytes index)
{
    uint64_t i;

    if (!read_index(index, &i) || i >= m->n_values)
        return NULL;
    return m->ids[i];
}

/* Version 1: id, parent, and what a compaction keeps. */
static void edit_links(struct passage *p, const struct json_want *wants,
                       const char *id)
{
    const struct migrate *m = p->m;
    quire_bytes index = wants[WANT_KEPT_INDEX].value;
    struct json_change changes[4] = {
        {"id", quoted(p, id)},
        {"parentId", m->last ? quoted(p, m->last) : bytes_str("null")},
        {"firstKeptEntryIndex", {NULL, 0}},
        {"firstKeptEntryId", {NULL, 0}},
    };
    size_t n = 2;

    if (json_is(wants[WANT_TYPE].value, "compaction") &&
        json_kind(index) == JSON_NUMBER) {
        const char *kept = kept_id(m, index);

        if (kept)
            changes[3].value = quoted(p, kept);
        n = 4;
    }
    json_edit_members(&p->edits, p->value, changes, n, NULL);
}

static void edit_role(struct passage *p, const struct json_want *wants)
{
    quire_bytes role;

    if (!json_is(wants[WANT_TYPE].value, "message"))
        return;
    role = json_get(wants[WANT_MESSAGE].value, "role");
    if (json_is(role, "hookMessage"))
        json_edit_value(&p->edits, role, bytes_str("\"custom\""));
}

static void edit_header(struct passage *p)
{
    struct json_change version = {"version", bytes_str("3")};

    json_edit_members(&p->edits, p->value, &version, 1, NULL);
}

/* An entry, or a header behind the first. Stores the entry's id in *id. */
static quire_status edit_entry(struct passage *p, const struct json_want *wants,
                               uint64_t line, const char **id, quire_error *err)
{
    if (json_is(wants[WANT_TYPE].value, "session"))
        return QUIRE_OK;
    if (p->m->version < 2) {
        *id = assign_id(p->m, line);
        if (!*id)
            return err_memory(err);
        edit_links(p, wants, *id);
    }
    edit_role(p, wants);
    return QUIRE_OK;
}

static bool is_object(quire_bytes value)
{
    const char *at = value.data;
    size_t i = 0;

    while (i < value.len && at[i] && strchr(" \t\r\n", at[i]))
        i++;
    return i < value.len && at[i] == '{';
}

static quire_status pass_value(struct passage *p, uint64_t line,
                               struct buf *out, const char **id,
                               quire_error *err)
{
    struct json_want wants[N_WANTS] = {
        [WANT_TYPE] = JSON_WANT("type"),
        [WANT_MESSAGE] = JSON_WANT("message"),
        [WANT_KEPT_INDEX] = JSON_WANT("firstKeptEntryIndex"),
    };
    bool object = is_object(p->value), header = !p->m->n_values;
    struct json_error why = {.why = NULL};
    quire_status st = QUIRE_OK;

    if (!(object ? json_pick(p->value, wants, N_WANTS, &why)
                 : json_check(p->value, 0, &why)))
        return err_set(err, QUIRE_INVALID,
                       "line %llu is not JSON, byte %zu: %s",
                       (unsigned long long)line, why.at, why.why);
    if (header && !object)
        return err_set(err, QUIRE_INVALID, "line %llu is not a header",
                       (unsigned long long)line);
    if (!object)
        return QUIRE_OK;
    if (p->m->version < MIGRATE_VERSION && header)
        edit_header(p);
    else if (p->m->version < MIGRATE_VERSION)
        st = edit_entry(p, wants, line, id, err);
    if (st)
        return st;
    json_splice(&p->edits, out);
    return buf_status(out, "an entry", err);
}

quire_status migrate_value(struct migrate *m, quire_bytes value, uint64_t line,
                           struct buf *out, quire_error *err)
{
    struct passage p = {.m = m, .tmp = ARENA_INIT, .value = value};
    const char *id = NULL;
    quire_status st;

    if (m->version < 2 && !reserve_place(m))
        return err_memory(err);
    json_edits_init(&p.edits, value, &p.tmp);
    st = pass_value(&p, line, out, &id, err);
    if (!st && m->version < 2)
        m->ids[m->n_values] = id;
    if (!st)
        m->n_values++;
    if (id)
        m->last = id;
    arena_release(&p.tmp);
    return st;
}

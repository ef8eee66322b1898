/*
 * migrate_fuzz.c - files of version 1 and 2, line by line
 *
 * The first byte chooses the version, the lines behind it are the values.
 * What comes out is JSON; ids are all different and each entry has the one
 * before it as parent; members that are no matter of migration keep their
 * bytes and their order; and a second reader gets the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/map.h"
#include "holds.h"
#include "session/migrate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CEILING (SIZE_MAX / 2)

struct run {
    struct migrate m;
    struct arena arena;
    struct map ids;
    quire_bytes last; /* id */
    bool header_seen;
};

/* ---- entries ------------------------------------------------------------ */

static bool ours(quire_bytes key)
{
    return json_is(key, "id") || json_is(key, "parentId") ||
           json_is(key, "firstKeptEntryIndex") ||
           json_is(key, "firstKeptEntryId") || json_is(key, "version");
}

/* The next member that migration has no business with. */
static bool next_foreign(struct json_scan *it)
{
    while (json_next(it))
        if (!ours(it->key))
            return true;
    return false;
}

static void same_members(quire_bytes in, quire_bytes out)
{
    struct json_scan a, b;

    json_iter_init(&a, in);
    json_iter_init(&b, out);
    while (next_foreign(&a)) {
        HOLDS(next_foreign(&b));
        HOLDS(bytes_equal(a.key, b.key));
        if (!bytes_equal(a.value, b.value)) {
            HOLDS(json_is(a.key, "message"));
            HOLDS(json_is(json_get(a.value, "role"), "hookMessage"));
            HOLDS(json_is(json_get(b.value, "role"), "custom"));
        }
    }
    HOLDS(!next_foreign(&b));
}

/* Version 1: a link of the chain. */
static void linked(struct run *r, quire_bytes out)
{
    quire_bytes id = json_get(out, "id"), parent = json_get(out, "parentId");
    quire_bytes kept = json_get(out, "firstKeptEntryId"), text;
    bool fresh;

    HOLDS(json_kind(id) == JSON_STRING && id.len == MIGRATE_ID_LEN + 2);
    text = arena_dup(&r->arena, bytes_sub(id, 1, id.len - 1));
    HOLDS(r->last.data ? json_equal(parent, r->last)
                       : bytes_is(parent, "null"));
    if (json_is(json_get(out, "type"), "compaction") &&
        json_kind(json_get(out, "firstKeptEntryIndex")) == JSON_NUMBER)
        HOLDS(false);
    if (kept.data && json_kind(kept) == JSON_STRING && kept.len == id.len)
        HOLDS(!bytes_equal(kept, id));
    HOLDS(map_put(&r->ids, text, 0, &fresh) && fresh);
    r->last = text;
}

static void value(struct run *r, quire_bytes in, uint64_t line,
                  struct buf *whole)
{
    struct buf out = BUF_INIT(CEILING);
    bool valid = json_check(in, 0, NULL);
    struct json_scan it;
    bool object;
    quire_status st = migrate_value(&r->m, in, line, &out, NULL);

    json_iter_init(&it, in);
    object = valid && !it.error.why && *(const char *)it.value.data == '{';
    HOLDS((st == QUIRE_OK) == (valid && (object || r->header_seen)));
    HOLDS(st == QUIRE_OK || st == QUIRE_INVALID);
    HOLDS(!out.len || (!st && object));
    if (out.len) {
        HOLDS(json_check(buf_bytes(&out), 0, NULL));
        same_members(in, buf_bytes(&out));
        if (!r->header_seen)
            HOLDS(bytes_is(json_get(buf_bytes(&out), "version"), "3"));
        else if (json_is(json_get(in, "type"), "session") || r->m.version > 1)
            HOLDS(json_is(json_get(in, "type"), "message") ||
                  bytes_equal(in, buf_bytes(&out)));
        else
            linked(r, buf_bytes(&out));
    }
    r->header_seen |= !st;
    buf_add(whole, out.data, out.len);
    buf_add_char(whole, '\n');
    buf_release(&out);
}

/* ---- files -------------------------------------------------------------- */

static void file(int64_t version, quire_bytes text, struct buf *whole)
{
    struct run r = {.arena = ARENA_INIT};
    const char *at = text.data, *end = at + text.len;
    uint64_t line = 0;

    map_init(&r.ids, 1, 2);
    HOLDS(!migrate_init(&r.m, version, bytes_str("fuzz"), &r.arena, NULL));
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop ? stop : end;
        /* Lines that repeat, as no file has them: ids must part all the same. */
        value(&r, bytes_of(at, (size_t)(stop - at)), ++line % 7, whole);
        at = stop < end ? stop + 1 : end;
    }
    migrate_release(&r.m);
    map_release(&r.ids);
    arena_release(&r.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf once = BUF_INIT(CEILING), twice = BUF_INIT(CEILING);
    int64_t version = size ? data[0] % 2 + 1 : 1;
    quire_bytes text = bytes_of(size ? data + 1 : data, size ? size - 1 : 0);

    file(version, text, &once);
    file(version, text, &twice);
    HOLDS(bytes_equal(buf_bytes(&once), buf_bytes(&twice)));
    buf_release(&once);
    buf_release(&twice);
    return 0;
}

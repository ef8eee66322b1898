/* owner.c - see owner.h */
#include "api/core/owner.h"

#include <string.h>

#include "base/bytes.h"

/* The first `n` components of a path; all of it if it has fewer. */
static quire_bytes take_components(const char *path, int n)
{
    const char *end = path;

    while (*end && (*end != '/' || --n > 0))
        end++;
    return bytes_of(path, (size_t)(end - path));
}

/* "2026-…_<id>.jsonl", "2026-…_<id>", "2026-…_<id>.jsonl.x.bak": the id. */
static bool read_session_id(const char *base, quire_bytes *id)
{
    quire_bytes name = take_components(base, 1);
    const char *mark = name.len ? memchr(name.data, '_', name.len) : NULL;
    size_t at = mark ? (size_t)(mark - base) + 1 : 0;

    if (!mark || at != 25 || strspn(base, "0123456789-TZ") < 24)
        return false;
    id->data = base + at;
    id->len = strcspn(base + at, "./");
    return id->len > 0;
}

/* Below sessions/ or archive/sessions/. */
static bool find_session(const char *path, struct owner *out)
{
    const char *slash;

    if (!strncmp(path, "archive/", 8))
        path += 8;
    if (strncmp(path, "sessions/", 9) != 0)
        return false;
    slash = strchr(path + 9, '/');
    out->kind = "session";
    return slash && read_session_id(slash + 1, &out->name);
}

struct owner owner_of(const char *path)
{
    static const struct {
        const char *begins, *kind;
        int components;
    } places[] = {
        {"artifacts/user", "workspace", 2},
        {"artifacts/temp", "workspace", 2},
        {"blobs", "blobs", 1},
        {"quire.db", "catalogue", 0},
        {"segments", "search", 0},
        {"search", "search", 0},
        {"history.db", "history", 0},
        {"reserve", "reserve", 1},
    };
    struct owner o = {"other", bytes_str(""), TENANT_DEFAULT};
    const char *whole = path, *rest;
    size_t i;

    if (!strncmp(path, "trash/", 6) && path[6])
        return (struct owner){"trash", take_components(path, 2), 0};
    path = tenants_skip(path, &o.tenant);
    if (!o.tenant)
        o.tenant = TENANT_DEFAULT;
    if (find_session(path, &o))
        return o;
    if (!strncmp(path, "artifacts/sessions/", 19) && path[19])
        return (struct owner){"session", take_components(path + 19, 1),
                              o.tenant};
    for (i = 0; i < sizeof places / sizeof *places; i++) {
        if (strncmp(path, places[i].begins, strlen(places[i].begins)) != 0)
            continue;
        rest = places[i].components
                   ? path + take_components(path, places[i].components).len
                   : path + strlen(places[i].begins);
        o.kind = places[i].kind;
        o.name = bytes_of(whole, (size_t)(rest - whole));
        return o;
    }
    o.kind = "other";
    o.name = take_components(whole, 1);
    return o;
}

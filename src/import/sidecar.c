/* sidecar.c - see sidecar.h */
#include "import/sidecar.h"

quire_status sidecar_add(struct import_places *p,
                         const struct import_agent *agent, const char *dir,
                         const char *name, import_take_fn take,
                         quire_error *err)
{
    struct import_place at = {p, agent, dir};
    struct import_found f;
    struct stat info;
    const char *path = arena_printf(p->keep, "%s/%s", dir, name);
    quire_status st = places_spot(p, agent, path, false, err);

    if (st || lstat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return st;
    f = places_found(&at, name, &info);
    f.id = f.path;
    f.is_main = false;
    f.take = take;
    return places_add(p, &f, err);
}

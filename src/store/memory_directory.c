/* memory_directory.c - the names of a store in memory as directories */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/memory_priv.h"

static quire_status memory_scan(struct directory_store *s, const char *dir,
                                directory_scan_fn each, void *ctx,
                                quire_error *err)
{
    size_t skip = *dir ? strlen(dir) + 1 : 0, seen = 0;
    char part[256], last[256] = "";
    quire_status st = QUIRE_OK;
    struct entry *e;

    for (e = memory_of_dirs(s)->entries; e && !st; e = e->next) {
        struct object_info info;
        const char *rest;

        if (!memory_is_below(e->name, dir))
            continue;
        rest = e->name + skip;
        seen = strcspn(rest, "/");
        if (!rest[seen]) {
            memory_fill_info(e, &info);
            st = each(ctx, rest, &info, err);
        } else if (seen < sizeof part) {
            /* Names are sorted, so those of one directory are adjacent. */
            memcpy(part, rest, seen);
            part[seen] = '\0';
            if (strcmp(part, last) != 0)
                st = each(ctx, part, NULL, err);
            strcpy(last, part);
        }
    }
    return st;
}

static quire_status memory_find(struct directory_store *s, const char *root,
                                directory_want_fn wants, directory_find_fn each,
                                void *ctx, quire_error *err)
{
    size_t skip = *root ? strlen(root) + 1 : 0;
    quire_status st = QUIRE_OK;
    struct entry *e;

    for (e = memory_of_dirs(s)->entries; e && !st; e = e->next) {
        const char *slash = strrchr(e->name, '/');
        const char *name = slash ? slash + 1 : e->name;
        struct object_info info;
        char *dir;

        if (!memory_is_below(e->name, root) || !wants(ctx, name))
            continue;
        dir = strndup(e->name + skip, name > e->name + skip
                                          ? (size_t)(name - e->name) - skip - 1
                                          : 0);
        if (!dir)
            return err_memory(err);
        memory_fill_info(e, &info);
        st = each(ctx, dir, name, &info, err);
        free(dir);
    }
    return st;
}

static quire_status memory_rename(struct directory_store *s, const char *from,
                                  const char *to, quire_error *err)
{
    return memory_rename_entries(memory_of_dirs(s), from, to, err);
}

static void memory_free_dirs(struct directory_store *s)
{
    memory_drop_part(memory_of_dirs(s));
}

const struct directory_ops memory_directory_ops = {
    .scan = memory_scan,
    .find = memory_find,
    .rename = memory_rename,
    .free = memory_free_dirs,
};

/* files_store.c - open a directory as a store: see store.h */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/map.h"
#include "store/files_priv.h"

static void free_store(struct store *s)
{
    files_drop_part(files_of_store(s));
}

static struct files *make_files(const char *path, bool read_only)
{
    struct files *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->objects.ops = &files_object_ops;
    f->logs.ops = &files_log_ops;
    f->leases.ops = &files_lease_ops;
    f->dirs.ops = &files_directory_ops;
    f->store = (struct store){.objects = &f->objects,
                              .logs = &f->logs,
                              .leases = &f->leases,
                              .dirs = &f->dirs,
                              .free = free_store};
    f->n_parts = 5; /* the struct itself is one */
    f->dir = f->claimed = -1;
    f->read_only = read_only;
    map_init(&f->synced, 0, 0); /* directory names are trusted */
    f->path = strdup(path);
    if (f->path)
        return f;
    free(f);
    return NULL;
}

quire_status store_files_adopt(int fd, const char *path, bool read_only,
                               struct store **out, quire_error *err)
{
    struct files *f = make_files(path, read_only);

    if (!f) {
        close(fd);
        return err_memory(err);
    }
    f->dir = fd;
    *out = &f->store;
    return QUIRE_OK;
}

quire_status store_files_open(const char *path, bool read_only,
                              struct store **out, quire_error *err)
{
    struct files *f = make_files(path, read_only);
    quire_status st;

    if (!f)
        return err_memory(err);
    st = files_reach(f, false, err);
    if (st && st != QUIRE_NOT_FOUND) {
        store_free(&f->store);
        return st;
    }
    *out = &f->store;
    return QUIRE_OK;
}

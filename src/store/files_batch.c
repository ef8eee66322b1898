/*
 * files_batch.c - staged drafts, settled together
 *
 * Publishing an object or a log waits for the disk twice, once for the bytes and
 * once for the name. A batch shares the waits: drafts are *staged*, complete but nameless,
 * and settled together:
 *
 *     sync all bytes    one syncfs(), or a few fdatasync()
 *     link all names
 *     sync all names    one syncfs(), or a few fsync() of directories
 *
 * Invariants:
 *
 *   (1) A file has its name only when its bytes are on the disk.
 *   (2) At most STAGED_MAX drafts are staged; one more settles the rest, so a
 *       batch of any length holds few descriptors open.
 *   (3) stat and open find staged drafts; listing and changing names settle
 *       first. So a batch sees its own writes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "store/files_priv.h"

/* From this number on one sync of the whole file system is cheaper than one of
 * each file: each is a flush of the device, whatever its size. */
#define SYNCFS_FROM 4

static void staged_release(struct staged *s)
{
    fs_temp_release(&s->temp);
    free(s->name);
    s->name = NULL;
}

void files_drop_staged(struct files *f)
{
    size_t i;

    for (i = 0; i < f->n_staged; i++)
        staged_release(&f->staged[i]);
    f->n_staged = 0;
}

const struct staged *files_find_staged(const struct files *f, const char *name)
{
    size_t i;

    for (i = 0; i < f->n_staged; i++) {
        if (!strcmp(f->staged[i].name, name))
            return &f->staged[i];
    }
    return NULL;
}

/* Large enough for a session's images; when full, the map is emptied. */
#define SYNCED_MAX ((size_t)1 << 16)

void files_forget_synced(struct files *f)
{
    map_release(&f->synced);
    arena_release(&f->names);
}

/* Record that `name` is synced in its present state. Losing the record, for
 * want of memory or space, only costs a sync. */
void files_record_synced(struct files *f, quire_bytes name, uint64_t value)
{
    uint64_t *known = map_get(&f->synced, name);
    char *key;

    if (known) {
        *known = value;
        return;
    }
    if (f->synced.n >= SYNCED_MAX)
        files_forget_synced(f);
    key = arena_text(&f->names, name);
    if (key)
        map_put(&f->synced, bytes_of(key, name.len), value, NULL);
}

/* Make a name durable: sync its directory and, unless recorded as synced, the
 * directories above. Their existence does not mean that their creator has
 * synced them. */
int files_sync_name(struct files *f, int parent, const char *name)
{
    const char *slash = strrchr(name, '/');
    quire_bytes dir = bytes_of(name, slash ? (size_t)(slash - name) : 0);

    if (map_get(&f->synced, dir))
        return fsync(parent);
    if (fs_sync_parents(f->dir, name) < 0)
        return -1;
    files_record_synced(f, dir, 1);
    return 0;
}

/* Link one finished file to its name. A name taken meanwhile by another writer
 * is kept when the draft asked for that: QUIRE_EXISTS. */
quire_status files_give_name(struct files *f, struct fs_temp *t,
                             const char *name, bool replace, bool sync,
                             quire_error *err)
{
    quire_status st = QUIRE_OK;
    const char *base;
    int parent = fs_open_parent(f->dir, name, true, NULL, &base);

    if (parent < 0)
        return files_fail(f, "make the directory of", name, err);
    if (fs_temp_publish(t, parent, base, replace) < 0)
        st = errno == EEXIST ? QUIRE_EXISTS : files_fail(f, "name", name, err);
    else if (sync && files_sync_name(f, parent, name) < 0)
        st = files_fail(f, "sync the directory of", name, err);
    close(parent);
    return st;
}

quire_status files_settle(struct files *f, quire_error *err)
{
    bool whole = f->n_staged >= SYNCFS_FROM;
    quire_status st = QUIRE_OK;
    size_t i;

    if (f->n_staged == 0)
        return QUIRE_OK;
    if (whole && syncfs(f->dir) < 0)
        st = files_fail(f, "sync", "", err);
    for (i = 0; i < f->n_staged && !st && !whole; i++) {
        if (fs_temp_sync(&f->staged[i].temp) < 0)
            st = files_fail(f, "sync", f->staged[i].name, err);
    }
    for (i = 0; i < f->n_staged && !st; i++) {
        struct staged *s = &f->staged[i];

        st = files_give_name(f, &s->temp, s->name, s->replace, !whole, err);
        if (st == QUIRE_EXISTS)
            st = QUIRE_OK;
    }
    if (!st && whole && syncfs(f->dir) < 0)
        st = files_fail(f, "sync", "", err);
    /* A published draft was lost: the batch must not commit. */
    f->lost |= st != QUIRE_OK;
    files_drop_staged(f);
    return st;
}

quire_status files_stage(struct file_draft *d, const char *name, bool replace,
                         quire_error *err)
{
    struct files *f = d->store;
    struct object_info info;
    quire_status st = QUIRE_OK;
    struct staged *s;

    if (f->n_staged == STAGED_MAX || (replace && files_find_staged(f, name)))
        st = files_settle(f, err);
    if (!st && !replace) {
        st = object_stat(&f->objects, name, &info, err);
        if (st == QUIRE_OK)
            return QUIRE_EXISTS;
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    if (st)
        return st;
    s = &f->staged[f->n_staged];
    *s = (struct staged){.temp = d->temp, .size = d->size, .replace = replace};
    s->name = strdup(name);
    if (!s->name)
        return err_memory(err);
    d->temp = (struct fs_temp)FS_TEMP_INIT; /* owned by the stage now */
    f->n_staged++;
    return QUIRE_OK;
}

quire_status files_begin(struct object_store *s, quire_error *err)
{
    struct files *f = files_of_objects(s);

    (void)err;
    f->batch = true;
    f->lost = f->sync_all = false;
    return QUIRE_OK;
}

/* What a batch recorded as synced is so only after its commit. */
void files_rollback(struct object_store *s)
{
    struct files *f = files_of_objects(s);

    f->batch = false;
    files_forget_synced(f);
    files_drop_staged(f);
}

quire_status files_commit(struct object_store *s, quire_error *err)
{
    struct files *f = files_of_objects(s);
    bool shared = f->n_staged >= SYNCFS_FROM; /* settling syncs everything */
    quire_status st;

    f->batch = false;
    if (f->lost) {
        files_rollback(s);
        return err_set(err, QUIRE_IO,
                       "some files of this batch in %s could not be stored",
                       f->path);
    }
    st = files_settle(f, err);
    if (!st && f->sync_all && !shared && syncfs(f->dir) < 0)
        st = files_fail(f, "sync", "", err);
    if (st)
        files_forget_synced(f);
    return st;
}

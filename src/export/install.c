/* install.c - see install.h */
#include "export/install.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"

quire_status export_find_place(struct export_run *r, struct export_place *out,
                               const char **path, quire_error *err)
{
    const struct export_target *t = r->x.target;

    *out = (struct export_place){NULL, NULL, NULL};
    if (!t->place || (t->staged && !r->resumes))
        return err_fail(err, QUIRE_INVALID, "export it to a file instead",
                        "%s has no place for sessions", t->title);
    t->place(&r->x, out);
    if (!out->name)
        return err_memory(err);
    if (!out->dir)
        return err_fail(err, QUIRE_INVALID, "set HOME",
                        "it is not known where %s keeps its sessions",
                        t->title);
    *path = arena_printf(&r->x.keep, "%s/%s", out->dir, out->name);
    return *path ? QUIRE_OK : err_memory(err);
}

/* A name that ends with the session's mark. */
static quire_status find_marked(struct export_run *r, const char *dir,
                                const char *mark, const char **path,
                                quire_error *err)
{
    size_t len = strlen(mark);
    DIR *d = opendir(dir);
    struct dirent *e;

    while (d && !*path && (e = readdir(d)) != NULL) {
        size_t n = strlen(e->d_name);

        if (n <= len || strcmp(e->d_name + n - len, mark) != 0)
            continue;
        *path = arena_printf(&r->x.keep, "%s/%s", dir, e->d_name);
        if (!*path) {
            closedir(d);
            return err_memory(err);
        }
    }
    if (d)
        closedir(d);
    return QUIRE_OK;
}

quire_status export_find_existing(struct export_run *r,
                                  const struct export_place *place,
                                  const char **path, quire_error *err)
{
    char *whole = arena_printf(&r->x.keep, "%s/%s", place->dir, place->name);
    struct stat st;

    *path = NULL;
    if (!whole)
        return err_memory(err);
    if (lstat(whole, &st) == 0) {
        *path = whole;
        return QUIRE_OK;
    }
    if (!place->mark)
        return QUIRE_OK;
    *strrchr(whole, '/') = '\0';
    return find_marked(r, whole, place->mark, path, err);
}

static quire_status write_piece(void *ctx, quire_bytes piece, quire_error *err)
{
    struct fs_temp *t = ctx;

    if (fs_write_all(t->fd, piece))
        return err_sys(err, errno, "cannot write the session");
    return QUIRE_OK;
}

static quire_status publish(struct export_run *r, int root, int dir,
                            const struct export_place *place, const char *base,
                            quire_error *err)
{
    struct fs_temp temp = FS_TEMP_INIT;
    quire_status st = QUIRE_OK;

    if (fs_temp_open(&temp, dir))
        return err_sys(err, errno, "cannot write in %s", place->dir);
    r->x.write = write_piece;
    r->x.write_ctx = &temp;
    st = export_run_write(r, err);
    if (!st && fs_temp_sync(&temp))
        st = err_sys(err, errno, "cannot write %s/%s", place->dir, place->name);
    if (!st && fs_temp_publish(&temp, dir, base, false))
        st = err_sys(err, errno, "cannot write %s/%s", place->dir, place->name);
    if (!st && (fsync(dir) || fs_sync_parents(root, place->name)))
        st = err_sys(err, errno, "cannot sync %s", place->dir);
    fs_temp_release(&temp);
    return st;
}

quire_status export_place_file(struct export_run *r,
                               const struct export_place *place,
                               quire_error *err)
{
    const char *base, *existing;
    int root = -1, dir = -1;
    quire_status st = export_find_existing(r, place, &existing, err);

    if (!st && existing)
        return err_fail(err, QUIRE_EXISTS,
                        "remove it to write it again, or resume it",
                        "%s has this session already: %s", r->x.target->title,
                        existing);
    if (!st)
        st = fs_open_dir(place->dir, true, &root, err);
    if (st)
        return st;
    dir = fs_open_parent(root, place->name, true, NULL, &base);
    st = dir < 0 ? err_sys(err, errno, "cannot write in %s", place->dir)
                 : publish(r, root, dir, place, base, err);
    if (dir >= 0)
        close(dir);
    close(root);
    return st;
}

/* rows_directory.c - names in rows as directories */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/rows_priv.h"

/* The part of a directory's name below `root`; NULL: it is not below. */
static const char *below(const char *dir, const char *root)
{
    size_t len = strlen(root);

    if (len == 0)
        return dir;
    if (strncmp(dir, root, len) != 0)
        return NULL;
    return dir[len] == '/' ? dir + len + 1 : dir[len] ? NULL : dir + len;
}

static quire_status rows_scan(struct directory_store *s, const char *dir,
                              directory_scan_fn each, void *ctx,
                              quire_error *err)
{
    struct rows *r = rows_of_dirs(s);
    struct arena tmp = ARENA_INIT;
    struct rows_entry *all = NULL;
    const char *last = "", *rest;
    size_t i, n = 0;
    quire_status st;

    pthread_mutex_lock(&r->turn);
    st = rows_list(r, dir, true, &tmp, &all, &n, err);
    pthread_mutex_unlock(&r->turn);
    for (i = 0; i < n && !st; i++) {
        rest = below(all[i].dir, dir);
        if (!rest)
            continue;
        if (!*rest) {
            st = each(ctx, all[i].base, &all[i].info, err);
            continue;
        }
        rest = arena_text(&tmp, bytes_of(rest, strcspn(rest, "/")));
        if (!rest)
            st = err_memory(err);
        /* In the order of directories, those of one are together. */
        else if (strcmp(rest, last) != 0)
            st = each(ctx, rest, NULL, err);
        last = rest ? rest : last;
    }
    arena_release(&tmp);
    return st;
}

static quire_status rows_directory_find(struct directory_store *s,
                                        const char *root,
                                        directory_want_fn wants,
                                        directory_find_fn each, void *ctx,
                                        quire_error *err)
{
    struct rows *r = rows_of_dirs(s);
    struct arena tmp = ARENA_INIT;
    struct rows_entry *all = NULL;
    const char *rest;
    size_t i, n = 0;
    quire_status st;

    pthread_mutex_lock(&r->turn);
    st = rows_list(r, root, true, &tmp, &all, &n, err);
    pthread_mutex_unlock(&r->turn);
    for (i = 0; i < n && !st; i++) {
        rest = below(all[i].dir, root);
        if (rest && wants(ctx, all[i].base))
            st = each(ctx, rest, all[i].base, &all[i].info, err);
    }
    arena_release(&tmp);
    return st;
}

static quire_status rows_directory_rename(struct directory_store *s,
                                          const char *from, const char *to,
                                          quire_error *err)
{
    struct rows *r = rows_of_dirs(s);
    quire_status st;

    pthread_mutex_lock(&r->turn);
    st = rows_rename(r, from, to, true, err);
    pthread_mutex_unlock(&r->turn);
    return st;
}

static void rows_directory_free(struct directory_store *s)
{
    rows_drop_part(rows_of_dirs(s));
}

const struct directory_ops rows_directory_ops = {
    .scan = rows_scan,
    .find = rows_directory_find,
    .rename = rows_directory_rename,
    .free = rows_directory_free,
};

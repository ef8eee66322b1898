/* known.c - see known.h */
#include "import/known.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/err.h"

static quire_status add_row(void *ctx, const quire_import_file *f,
                            quire_error *err)
{
    struct import_known_files *k = ctx;
    size_t cap = k->cap ? k->cap * 2 : 256;
    struct import_known *list = k->list;
    quire_bytes path;
    bool fresh;

    if (f->written_bytes == UINT64_MAX) /* it was interrupted */
        return QUIRE_OK;
    if (k->n == k->cap) {
        list = realloc(list, cap * sizeof *list);
        if (!list)
            return err_memory(err);
        k->list = list;
        k->cap = cap;
    }
    path = arena_dup(&k->keep, bytes_str(f->path));
    list[k->n] = (struct import_known){
        .session = arena_text(&k->keep, bytes_str(f->session)),
        .cwd = arena_text(&k->keep, bytes_str(f->cwd)),
        .inode = f->inode,
        .bytes = f->bytes,
        .entries = f->entries,
        .problems = f->problems,
        .modified_ns = f->modified_ns,
    };
    if (!path.data || !list[k->n].session || !list[k->n].cwd ||
        !map_put(&k->at, path, k->n, &fresh))
        return err_memory(err);
    k->n++;
    return QUIRE_OK;
}

quire_status known_load(struct import_known_files *k, quire *q,
                        quire_error *err)
{
    *k = (struct import_known_files){.keep = ARENA_INIT};
    map_init(&k->at, 0x71756972, 6);
    return q ? quire_import_list(q, NULL, add_row, k, err) : QUIRE_OK;
}

void known_release(struct import_known_files *k)
{
    map_release(&k->at);
    arena_release(&k->keep);
    free(k->list);
}

const struct import_known *known_same(const struct import_known_files *k,
                                      const struct import_found *f)
{
    const uint64_t *at = map_get(&k->at, bytes_str(f->path));
    const struct import_known *row = at ? &k->list[*at] : NULL;

    /* The size of what is extracted is not known before. */
    return row && !f->unreadable && row->inode == f->inode &&
                   (f->extract || row->bytes == f->size) &&
                   row->modified_ns == f->modified_ns
               ? row
               : NULL;
}

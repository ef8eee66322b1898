/* known.c - see known.h */
#include "import/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

/* Text of which rows that follow one another mostly have the same. */
static const char *same_text(struct import_known_files *k, const char *last,
                             quire_bytes text)
{
    if (last && strlen(last) == text.len && !memcmp(last, text.data, text.len))
        return last;
    return arena_text(&k->keep, text);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct import_known *)a)->path,
                  ((const struct import_known *)b)->path);
}

static quire_status add_row(void *ctx, const quire_import_row *f,
                            quire_error *err)
{
    struct import_known_files *k = ctx;
    size_t cap = k->cap ? k->cap * 2 : 256;
    struct import_known *list = k->list, *row;
    const struct import_known none = {.agent = NULL}, *last;

    if (k->n == k->cap) {
        list = realloc(list, cap * sizeof *list);
        if (!list)
            return err_memory(err);
        k->list = list;
        k->cap = cap;
    }
    row = &list[k->n];
    last = k->n ? row - 1 : &none;
    *row = (struct import_known){
        .path = arena_text(&k->keep, f->path),
        .agent = same_text(k, last->agent, f->agent),
        .session = arena_text(&k->keep, f->session),
        .cwd = same_text(k, last->cwd, f->cwd),
        .inode = f->inode,
        .bytes = f->bytes,
        .entries = f->entries,
        .problems = f->problems,
        .modified_ns = f->modified_ns,
    };
    if (!row->path || !row->agent || !row->session || !row->cwd)
        return err_memory(err);
    k->sorted = k->sorted && (!last->path || by_path(last, row) < 0);
    k->n++;
    return QUIRE_OK;
}

void known_init(struct import_known_files *k, quire *q)
{
    *k = (struct import_known_files){.keep = ARENA_INIT,
                                     .q = q,
                                     .sorted = true};
}

quire_status known_load(struct import_known_files *k, quire_error *err)
{
    if (k->q && !k->loaded)
        k->status = quire_import_scan(k->q, add_row, k, &k->error);
    if (!k->loaded && !k->sorted) /* another collation */
        qsort(k->list, k->n, sizeof *k->list, by_path);
    k->loaded = true;
    if (k->status && err)
        *err = k->error;
    return k->status;
}

void known_release(struct import_known_files *k)
{
    arena_release(&k->keep);
    free(k->list);
}

const struct import_known *known_row(struct import_known_files *k,
                                     const char *path)
{
    const struct import_known key = {.path = path}, *row = NULL;

    if (k->next < k->n && !by_path(&key, &k->list[k->next]))
        row = &k->list[k->next];
    else if (k->n)
        row = bsearch(&key, k->list, k->n, sizeof key, by_path);
    if (row)
        k->next = (size_t)(row - k->list) + 1;
    return row;
}

const struct import_known *known_same(struct import_known_files *k,
                                      const struct import_found *f)
{
    const struct import_known *row = known_row(k, f->path);

    /* The size of what is extracted is not known before. */
    return row && !f->unreadable && row->inode == f->inode &&
                   (f->extract || row->bytes == f->size) &&
                   row->modified_ns == f->modified_ns
               ? row
               : NULL;
}

const struct import_known *known_found(const struct import_places *p,
                                       const struct import_found *f)
{
    if (!p->known || !f->path || known_load(p->known, NULL))
        return NULL;
    return known_same(p->known, f);
}

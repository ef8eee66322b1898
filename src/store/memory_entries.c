/* memory_entries.c - names and their bytes in memory: see memory_priv.h */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/memory_priv.h"

struct content *content_new(void)
{
    struct content *c = calloc(1, sizeof *c);

    if (c) {
        c->bytes = (struct buf)BUF_INIT(CONTENT_MAX);
        c->holders = 1;
    }
    return c;
}

void content_drop(struct content *c)
{
    if (--c->holders > 0)
        return;
    buf_release(&c->bytes);
    free(c);
}

/* The place of `name`, or where it would go. */
struct entry **memory_place_of(struct memory *m, const char *name)
{
    struct entry **at = &m->entries;

    while (*at && strcmp((*at)->name, name) < 0)
        at = &(*at)->next;
    return at;
}

struct entry *memory_entry(struct memory *m, const char *name)
{
    struct entry *e = *memory_place_of(m, name);

    return e && !strcmp(e->name, name) ? e : NULL;
}

struct entry *memory_add_entry(struct memory *m, const char *name)
{
    struct entry **at = memory_place_of(m, name);
    struct entry *e = malloc(sizeof *e + strlen(name) + 1);

    if (!e)
        return NULL;
    *e = (struct entry){.next = *at};
    strcpy(e->name, name);
    *at = e;
    return e;
}

void memory_drop_entry(struct entry **at)
{
    struct entry *e = *at;

    assert(e);
    *at = e->next;
    content_drop(e->content);
    free(e);
}

void memory_fill_info(const struct entry *e, struct object_info *info)
{
    info->size = e->content->bytes.len;
    info->modified_s = e->modified_s;
    info->modified_ns = e->modified_s * INT64_C(1000000000);
    info->changed_ns = info->modified_ns;
    info->device = 1;
    info->inode = (uintptr_t)e->content;
}

bool memory_is_below(const char *name, const char *prefix)
{
    size_t len = strlen(prefix);

    return len == 0 || (!strncmp(name, prefix, len) && name[len] == '/');
}

struct entry *memory_first_below(struct memory *m, const char *prefix)
{
    struct entry *e = m->entries;

    while (e && !memory_is_below(e->name, prefix))
        e = e->next;
    return e;
}

quire_status memory_give_name(struct memory *m, struct content *c,
                              const char *name, bool replace, quire_error *err)
{
    struct entry *e = memory_entry(m, name);

    if (e && !replace)
        return QUIRE_EXISTS;
    if (e) {
        content_drop(e->content);
    } else {
        e = memory_add_entry(m, name);
        if (!e)
            return err_memory(err);
        e->in_batch = m->batch;
    }
    e->content = c;
    e->content->holders++;
    assert(e->content->holders >
           1); /* the caller's reference is not the last */
    e->modified_s = clock_s(m->clock);
    return QUIRE_OK;
}

quire_status memory_read_content(const struct content *c, uint64_t offset,
                                 void *buf, size_t cap, size_t *n)
{
    const struct buf *b = &c->bytes;

    *n = offset < b->len ? b->len - (size_t)offset : 0;
    if (*n > cap)
        *n = cap;
    if (*n)
        memcpy(buf, b->data + offset, *n);
    return QUIRE_OK;
}

/* Move one entry; its new name is `to` followed by what it has behind `from`.
 */
static quire_status rename_one(struct memory *m, struct entry *old,
                               const char *from, const char *to,
                               quire_error *err)
{
    struct buf name = BUF_INIT(CONTENT_MAX);
    struct entry *e = NULL;

    buf_add_str(&name, to);
    buf_add_str(&name, old->name + strlen(from));
    if (buf_text(&name))
        e = memory_add_entry(m, buf_text(&name));
    buf_release(&name);
    if (!e)
        return err_memory(err);
    e->content = old->content;
    e->content->holders++;
    e->modified_s = old->modified_s;
    memory_drop_entry(memory_place_of(m, old->name));
    return QUIRE_OK;
}

quire_status memory_rename_entries(struct memory *m, const char *from,
                                   const char *to, quire_error *err)
{
    struct entry *old = memory_entry(m, from);
    quire_status st = QUIRE_OK;

    if (!old && !memory_first_below(m, from))
        return QUIRE_NOT_FOUND;
    if (memory_entry(m, to) || memory_first_below(m, to))
        return QUIRE_EXISTS;
    if (old)
        st = rename_one(m, old, from, to, err);
    while (!st && (old = memory_first_below(m, from)) != NULL)
        st = rename_one(m, old, from, to, err);
    return st;
}

quire_status memory_remove_entry(struct memory *m, const char *name)
{
    if (!memory_entry(m, name))
        return QUIRE_NOT_FOUND;
    memory_drop_entry(memory_place_of(m, name));
    return QUIRE_OK;
}

void memory_drop_part(struct memory *m)
{
    if (--m->n_parts > 0)
        return;
    while (m->entries)
        memory_drop_entry(&m->entries);
    free(m);
}

/* list_heads.c - quire_session_heads() */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "quire/view.h"
#include "session/head.h"
#include "session/priv.h"

/* Add the rows that are missing. Lines are parsed in full here, once: a line that the
 * quick scan took wrongly has no head, and the session is loaded again. */
static quire_status add_rows(quire_session *s, quire_error *err)
{
    struct heads *h = &s->heads;
    quire_status st = heads_make_room(h, s->index.n, err);

    if (h->n > s->index.n)
        h->n = s->index.n;
    while (!st && h->n < s->index.n) {
        const struct entry *e = &s->index.list[h->n];
        struct head head;
        quire_bytes line;

        st = load_bytes(s, e->at, e->len, &line, err);
        if (!st && !head_read(line, &head)) {
            s->suspect = true;
            st = err_set(err, QUIRE_DAMAGED, "%s is damaged at byte %llu",
                         s->path, (unsigned long long)e->at);
        }
        if (!st)
            st = heads_add(h, &head, err);
    }
    return st;
}

/* A session in memory is one generation. */
static void describe(const quire_session *s, quire_heads_info *info)
{
    int64_t identity = s->in_file && s->path ? fs_identity(s->path) : 0;

    *info = (quire_heads_info){.n = s->index.n, .leaf = SIZE_MAX};
    snprintf(info->generation, sizeof info->generation, "%016llx",
             (unsigned long long)identity);
    if (s->leaf != NONE)
        info->leaf = s->leaf;
}

static void fill_head(const quire_session *s, const struct labels *labels,
                      uint32_t i, quire_head *out)
{
    const struct entry *e = &s->index.list[i];
    const struct heads *h = &s->heads;
    const struct head_row *row = &h->list[i];

    *out = (quire_head){
        .id = e->id_len ? entry_id(e) : bytes_of(NULL, 0),
        .ordinal = i,
        .parent = e->parent != NONE ? e->parent : SIZE_MAX,
        .type = h->types->list[row->type],
        .role = h->roles->list[row->role],
        .tool = h->tools->list[row->tool],
        .model = h->models->list[row->model],
        .time_ms = row->time_ms,
        .bytes = e->len,
        .lines = row->lines,
        .calls = row->calls,
        .input_tokens = row->input,
        .output_tokens = row->output,
        .cached_tokens = row->cached,
        .cost_nano_usd = row->cost_nano_usd,
        .flags = row->flags,
    };
    if (labels_get(labels, i).len)
        out->flags |= QUIRE_HEAD_LABEL;
    if (e->flags & ENTRY_SUPERSEDED)
        out->flags |= QUIRE_HEAD_SUPERSEDED;
}

quire_status quire_session_heads(quire_session *s, size_t from,
                                 quire_heads_info *info, quire_head_fn each,
                                 void *ctx, quire_error *err)
{
    quire_status st = session_enter(s, err);
    struct labels labels;
    size_t i;

    if (info)
        *info = (quire_heads_info){.leaf = SIZE_MAX};
    if (st)
        return st;
    st = load_refresh(s, err);
    arena_reset(&s->tmp);
    if (!st) {
        do {
            st = add_rows(s, err);
            if (!st)
                st = tree_labels(s, &s->tmp, &labels, err);
        } while (load_again(s, &st, err));
    }
    if (!st && info)
        describe(s, info);
    for (i = from; !st && i < s->index.n; i++) {
        quire_head head;

        fill_head(s, &labels, (uint32_t)i, &head);
        st = each(ctx, &head, err);
    }
    session_leave(s);
    return st;
}

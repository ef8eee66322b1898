/*
 * search_files.c - find and index what is new in sessions, outputs and conversations
 *
 * Files are compared with what the index has by inode, size and times. Cost: a stat for
 * each file, and the new bytes. What is gone leaves the index.
 */
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "api/search_files.h"
#include "api/search_jp.h"
#include "base/bytes.h"
#include "base/err.h"
#include "output/dir.h"
#include "session/names.h"

/* ---- files ------------------------------------------------------------------------------ */

/* Sessions are two levels below their root, outputs three. */
static unsigned depth_of(const char *name)
{
    unsigned n = 0;

    for (; *name; name++)
        n += *name == '/';
    return n;
}

static quire_status add_file(void *ctx, const char *name,
                             const struct object_info *info, quire_error *err)
{
    struct file_update *u = ctx;
    bool archived = !strncmp(name, "archive/", 8);
    unsigned depth = depth_of(name) - archived;
    const char *base = strrchr(name, '/');
    struct listed_file *more, f = {.info = *info, .archived = archived};

    if (!strncmp(name, SEARCH_JP_ROOT "/", sizeof SEARCH_JP_ROOT)) {
        f.kind = SOURCE_JP;
        if (!search_jp_is_file(name, &f.archived))
            return QUIRE_OK;
    } else if (depth == 3 && output_dir_is_output(base + 1)) {
        f.kind = SOURCE_OUTPUT;
    } else if (depth == 2 && names_is_session(bytes_str(name))) {
        f.kind = SOURCE_SESSION;
    } else {
        return QUIRE_OK;
    }
    if (u->n_files == u->cap_files) {
        size_t cap = u->cap_files ? 2 * u->cap_files : 256;

        more = realloc(u->files, cap * sizeof *more);
        if (!more)
            return err_memory(err);
        u->files = more;
        u->cap_files = cap;
    }
    f.name = arena_text(&u->keep, bytes_str(name));
    if (!f.name)
        return err_memory(err);
    u->files[u->n_files++] = f;
    return QUIRE_OK;
}

static quire_status list_files(struct file_update *u, quire_error *err)
{
    static const char *const roots[] = {"sessions", "archive/sessions",
                                        SEARCH_JP_ROOT};
    bool jp = u->x->q->kind == QUIRE_KIND_JP;
    quire_status st = need_all(u->x->q, err);
    int i;

    for (i = jp ? 2 : 0; i < 2 + jp && !st; i++) {
        st = object_list(u->x->q->all->objects, roots[i], add_file, u, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    return st;
}

/* The engine in memory has the end of a file, the home's what is before it. */
static void mark_home(struct file_update *u, const struct listed_file *f,
                      struct arena *tmp)
{
    struct source s;

    if (u->x->home &&
        !engine_find_source(u->x->home, f->kind, f->name, tmp, &s, NULL))
        search_mark_seen(u, s.number);
}

/* Leave in the list what is new or changed; *bytes of it is to be read. */
static quire_status select_changed(struct file_update *u, uint64_t *bytes,
                                   quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    size_t i, n = 0;
    quire_status st = QUIRE_OK;

    *bytes = 0;
    for (i = 0; i < u->n_files && !st; i++) {
        const struct listed_file *f = &u->files[i];
        struct source known;
        struct engine *of = NULL;

        arena_reset(&tmp);
        st = search_find_known(u, f->kind, f->name, &tmp, &known, &of, err);
        if (!st) {
            search_mark_seen(u, known.number);
            if (of == u->x->pending)
                mark_home(u, f, &tmp);
            if (known.inode == f->info.inode &&
                known.file_size == f->info.size &&
                known.mtime_ns == f->info.modified_ns &&
                known.ctime_ns == f->info.changed_ns)
                continue;
        } else if (st == QUIRE_NOT_FOUND) {
            known.size = 0;
            st = QUIRE_OK;
        }
        *bytes += f->info.size > known.size ? f->info.size - known.size : 0;
        u->files[n++] = *f;
    }
    u->n_files = n;
    arena_release(&tmp);
    return st;
}

static quire_status read_file(struct file_update *u,
                              const struct listed_file *f, quire_error *err)
{
    return f->kind == SOURCE_OUTPUT ? search_read_output(u, f, err)
           : f->kind == SOURCE_JP   ? search_read_conversation(u, f, err)
                                    : search_read_session(u, f, err);
}

/* Sessions first: outputs take title and project from them. */
static quire_status read_files(struct file_update *u, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;
    int pass;

    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < u->n_files && !st; i++) {
            if ((u->files[i].kind == SOURCE_OUTPUT) != (pass == 1))
                continue;
            if (u->p && u->p->max && u->p->done >= u->p->max) {
                u->p->more = true;
                return QUIRE_OK;
            }
            st = read_file(u, &u->files[i], err);
            if (!st && engine_is_full(u->to))
                st = engine_flush(u->to, err);
        }
    }
    return st;
}

/* ---- what is gone ------------------------------------------------------------------------- */

struct dropping {
    struct file_update *u;
    int which;       /* engine */
    struct buf list; /* uint32_t */
};

static quire_status add_unseen(void *ctx, const struct source *s,
                               quire_error *err)
{
    struct dropping *k = ctx;
    struct file_update *u = k->u;

    if (s->number >= u->first[k->which] && s->number < u->end[k->which] &&
        !u->seen[k->which][s->number - u->first[k->which]])
        buf_add(&k->list, &s->number, sizeof s->number);
    return k->list.failed ? err_memory(err) : QUIRE_OK;
}

static quire_status list_unseen(struct file_update *u, enum source_kind kind,
                                int which, struct buf *list, quire_error *err)
{
    struct engine *list_of[SEARCH_ENGINES] = {u->x->home, u->x->pending};
    struct dropping k = {u, which, BUF_INIT(SIZE_MAX)};
    quire_status st = engine_sources(list_of[which], kind, add_unseen, &k, err);

    *list = k.list;
    return st;
}

static quire_status drop_unseen(struct file_update *u, enum source_kind kind,
                                quire_error *err)
{
    struct engine *list_of[SEARCH_ENGINES] = {u->x->home, u->x->pending};
    quire_status st = QUIRE_OK;
    int which;

    for (which = 0; which < SEARCH_ENGINES && !st; which++) {
        struct buf list = BUF_INIT(SIZE_MAX);
        const uint32_t *numbers;
        size_t i;

        if (!u->seen[which])
            continue;
        st = list_unseen(u, kind, which, &list, err);
        numbers = (const uint32_t *)(const void *)list.data;
        for (i = 0; i < list.len / sizeof *numbers && !st; i++)
            st = search_drop_source(u, list_of[which], numbers[i], err);
        buf_release(&list);
    }
    return st;
}

/* How many sources of a kind are gone. */
static quire_status count_unseen(struct file_update *u, enum source_kind kind,
                                 size_t *n, quire_error *err)
{
    quire_status st = QUIRE_OK;
    int which;

    for (which = 0; which < SEARCH_ENGINES && !st; which++) {
        struct buf list = BUF_INIT(SIZE_MAX);

        if (!u->seen[which])
            continue;
        st = list_unseen(u, kind, which, &list, err);
        *n += list.len / sizeof(uint32_t);
        buf_release(&list);
    }
    return st;
}

/* ---- the update --------------------------------------------------------------------------- */

static quire_status prepare_seen(struct file_update *u, quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {u->x->home, u->x->pending};
    int i;

    for (i = 0; i < SEARCH_ENGINES; i++) {
        if (!list[i])
            continue;
        engine_source_range(list[i], &u->first[i], &u->end[i]);
        u->seen[i] = calloc(u->end[i] - u->first[i] + 1, 1);
        if (!u->seen[i])
            return err_memory(err);
    }
    return QUIRE_OK;
}

static quire_status apply(struct file_update *u, quire_error *err)
{
    quire_status st = engine_begin(u->to, err);

    if (st)
        return st;
    st = read_files(u, err);
    if (!st)
        st = drop_unseen(u, SOURCE_SESSION, err);
    if (!st)
        st = drop_unseen(u, SOURCE_OUTPUT, err);
    if (!st)
        st = drop_unseen(u, SOURCE_JP, err);
    return engine_end(u->to, st, err);
}

/* Compare the files with the sources, in one transaction. */
static quire_status compare_files(struct file_update *u, uint64_t *bytes,
                                  size_t *gone, quire_error *err)
{
    struct engine *home = u->x->home;
    quire_status st = home ? engine_hold(home, err) : QUIRE_OK;

    if (st)
        return st;
    st = select_changed(u, bytes, err);
    if (!st)
        st = count_unseen(u, SOURCE_SESSION, gone, err);
    if (!st)
        st = count_unseen(u, SOURCE_OUTPUT, gone, err);
    if (home)
        engine_release(home);
    return st;
}

static void release_update(struct file_update *u)
{
    free(u->files);
    free(u->seen[0]);
    free(u->seen[1]);
    arena_release(&u->keep);
}

/* Whether the files are those of the last update, all of which were indexed then: no
 * source need be looked up. Keeps the digest of the list. */
static bool is_same_list(struct file_update *u)
{
    struct search_index *x = u->x;
    struct sha256_ctx sha;
    uint8_t digest[sizeof x->list];
    bool same;
    size_t i;

    sha256_init(&sha);
    for (i = 0; i < u->n_files; i++) {
        const struct listed_file *f = &u->files[i];

        sha256_update(&sha, strlen(f->name) + 1, (const uint8_t *)f->name);
        sha256_update(&sha, sizeof f->info, (const uint8_t *)&f->info);
    }
    sha256_digest(&sha, sizeof digest, digest);
    same = x->list_known && !memcmp(digest, x->list, sizeof digest);
    memcpy(x->list, digest, sizeof digest);
    return same;
}

/* Whether the watch has noticed no change since all files were indexed. It is read
 * before files are listed: what changes meanwhile is seen by the next update. */
static bool is_unchanged(struct search_index *x)
{
    struct search_watch_state now = {{0}};
    bool known = search_watch_read(x->q, &now);
    bool same = known && x->list_known && x->is_watched &&
                !memcmp(&now, &x->watched, sizeof now);

    x->watched = now;
    x->is_watched = known;
    return same;
}

/* One attempt: search_update() tries again if another writer came between. */
quire_status search_update_files(struct search_index *x,
                                 enum search_target target,
                                 struct search_progress *p, quire_error *err)
{
    struct file_update u = {.x = x,
                            .p = p,
                            .now_ns = clock_us(&x->q->clock) * 1000};
    uint64_t bytes = 0;
    size_t gone = 0;
    quire_status st;

    if (is_unchanged(x))
        return QUIRE_OK;
    st = list_files(&u, err);
    if (!st && is_same_list(&u)) {
        release_update(&u);
        return QUIRE_OK;
    }
    if (!st)
        st = prepare_seen(&u, err);
    if (!st)
        st = compare_files(&u, &bytes, &gone, err);
    x->list_known = !st && u.n_files == 0 && gone == 0;
    if (!st && (u.n_files > 0 || gone > 0)) {
        if (p)
            p->total = bytes;
        st = search_choose_engine(x, target, bytes, &u.to, err);
        if (!st && u.to == x->home && x->pending) {
            /* All of it is read again, from the state of the home's index. */
            release_update(&u);
            search_drop_pending(x);
            return search_update_files(x, TARGET_HOME, p, err);
        }
        if (!st)
            st = apply(&u, err);
    }
    release_update(&u);
    return st;
}

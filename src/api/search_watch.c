/*
 * search_watch.c - know that no session file has changed, without a look at each
 *
 * A search begins with a look at every session file of its tenant: 2.5 ms for a
 * thousand. A process that searches often watches their directories instead
 * (base/tree_watch.h), once for all of its handles. An inotify instance is taken for
 * each directory, of which a user has 128: the tenants that were searched last have one.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/search.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/tree_watch.h"
#include "session/names.h"

enum { ROOTS_MAX = 8, N_TREES = 2 };

static const char *const trees[N_TREES] = {"sessions", "archive/sessions"};

struct watched {
    char *root; /* owned; NULL: free */
    struct tree_watch *trees[N_TREES];
    uint64_t used;  /* when last */
    uint64_t first; /* added to its numbers: no other entry has had them */
};

struct quire_search_watch {
    pthread_mutex_t lock;
    struct watched list[ROOTS_MAX];
    uint64_t now, n_entries;
};

quire_status quire_search_watch_new(quire_search_watch **out, quire_error *err)
{
    quire_search_watch *w = calloc(1, sizeof *w);

    *out = w;
    if (!w)
        return err_memory(err);
    pthread_mutex_init(&w->lock, NULL);
    return QUIRE_OK;
}

static void forget(struct watched *one)
{
    int i;

    for (i = 0; i < N_TREES; i++)
        tree_watch_free(one->trees[i]);
    free(one->root);
    *one = (struct watched){.root = NULL};
}

void quire_search_watch_free(quire_search_watch *w)
{
    int i;

    if (!w)
        return;
    for (i = 0; i < ROOTS_MAX; i++)
        forget(&w->list[i]);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* The entry of a root; the one that was not used for longest makes room. NULL: out of
 * memory. */
static struct watched *find(quire_search_watch *w, const char *root)
{
    struct watched *one = &w->list[0];
    int i;

    for (i = 0; i < ROOTS_MAX; i++) {
        if (w->list[i].root && !strcmp(w->list[i].root, root))
            return &w->list[i];
        if (w->list[i].used < one->used)
            one = &w->list[i];
    }
    forget(one);
    one->root = strdup(root);
    one->first = ++w->n_entries << 32;
    return one->root ? one : NULL;
}

/* The state of a directory; 1: there is none, 0: it is not known. A watch that finds no
 * directory would be blind. */
static uint64_t state_of(struct watched *one, int tree)
{
    struct arena tmp = ARENA_INIT;
    char *path = arena_printf(&tmp, "%s/%s", one->root, trees[tree]);
    uint64_t state = 0;

    if (path && access(path, F_OK) != 0 && errno == ENOENT)
        state = 1; /* whatever there was is gone */
    else if (path && !one->trees[tree])
        tree_watch_new(path, TREE_WATCH_DIRS_MAX, &one->trees[tree], NULL);
    if (state == 0 && one->trees[tree])
        state = one->first + tree_watch_generation(one->trees[tree]) + 1;
    arena_release(&tmp);
    return state;
}

/* `*blind`: the numbers differ each time they are asked for. */
static bool read_state(const struct quire *q, struct search_watch_state *out,
                       bool *blind)
{
    quire_search_watch *w = q->search_watch;
    struct watched *one;
    bool known = false;
    int i;

    *blind = false;
    if (!w)
        return false;
    pthread_mutex_lock(&w->lock);
    one = find(w, q->root);
    for (i = 0; one && i < N_TREES; i++) {
        out->trees[i] = state_of(one, i);
        known = out->trees[i] != 0 && (i == 0 || known);
        *blind |= one->trees[i] && tree_watch_is_blind(one->trees[i]);
    }
    if (one)
        one->used = ++w->now;
    pthread_mutex_unlock(&w->lock);
    return known;
}

bool search_watch_read(const struct quire *q, struct search_watch_state *out)
{
    bool blind;

    return read_state(q, out, &blind);
}

struct naming {
    void (*each)(void *ctx, const char *id);
    void *ctx;
    char last[128];
};

/* "--dir--/<time>_<id>.jsonl", and what is in the directory "--dir--/<time>_<id>". */
static void name_session(void *ctx, const char *name)
{
    struct naming *n = ctx;
    const char *file = strchr(name, '/');
    size_t len = file ? strcspn(file + 1, "/") : 0;
    quire_bytes id;

    if (!len || file[1] == '.')
        return;
    id = names_id_in_file(bytes_of(file + 1, len));
    if (id.len == 0 || id.len >= sizeof n->last)
        return;
    if (strlen(n->last) == id.len && !memcmp(n->last, id.data, id.len))
        return;
    memcpy(n->last, id.data, id.len);
    n->last[id.len] = '\0';
    n->each(n->ctx, n->last);
}

int quire_session_changed(quire *q, void (*each)(void *ctx, const char *id),
                          void *ctx)
{
    quire_search_watch *w = q->search_watch;
    struct naming naming = {each, ctx, ""};
    struct watched *one;
    bool all = w != NULL;
    int i;

    if (!w)
        return 0;
    pthread_mutex_lock(&w->lock);
    one = find(w, q->root);
    all = one && one->first == q->seen_watch;
    q->seen_watch = one ? one->first : 0;
    for (i = 0; one && i < N_TREES; i++) {
        uint64_t since = all ? q->seen_trees[i] : UINT64_MAX;
        bool had = one->trees[i] != NULL;

        if (state_of(one, i) < 2) { /* there is none */
            q->seen_trees[i] = 0;
            continue;
        }
        q->seen_trees[i] = tree_watch_generation(one->trees[i]);
        all = tree_watch_changed(one->trees[i], since, name_session, &naming) &&
              all && had;
    }
    pthread_mutex_unlock(&w->lock);
    return all;
}

uint64_t quire_session_changes(quire *q)
{
    struct search_watch_state now = {{0}};
    bool blind, known = read_state(q, &now, &blind);

    /* Both numbers only grow, so their sum differs when one does. */
    return known && !blind ? now.trees[0] + now.trees[1] : 0;
}

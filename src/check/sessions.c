/*
 * sessions.c - check sessions, conversations and their lists
 *
 * All files are listed first, then checked (session.c), by several threads
 * where that pays; findings are reported in the order of the files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "check/session.h"
#include "api/verify.h"
#include "api/session.h"

/* Below both of these, threads cost more than they save. */
#define MANY       64
#define MANY_BYTES ((uint64_t)4 << 20)

/* ---- all files ---------------------------------------------------------- */

struct files {
    struct checks *c;
    struct arena labels;
    struct looked *list; /* owned */
    size_t n, cap;
    uint64_t bytes;
};

static quire_status add_file(void *ctx, const struct gc_source *s,
                             quire_error *err)
{
    struct files *f = ctx;
    const char *label = arena_text(&f->labels, bytes_str(s->label));

    if (!label)
        return err_memory(err);
    if (f->n == f->cap) {
        size_t cap = f->cap ? 2 * f->cap : 256;
        struct looked *list = realloc(f->list, cap * sizeof *list);

        if (!list)
            return err_memory(err);
        f->list = list;
        f->cap = cap;
    }
    f->list[f->n++] = (struct looked){.label = label};
    f->bytes += s->info->size;
    return QUIRE_OK;
}

static quire_status open_tools(void *ctx, void **tools, quire_error *err)
{
    struct file_check *l;
    quire_status st = file_check_open(((struct files *)ctx)->c, &l, err);

    if (!st)
        *tools = l;
    return st;
}

static void close_tools(void *ctx, void *tools)
{
    (void)ctx;
    file_check_close(tools);
}

static quire_status check_file(void *ctx, void *tools, size_t at,
                               struct parallel_chunk *turn, quire_error *err)
{
    struct files *f = ctx;

    return file_check_run(tools, &f->list[at], turn, err);
}

static quire_status emit_finding(void *ctx, const struct parallel_result *note,
                                 quire_error *err)
{
    const struct finding *f = (const struct finding *)note;

    return checks_found(((struct files *)ctx)->c, &f->problem, &f->mending,
                        err);
}

static bool add_key(struct checks *c, int64_t tenant, quire_bytes id)
{
    const char *key = arena_printf(&c->keep, "%lld %.*s", (long long)tenant,
                                   (int)id.len, (const char *)id.data);

    return key && map_put(&c->seen, bytes_str(key), 1, NULL);
}

/* Record the tenant of the session, by its header and by its name. */
static quire_status record_session(void *ctx, size_t at, quire_error *err)
{
    struct files *f = ctx;
    struct checks *c = f->c;
    struct looked *is = &f->list[at];
    quire_bytes name = names_id_in_file(bytes_str(is->label));
    int64_t tenant = looked_tenant(is);

    c->sum.sessions += is->counts;
    c->sum.references += is->references;
    if (is->session && (!add_key(c, tenant, name) ||
                        (is->id && !add_key(c, tenant, bytes_str(is->id)))))
        return err_memory(err);
    free(is->id);
    is->id = NULL;
    return checks_progress(c, c->sum.sessions, 0, err);
}

static quire_status check_files(struct files *f, quire_error *err)
{
    bool many = f->n >= MANY || f->bytes >= MANY_BYTES;
    struct file_check own;
    struct parallel_work w = {
        .n_chunks = f->n,
        .n_workers_max = many && verify_can_share(f->c->q)
                             ? parallel_n_threads()
                             : 0,
        .ctx = f,
        .open = open_tools,
        .close = close_tools,
        .own = &own,
        .work = check_file,
        .emit = emit_finding,
        .chunk_done = record_session,
    };
    quire_status st = file_check_init(&own, f->c, err);

    if (!st)
        st = parallel_run(&w, err);
    file_check_release(&own);
    return st;
}

/* An error that stops the walk is reported after the findings before it. */
quire_status check_sources(struct checks *c, quire_error *err)
{
    const char *where = c->q->kind == QUIRE_KIND_JP ? "conversations"
                                                    : "sessions";
    struct files f = {.c = c};
    quire_error found_why = {.what = ""}, looked_why = {.what = ""};
    quire_status found = gc_sources_each(c->q, add_file, &f, &found_why), st;
    size_t i;

    st = f.n ? check_files(&f, &looked_why) : QUIRE_OK;
    for (i = 0; i < f.n; i++)
        free(f.list[i].id);
    free(f.list);
    arena_release(&f.labels);
    st = checks_report_failure(c, where, st, &looked_why, err);
    return st ? st : checks_report_failure(c, where, found, &found_why, err);
}

/* ---- rows of sessions --------------------------------------------------- */

static quire_status report_missing(struct checks *c, const char *key, int64_t n,
                                   quire_error *err)
{
    char where[160];
    quire_problem p = {.where = where, .kind = "session_gone"};
    struct mending m = {.how = n ? MEND_NONE : MEND_SESSIONS};

    snprintf(where, sizeof where, "session %s", key);
    if (n) {
        problem_what(&p,
                     "its file is not there any more; %lld artifacts of "
                     "it are",
                     (long long)n);
        problem_next(&p, "bring the file back, or remove the artifacts by "
                         "their ids (`quire artifact ls --all-sessions`)");
    } else {
        problem_what(&p, "quire.db knows what is in its file, which is not "
                         "there any more");
        problem_next(&p, "`quire repair` forgets what it counted");
    }
    return checks_found(c, &p, &m, err);
}

/* A row without artifacts and without usage is a number given to a client. It
 * may stay. The file of a session in the trash is there. */
static quire_status check_row(struct checks *c, struct stmt *s, void *ctx,
                              quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *key = arena_text(&tmp, stmt_column_bytes(s, 1)), *name;
    int64_t artifacts = stmt_column_int(s, 2);
    bool tally = stmt_column_int(s, 3) != 0;
    quire_status st = QUIRE_OK;

    (void)ctx;
    name = key ? arena_printf(&tmp, "%lld %s", (long long)stmt_column_int(s, 0),
                              key)
               : NULL;
    if (!name)
        st = err_memory(err);
    else if (!session_key_is_reserved(key) &&
             !map_get(&c->seen, bytes_str(name)) && (artifacts || tally))
        st = report_missing(c, key, artifacts, err);
    arena_release(&tmp);
    return st;
}

quire_status check_session_rows(struct checks *c, quire_error *err)
{
    const char *sql =
        c->q->catalog.schema >= SCHEMA_SESSION_USAGE
            ? "SELECT tenant, key, n, EXISTS(SELECT 1 FROM tally WHERE session"
              " = s.id) FROM session s WHERE id > 0"
            : "SELECT tenant, key, n, 0 FROM session WHERE id > 0";

    return checks_each_row(c, sql, check_row, NULL, err);
}

/* ---- lists that are kept ------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static bool same_meta(const struct list_meta *a, const struct list_meta *b)
{
    return same_text(a->id, b->id) && same_text(a->cwd, b->cwd) &&
           same_text(a->title, b->title) && same_text(a->parent, b->parent) &&
           same_text(a->created, b->created) && same_text(a->first, b->first) &&
           same_text(a->status, b->status) && a->messages == b->messages &&
           a->version == b->version;
}

/* What is kept of a file that has not changed since, against the file. */
static quire_status compare_item(struct checks *c, struct store *home,
                                 const struct list_item *kept, quire_error *err)
{
    quire_problem p = {.where = kept->name, .kind = "list"};
    struct mending m = {.how = MEND_SESSIONS};
    struct list_item read = {.name = kept->name};
    struct arena tmp = ARENA_INIT;
    quire_status st = list_reread(home->logs, &read, &tmp, err);
    bool same = st == QUIRE_NOT_FOUND ||
                read.info.changed_ns != kept->info.changed_ns ||
                (!st && same_meta(&kept->meta, &read.meta));

    arena_release(&tmp);
    if (st || same)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    problem_what(&p, "the list of sessions in quire.db says something else of "
                     "it than the file");
    problem_next(&p,
                 "`quire repair`, or `quire reindex`, makes the list again");
    return checks_found(c, &p, &m, err);
}

static quire_status check_list(struct checks *c, const char *root,
                               quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct list kept = {.arena = &keep, .key = root, .only_kept = true};
    struct store *home;
    quire_error why = {.what = ""};
    quire_status st = need_home(c->q, &home, &why);
    size_t i;

    if (!st)
        st = list_find(&kept, home->logs, root, c->q->catalog.db, false, &why);
    for (i = 0; !st && i < kept.n; i++)
        st = compare_item(c, home, &kept.items[i], &why);
    list_release(&kept);
    arena_release(&keep);
    return checks_report_failure(c, root, st, &why, err);
}

static quire_status check_tenant_lists(struct checks *c, int64_t tenant,
                                       quire_error *err)
{
    static const char *const roots[] = {"sessions", "archive/sessions"};
    quire_status st = QUIRE_OK;
    char root[80];
    int i;

    for (i = 0; i < 2 && !st; i++) {
        if (tenant == TENANT_DEFAULT)
            snprintf(root, sizeof root, "%s", roots[i]);
        else
            snprintf(root, sizeof root, "tenants/%lld/%s", (long long)tenant,
                     roots[i]);
        st = check_list(c, root, err);
    }
    return st;
}

quire_status check_lists(struct checks *c, quire_error *err)
{
    return c->rows ? checks_tenants(c, check_tenant_lists, err)
                   : check_tenant_lists(c, TENANT_DEFAULT, err);
}

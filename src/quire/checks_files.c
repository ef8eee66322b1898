/*
 * checks_files.c - sessions, conversations and workspaces against the rest
 *
 * A file that may refer to blobs is read twice: for its structure, if it is a
 * session or JSON, and for what it refers to. The second look finds more than
 * references: any digest keeps its blob from being collected (blob/mention.h).
 * Missing is only what is spelled as a reference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "blob/hash.h"
#include "blob/mention.h"
#include "quire/checks.h"
#include "quire/sessions.h"
#include "quire/sources.h"
#include "session/tally.h"

static bool ends_with(const char *name, const char *ending)
{
    size_t len = strlen(name), n = strlen(ending);

    return len >= n && !strcmp(name + len - n, ending);
}

/* ---- one file ----------------------------------------------------------- */

struct looking {
    struct checks *c;
    const struct source *s;
    struct object *file;
    char *piece; /* for mentions */
};

static quire_status tell_line(void *ctx, const quire_session_problem *problem,
                              quire_error *err)
{
    struct looking *l = ctx;
    struct mending m = {.how = MEND_FILE};
    quire_problem p = {.where = l->s->label,
                       .kind = problem->kind,
                       .line = problem->line,
                       .byte = problem->byte,
                       .has_byte = 1};

    problem_what(&p, "%s", problem->message);
    problem_next(&p, "`quire repair` mends it and keeps the original");
    if (!strcmp(problem->kind, "no_type")) {
        m.how = MEND_NONE; /* what is not there nobody can put there */
        problem_next(&p, "what it was cannot be known; it is kept as it is");
    } else if (!strcmp(problem->kind, "header")) {
        problem_next(&p, "`quire repair` tries to mend it; without a header a "
                         "file is no session: look at its first line");
    }
    return checks_found(l->c, &p, &m, err);
}

static quire_status check_structure(struct looking *l, quire_error *err)
{
    struct session_env env = sessions_env(l->c->q,
                                          l->c->q->kind == QUIRE_KIND_OMP);
    quire_error why = {.what = ""};
    quire_status st;

    env.blobs = NULL; /* references are looked at here */
    st = session_check(&env, l->s->store, l->s->name, tell_line, l, &why);
    return checks_forgive(l->c, l->s->label, st, &why, err);
}

/* A file of JP's: one value, all of it. */
static quire_status check_json(struct looking *l, quire_error *err)
{
    struct buf text = BUF_INIT((size_t)1 << 31);
    struct json_error e = {.why = NULL};
    quire_problem p = {.where = l->s->label, .kind = "json", .has_byte = 1};
    size_t size = (size_t)l->s->info->size, n = 0;
    char *room = buf_room(&text, size + 1);
    quire_error why = {.what = ""};
    quire_status st = room
                          ? l->file->ops->read(l->file, 0, room, size, &n, &why)
                          : buf_status(&text, l->s->label, &why);

    buf_grow(&text, n);
    if (!st && !json_check(buf_bytes(&text), JSON_UTF8, &e) && e.why) {
        p.byte = e.at;
        p.line = 1 + bytes_count(bytes_sub(buf_bytes(&text), 0, e.at), '\n');
        problem_what(&p, "this is no JSON: %s", e.why);
        problem_next(&p, "bring the file back from git or a backup");
        st = checks_found(l->c, &p, NULL, &why);
    }
    buf_release(&text);
    return checks_forgive(l->c, l->s->label, st, &why, err);
}

/* ---- what it refers to -------------------------------------------------- */

/* Whether what stands before a digest makes it a reference, and not a number
 * that a tool printed. */
static bool is_reference(struct looking *l, uint64_t at)
{
    static const char ref[] = "blob:sha256:", key[] = "\"$blob\"";
    char before[48];
    size_t want = at < sizeof before ? (size_t)at : sizeof before, n = 0;

    if (l->file->ops->read(l->file, at - want, before, want, &n, NULL) ||
        n != want)
        return false;
    if (n >= sizeof ref - 1 &&
        !strncasecmp(before + n - (sizeof ref - 1), ref, sizeof ref - 1))
        return true;
    if (n == 0 || before[n - 1] != '"')
        return false;
    for (n--; n > 0 && strchr(" \t\r\n:", before[n - 1]);)
        n--;
    return n >= sizeof key - 1 &&
           !memcmp(before + n - (sizeof key - 1), key, sizeof key - 1);
}

static quire_status see_mention(void *ctx, const quire_digest *digest,
                                uint64_t at, quire_error *err)
{
    struct looking *l = ctx;
    quire_problem p = {.where = l->s->label,
                       .kind = "missing_blob",
                       .byte = at,
                       .has_byte = 1};
    char ref[QUIRE_REF_SIZE];

    if (checks_refer(l->c, digest) || l->c->blind)
        return QUIRE_OK;
    if (!is_reference(l, at)) {
        l->c->sum.references--;
        return QUIRE_OK;
    }
    quire_ref_format(digest, ref);
    problem_what(&p, "it refers to %s, which is not there", ref);
    problem_next(&p, "if you have the content, put it with `quire blob put`; "
                     "the entry is kept as it is");
    return checks_found(l->c, &p, NULL, err);
}

static quire_status check_mentions(struct looking *l, quire_error *err)
{
    quire_error why = {.what = ""};
    uint64_t end;
    quire_status st = mentions_read(l->file, 0, l->piece, see_mention, l, &end,
                                    &why);

    return checks_forgive(l->c, l->s->label, st, &why, err);
}

/* ---- what the catalogue knows of it ------------------------------------- */

static bool note_key(struct checks *c, int64_t tenant, quire_bytes id)
{
    const char *key = arena_printf(&c->keep, "%lld %.*s", (long long)tenant,
                                   (int)id.len, (const char *)id.data);

    return key && map_put(&c->seen, bytes_str(key), 1, NULL);
}

static quire_status tell_tally(struct checks *c, const char *label,
                               quire_error *err)
{
    quire_problem p = {.where = label, .kind = "tally"};
    struct mending m = {.how = MEND_SESSIONS};

    problem_what(&p, "quire.db counts other entries, messages or costs than "
                     "the file has");
    problem_next(&p, "`quire repair`, or `quire reindex`, counts again");
    return checks_found(c, &p, &m, err);
}

/* Count a file again that has not changed since it was counted. */
static quire_status compare_tally(struct looking *l, struct stmt *s,
                                  quire_error *err)
{
    const struct object_info *info = l->s->info;
    struct tally t = {0};
    quire_status st;
    uint64_t sums[8];
    bool same = true;
    int i;

    if ((uint64_t)s->ops->column_int(s, 0) != info->inode ||
        (uint64_t)s->ops->column_int(s, 1) != info->size ||
        s->ops->column_int(s, 2) != info->modified_ns ||
        s->ops->column_int(s, 3) != info->changed_ns)
        return QUIRE_OK;
    st = tally_read(l->file, &t, err);
    memcpy(sums,
           (uint64_t[]){t.entries, t.messages, t.input, t.output, t.cache_read,
                        t.cache_write, t.total, t.cost},
           sizeof sums);
    for (i = 0; i < 8; i++)
        same = same && (uint64_t)s->ops->column_int(s, 4 + i) == sums[i];
    return st || same ? st : tell_tally(l->c, l->s->label, err);
}

static quire_status check_tally(struct looking *l, int64_t tenant,
                                const char *id, quire_error *err)
{
    static const char sql[] =
        "SELECT t.inode, t.size, t.modified, t.changed, t.entries, t.messages,"
        " t.input, t.output, t.cache_read, t.cache_write, t.total, t.cost FROM"
        " session s JOIN tally t ON t.session = s.id WHERE s.tenant = ?1 AND"
        " s.key = ?2";
    struct db *db = l->c->q->db;
    quire_error why = {.what = ""};
    struct stmt *s;
    quire_status st;

    if (!(l->c->flags & QUIRE_CHECK_FULL) || l->c->q->schema < SCHEMA_TALLY)
        return QUIRE_OK;
    st = db->ops->prepare(db, sql, &s, &why);
    if (!st) {
        s->ops->bind_int(s, 1, tenant);
        s->ops->bind_text(s, 2, bytes_str(id));
        st = sql_row(s, &why);
        if (!st)
            st = compare_tally(l, s, &why);
        s->ops->finalize(s);
    }
    return st == QUIRE_NOT_FOUND
               ? QUIRE_OK
               : checks_forgive(l->c, "quire.db", st, &why, err);
}

/* Remember whose session it is, by its header and by its name. */
static quire_status check_known(struct looking *l, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct list_meta meta = {.id = NULL};
    quire_error why = {.what = ""};
    int64_t tenant;
    quire_status st = list_read(l->file, l->s->info->size, &tmp, &meta, &why);
    quire_bytes name = names_id_in_file(bytes_str(l->s->label));

    tenants_skip(l->s->label, &tenant);
    if (tenant == 0)
        tenant = TENANT_DEFAULT;
    st = checks_forgive(l->c, l->s->label, st, &why, err);
    if (!st && (!note_key(l->c, tenant, name) ||
                (meta.id && !note_key(l->c, tenant, bytes_str(meta.id)))))
        st = err_memory(err);
    if (!st && meta.id && l->c->rows)
        st = check_tally(l, tenant, meta.id, err);
    arena_release(&tmp);
    return st;
}

/* ---- all files ---------------------------------------------------------- */

static quire_status look_into(struct looking *l, quire_error *err)
{
    bool session = ends_with(l->s->name, ".jsonl");
    bool json = l->c->q->kind == QUIRE_KIND_JP &&
                ends_with(l->s->name, ".json");
    quire_status st = QUIRE_OK;

    l->c->sum.sessions += session || ends_with(l->s->name, "events.json");
    if (session)
        st = check_structure(l, err);
    else if (json)
        st = check_json(l, err);
    if (!st)
        st = check_mentions(l, err);
    if (!st && session)
        st = check_known(l, err);
    return st ? st : checks_progress(l->c, l->c->sum.sessions, 0, err);
}

static quire_status see_source(void *ctx, const struct source *s,
                               quire_error *err)
{
    struct looking *l = ctx;
    struct object_info info;
    quire_error why = {.what = ""};
    quire_status st = s->store->ops->open(s->store, s->name, &l->file, &info,
                                          &why);

    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK; /* removed meanwhile */
    if (st)
        return checks_forgive(l->c, s->label, st, &why, err);
    l->s = s;
    st = look_into(l, err);
    l->file->ops->close(l->file);
    return st;
}

quire_status check_sources(struct checks *c, quire_error *err)
{
    struct looking l = {.c = c, .piece = malloc(MENTION_PIECE)};
    quire_error why = {.what = ""};
    quire_status st = l.piece ? sources_each(c->q, see_source, &l, &why)
                              : err_memory(&why);

    free(l.piece);
    return checks_forgive(c,
                          c->q->kind == QUIRE_KIND_JP ? "conversations"
                                                      : "sessions",
                          st, &why, err);
}

/* ---- rows of sessions --------------------------------------------------- */

static quire_status tell_gone(struct checks *c, const char *key, int64_t n,
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

/* A row without artifacts and without a tally is a number that somebody was
 * told. It may stay. */
static quire_status see_row(struct checks *c, struct stmt *s, quire_error *err)
{
    quire_bytes key = s->ops->column_bytes(s, 1);
    int64_t artifacts = s->ops->column_int(s, 2);
    bool tally = s->ops->column_int(s, 3) != 0;
    char text[128], name[160];

    snprintf(text, sizeof text, "%.*s", (int)key.len, (const char *)key.data);
    snprintf(name, sizeof name, "%lld %s", (long long)s->ops->column_int(s, 0),
             text);
    if (map_get(&c->seen, bytes_str(name)) || (!artifacts && !tally))
        return QUIRE_OK;
    return tell_gone(c, text, artifacts, err);
}

quire_status check_session_rows(struct checks *c, quire_error *err)
{
    const char *sql =
        c->q->schema >= SCHEMA_TALLY
            ? "SELECT tenant, key, n, EXISTS(SELECT 1 FROM tally WHERE session"
              " = s.id) FROM session s WHERE id > 0"
            : "SELECT tenant, key, n, 0 FROM session WHERE id > 0";
    struct db *db = c->q->db;
    quire_error why = {.what = ""};
    struct stmt *s;
    bool row = true;
    quire_status st = db->ops->prepare(db, sql, &s, &why);

    if (st)
        return checks_forgive(c, "quire.db", st, &why, err);
    while (!st && row) {
        st = s->ops->step(s, &row, &why);
        if (!st && row)
            st = see_row(c, s, &why);
    }
    s->ops->finalize(s);
    return checks_forgive(c, "quire.db", st, &why, err);
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

static quire_status compare_lists(struct checks *c, const struct list *kept,
                                  const struct list *read, quire_error *err)
{
    quire_problem p = {.kind = "list"};
    struct mending m = {.how = MEND_SESSIONS};
    struct map names;
    quire_status st = QUIRE_OK;
    uint64_t *at;
    size_t i;

    map_init(&names, c->seen.seed[0], c->seen.seed[1]);
    for (i = 0; i < read->n && !st; i++) {
        if (!map_put(&names, bytes_str(read->items[i].name), i, NULL))
            st = err_memory(err);
    }
    problem_what(&p, "the list of sessions in quire.db says something else of "
                     "it than the file");
    problem_next(&p,
                 "`quire repair`, or `quire reindex`, makes the list again");
    for (i = 0; i < kept->n && !st; i++) {
        p.where = kept->items[i].name;
        at = map_get(&names, bytes_str(p.where));
        if (at && !same_meta(&kept->items[i].meta, &read->items[*at].meta))
            st = checks_found(c, &p, &m, err);
    }
    map_release(&names);
    return st;
}

static quire_status check_list(struct checks *c, const char *root,
                               quire_error *err)
{
    struct arena a = ARENA_INIT, b = ARENA_INIT;
    struct list kept = {.arena = &a, .key = root}, read = {.arena = &b};
    struct object_store *home;
    quire_error why = {.what = ""};
    quire_status st = need_home(c->q, &home, &why);

    if (!st)
        st = list_find(&kept, home, root, c->q->db, false, &why);
    if (!st)
        st = list_find(&read, home, root, NULL, false, &why);
    if (!st)
        st = compare_lists(c, &kept, &read, &why);
    list_release(&kept);
    list_release(&read);
    arena_release(&a);
    arena_release(&b);
    return checks_forgive(c, root, st, &why, err);
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

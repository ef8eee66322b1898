/*
 * session.c - check one session or conversation file
 *
 * A file that may refer to blobs is checked twice: for its structure, if it is a
 * session or JSON, and for its references. The second check finds more than
 * references: any digest keeps its blob from being collected (gc/ref_scan.h).
 * Only a digest spelled as a reference can be reported missing. Unless the file
 * is very large, both checks use the same bytes, which are read once.
 *
 * Several threads do this in parallel, each with its own state. What they share,
 * the check and its index of blobs, does not change meanwhile, except for the
 * marks of referenced blobs.
 */
#include "check/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "blob/hash.h"
#include "gc/ref_scan.h"
#include "api/session.h"
#include "session/names.h"
#include "session/usage.h"

static bool ends_with(const char *name, const char *ending)
{
    size_t len = strlen(name), n = strlen(ending);

    return len >= n && !strcmp(name + len - n, ending);
}

/* ---- findings ----------------------------------------------------------- */

static quire_status add_finding(struct file_check *l,
                                const quire_problem *problem, enum mend how,
                                quire_error *err)
{
    struct finding *f = calloc(1, sizeof *f);

    if (!f)
        return err_memory(err);
    f->problem = *problem;
    f->mending.how = how;
    l->said = parallel_emit(l->turn, &f->note, err);
    return l->said;
}

/* As checks_report_failure(), for what one thread met. */
static quire_status report_failure(struct file_check *l, const char *where,
                                   quire_status st, const quire_error *why,
                                   quire_error *err)
{
    quire_problem p;

    if (!st)
        return QUIRE_OK;
    if (l->said || !checks_is_finding(st)) {
        if (err)
            *err = *why;
        return st;
    }
    problem_of(&p, where, st, why);
    return add_finding(l, &p, MEND_NONE, err);
}

/* ---- structure ---------------------------------------------------------- */

static quire_status report_line(void *ctx, const quire_session_problem *problem,
                                quire_error *err)
{
    struct file_check *l = ctx;
    enum mend how = MEND_FILE;
    quire_problem p = {.where = l->is->label,
                       .kind = problem->kind,
                       .line = problem->line,
                       .byte = problem->byte,
                       .has_byte = 1};

    problem_what(&p, "%s", problem->message);
    problem_next(&p, "`quire repair` mends it and keeps the original");
    if (!strcmp(problem->kind, "unacknowledged")) {
        how = MEND_NONE;
        problem_next(&p, "nothing is lost; the next append removes it");
    } else if (!strcmp(problem->kind, "too_deep")) {
        how = MEND_NONE;
        problem_next(&p, "the line is kept as it is");
    } else if (!strcmp(problem->kind, "no_type")) {
        how = MEND_NONE; /* missing content cannot be repaired */
        problem_next(&p, "what it was cannot be known; it is kept as it is");
    } else if (!strcmp(problem->kind, "header")) {
        problem_next(&p, "`quire repair` tries to mend it; without a header a "
                         "file is no session: look at its first line");
    }
    return add_finding(l, &p, how, err);
}

static quire_status check_structure(struct file_check *l, quire_error *err)
{
    struct session_env env = sessions_env(l->c->q,
                                          l->c->q->kind == QUIRE_KIND_OMP);
    quire_error why = {.what = ""};
    quire_status st;

    env.blobs = NULL;          /* references are looked at here           */
    env.clock = &clock_system; /* the home's may be asked by the caller only */
    st = session_check(&env, l->store, l->name, report_line, l, &why);
    return report_failure(l, l->is->label, st, &why, err);
}

/* A file of JP's: one value, all of it. */
static quire_status check_json(struct file_check *l, quire_error *err)
{
    struct buf text = BUF_INIT((size_t)1 << 31);
    struct json_error e = {.why = NULL};
    quire_problem p = {.where = l->is->label, .kind = "json", .has_byte = 1};
    size_t size = (size_t)l->info.size, n = 0;
    char *room = buf_room(&text, size + 1);
    quire_error why = {.what = ""};
    quire_status st = room ? object_read(l->file, 0, room, size, &n, &why)
                           : buf_status(&text, l->is->label, &why);

    buf_grow(&text, n);
    if (!st && !json_check(buf_bytes(&text), JSON_UTF8, &e) && e.why) {
        p.byte = e.at;
        p.line = 1 + bytes_count(bytes_sub(buf_bytes(&text), 0, e.at), '\n');
        problem_what(&p, "not valid JSON: %s", e.why);
        problem_next(&p, "bring the file back from git or a backup");
        st = add_finding(l, &p, MEND_NONE, &why);
    }
    buf_release(&text);
    return report_failure(l, l->is->label, st, &why, err);
}

/* ---- what it refers to -------------------------------------------------- */

/* Whether `before` ends in the key, a colon, and `tail`. */
static bool ends_in(const char *before, size_t n, const char *key,
                    const char *tail)
{
    size_t n_key = strlen(key), n_tail = strlen(tail);

    if (n < n_tail || memcmp(before + n - n_tail, tail, n_tail) != 0)
        return false;
    for (n -= n_tail; n > 0 && strchr(" \t\r\n:", before[n - 1]);)
        n--;
    return n >= n_key && !memcmp(before + n - n_key, key, n_key);
}

/* Whether a digest is a reference that stands for content: a string of its own,
 * as the value of a key that holds content. Text that mentions a blob keeps it,
 * but nothing is missing where the blob is not there. */
static bool is_reference(struct file_check *l, uint64_t at)
{
    enum { HEX = 64 };
    char before[64], quote;
    size_t want = at < sizeof before ? (size_t)at : sizeof before, n = 0;

    if (object_read(l->file, at + HEX, &quote, 1, &n, NULL) || n != 1 ||
        quote != '"')
        return false;
    if (object_read(l->file, at - want, before, want, &n, NULL) || n != want)
        return false;
    return ends_in(before, n, "\"data\"", "\"blob:sha256:") ||
           ends_in(before, n, "\"result\"", "\"blob:sha256:") ||
           ends_in(before, n, "\"image_url\"", "\"blob:sha256:") ||
           ends_in(before, n, "\"$blob\"", "\"");
}

static quire_status check_reference(void *ctx, const quire_digest *digest,
                                    uint64_t at, quire_error *err)
{
    struct file_check *l = ctx;
    quire_problem p = {.where = l->is->label,
                       .kind = "missing_blob",
                       .byte = at,
                       .has_byte = 1};
    char ref[QUIRE_REF_SIZE];

    if (blob_index_refer(l->c, digest) || l->c->blind) {
        l->is->references++;
        return QUIRE_OK;
    }
    if (!is_reference(l, at))
        return QUIRE_OK;
    l->is->references++;
    quire_ref_format(digest, ref);
    problem_what(&p, "it refers to %s, which is not there", ref);
    problem_next(&p, "if you have the content, put it with `quire blob put`; "
                     "the entry is kept as it is");
    return add_finding(l, &p, MEND_NONE, err);
}

static quire_status check_references(struct file_check *l, quire_error *err)
{
    quire_error why = {.what = ""};
    uint64_t end;
    quire_status st = QUIRE_OK;

    if (l->file == &l->whole.object) {
        st = ref_scan_text(buf_bytes(&l->whole.bytes), check_reference, l,
                           &why);
        return report_failure(l, l->is->label, st, &why, err);
    }
    if (!l->piece && !(l->piece = malloc(REF_SCAN_PIECE)))
        return err_memory(err);
    st = ref_scan_object(l->file, 0, l->piece, check_reference, l, &end, &why);
    return report_failure(l, l->is->label, st, &why, err);
}

/* ---- what the catalogue knows of it ------------------------------------- */

static quire_status report_usage(struct file_check *l, quire_error *err)
{
    quire_problem p = {.where = l->is->label, .kind = "tally"};

    problem_what(&p, "quire.db counts other entries, messages or costs than "
                     "the file has");
    problem_next(&p, "`quire repair`, or `quire reindex`, counts again");
    return add_finding(l, &p, MEND_SESSIONS, err);
}

/* Count a file again that has not changed since it was counted. */
static quire_status compare_usage(struct file_check *l, struct stmt *s,
                                  quire_error *err)
{
    const struct object_info *info = &l->info;
    struct session_usage t = {0};
    quire_status st;
    uint64_t sums[8];
    bool same = true;
    int i;

    if ((uint64_t)stmt_column_int(s, 0) != info->inode ||
        (uint64_t)stmt_column_int(s, 1) != info->size ||
        stmt_column_int(s, 2) != info->modified_ns ||
        stmt_column_int(s, 3) != info->changed_ns)
        return QUIRE_OK;
    st = session_usage_read(l->log, &t, NULL, err);
    memcpy(sums,
           (uint64_t[]){t.entries, t.messages, t.input, t.output, t.cache_read,
                        t.cache_write, t.total, t.cost},
           sizeof sums);
    for (i = 0; i < 8; i++)
        same = same && (uint64_t)stmt_column_int(s, 4 + i) == sums[i];
    return st || same ? st : report_usage(l, err);
}

/* Compare the session rows of sessions in the catalogue. */
static bool compares_usage(const struct checks *c)
{
    return c->rows && c->flags & QUIRE_CHECK_FULL &&
           c->q->catalog.schema >= SCHEMA_SESSION_USAGE;
}

static quire_status check_usage(struct file_check *l, int64_t tenant,
                                quire_error *err)
{
    static const char sql[] =
        "SELECT t.inode, t.size, t.modified, t.changed, t.entries, t.messages,"
        " t.input, t.output, t.cache_read, t.cache_write, t.total, t.cost FROM"
        " session s JOIN tally t ON t.session = s.id WHERE s.tenant = ?1 AND"
        " s.key = ?2";
    quire_error why = {.what = ""};
    quire_status st = QUIRE_OK;
    struct stmt *s;

    if (!l->tally)
        st = db_prepare(l->db, sql, &l->tally, &why);
    s = l->tally;
    if (!st) {
        stmt_bind_int(s, 1, tenant);
        stmt_bind_text(s, 2, bytes_str(l->is->id));
        st = sql_row(s, &why);
        if (!st)
            st = compare_usage(l, s, &why);
        stmt_reset(s);
    }
    return st == QUIRE_NOT_FOUND ? QUIRE_OK
                                 : report_failure(l, "quire.db", st, &why, err);
}

/* The tenant of the session, by its header. */
static quire_status check_known(struct file_check *l, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct list_meta meta = {.id = NULL};
    quire_error why = {.what = ""};
    quire_status st = list_read(l->log, l->info.size, &tmp, &meta, &why);

    st = report_failure(l, l->is->label, st, &why, err);
    if (!st && meta.id && !(l->is->id = strdup(meta.id)))
        st = err_memory(err);
    arena_release(&tmp);
    if (!st && l->is->id && compares_usage(l->c))
        st = check_usage(l, looked_tenant(l->is), err);
    return st;
}

/* ---- all of it ---------------------------------------------------------- */

int64_t looked_tenant(const struct looked *is)
{
    int64_t tenant;

    tenants_skip(is->label, &tenant);
    return tenant ? tenant : TENANT_DEFAULT;
}

static quire_status check_content(struct file_check *l, quire_error *err)
{
    bool json = l->c->q->kind == QUIRE_KIND_JP && ends_with(l->name, ".json");
    quire_status st = QUIRE_OK;

    l->is->session = names_is_session(bytes_str(l->name));
    l->is->counts = l->is->session || ends_with(l->name, "events.json");
    if (l->is->session)
        st = check_structure(l, err);
    else if (json)
        st = check_json(l, err);
    if (!st)
        st = check_references(l, err);
    if (!st && l->is->session)
        st = check_known(l, err);
    return st;
}

/* Open it, as a log and as an object, and have it in memory if it is not too
 * large. */
static quire_status open_file(struct file_check *l, quire_error *err)
{
    struct object_info again;
    struct log *log;
    quire_status st = log_open(l->store->logs, l->name, LOG_READ, &log,
                               &l->info, err);

    if (st)
        return st;
    if (l->info.size > WHOLE_MAX) {
        l->log = log;
        st = object_open(l->store->objects, l->name, &l->file, &again, err);
        if (st)
            log_close(log);
        return st;
    }
    st = preloaded_read(&l->whole, l->store, log, &l->info, err);
    log_close(log);
    l->info = l->whole.info;
    l->store = &l->whole.store;
    l->log = &l->whole.log;
    l->file = &l->whole.object;
    return st;
}

quire_status file_check_run(struct file_check *l, struct looked *is,
                            struct parallel_chunk *turn, quire_error *err)
{
    quire_error why = {.what = ""};
    quire_status st = gc_source_find(&l->reader, is->label, &l->store, &l->name,
                                     &why);

    l->is = is;
    l->turn = turn;
    l->said = QUIRE_OK;
    if (!st)
        st = open_file(l, &why);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK; /* removed meanwhile */
    if (st)
        return report_failure(l, is->label, st, &why, err);
    st = check_content(l, err);
    log_close(l->log);
    object_close(l->file);
    return st;
}

/* ---- lookers ------------------------------------------------------------ */

quire_status file_check_init(struct file_check *l, struct checks *c,
                             quire_error *err)
{
    *l = (struct file_check){.c = c, .db = c->q->catalog.db, .own = true};
    preloaded_init(&l->whole);
    return need_home(c->q, &l->reader.in_home, err);
}

/* In the thread itself: it reads what it needs of the home, which does not
 * change meanwhile. */
quire_status file_check_open(struct checks *c, struct file_check **out,
                             quire_error *err)
{
    struct file_check *l = calloc(1, sizeof *l);
    quire_status st = QUIRE_OK;

    if (!l)
        return err_memory(err);
    l->c = c;
    l->reader.q = c->q;
    preloaded_init(&l->whole);
    if (compares_usage(c))
        st = open_another_db(c->q, &l->db, err);
    if (st) {
        file_check_close(l);
        return st;
    }
    *out = l;
    return QUIRE_OK;
}

void file_check_release(struct file_check *l)
{
    if (l->tally)
        stmt_finalize(l->tally);
    if (l->own)
        l->reader.in_home = NULL; /* the home's */
    else if (l->db)
        db_close(l->db);
    gc_source_reader_release(&l->reader);
    preloaded_release(&l->whole);
    free(l->piece);
}

void file_check_close(struct file_check *l)
{
    file_check_release(l);
    free(l);
}

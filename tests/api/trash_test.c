/* The trash: what goes in is hidden, what comes back is what it was, whatever fails. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "base/walk.h"
#include "store/db.h"
#include "support/catalog.h"
#include "support/failing.h"
#include "support/slow.h"
#include "support/tenants.h"

/* ---- a state, as text ------------------------------------------------------ */

/* Rows of a table, a line each. */
static void add_rows(struct db *db, const char *sql, struct buf *out)
{
    struct stmt *s;
    quire_bytes text;
    bool row = true;

    OK(db_prepare(db, sql, &s, &test_err));
    for (;;) {
        OK(stmt_step(s, &row, &test_err));
        if (!row)
            break;
        text = stmt_column_bytes(s, 0);
        buf_add(out, text.data, text.len);
        buf_add_char(out, '\n');
    }
    stmt_finalize(s);
}

static void add_all_rows(struct buf *out)
{
    static const char *const queries[] = {
        "SELECT id || ' ' || key || ' ' || used || ' ' || n FROM session"
        " WHERE id > 0 ORDER BY id",
        "SELECT id || ' ' || used || ' ' || n FROM tenant ORDER BY id",
        "SELECT id || ' ' || session || ' ' || path || ' ' || deleted || ' ' ||"
        " version || ' ' || updated FROM artifact ORDER BY id",
        "SELECT artifact || ' ' || version || ' ' || hex(sha256) FROM"
        " artifact_version ORDER BY artifact, version",
        "SELECT session || ' ' || folder FROM filed ORDER BY session",
        "SELECT session || ' ' || agent FROM session_agent ORDER BY session",
        "SELECT session || ' ' || pinned FROM session_keep ORDER BY session",
        "SELECT session || ' ' || path FROM copy ORDER BY session, path",
        "SELECT id || ' ' || coalesce(session, 0) FROM memory ORDER BY id",
        "SELECT key || ' ' || state FROM trash ORDER BY id",
        "SELECT name FROM removal",
    };
    struct db *db = catalogue_open();
    size_t i;

    for (i = 0; i < sizeof queries / sizeof *queries; i++)
        add_rows(db, queries[i], out);
    db_close(db);
}

static quire_status add_file(void *ctx, const char *name, const struct stat *st,
                             quire_error *err)
{
    uint64_t hash = 14695981039346656037u;
    int fd, c;
    FILE *f;

    (void)err;
    fd = open(test_path(name), O_RDONLY | O_CLOEXEC);
    f = fd < 0 ? NULL : fdopen(fd, "r");
    YES(f != NULL);
    while ((c = getc(f)) != EOF)
        hash = (hash ^ (uint64_t)c) * 1099511628211u;
    fclose(f);
    buf_addf(ctx, "%s %lld %016llx\n", name, (long long)st->st_size,
             (unsigned long long)hash);
    return QUIRE_OK;
}

/* Files and rows of sessions; until the test ends. */
static const char *state(void)
{
    static const char *const dirs[] = {"home/sessions", "home/archive",
                                       "home/artifacts", "home/trash"};
    struct buf out = BUF_INIT(1 << 24);
    char *text;
    size_t i;
    int dir;

    OK(fs_open_dir(test_path("."), false, &dir, &test_err));
    for (i = 0; i < sizeof dirs / sizeof *dirs; i++)
        OK(walk_files(dir, "test", dirs[i], add_file, &out, &test_err));
    close(dir);
    add_all_rows(&out);
    buf_add_char(&out, '\0');
    text = strcpy(test_alloc(out.len), out.data);
    buf_release(&out);
    return text;
}

/* ---- the ground ------------------------------------------------------------ */

static void put_output(quire *q, const char *id)
{
    quire_outputs *o;
    FILE *f;
    char path[512];

    OK(quire_outputs_open(q, id, &o, &test_err));
    snprintf(path, sizeof path, "%s", quire_outputs_dir(o));
    YES(mkdir(path, 0700) == 0);
    strcat(path, "/0.bash.log");
    f = fopen(path, "w");
    YES(f != NULL);
    fputs("what the tool said\n", f);
    fclose(f);
    quire_outputs_close(o);
}

static void make_workspace(quire *q, const char *id)
{
    quire_workspace *w;

    OK(quire_workspace_open(q, id, &w, &test_err));
    OK(quire_workspace_make(w, &test_err));
    OK(quire_workspace_sync(w, NULL, NULL, NULL, NULL, &test_err));
    quire_workspace_close(w);
}

/* A session with all that one can have. */
static struct tenants_session rich(quire *q, const char *title)
{
    struct tenants_session s = tenants_session(q, title);
    quire_memory_options m = QUIRE_MEMORY_OPTIONS_INIT;
    quire_session_row row;
    quire_folder folder;
    quire_artifact a;

    put_output(q, s.id);
    OK(quire_artifact_put(q, s.id, "notes/a.txt", bytes_str("walrus one"), NULL,
                          &a, &test_err));
    OK(quire_artifact_put(q, s.id, "notes/a.txt", bytes_str("walrus two"), NULL,
                          &a, &test_err));
    OK(quire_artifact_put(q, s.id, "b.txt", bytes_str("penguin"), NULL, &a,
                          &test_err));
    OK(quire_artifact_remove(q, s.id, "b.txt", 0, &test_err));
    make_workspace(q, s.id);
    m.title = bytes_str("pinned to it");
    m.content = bytes_str("what there is");
    m.type = QUIRE_MEMORY_PROJECT;
    OK(quire_memory_add(q, s.id, &m, NULL, &test_err));
    OK(quire_session_row_of(q, s.id, &row, &test_err));
    if (quire_folder_get(q, 1, &folder, NULL))
        OK(quire_folder_add(q, "work", &folder, &test_err));
    OK(quire_session_file(q, s.id, 1, &test_err));
    OK(quire_session_set_agent(q, s.id, "tester", NULL, &test_err));
    OK(quire_session_pin(q, s.id, 1, &test_err));
    return s;
}

/* ---- what is listed -------------------------------------------------------- */

static quire_status add_line(void *ctx, const char *path, const char *row,
                             uint64_t bytes, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s %llu\n", path ? path : row, (unsigned long long)bytes);
    return QUIRE_OK;
}

static quire_status add_bytes(void *ctx, const char *path, const char *row,
                              uint64_t bytes, quire_error *err)
{
    (void)path;
    (void)row;
    (void)err;
    *(uint64_t *)ctx += bytes;
    return QUIRE_OK;
}

static quire_status add_trashed(void *ctx, const quire_trashed *t,
                                quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s ", t->title);
    return QUIRE_OK;
}

static const char *trashed(quire *q)
{
    struct buf out = BUF_INIT(4096);
    char *text;

    OK(quire_trash_list(q, add_trashed, &out, &test_err));
    buf_add_char(&out, '\0');
    text = strcpy(test_alloc(out.len), out.data);
    buf_release(&out);
    return text;
}

static quire_status count_artifact(void *ctx, const quire_artifact *a,
                                   quire_error *err)
{
    (void)a;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static int n_artifacts(quire *q, int deleted)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    int n = 0;

    o.all_sessions = 1;
    o.deleted = deleted;
    OK(quire_artifact_list(q, NULL, &o, count_artifact, &n, &test_err));
    return n;
}

static quire_status count_hit(void *ctx, const quire_search_hit *hit,
                              quire_error *err)
{
    (void)hit;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static int n_hits(quire *q, const char *query)
{
    int n = 0;

    OK(quire_search(q, bytes_str(query), NULL, count_hit, &n, NULL, &test_err));
    return n;
}

/* ---- tests ------------------------------------------------------------------ */

TEST(a_session_comes_back_from_the_trash_as_it_was)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = rich(q, "walrus");
    quire_artifact a;
    const char *before, *path;
    quire_session_row row;
    int in_trash = 0;

    tenants_session(q, "other");
    YES(n_hits(q, "walrus") > 0);
    before = state();
    OK(quire_session_trash(q, s.id, 0, &in_trash, &test_err));
    EQ(1, in_trash);
    NO(test_exists(s.path));
    SAME_TEXT("other ", tenants_sessions(q));
    SAME_TEXT("walrus ", trashed(q));
    EQ(0, n_artifacts(q, 0));
    EQ(0, n_artifacts(q, 1));
    EQ(0, n_hits(q, "walrus"));
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(q, "user", "#1", NULL, &a, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_row_of(q, s.id, &row, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_trash(q, s.id, 0, NULL, &test_err));
    EQ(0, catalogue_number("SELECT used + n FROM tenant"));
    EQ(0, tenants_recount());
    catalogue_sound();
    OK(quire_session_restore(q, s.id, &path, &test_err));
    SAME_TEXT(s.path, path);
    SAME_TEXT(before, state());
    YES(n_hits(q, "walrus") > 0);
    EQ(0, tenants_recount());
    IS(QUIRE_NOT_FOUND, quire_session_restore(q, s.id, &path, &test_err));
    OK(quire_artifact_put(q, s.id, "c", bytes_str("x"), NULL, &a, &test_err));
    make_workspace(q, s.id);
    EQ(2, n_artifacts(q, 0));
    quire_close(q);
    catalogue_sound();
}

TEST(a_session_of_a_tenant_goes_to_the_trash_and_comes_back)
{
    quire *q;
    struct tenants_session s;
    const char *before, *path;

    tenants_add("acme");
    q = tenants_open("acme", 0);
    s = rich(q, "theirs");
    OK(quire_session_archive(q, s.id, &path, &test_err));
    before = state();
    OK(quire_session_trash(q, s.id, 0, NULL, &test_err));
    SAME_TEXT("theirs ", trashed(q));
    quire_close(q);
    q = tenants_open(NULL, 0);
    SAME_TEXT("", trashed(q));
    IS(QUIRE_NOT_FOUND, quire_session_restore(q, s.id, &path, &test_err));
    quire_close(q);
    q = tenants_open("acme", 0);
    OK(quire_session_restore(q, s.id, &path, &test_err));
    SAME_TEXT(before, state());
    quire_close(q);
    catalogue_sound();
}

TEST(what_a_dry_run_lists_goes_when_the_trash_is_emptied)
{
    quire_trash_empty_options o = QUIRE_TRASH_EMPTY_OPTIONS_INIT;
    struct buf said = BUF_INIT(1 << 16), done = BUF_INIT(1 << 16);
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = rich(q, "walrus");
    uint64_t bytes = 0, n = 9;

    OK(quire_session_removal(q, s.id, add_bytes, &bytes, &test_err));
    OK(quire_session_trash(q, s.id, 0, NULL, &test_err));
    EQ(bytes, catalogue_number("SELECT bytes FROM trash"));
    o.each = add_line;
    o.ctx = &said;
    o.dry_run = 1;
    OK(quire_trash_empty(q, &o, &n, &test_err));
    EQ(1, n);
    HAS(buf_text(&said), "trash/1/sessions/");
    HAS(buf_text(&said), "0.bash.log");
    HAS(buf_text(&said), "artifacts/sessions/");
    HAS(buf_text(&said), "artifact #2 b.txt");
    o.older_s = 3600;
    o.dry_run = 0;
    OK(quire_trash_empty(q, &o, &n, &test_err));
    EQ(0, n);
    o.older_s = 0;
    o.ctx = &done;
    OK(quire_trash_empty(q, &o, &n, &test_err));
    EQ(1, n);
    SAME_TEXT(buf_text(&said), buf_text(&done));
    NO(test_exists(test_path("home/trash/1")));
    EQ(0, catalogue_number("SELECT count(*) FROM trash"));
    EQ(0, catalogue_number("SELECT count(*) FROM artifact"));
    EQ(0, catalogue_number("SELECT count(*) FROM removal"));
    EQ(1, catalogue_number("SELECT count(*) FROM memory WHERE session IS"
                           " NULL"));
    o.which = s.id;
    IS(QUIRE_NOT_FOUND, quire_trash_empty(q, &o, &n, &test_err));
    quire_close(q);
    buf_release(&said);
    buf_release(&done);
    catalogue_sound();
}

static void collect(quire *q, quire_collect_report *report)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;

    o.grace_s = 0;
    o.flags = QUIRE_COLLECT_YES;
    OK(quire_collect(q, &o, report, &test_err));
}

TEST(blobs_of_a_session_in_the_trash_are_kept_until_it_is_gone)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = rich(q, "walrus");
    quire_collect_report report;
    quire_bytes content;
    quire_digest digest;
    quire_blob_info blob;
    quire_session *open;
    char line[256], hex[65];
    size_t i;

    OK(quire_blob_put(q, bytes_str("an image"), 0, &blob, &test_err));
    digest = blob.digest;
    for (i = 0; i < sizeof digest.byte; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest.byte[i]);
    snprintf(line, sizeof line,
             "{\"type\":\"custom\",\"data\":\"blob:sha256:%s\"}", hex);
    OK(quire_session_open(q, s.id, NULL, &open, &test_err));
    OK(quire_session_append(open, bytes_str(line), NULL, NULL, &test_err));
    quire_session_close(open);
    OK(quire_session_trash(q, s.id, 0, NULL, &test_err));
    collect(q, &report);
    EQ(0, report.removed);
    EQ(0, report.orphans);
    EQ(0, report.trashed);
    OK(quire_blob_get(q, &digest, &content, &test_err));
    tenants_sql("UPDATE trash SET removed = removed - 2678400000000");
    collect(q, &report);
    EQ(1, report.trashed);
    SAME_TEXT("", trashed(q));
    NO(test_exists(test_path("home/trash/1")));
    collect(q, &report);
    YES(report.removed >= 4);
    IS(QUIRE_NOT_FOUND, quire_blob_get(q, &digest, &content, &test_err));
    quire_close(q);
    catalogue_sound();
}

TEST(a_held_session_does_not_go_to_the_trash)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = rich(q, "walrus");
    const char *before;

    OK(quire_session_hold(q, s.id, "case 12", &test_err));
    before = state();
    IS(QUIRE_EXISTS, quire_session_trash(q, s.id, 0, NULL, &test_err));
    HAS(test_err.what, "case 12");
    SAME_TEXT(before, state());
    quire_close(q);
    catalogue_sound();
}

TEST(a_session_that_is_there_again_keeps_the_one_in_the_trash_from_coming_back)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = rich(q, "walrus");
    const char *path;
    FILE *f;

    OK(quire_session_trash(q, s.id, 0, NULL, &test_err));
    f = fopen(s.path, "w");
    YES(f != NULL);
    fprintf(f,
            "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":"
            "\"2026-02-16T10:20:30.000Z\",\"cwd\":\"/w\"}\n",
            s.id);
    fclose(f);
    IS(QUIRE_EXISTS, quire_session_restore(q, s.id, &path, &test_err));
    OK(quire_session_trash(q, s.id, 0, NULL, &test_err));
    EQ(2, catalogue_number("SELECT count(*) FROM trash"));
    OK(quire_session_restore(q, s.id, &path, &test_err));
    OK(quire_session_remove(q, s.id, &test_err));
    OK(quire_session_restore(q, s.id, &path, &test_err));
    EQ(1, n_artifacts(q, 0));
    quire_close(q);
    catalogue_sound();
}

TEST(a_file_that_claims_the_key_of_a_row_in_the_trash_gets_nothing_of_it)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = rich(q, "walrus");
    quire_session_row row;
    quire_artifact a;
    FILE *f;

    OK(quire_session_trash(q, s.id, 0, NULL, &test_err));
    f = fopen(s.path, "w");
    YES(f != NULL);
    fputs("{\"type\":\"session\",\"version\":3,\"id\":\"trash:1\",\"timestamp\""
          ":\"2026-02-16T10:20:30.000Z\",\"cwd\":\"/w\"}\n",
          f);
    fclose(f);
    IS(QUIRE_INVALID,
       quire_artifact_stat(q, s.path, "notes/a.txt", NULL, &a, &test_err));
    OK(quire_session_row_of(q, s.path, &row, &test_err));
    EQ(0, row.number);
    quire_close(q);
}

/* ---- faults ------------------------------------------------------------------ */

static struct tenants_session one;

static quire_status do_trash(quire *q)
{
    return quire_session_trash(q, one.id, 0, NULL, &test_err);
}

static quire_status do_restore(quire *q)
{
    const char *path;

    return quire_session_restore(q, one.id, &path, &test_err);
}

static quire_status do_empty(quire *q)
{
    return quire_trash_empty(q, NULL, NULL, &test_err);
}

static void finish(void)
{
    uint64_t wrong;
    quire *q = failing_open();

    OK(quire_artifact_recount(q, &wrong, &test_err));
    EQ(0, wrong);
    quire_close(q);
}

/* One call fails. Afterwards the next writer makes it what it was or what it was to
 * be. */
static bool try_one(quire_status (*run)(quire *q), struct way *w, long n,
                    const char *before, const char *after)
{
    quire *q = failing_open();
    const char *now;
    quire_status st;
    bool struck;

    if (w->where == SEAMS)
        catalogue_tap(q, &w->seam);
    test_err = (quire_error){.what = ""};
    way_arm(w, n);
    st = run(q);
    struck = way_disarm(w);
    quire_close(q);
    finish();
    now = state();
    if (st && (!test_err.what[0] || st == QUIRE_NOT_FOUND ||
               st == QUIRE_INVALID || st == QUIRE_EXISTS)) {
        fprintf(stderr, "%s\n", way_name(w, n));
        IS(QUIRE_OK, st);
    }
    if (!st || strcmp(now, before) != 0)
        SAME_TEXT(after, now);
    catalogue_sound();
    catalogue_copy(test_path("ground"), test_path("home"));
    return struck;
}

static void sweep(quire_status (*run)(quire *q), enum where where, long step)
{
    struct way w = {.where = where, .first = 1, .step = step};
    const char *before, *after;
    quire *q;
    long n;

    before = state();
    catalogue_copy(test_path("home"), test_path("ground"));
    q = failing_open();
    OK(run(q));
    quire_close(q);
    after = state();
    catalogue_copy(test_path("ground"), test_path("home"));
    for (n = 1; try_one(run, &w, n, before, after); n += step)
        ;
    q = failing_open();
    OK(run(q));
    quire_close(q);
}

static void sweep_all(enum where where, long step)
{
    quire *q = tenants_open(NULL, 0);

    one = rich(q, "walrus");
    quire_close(q);
    if (catalogue_long())
        step = 1;
    sweep(do_trash, where, step);
    sweep(do_restore, where, step);
    sweep(do_trash, where, 5 * step);
    sweep(do_empty, where, step);
}

TEST(the_trash_is_before_or_after_whichever_call_of_the_catalogue_fails)
{
    sweep_all(SEAMS, 3);
}

TEST(the_trash_is_before_or_after_whichever_call_of_the_system_fails)
{
    sweep_all(CALLS, 7);
}

/* ---- killed ------------------------------------------------------------------ */

/* In and out, until it is killed. */
static void move_for_ever(const struct tenants_session *s)
{
    quire *q = tenants_open(NULL, 0);
    const char *path;

    for (;;)
        if (quire_session_trash(q, s->id, 0, NULL, &test_err) ||
            quire_session_restore(q, s->id, &path, &test_err))
            _exit(1);
}

TEST(a_session_is_whole_on_one_side_after_a_kill_at_any_moment)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = rich(q, "walrus");
    int rounds = catalogue_long() ? 200 : 25, i, in = 0;
    const char *there, *path;
    uint64_t seed = 7;

    there = state();
    quire_close(q);
    for (i = 0; i < rounds; i++) {
        pid_t child = fork();
        int status;

        if (!child)
            move_for_ever(&s);
        usleep((useconds_t)(2000 + slow_random(&seed, 30000)));
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        YES(WIFSIGNALED(status));
        finish();
        q = tenants_open(NULL, 0);
        if (!test_exists(s.path)) {
            in++;
            SAME_TEXT("walrus ", trashed(q));
            OK(quire_session_restore(q, s.id, &path, &test_err));
        }
        quire_close(q);
        SAME_TEXT(there, state());
        catalogue_sound();
    }
    YES(in > 0);
}

/* ---- against a model ------------------------------------------------------------ */

enum { SESSIONS = 5, STEPS = 300 };
enum place { HERE, TRASHED, GONE };

struct model {
    struct tenants_session s[SESSIONS];
    enum place place[SESSIONS];
    bool held[SESSIONS];
};

/* One step, and what the model says of it. */
static void step(quire *q, struct model *m, uint64_t *seed)
{
    size_t i = slow_random(seed, SESSIONS);
    quire_trash_empty_options o = QUIRE_TRASH_EMPTY_OPTIONS_INIT;
    const char *id = m->s[i].id, *path;
    enum place *at = &m->place[i];
    quire_status want = *at == HERE ? QUIRE_OK : QUIRE_NOT_FOUND;

    switch (slow_random(seed, 6)) {
    case 0:
    case 1:
        want = want || !m->held[i] ? want : QUIRE_EXISTS;
        IS(want, quire_session_trash(q, id, 0, NULL, &test_err));
        *at = want ? *at : TRASHED;
        break;
    case 2:
        want = *at == TRASHED ? QUIRE_OK : QUIRE_NOT_FOUND;
        IS(want, quire_session_restore(q, id, &path, &test_err));
        *at = want ? *at : HERE;
        break;
    case 3:
        if (slow_random(seed, 8))
            break;
        o.which = id;
        want = *at == TRASHED ? QUIRE_OK : QUIRE_NOT_FOUND;
        IS(want, quire_trash_empty(q, &o, NULL, &test_err));
        *at = want ? *at : GONE;
        break;
    case 4:
        IS(want, quire_session_hold(q, id, "why", &test_err));
        m->held[i] = m->held[i] || !want;
        break;
    default:
        IS(want, quire_session_release(q, id, &test_err));
        m->held[i] = m->held[i] && want;
    }
}

static void compare(quire *q, const struct model *m)
{
    int n = 0, artifacts = 0, i;
    const char *listed = tenants_sessions(q), *away = trashed(q);

    for (i = 0; i < SESSIONS; i++) {
        char name[8];

        snprintf(name, sizeof name, "s%d ", i);
        EQ(m->place[i] == HERE, strstr(listed, name) != NULL);
        EQ(m->place[i] == TRASHED, strstr(away, name) != NULL);
        n += m->place[i] == TRASHED;
        artifacts += m->place[i] == HERE;
    }
    EQ(n, catalogue_number("SELECT count(*) FROM trash"));
    EQ(artifacts, n_artifacts(q, 0));
}

TEST(the_trash_does_what_a_model_does)
{
    quire *q = tenants_open(NULL, 0);
    struct model m = {.held = {false}};
    uint64_t seed = 42;
    char name[8];
    int i;

    for (i = 0; i < SESSIONS; i++) {
        snprintf(name, sizeof name, "s%d", i);
        m.s[i] = rich(q, name);
    }
    for (i = 0; i < STEPS; i++) {
        step(q, &m, &seed);
        if (i % 10 == 0)
            compare(q, &m);
    }
    compare(q, &m);
    EQ(0, tenants_recount());
    quire_close(q);
    catalogue_sound();
}

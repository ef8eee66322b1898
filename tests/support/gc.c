/* gc.c - see gc.h */
#include "support/catalog.h"
#include "support/gc.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "blob/hash.h"
#include "store/db.h"

int64_t collect_now_us;

static int64_t now(void *ctx)
{
    (void)ctx;
    return collect_now_us;
}

static void pass(int64_t us)
{
    collect_now_us += us;
}

void collect_clock_start(void)
{
    collect_now_us = (int64_t)time(NULL) * 1000000 + 500000;
    stop_clock(pass);
}

void collect_clock_stop(void)
{
    stop_clock(NULL);
}

quire *collect_open_as(quire_kind kind, const char *tenant,
                       collect_trace_fn trace, unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.kind = kind;
    o.busy_ms = 0;
    o.trace = trace;
    o.flags = flags;
    o.now_us = now;
    o.tenant = tenant ? tenant : "default";
    if (quire_open(&o, &q, &test_err))
        return NULL;
    return q;
}

quire *collect_open(quire_kind kind)
{
    quire *q = collect_open_as(kind, NULL, NULL, 0);

    YES(q != NULL);
    return q;
}

/* ---- contents ----------------------------------------------------------- */

enum { SMALL = 900, LARGE = 90000 };

quire_bytes collect_content(int n)
{
    static char bytes[LARGE];
    size_t len = n % 3 == 2 ? LARGE : SMALL;

    test_noise((uint64_t)n + 1000, bytes, len);
    return bytes_of(bytes, len);
}

const quire_digest *collect_digest(int n)
{
    static quire_digest digest[COLLECT_CONTENTS];
    static bool known[COLLECT_CONTENTS];

    if (!known[n])
        hash_bytes(collect_content(n), &digest[n]);
    known[n] = true;
    return &digest[n];
}

const char *collect_ref(int n)
{
    static char ref[8][QUIRE_REF_SIZE];
    static int turn;

    turn = (turn + 1) % 8;
    quire_ref_format(collect_digest(n), ref[turn]);
    return ref[turn];
}

quire_status collect_append(quire_session *s, int n)
{
    static char line[LARGE * 4 / 3 + 400];
    quire_bytes raw = collect_content(n);
    size_t size = base64_size(raw.len);
    int at = snprintf(line, 300,
                      "{\"type\":\"message\",\"message\":{\"role\":\"user\","
                      "\"content\":[{\"type\":\"image\",\"data\":\"");

    base64_write(raw, line + at);
    strcpy(line + at + size, "\",\"mimeType\":\"image/png\"}]}}");
    return quire_session_append(s, bytes_str(line), NULL, NULL, &test_err);
}

quire_status collect_session(quire *q, int n, char path[4096])
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;
    quire_status st;

    o.flags = QUIRE_SESSION_AT_ONCE;
    o.cwd = "/w";
    st = quire_session_new(q, &o, &s, &test_err);
    if (st)
        return st;
    st = collect_append(s, n);
    quire_session_describe(s, &info);
    snprintf(path, 4096, "%s", info.path);
    quire_session_close(s);
    return st;
}

quire_status collect_append_to(quire *q, const char *path, int n)
{
    quire_session *s;
    quire_status st = quire_session_open(q, path, NULL, &s, &test_err);

    if (st)
        return st;
    st = collect_append(s, n);
    quire_session_close(s);
    return st;
}

/* ---- other programs ----------------------------------------------------- */

const char *collect_path(quire_kind kind, const char *name)
{
    static char path[8][256];
    static int turn;

    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn],
             kind == QUIRE_KIND_JP ? "home/conversations/%s/events.json"
                                   : "home/sessions/-w/%s.jsonl",
             name);
    return path[turn];
}

static void make_dirs(char *path)
{
    char *slash;

    for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

void collect_foreign(quire_kind kind, const char *name, int n, int more)
{
    char path[4096], tmp[4200], text[2048];
    FILE *f;

    snprintf(path, sizeof path, "%s", test_path(collect_path(kind, name)));
    snprintf(tmp, sizeof tmp, "%s.tmp", path);
    make_dirs(path);
    if (kind == QUIRE_KIND_JP)
        snprintf(text, sizeof text,
                 "[\n  {\"timestamp\": \"2026-02-16 10:20:30.0\", \"type\": "
                 "\"tool_call_response\", \"content\": {\"$blob\": \"%s\"}},"
                 "\n  {\"type\": \"of later\", \"$blob\": \"%s\"}\n]\n",
                 collect_ref(n) + 12, more < 0 ? "" : collect_ref(more) + 12);
    else
        snprintf(text, sizeof text,
                 "{\"type\":\"session\",\"version\":3,\"id\":\"%s\","
                 "\"timestamp\":\"2026-02-16T10:20:30.000Z\",\"cwd\":\"/w\"}\n"
                 "{\"type\":\"message\",\"id\":\"aaaaaaaa\",\"parentId\":null,"
                 "\"timestamp\":\"2026-02-16T10:20:31.000Z\",\"message\":{"
                 "\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\":"
                 "\"%s\",\"mimeType\":\"image/png\"}],\"also\":\"%s\"}}\n",
                 name, collect_ref(n), more < 0 ? "" : collect_ref(more));
    f = fopen(tmp, "w");
    if (!f)
        abort();
    fputs(text, f);
    fclose(f);
    if (rename(tmp, path))
        abort();
}

/* ---- what is wanted, what is there -------------------------------------- */

static struct collect_set *marking;

static void mark_text(quire_bytes text)
{
    char hex[65] = "";
    int n;

    for (n = 0; n < COLLECT_CONTENTS; n++) {
        memcpy(hex, collect_ref(n) + 12, 64);
        if (memmem(text.data, text.len, hex, 64))
            marking->has[n] = true;
    }
}

static bool is_elsewhere(const char *path)
{
    return strstr(path, "/home/blobs/") || strstr(path, "/home/quire.db") ||
           strstr(path, "/home/history.db") || strstr(path, "/home/.quire/");
}

static int mark_file(const char *path, const struct stat *s, int kind,
                     struct FTW *ftw)
{
    char *text;
    FILE *f;

    (void)ftw;
    if (kind != FTW_F || !S_ISREG(s->st_mode) || is_elsewhere(path))
        return 0;
    f = fopen(path, "r");
    if (!f)
        return 0;
    text = malloc((size_t)s->st_size + 1);
    mark_text(bytes_of(text, fread(text, 1, (size_t)s->st_size, f)));
    free(text);
    fclose(f);
    return 0;
}

/* Of a home of another program. */
static struct db *open_state(void)
{
    struct db_config config = {.path = test_path("home/.quire/state.db"),
                               .access = DB_READ,
                               .busy_ms = 1000};
    struct db *db;

    if (!test_exists(config.path))
        return NULL;
    OK(db_sqlite_open(&config, &db, &test_err));
    return db;
}

static void mark_rows(struct db *db, const char *sql)
{
    struct stmt *s;
    bool row = true;
    int n;

    if (!db)
        return;
    if (!db_prepare(db, sql, &s, NULL)) {
        while (!stmt_step(s, &row, &test_err) && row)
            for (n = 0; n < COLLECT_CONTENTS; n++)
                if (!memcmp(stmt_column_bytes(s, 0).data, collect_digest(n),
                            sizeof(quire_digest)))
                    marking->has[n] = true;
        stmt_finalize(s);
    }
    db_close(db);
}

struct collect_set collect_wanted(quire_kind kind)
{
    struct collect_set set = {{false}};

    marking = &set;
    nftw(test_path("home"), mark_file, 16, FTW_PHYS);
    if (kind == QUIRE_KIND_NATIVE)
        mark_rows(test_exists(catalogue_file()) ? catalogue_open() : NULL,
                  "SELECT sha256 FROM artifact UNION "
                  "SELECT sha256 FROM artifact_version UNION "
                  "SELECT sha256 FROM pin");
    else
        mark_rows(open_state(), "SELECT sha256 FROM pin");
    return set;
}

struct collect_set collect_stored(quire *q)
{
    struct collect_set set = {{false}};
    quire_bytes got;
    int n;

    for (n = 0; n < COLLECT_CONTENTS; n++) {
        quire_status st = quire_blob_get(q, collect_digest(n), &got, &test_err);

        if (st != QUIRE_NOT_FOUND)
            OK(st);
        set.has[n] = !st;
    }
    return set;
}

/* ---- runs --------------------------------------------------------------- */

quire_status collect_run(quire *q, unsigned flags, int64_t grace_s,
                         quire_collect_report *report)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;

    o.flags = flags | QUIRE_COLLECT_YES;
    o.grace_s = grace_s;
    return quire_collect(q, &o, report, &test_err);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

struct listing {
    char ref[256][QUIRE_REF_SIZE + 1];
    size_t n;
};

static quire_status list_one(void *ctx, const quire_digest *d, quire_error *err)
{
    struct listing *l = ctx;

    (void)err;
    YES(l->n < 256);
    quire_ref_format(d, l->ref[l->n++]);
    return QUIRE_OK;
}

const char *collect_list(quire *q, unsigned flags, int64_t grace_s)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    static struct listing listing;
    struct listing *l = &listing;
    char *text;
    size_t i;

    o.flags = flags | QUIRE_COLLECT_YES;
    o.grace_s = grace_s;
    o.each = list_one;
    o.ctx = l;
    l->n = 0;
    OK(quire_collect(q, &o, NULL, &test_err));
    qsort(l->ref, l->n, sizeof l->ref[0], by_text);
    text = test_alloc(l->n * sizeof l->ref[0] + 1);
    *text = '\0';
    for (i = 0; i < l->n; i++)
        sprintf(text + strlen(text), "%s\n", l->ref[i]);
    return text;
}

static void complain(const char *what, const char *why, int n)
{
    fprintf(stderr, "%s: %s (content %d, %.12s)\n", what, why, n,
            collect_ref(n) + 12);
    test_true(false, "as it should be", __FILE__, __LINE__);
}

void collect_sound(quire_kind kind, const char *what)
{
    quire *q = collect_open(kind);
    struct collect_set wanted = collect_wanted(kind);
    struct collect_set stored = collect_stored(q);
    const char *some, *all;
    int64_t was_us = collect_now_us;
    int n;

    for (n = 0; n < COLLECT_CONTENTS; n++)
        if (wanted.has[n] && !stored.has[n])
            complain(what, "lost", n);
    /* So late that files without rows are looked for by both. */
    collect_now_us += INT64_C(3) * 86400 * 1000000;
    some = collect_list(q, QUIRE_COLLECT_DRY_RUN, 0);
    all = collect_list(q, QUIRE_COLLECT_DRY_RUN | QUIRE_COLLECT_FULL, 0);
    collect_now_us = was_us;
    if (strcmp(some, all) != 0)
        fprintf(stderr, "%s: counts are wrong\n", what);
    SAME_TEXT(all, some);
    quire_close(q);
}

void collect_settles(quire_kind kind, const char *what)
{
    quire *q = collect_open(kind);
    struct collect_set wanted, stored;
    int n, i;

    for (i = 0; i < 3; i++) {
        collect_now_us += INT64_C(3) * 86400 * 1000000;
        OK(collect_run(q, 0, 86400, NULL));
    }
    wanted = collect_wanted(kind);
    stored = collect_stored(q);
    for (n = 0; n < COLLECT_CONTENTS; n++) {
        if (wanted.has[n] && !stored.has[n])
            complain(what, "lost in the end", n);
        if (!wanted.has[n] && stored.has[n])
            complain(what, "never removed", n);
    }
    quire_close(q);
}

/*
 * A home with all there is, damaged in one place after the other: what can be
 * found is found, and located; what repair should mend it mends, and what is
 * sound stays as it is to the byte.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "api/core/handle.h"
#include "support/catalog.h"
#include "support/flip.h"
#include "support/tenants.h"

/* Nothing may be found. */
static void clean(const char *name, unsigned flags)
{
    struct heard h = flip_check(name, flags);

    SAME_TEXT("", h.text);
    EQ(QUIRE_OK, h.status);
    EQ(0, h.n);
}

static bool found(const struct heard *h)
{
    return h->n > 0 || h->status == QUIRE_DAMAGED;
}

/* This is found, by these words. */
static struct heard finds(const char *words)
{
    struct heard h = flip_check("home", QUIRE_CHECK_FULL);

    OK(h.status);
    YES(h.n > 0);
    HAS(h.text, words);
    return h;
}

/* ---- sound homes -------------------------------------------------------- */

TEST(a_check_of_a_sound_home_finds_nothing)
{
    static const unsigned flags[] = {0, QUIRE_CHECK_QUICK, QUIRE_CHECK_FULL};
    struct heard h;
    size_t i;

    flip_furnish("home");
    flip_furnish_omp("omp");
    flip_furnish_jp(".jp");
    for (i = 0; i < 3; i++) {
        clean("home", flags[i]);
        clean("omp", flags[i]);
        clean(".jp", flags[i]);
        clean("nowhere", flags[i]);
    }
    h = flip_check("home", 0);
    EQ(4, h.sum.sessions);
    EQ(4, h.sum.unreferenced); /* put, and named by nobody */
    YES(h.sum.references >= 4 + 10);
    h = flip_check(".jp", 0);
    EQ(1, h.sum.sessions);
    EQ(1, h.sum.references);
    EQ(0, h.sum.unreferenced);
}

TEST(a_check_works_on_a_home_that_cannot_be_written)
{
    struct heard h;
    int before;

    flip_furnish("home");
    before = test_count_files(test_path("home"));
    chmod(test_path("home"), 0500);
    h = flip_check("home", QUIRE_CHECK_FULL);
    chmod(test_path("home"), 0700);
    OK(h.status);
    SAME_TEXT("", h.text);
    EQ(before, test_count_files(test_path("home")));
}

TEST(repair_of_a_sound_home_changes_no_byte)
{
    quire_bytes before, after;
    struct heard h;
    int files;

    flip_furnish("home");
    before = test_read_file(catalogue_file());
    files = test_count_files(test_path("home"));
    h = flip_repair("home", 0);
    OK(h.status);
    SAME_TEXT("", h.text);
    EQ(0, h.n + h.mended);
    after = test_read_file(catalogue_file());
    SAME(before, after);
    EQ(files, test_count_files(test_path("home")));
}

TEST(a_check_is_for_whom_the_home_belongs_to)
{
    quire_check_hooks hooks = QUIRE_CHECK_HOOKS_INIT;
    quire *q;

    flip_furnish("home");
    q = tenants_open("other", QUIRE_READ_ONLY);
    IS(QUIRE_INVALID, quire_check(q, 0, &hooks, &test_err));
    HAS(test_err.next, "--tenant");
    quire_close(q);
}

TEST(a_check_and_a_repair_count_without_hooks_for_problems)
{
    quire_check_hooks hooks = QUIRE_CHECK_HOOKS_INIT;
    quire_check_summary sum = {0};
    quire *q;

    flip_furnish("home");
    flip_bit(flip_find(test_path("home/blobs"), ".blob.gz", 0), 20, 3);
    q = tenants_open(NULL, 0);
    hooks.summary = &sum;
    OK(quire_check(q, QUIRE_CHECK_FULL, &hooks, &test_err));
    EQ(1, sum.problems);
    OK(quire_check(q, QUIRE_CHECK_FULL, NULL, &test_err));
    OK(quire_blob_check(q, NULL, NULL, &test_err));
    OK(quire_repair(q, QUIRE_REPAIR_DRY, NULL, &test_err));
    OK(quire_repair(q, 0, NULL, &test_err));
    quire_close(q);
}

/* ---- bit flips ---------------------------------------------------------- */

struct count {
    int flips, found, harmless;
};

static void report(const char *what, const struct count *c)
{
    if (getenv("QUIRE_TEST_COUNT"))
        fprintf(stderr, "%s: %d flips, %d found, %d harmless\n", what, c->flips,
                c->found, c->harmless);
}

/* How far apart flips are: as many of them as there is time for. */
static size_t stride(size_t size, int wanted)
{
    size_t step = size / (size_t)(catalogue_long() ? 10 * wanted : wanted);

    return step ? step : 1;
}

/* The content of every blob is still what its name says, as far as a reader
 * that is not the check can tell. */
static quire_status read_one(void *ctx, const quire_blob_info *info,
                             quire_error *err)
{
    quire_bytes out;

    (void)err;
    return quire_blob_get(ctx, &info->digest, &out, &test_err);
}

static bool blobs_sound(const char *name)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *list, *read;
    quire_status st;

    o.home = test_path(name);
    o.flags = QUIRE_READ_ONLY;
    OK(quire_open(&o, &list, &test_err));
    OK(quire_open(&o, &read, &test_err));
    st = quire_blob_list(list, read_one, read, &test_err);
    quire_close(list);
    quire_close(read);
    return st == QUIRE_OK;
}

/* Flip bits all over a blob's file: each is found, by the blob's name, or the
 * content is what it was. */
static void flip_blob(const char *home, const char *path, int wanted)
{
    quire_bytes all = test_read_file(path);
    size_t step = stride(all.len, wanted), at;
    struct count c = {0};
    char name[80];

    snprintf(name, sizeof name, "%.12s", strrchr(path, '/') + 1);
    for (at = 0; at < all.len; at += at < 20 || at + 12 > all.len ? 1 : step) {
        struct heard h;

        flip_bit(path, at, (int)(at % 8));
        h = flip_check(home, 0);
        c.flips++;
        if (found(&h)) {
            c.found++;
            HAS(h.text, name);
            EQ(1, h.n);
        } else {
            c.harmless++;
            OK(h.status);
            YES(blobs_sound(home));
        }
        flip_bit(path, at, (int)(at % 8));
    }
    report(path, &c);
    YES(c.found > c.flips / 2);
    clean(home, 0);
}

TEST(a_flipped_bit_in_a_file_of_a_blob_is_found_and_located)
{
    flip_furnish("home");
    flip_blob("home", flip_find(test_path("home/blobs"), ".blob.gz", 0), 40);
    flip_furnish_omp("omp");
    flip_blob("omp", flip_find(test_path("omp/blobs"), "", 1), 40);
    flip_furnish_jp(".jp");
    flip_blob(".jp", flip_find(test_path(".jp/blobs"), ".blob.gz", 0), 40);
}

/* A line that is still JSON with bytes of text says what it says: there is no
 * checksum that could tell. */
static bool all_json(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;

    while (at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((nl ? nl : end) - at);

        if (!nl || !json_check(bytes_of(at, len), JSON_UTF8, NULL))
            return false;
        at = nl + 1;
    }
    return true;
}

static void flip_lines(const char *home, const char *path, int wanted)
{
    quire_bytes all = test_read_file(path);
    size_t step = stride(all.len, wanted), at;
    struct count c = {0};

    for (at = 0; at < all.len; at += step) {
        struct heard h;

        flip_bit(path, at, (int)(at % 8));
        h = flip_check(home, 0);
        c.flips++;
        if (found(&h)) {
            c.found++;
            HAS(h.text, strrchr(path, '/') + 1);
        } else {
            c.harmless++;
            YES(all_json(test_read_file(path)));
        }
        flip_bit(path, at, (int)(at % 8));
    }
    report(path, &c);
    YES(c.found > 0);
    clean(home, 0);
}

TEST(a_flipped_bit_that_breaks_a_line_of_a_session_is_found_and_located)
{
    const char *path;
    int i;

    flip_furnish("home");
    for (i = 0; (path = flip_session("home", i)) != NULL; i++)
        flip_lines("home", path, 60);
    EQ(4, i);
    flip_furnish_omp("omp");
    flip_lines("omp", flip_session("omp", 0), 60);
}

/* Of JP's file a value that is JSON is as good as another. */
TEST(a_flipped_bit_that_breaks_a_conversation_is_found_and_located)
{
    const char *path;
    quire_bytes all;
    size_t at;
    int n = 0;

    flip_furnish_jp(".jp");
    path = flip_find(test_path(".jp/conversations"), "events.json", 0);
    all = test_read_file(path);
    for (at = 0; at < all.len; at++) {
        struct heard h;

        flip_bit(path, at, (int)(at % 8));
        h = flip_check(".jp", 0);
        if (found(&h)) {
            n++;
            HAS(h.text, "events.json");
        } else {
            YES(json_check(test_read_file(path), JSON_UTF8, NULL));
        }
        flip_bit(path, at, (int)(at % 8));
    }
    YES(n > 20);
}

/* What quire.db says that something else can tell. Text of people's is not
 * among it: titles, times, names. */
static const char *const sums[] = {
    "SELECT hex(sha256), size, stored, codec, in_file, hex(bytes) FROM blob"
    " LEFT JOIN body USING(id) ORDER BY 1",
    "SELECT id, session, tenant, version, hex(sha256), size, deleted = 0"
    " FROM artifact ORDER BY id",
    "SELECT artifact, version, tenant, hex(sha256), size FROM artifact_version"
    " ORDER BY 1, 2",
    "SELECT id, used, n FROM tenant ORDER BY id",
    "SELECT id, tenant, used, n FROM session ORDER BY id",
    "SELECT id, tenant, valid_to = 0 FROM memory ORDER BY id",
    "SELECT used FROM pad",
};

/* False if it cannot be asked. */
static bool say_sums(const char *home, struct buf *out)
{
    struct db_config config = {.access = DB_READ, .busy_ms = 1000};
    char file[64];
    struct db *db;
    struct stmt *s;
    quire_status st = QUIRE_OK;
    size_t i;
    int k;

    snprintf(file, sizeof file, "%s/quire.db", home);
    config.path = test_path(file);
    if (db_sqlite_open(&config, &db, &test_err))
        return false;
    for (i = 0; !st && i < sizeof sums / sizeof *sums; i++) {
        bool row = true;

        st = db_prepare(db, sums[i], &s, &test_err);
        if (st)
            break;
        while (!(st = stmt_step(s, &row, &test_err)) && row) {
            for (k = 0; k < 10; k++) {
                quire_bytes text = stmt_column_bytes(s, k);

                buf_add(out, text.data, text.len);
                buf_add_char(out, '|');
            }
        }
        stmt_finalize(s);
    }
    db_close(db);
    return st == QUIRE_OK;
}

/* Where there is something: a flip in the emptiness of a page is harmless. */
static size_t next_place(quire_bytes all, size_t at, size_t step)
{
    const char *p = all.data;

    for (at += step; at < all.len && !p[at];)
        at++;
    return at;
}

TEST(a_flipped_bit_in_the_catalogue_is_found_unless_it_changes_nothing)
{
    const char *path = catalogue_file();
    struct buf before = BUF_INIT(1 << 26), after = BUF_INIT(1 << 26);
    struct count c = {0};
    quire_bytes all;
    size_t at, step, silent = 0;
    char keep[1024];

    flip_furnish("home");
    snprintf(keep, sizeof keep, "%s", path);
    all = test_read_file(keep);
    YES(say_sums("home", &before));
    step = stride(all.len / 16, 200);
    for (at = 0; at < all.len; at = next_place(all, at, step)) {
        struct heard h;
        bool asked;

        flip_bit(keep, at, (int)(at % 8));
        h = flip_check("home", QUIRE_CHECK_FULL);
        buf_clear(&after);
        asked = say_sums("home", &after);
        c.flips++;
        if (found(&h) || h.status) {
            c.found++;
        } else if (asked &&
                   bytes_equal(buf_bytes(&before), buf_bytes(&after))) {
            c.harmless++;
        } else {
            silent++;
            fprintf(stderr, "silent: byte %zu, bit %d\n", at, (int)(at % 8));
        }
        /* A file that was damaged may have left a log behind. */
        unlink(catalogue_file_beside("-wal"));
        unlink(catalogue_file_beside("-shm"));
        test_write_file(keep, all);
    }
    report("quire.db", &c);
    EQ(0, silent);
    YES(c.found > c.flips / 4);
    buf_release(&before);
    buf_release(&after);
    clean("home", QUIRE_CHECK_FULL);
}

/* Blobs in rows: each is found by its own name. */
TEST(a_flipped_bit_in_a_blob_of_the_catalogue_is_found_and_located)
{
    char noise[20000], name[16];
    quire_bytes all;
    quire_blob_info info;
    const char *path, *at;
    quire *q;
    size_t i;

    flip_furnish("home");
    q = tenants_open(NULL, 0);
    test_noise(103, noise, sizeof noise);
    OK(quire_blob_put(q, bytes_of(noise, sizeof noise), 0, &info, &test_err));
    quire_close(q);
    snprintf(name, sizeof name, "%02x%02x%02x%02x", info.digest.byte[0],
             info.digest.byte[1], info.digest.byte[2], info.digest.byte[3]);
    path = catalogue_file();
    all = test_read_file(path);
    for (i = 0; i < 60; i++) {
        size_t from = i * 300;
        struct heard h;

        at = memmem(all.data, all.len, noise + from, 64);
        if (!at)
            continue; /* it goes on in another page */
        path = catalogue_file();
        flip_bit(path, (size_t)(at - (const char *)all.data) + 7, (int)i % 8);
        h = flip_check("home", 0);
        EQ(1, h.n);
        HAS(h.text, name);
        flip_bit(path, (size_t)(at - (const char *)all.data) + 7, (int)i % 8);
    }
    clean("home", 0);
}

/* ---- what is wrong in rows, and mended ---------------------------------- */

/* It is found, repair says that it mended it, and then nothing is found. */
static void mends(const char *words)
{
    struct heard h = finds(words);

    h = flip_repair("home", QUIRE_REPAIR_DRY);
    OK(h.status);
    YES(h.mended > 0);
    finds(words); /* dry is dry */
    h = flip_repair("home", 0);
    OK(h.status);
    HAS(h.text, "mended: ");
    EQ(0, h.n);
    clean("home", QUIRE_CHECK_FULL);
    catalogue_sound();
}

TEST(repair_counts_again)
{
    flip_furnish("home");
    tenants_sql("UPDATE session SET used = used + 1 WHERE n > 0;"
                "UPDATE tenant SET n = 77 WHERE id = 2");
    mends("counter");
    tenants_sql("UPDATE pad SET used = 5000");
    mends("scratchpad");
}

TEST(repair_gives_rows_the_tenant_of_the_row_above)
{
    static const struct {
        const char *sql, *words;
    } wrong[] = {
        {"UPDATE artifact_version SET tenant = 2 WHERE artifact = 1",
         "artifact #1 row a version belongs to tenant #2, the artifact to "
         "tenant #1"},
        {"DELETE FROM artifact_access; INSERT INTO artifact_access(artifact,"
         " tenant, n, last) VALUES(1, 77, 5, 9)",
         "its read count belongs to tenant #77"},
        {"UPDATE tally SET tenant = tenant + 1",
         "its usage belongs to tenant #2, the session to tenant #1"},
        {"INSERT INTO folder(id, tenant, name, created, updated)"
         " VALUES(5, 1, 'plans', 1, 1);"
         "INSERT INTO filed(session, tenant, folder)"
         " SELECT max(id), 2, 5 FROM session WHERE tenant = 1",
         "its place in a folder belongs to tenant #2"},
        {"INSERT INTO session_agent(session, tenant, agent)"
         " SELECT max(id), 2, 'a' FROM session WHERE tenant = 1",
         "its agent belongs to tenant #2"},
        {"INSERT INTO folder_place(folder, tenant, position) VALUES(5, 2, 7)",
         "folder plans row its position belongs to tenant #2, the folder to "
         "tenant #1"},
        {"DELETE FROM memory_link; INSERT INTO memory_link(memory, tenant,"
         " artifact) SELECT min(id), 2, 1 FROM memory WHERE tenant = 1",
         "its link belongs to tenant #2, the entry to tenant #1"},
        {"UPDATE pad_block SET tenant = 2 WHERE id = 1",
         "a block belongs to tenant #2, the scratchpad to tenant #1"},
    };
    size_t i;

    flip_furnish("home");
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tenants_sql(wrong[i].sql);
        mends(wrong[i].words);
    }
}

/* Another letter in the list of sessions that the catalogue keeps. */
static void flip_list(const char *text)
{
    struct db_config config = {.access = DB_WRITE, .busy_ms = 1000};
    char *copy = NULL;
    quire_bytes records = {NULL, 0};
    struct db *db;
    struct stmt *s;
    bool row;

    config.path = catalogue_file();
    OK(db_sqlite_open(&config, &db, &test_err));
    OK(db_prepare(db,
                  "SELECT records FROM session_list WHERE dir ="
                  " 'sessions'",
                  &s, &test_err));
    OK(stmt_step(s, &row, &test_err));
    YES(row);
    records = stmt_column_bytes(s, 0);
    copy = memcpy(test_alloc(records.len), records.data, records.len);
    records.data = copy;
    stmt_finalize(s);
    *(char *)memmem(copy, records.len, text, strlen(text)) ^= 1;
    OK(db_prepare(db,
                  "UPDATE session_list SET records = ?1 WHERE dir ="
                  " 'sessions'",
                  &s, &test_err));
    stmt_bind_bytes(s, 1, records);
    OK(stmt_step(s, &row, &test_err));
    stmt_finalize(s);
    db_close(db);
}

TEST(repair_makes_lists_and_tallies_again)
{
    flip_furnish("home");
    tenants_sql("UPDATE tally SET messages = messages + 1");
    mends("tally");
    flip_list("the first one");
    mends("list");
}

TEST(repair_finishes_what_was_being_removed)
{
    flip_furnish("home");
    tenants_sql(
        "INSERT INTO removal VALUES('sessions/--x--/gone.jsonl', 1, 1)");
    mends("gone.jsonl removal");
}

TEST(repair_gives_a_file_its_row)
{
    char noise[90000];
    quire_digest digest;
    char sql[200], hex[65];
    quire_blob_info info;
    quire *q;

    flip_furnish("home");
    q = tenants_open(NULL, 0);
    test_noise(100, noise, sizeof noise);
    OK(quire_blob_put(q, bytes_of(noise, sizeof noise), 0, &info, &test_err));
    quire_close(q);
    digest = info.digest;
    hex_encode(digest.byte, sizeof digest.byte, hex);
    snprintf(sql, sizeof sql,
             "DELETE FROM blob WHERE hex(sha256) = upper('%s')", hex);
    tenants_sql(sql);
    mends("stray");
    q = tenants_open(NULL, QUIRE_READ_ONLY);
    OK(quire_blob_stat(q, &digest, &info, &test_err));
    EQ(sizeof noise, info.size);
    quire_close(q);
}

TEST(repair_mends_a_session_and_keeps_the_original)
{
    const char *path;
    char dir[1024];
    quire_bytes was;
    struct heard h;
    int i;

    flip_furnish("home");
    for (i = 0; i < 4; i++) {
        path = flip_session("home", i);
        was = test_read_file(path);
        EQ(0, truncate(path, (off_t)was.len - 20));
    }
    finds("torn");
    h = flip_repair("home", 0);
    OK(h.status);
    EQ(0, h.n);
    HAS(h.text, "mended: ");
    clean("home", QUIRE_CHECK_FULL);
    for (i = 0; i < 4; i++) {
        path = flip_session("home", i);
        YES(test_read_file(path).len > 0);
        snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(path, '/') - path),
                 path);
        was = test_read_file(flip_find(dir, ".bak", 0));
        YES(((const char *)was.data)[was.len - 1] != '\n'); /* torn still */
    }
}

/* Change a table while one of its indexes looks away. */
TEST(repair_makes_the_indexes_of_the_database_again)
{
    int64_t root;
    char sql[400];

    flip_furnish("home");
    root = catalogue_number("SELECT rootpage FROM sqlite_schema WHERE name = "
                            "'artifact_away'");
    tenants_sql("PRAGMA writable_schema=ON;"
                "DELETE FROM sqlite_schema WHERE name = 'artifact_away'");
    tenants_sql("UPDATE artifact SET deleted = deleted + 1 WHERE deleted <> 0");
    snprintf(sql, sizeof sql,
             "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema(type, name,"
             " tbl_name, rootpage, sql) VALUES('index', 'artifact_away',"
             " 'artifact', %lld, 'CREATE INDEX artifact_away ON"
             " artifact(deleted) WHERE deleted <> 0')",
             (long long)root);
    tenants_sql(sql);
    mends("missing from index artifact_away");
}

TEST(a_table_that_is_not_as_quire_makes_it_is_found)
{
    flip_furnish("home");
    tenants_sql("DROP INDEX artifact_away; CREATE INDEX artifact_away ON"
                " artifact(deleted)");
    finds("artifact_away is not as Quire makes it");
}

/* ---- what a person has to decide ---------------------------------------- */

/* It is found, with words, and repair leaves it. */
static void remains(const char *words)
{
    struct heard h = finds(words);

    h = flip_repair("home", 0);
    OK(h.status);
    YES(h.n > 0);
    HAS(h.text, words);
}

TEST(what_leads_nowhere_is_found_and_left_to_a_person)
{
    flip_furnish("home");
    tenants_sql("UPDATE artifact_version SET sha256 = zeroblob(32) WHERE "
                "version = 1");
    remains("missing_blob");
    tenants_sql("PRAGMA foreign_keys=OFF;"
                "UPDATE memory SET artifact = 4711 WHERE artifact IS NOT NULL");
    remains("foreign_key");
    tenants_sql("INSERT INTO setting VALUES('no.such', '1')");
    remains("no.such");
    tenants_sql("CREATE TABLE theirs(x)");
    remains("theirs");
}

TEST(a_row_of_the_wrong_tenant_beside_the_right_one_is_found_and_left)
{
    struct heard h;

    flip_furnish("home");
    tenants_sql("DELETE FROM artifact_access;"
                "INSERT INTO artifact_access(artifact, tenant, n, last)"
                " VALUES(1, 1, 5, 9), (1, 77, 6, 9)");
    remains("its read count belongs to tenant #77");
    h = finds("artifact #1 row");
    EQ(1, h.n);
    /* Both are there. */
    tenants_sql("DELETE FROM artifact_access WHERE tenant = 77 AND n = 6");
    clean("home", QUIRE_CHECK_FULL);
}

TEST(a_session_in_a_folder_of_another_tenant_is_found)
{
    flip_furnish("home");
    tenants_sql("INSERT INTO folder(id, tenant, name, created, updated)"
                " VALUES(5, 2, 'plans', 1, 1);"
                "INSERT INTO filed(session, tenant, folder)"
                " SELECT max(id), 1, 5 FROM session WHERE tenant = 1");
    remains("it is in a folder of another tenant");
}

TEST(a_reference_that_leads_nowhere_is_told_with_its_place)
{
    quire_bytes text;
    struct heard h;
    const char *at;
    char byte[40];

    flip_furnish("home");
    text = test_read_file(flip_session("home", 0));
    at = memmem(text.data, text.len, "blob:sha256:", 12);
    YES(at != NULL);
    tenants_sql("DELETE FROM blob WHERE size = 900");
    h = flip_check("home", QUIRE_CHECK_QUICK);
    EQ(4, h.n);
    HAS(h.text, "missing_blob it refers to blob:sha256:");
    snprintf(byte, sizeof byte, "%.20s", at + 12);
    HAS(h.text, byte);
}

TEST(a_file_among_the_blobs_that_is_none_is_found)
{
    flip_furnish("home");
    test_write_file(test_path("home/blobs/notes.txt"), bytes_str("whose?"));
    remains("notes.txt stray");
}

TEST(a_session_whose_file_has_gone_is_found)
{
    flip_furnish("home");
    unlink(flip_find(test_path("home/sessions"), ".jsonl", 0));
    finds("session_gone");
}

TEST(a_digest_that_a_tool_printed_is_no_reference)
{
    quire_session *s;
    quire *q;

    flip_furnish("home");
    q = tenants_open(NULL, 0);
    OK(quire_session_open(q, flip_find(test_path("home/sessions"), ".jsonl", 0),
                          NULL, &s, &test_err));
    OK(quire_session_append(
        s,
        bytes_str("{\"type\":\"custom\",\"customType\":\"sum\",\"data\":\"01234"
                  "56789012345678901234567890123456789012345678901234567890123"
                  "\"}"),
        NULL, NULL, &test_err));
    quire_session_close(s);
    quire_close(q);
    clean("home", QUIRE_CHECK_FULL);
}

TEST(a_home_that_has_lost_its_catalogue_is_looked_at_as_far_as_it_goes)
{
    struct heard h;

    flip_furnish("home");
    test_write_file(catalogue_file(), bytes_str("no database"));
    h = flip_check("home", 0);
    OK(h.status);
    HAS(h.text, "quire.db database");
    EQ(4, h.sum.sessions);
}

TEST(files_of_a_workspace_are_compared_with_their_artifacts)
{
    struct heard h;
    char dir[256];
    const char *path;

    flip_furnish("home");
    path = strrchr(flip_find(test_path("home/sessions"), ".jsonl", 0), '_') + 1;
    mkdir(test_path("home/artifacts"), 0700);
    mkdir(test_path("home/artifacts/sessions"), 0700);
    snprintf(dir, sizeof dir, "home/artifacts/sessions/%.*s",
             (int)strcspn(path, "."), path);
    mkdir(test_path(dir), 0700);
    strcat(dir, "/agent");
    mkdir(test_path(dir), 0700);
    strcat(dir, "/more.txt");
    test_write_file(test_path(dir), bytes_str("x"));
    h = finds("workspace_extra");
    HAS(h.text, "workspace_missing");
    EQ(2, h.n);
}

/* A file in the workspace of the first session of "home", "agent/" or a
 * directory in it. */
static void work_file(const char *dir, const char *name)
{
    const char *id = strrchr(flip_find(test_path("home/sessions"), ".jsonl", 0),
                             '_');
    char path[256];
    int fd;

    snprintf(path, sizeof path, "home/artifacts/sessions/%.*s/agent/%s",
             (int)strcspn(id + 1, "."), id + 1, dir);
    OK(fs_open_dir(test_path(path), true, &fd, &test_err));
    close(fd);
    strcat(path, name);
    test_write_file(test_path(path), bytes_str("x"));
}

TEST(files_that_deliberately_become_no_artifact_are_no_damage)
{
    struct heard h;

    flip_furnish("home");
    work_file("node_modules/deep/", "index.js");
    work_file("lib/__pycache__/", "a.pyc");
    work_file("cache/", "CACHEDIR.TAG");
    work_file("cache/", "what");
    work_file("", ".hidden");
    h = flip_check("home", 0);
    OK(h.status);
    YES(!strstr(h.text, "workspace_extra"));
    work_file("node_modules.d/", "mine");
    h = finds("workspace_extra");
    HAS(h.text, "node_modules.d/mine workspace_extra");
    YES(!strstr(h.text, "index.js"));
}

/* ---- faults ------------------------------------------------------------- */

TEST(a_check_that_fails_somewhere_says_so_and_writes_nothing)
{
    long n, step = catalogue_long() ? 1 : 23;
    quire_bytes before;
    bool struck = true;

    flip_furnish("home");
    before = test_read_file(catalogue_file());
    for (n = 1; struck; n += step) {
        struct heard h;

        fault_arm(n, n % 2 ? ENOMEM : EIO, false);
        h = flip_check("home", 0);
        struck = fault_disarm();
        /* Nobody who only reads needs to know how closing went, and what is
         * short of memory may take another way. Reading that failed is told. */
        if (struck && !h.status && h.n == 0)
            YES(!strcmp(fault_name(), "close") ||
                strstr(fault_name(), "alloc"));
    }
    SAME(before, test_read_file(catalogue_file()));
    clean("home", QUIRE_CHECK_FULL);
}

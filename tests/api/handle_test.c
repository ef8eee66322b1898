/* The library as a program uses it, through quire.h; a few tests harm the
 * database behind its back. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/db.h"
#include "support/catalog.h"
#include "support/test.h"

static quire *open_home(const char *home, unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = home;
    o.flags = flags;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire *open_store(const char *dir, quire_layout layout)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.blobs = dir;
    o.layout = layout;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

TEST(a_home_is_made_by_the_first_write_and_is_private)
{
    quire *q = open_home(test_path("a/home"), 0);
    quire_blob_info info;
    struct stat st;

    NO(test_exists(test_path("a")));
    OK(quire_blob_put(q, bytes_str("x"), 0, &info, &test_err));
    stat(test_path("a/home"), &st);
    EQ(0700, st.st_mode & 0777);
    stat(test_path("a/home/quire.db"), &st);
    EQ(0600, st.st_mode & 0777);
    quire_close(q);
    /* The database and the reserve; no log is left beside them. */
    EQ(2, test_count_files(test_dir()));
}

static quire_status count(void *ctx, const quire_blob_info *info,
                          quire_error *err)
{
    (void)info;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

TEST(reading_an_absent_home_finds_it_empty_and_makes_nothing)
{
    quire *q = open_home(test_path("home"), QUIRE_READ_ONLY);
    quire_digest d = {{0}};
    quire_bytes out;
    int n = 0;

    OK(quire_blob_list(q, count, &n, &test_err));
    EQ(0, n);
    IS(QUIRE_NOT_FOUND, quire_blob_get(q, &d, &out, &test_err));
    HAS(test_err.what, "no blob 000000000000 in ");
    IS(QUIRE_INVALID, quire_blob_put(q, bytes_str("x"), 0, NULL, &test_err));
    HAS(test_err.what, "reading only");
    quire_close(q);
    NO(test_exists(test_path("home")));
}

TEST(a_reader_becomes_a_writer)
{
    quire *q = open_home(test_path("home"), 0);
    quire_blob_info info;
    quire_bytes out;
    int n = 0;

    OK(quire_blob_list(q, count, &n, &test_err));
    OK(quire_blob_put(q, bytes_str("x"), 0, &info, &test_err));
    OK(quire_blob_list(q, count, &n, &test_err));
    EQ(1, n);
    OK(quire_blob_get(q, &info.digest, &out, &test_err));
    SAME(bytes_str("x"), out);
    quire_close(q);
}

TEST(a_home_is_known_by_what_is_in_it)
{
    static const struct {
        const char *make;
        quire_kind kind;
        quire_layout layout;
    } homes[] = {
        {"", QUIRE_KIND_NATIVE, QUIRE_LAYOUT_PACKED},
        {"conversations", QUIRE_KIND_JP, QUIRE_LAYOUT_LOOSE},
        {"sessions", QUIRE_KIND_OMP, QUIRE_LAYOUT_FLAT},
        {"terminal-sessions", QUIRE_KIND_OMP, QUIRE_LAYOUT_FLAT},
    };
    size_t i;

    for (i = 0; i < sizeof homes / sizeof *homes; i++) {
        quire *q;

        mkdir(test_path("h"), 0700);
        if (*homes[i].make)
            mkdir(strcat(strcat(strcpy(test_alloc(600), test_path("h")), "/"),
                         homes[i].make),
                  0700);
        q = open_home(test_path("h"), 0);
        EQ(homes[i].kind, quire_home_kind(q));
        EQ(homes[i].layout, quire_blob_layout(q));
        quire_close(q);
        test_forget_dir();
    }
}

TEST(an_oh_my_pi_home_is_written_as_it_reads_it)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_blob_info info;
    quire *q;

    o.home = test_path("agent");
    o.kind = QUIRE_KIND_OMP;
    OK(quire_open(&o, &q, &test_err));
    OK(quire_blob_put(q, bytes_str("abc"), 0, &info, &test_err));
    SAME(bytes_str("abc"),
         test_read_file(test_path("agent/blobs/"
                                  "ba7816bf8f01cfea414140de5dae2223"
                                  "b00361a396177a9cb410ff61f20015ad")));
    quire_close(q);
    NO(test_exists(test_path("agent/quire.db")));
    q = open_home(test_path("agent"), 0); /* now it is recognised */
    EQ(QUIRE_KIND_OMP, quire_home_kind(q));
    quire_close(q);
}

TEST(a_store_alone_is_recognised_by_its_files)
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_PACKED,
                                           QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_FLAT};
    size_t i;

    for (i = 0; i < 3; i++) {
        quire *q = open_store(test_path("blobs"), layouts[i]);
        quire_blob_info info;
        quire_bytes out;

        OK(quire_blob_put(q, bytes_str("abc"), 0, &info, &test_err));
        quire_close(q);
        q = open_store(test_path("blobs"), QUIRE_LAYOUT_AUTO);
        EQ(layouts[i], quire_blob_layout(q));
        OK(quire_blob_get(q, &info.digest, &out, &test_err));
        SAME(bytes_str("abc"), out);
        quire_close(q);
        test_forget_dir();
    }
}

TEST(the_blobs_of_a_home_can_be_opened_as_a_store)
{
    quire *q = open_home(test_path("home"), 0);
    char *noise = test_alloc(100000);
    quire_blob_info info[2];
    quire_bytes out;

    test_noise(1, noise, 100000);
    OK(quire_blob_put(q, bytes_str("abc"), 0, &info[0], &test_err));
    OK(quire_blob_put(q, bytes_of(noise, 100000), 0, &info[1], &test_err));
    quire_close(q);
    q = open_store(test_path("home/blobs"), QUIRE_LAYOUT_AUTO);
    EQ(QUIRE_LAYOUT_PACKED, quire_blob_layout(q));
    OK(quire_blob_get(q, &info[0].digest, &out, &test_err));
    OK(quire_blob_get(q, &info[1].digest, &out, &test_err));
    quire_close(q);
}

TEST(a_home_that_is_a_file_is_refused)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    test_write_file(test_path("file"), bytes_str("keep me"));
    o.home = test_path("file");
    IS(QUIRE_IO, quire_open(&o, &q, &test_err));
    HAS(test_err.what, "is not a directory");
    o.home = NULL;
    o.blobs = test_path("file");
    IS(QUIRE_IO, quire_open(&o, &q, &test_err));
    SAME(bytes_str("keep me"), test_read_file(test_path("file")));
}

TEST(a_database_of_someone_else_is_left_alone)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char command[700];
    quire_bytes before;
    quire *q;

    mkdir(test_path("home"), 0700);
    snprintf(command, sizeof command, "%s", catalogue_file());
    test_write_file(command, bytes_str("this is no database, it is a note, "
                                       "and long enough to be looked at"));
    before = test_read_file(command);
    o.home = test_path("home");
    OK(quire_open(&o, &q, &test_err));
    IS(QUIRE_DAMAGED, quire_blob_put(q, bytes_str("x"), 0, NULL, &test_err));
    SAME(before, test_read_file(command));
    quire_close(q);
}

TEST(a_blob_is_found_by_its_first_digits)
{
    quire *q = open_home(test_path("home"), 0);
    quire_blob_info info;
    quire_digest d;

    OK(quire_blob_put(q, bytes_str("abc"), 0, &info, &test_err));
    OK(quire_blob_resolve(q, "ba7816", &d, &test_err));
    SAME(bytes_of(info.digest.byte, 32), bytes_of(d.byte, 32));
    OK(quire_blob_resolve(q, "blob:sha256:BA7816bf", &d, &test_err));
    OK(quire_blob_resolve(q, "sha256:ba7816bf8", &d, &test_err));
    IS(QUIRE_NOT_FOUND, quire_blob_resolve(q, "ba7817", &d, &test_err));
    HAS(test_err.what, "begins with ba7817");
    IS(QUIRE_INVALID, quire_blob_resolve(q, "ba781", &d, &test_err));
    IS(QUIRE_INVALID, quire_blob_resolve(q, "ba78zz", &d, &test_err));
    IS(QUIRE_INVALID, quire_blob_resolve(q, "blob:md5:ba7816", &d, &test_err));
    quire_close(q);
}

TEST(a_file_is_stored_from_its_descriptor)
{
    quire *q = open_home(test_path("home"), 0);
    char *content = test_alloc(3000000);
    quire_blob_info info;
    quire_bytes out;
    int fd, i;

    test_prose(1, content, 3000000);
    test_write_file(test_path("file"), bytes_of(content, 3000000));
    fd = open(test_path("file"), O_RDONLY);
    for (i = 0; i < 2; i++) {
        OK(quire_blob_put_fd(q, fd, 0, &info, &test_err));
        EQ(i, info.existed);
        EQ(3000000, info.size);
    }
    OK(quire_blob_get(q, &info.digest, &out, &test_err));
    SAME(bytes_of(content, 3000000), out);
    close(fd);
    fd = open("/dev/null", O_RDONLY);
    IS(QUIRE_INVALID, quire_blob_put_fd(q, fd, 0, &info, &test_err));
    close(fd);
    quire_close(q);
}

TEST(an_older_program_passes_a_shorter_options_struct)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.size = offsetof(quire_options, kind);
    o.kind = (quire_kind)77; /* beyond its struct: not looked at */
    OK(quire_open(&o, &q, &test_err));
    EQ(QUIRE_KIND_NATIVE, quire_home_kind(q));
    quire_close(q);
}

static void add_line(void *ctx, const char *line)
{
    buf_addf(ctx, "%s\n", line);
}

static int64_t a_moment(void *ctx)
{
    return *(int64_t *)ctx;
}

TEST(the_hooks_are_used)
{
    struct buf log = BUF_INIT(100000);
    quire_options o = QUIRE_OPTIONS_INIT;
    int64_t now = 4000000000000000;
    quire_blob_info info;
    quire *q;

    o.home = test_path("home");
    o.trace = add_line;
    o.trace_ctx = &log;
    o.now_us = a_moment;
    o.now_ctx = &now;
    OK(quire_open(&o, &q, &test_err));
    OK(quire_blob_put(q, bytes_str("x"), 0, &info, &test_err));
    EQ(4000000000, info.seen_s);
    HAS(buf_text(&log), "db begin : ok\n");
    HAS(buf_text(&log), "db commit : ok\n");
    quire_close(q);
    buf_release(&log);
}

TEST(versions_are_told)
{
    char text[64];
    unsigned i;

    SAME_TEXT(QUIRE_VERSION, quire_version());
    for (i = 0; quire_version_of(i, text); i++)
        YES(strchr(text, ' ') != NULL);
    YES(i >= 4);
}

TEST(a_batch_is_kept_by_its_commit_and_forgotten_by_a_rollback)
{
    quire *q = open_home(test_path("home"), 0);
    quire_blob_info info;
    quire_bytes out;

    OK(quire_begin(q, &test_err));
    IS(QUIRE_INVALID, quire_begin(q, &test_err));
    OK(quire_blob_put(q, bytes_str("x"), 0, &info, &test_err));
    quire_rollback(q);
    IS(QUIRE_NOT_FOUND, quire_blob_get(q, &info.digest, &out, &test_err));
    IS(QUIRE_INVALID, quire_commit(q, &test_err));
    OK(quire_begin(q, &test_err));
    OK(quire_blob_put(q, bytes_str("x"), 0, &info, &test_err));
    OK(quire_commit(q, &test_err));
    quire_close(q);
    q = open_home(test_path("home"), QUIRE_READ_ONLY);
    OK(quire_blob_get(q, &info.digest, &out, &test_err));
    quire_close(q);
}

static quire_status roll_back(void *ctx, const quire_blob_info *info,
                              quire_error *err)
{
    (void)info;
    (void)err;
    quire_transaction_rollback(ctx);
    return QUIRE_OK;
}

TEST(a_callback_cannot_roll_back_the_transaction_it_is_called_in)
{
    quire *q = open_home(test_path("home"), 0);
    quire_blob_info info;
    quire_bytes out;

    OK(quire_transaction_begin(q, &test_err));
    OK(quire_blob_put(q, bytes_str("x"), 0, &info, &test_err));
    OK(quire_blob_list(q, roll_back, q, &test_err));
    OK(quire_transaction_end(q, NULL, &test_err));
    OK(quire_blob_get(q, &info.digest, &out, &test_err));
    quire_close(q);
}

/* 128 files wait for the commit; the one after that makes them be named, and a
 * file stands where one of their directories should be. */
TEST(a_batch_that_lost_a_write_is_not_kept)
{
    quire *q = open_home(test_path("home"), 0);
    char *noise = test_alloc(70000);
    quire_blob_info info;
    quire_status st = QUIRE_OK;
    int i, n = 0;

    test_noise(1, noise, 70000);
    OK(quire_blob_put(q, bytes_of(noise, 70000), 0, &info, &test_err));
    OK(quire_begin(q, &test_err));
    for (i = 0; i < 140 && !st; i++) {
        char dir[16];

        memcpy(noise, &i, sizeof i);
        st = quire_blob_put(q, bytes_of(noise, 70000), 0, &info, &test_err);
        snprintf(dir, sizeof dir, "home/blobs/%02x", info.digest.byte[0]);
        if (i == 100)
            test_write_file(test_path(dir), bytes_str("in the way"));
    }
    YES(st != QUIRE_OK);
    IS(QUIRE_IO, quire_commit(q, &test_err));
    HAS(test_err.what, "rolled back");
    quire_close(q);
    q = open_home(test_path("home"), 0);
    OK(quire_blob_list(q, count, &n, &test_err));
    EQ(1, n); /* what was there before */
    quire_close(q);
}

static quire_status call_back(void *ctx, const quire_blob_info *info,
                              quire_error *err)
{
    quire *q = ctx;
    quire_digest d;
    quire_bytes out;

    (void)err;
    IS(QUIRE_INVALID, quire_blob_resolve(q, "ba7816", &d, &test_err));
    HAS(test_err.what, "callback");
    IS(QUIRE_INVALID, quire_blob_get(q, &info->digest, &out, &test_err));
    IS(QUIRE_INVALID, quire_blob_put(q, bytes_str("y"), 0, NULL, &test_err));
    IS(QUIRE_INVALID, quire_begin(q, &test_err));
    IS(QUIRE_INVALID, quire_commit(q, &test_err));
    return QUIRE_OK;
}

static quire_status feed(void *ctx, void *buf, size_t cap, size_t *n,
                         quire_error *err)
{
    (void)err;
    IS(QUIRE_INVALID, quire_blob_put(ctx, bytes_str("z"), 0, NULL, &test_err));
    memset(buf, 0, cap);
    *n = 0;
    return QUIRE_OK;
}

TEST(a_callback_that_comes_back_is_told_so)
{
    quire *q = open_home(test_path("home"), 0);

    OK(quire_blob_put(q, bytes_str("abc"), 0, NULL, &test_err));
    OK(quire_blob_list(q, call_back, q, &test_err));
    OK(quire_blob_put_stream(q, feed, q, 0, NULL, &test_err));
    OK(quire_blob_put(q, bytes_str("y"), 0, NULL, &test_err));
    quire_close(q);
}

TEST(options_that_make_no_sense_are_refused)
{
    quire_options o = {0};
    quire *q = (quire *)&o;

    IS(QUIRE_INVALID, quire_open(&o, &q, &test_err));
    YES(q == NULL);
    o = (quire_options)QUIRE_OPTIONS_INIT;
    o.layout = (quire_layout)99;
    IS(QUIRE_INVALID, quire_open(&o, &q, &test_err));
    o = (quire_options)QUIRE_OPTIONS_INIT;
    o.flags = 1u << 20;
    IS(QUIRE_INVALID, quire_open(&o, &q, &test_err));
}

TEST(a_store_inside_a_home_is_not_the_homes_own)
{
    quire *q = open_home(test_path("home"), 0);
    char *noise = test_alloc(100000);
    quire_blob_info info;
    int i, n = 0;

    test_noise(5, noise, 100000);
    OK(quire_blob_put(q, bytes_str("x"), 0, NULL, &test_err));
    quire_close(q);
    for (i = 0; i < 2; i++) {
        q = open_store(test_path("home/export"), QUIRE_LAYOUT_AUTO);
        EQ(QUIRE_LAYOUT_LOOSE, quire_blob_layout(q));
        noise[0] = (char)i;
        OK(quire_blob_put(q, bytes_of(noise, 100000), 0, &info, &test_err));
        quire_close(q);
    }
    q = open_home(test_path("home"), 0);
    OK(quire_blob_list(q, count, &n, &test_err));
    EQ(1, n);
    quire_close(q);
}

/* Between looking and marking, X is collected and Y gets X's row number. */
struct thief {
    bool done;
};

static void steal(void *ctx, const char *line)
{
    struct thief *t = ctx;
    struct db *db;

    if (t->done || strncmp(line, "db step SELECT blob.id", 22) != 0)
        return;
    t->done = true;
    db = catalogue_open();
    OK(db_exec(db,
               "DELETE FROM blob; INSERT INTO blob VALUES(1, "
               "zeroblob(32), 1, 1, 0, 0, 1)",
               &test_err));
    db_close(db);
}

TEST(a_blob_collected_between_looking_and_marking_is_written_again)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct thief thief = {false};
    int64_t now = 4000000000000000;
    quire_blob_info info;
    quire_bytes out;
    quire *q = open_home(test_path("home"), 0);

    OK(quire_blob_put(q, bytes_str("content X"), 0, NULL, &test_err));
    quire_close(q);
    o.home = test_path("home");
    o.trace = steal;
    o.trace_ctx = &thief;
    o.now_us = a_moment;
    o.now_ctx = &now;
    OK(quire_open(&o, &q, &test_err));
    OK(quire_blob_put(q, bytes_str("content X"), 0, &info, &test_err));
    YES(thief.done);
    EQ(0, info.existed);
    OK(quire_blob_get(q, &info.digest, &out, &test_err));
    SAME(bytes_str("content X"), out);
    quire_close(q);
}

TEST(a_database_with_a_view_for_a_table_is_refused)
{
    quire *q = open_home(test_path("home"), 0);
    struct db *db;
    int n = 0;

    OK(quire_blob_put(q, bytes_str("x"), 0, NULL, &test_err));
    quire_close(q);
    db = catalogue_open();
    OK(db_exec(db,
               "DROP TABLE body; DROP TABLE blob;"
               "CREATE VIEW blob AS WITH RECURSIVE r(n) AS (SELECT 1 "
               "UNION ALL SELECT n + 1 FROM r) SELECT * FROM r",
               &test_err));
    db_close(db);
    q = open_home(test_path("home"), QUIRE_READ_ONLY);
    IS(QUIRE_DAMAGED, quire_blob_list(q, count, &n, &test_err));
    HAS(test_err.what, "tables");
    quire_close(q);
}

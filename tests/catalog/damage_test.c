/*
 * Catalogues that are older, newer, damaged, in use or without room.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "store/db.h"
#include "support/catalog.h"
#include "support/older.h"
#include "support/slow.h"
#include "support/tenants.h"

static quire *open_patiently(int busy_ms)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.tenant = "default";
    o.busy_ms = busy_ms;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

/* ---- older and newer ---------------------------------------------------- */

/* In a process of its own: wait for the others, then put. */
static int migrate(int gate, int who)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char path[32], byte;
    quire *q;

    o.home = test_path("home");
    o.tenant = "default";
    o.busy_ms = 20000;
    if (read(gate, &byte, 1) != 0)
        return 1;
    snprintf(path, sizeof path, "w%d", who);
    if (quire_open(&o, &q, &test_err) ||
        quire_artifact_put(q, NULL, path, bytes_str(path), NULL, NULL,
                           &test_err)) {
        fprintf(stderr, "%s\n", test_err.what);
        return 1;
    }
    quire_close(q);
    return 0;
}

static void migrate_at_once(int step, int n)
{
    pid_t child[8];
    int i, gate[2], status;
    quire *q = tenants_open(NULL, 0);

    if (step >= 3)
        tenants_put(q, "old", "from before");
    else
        OK(quire_blob_put(q, bytes_str("old"), 0, NULL, &test_err));
    quire_close(q);
    test_undo_steps(step);
    YES(pipe(gate) == 0);
    for (i = 0; i < n; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            close(gate[1]);
            _exit(migrate(gate[0], i));
        }
    }
    close(gate[0]);
    close(gate[1]); /* go */
    for (i = 0; i < n; i++) {
        waitpid(child[i], &status, 0);
        EQ(0, status);
    }
    EQ(n + (step >= 3), catalogue_number("SELECT count(*) FROM artifact"));
    q = tenants_open(NULL, 0);
    if (step >= 3)
        SAME_TEXT("from before", tenants_read(q, "old"));
    SAME_TEXT("w0", tenants_read(q, "w0"));
    quire_close(q);
    EQ(0, tenants_recount());
    catalogue_sound();
}

TEST(processes_that_bring_an_older_home_up_to_date_at_once_do_it_once)
{
    static const int crowds[] = {2, 8};
    int step, i;

    for (step = 2; step <= 7; step++) {
        for (i = 0; i < 2; i++) {
            migrate_at_once(step, crowds[i]);
            test_forget_dir();
        }
    }
}

TEST(a_home_of_a_newer_version_is_refused_in_words_and_left_as_it_is)
{
    quire *q = tenants_open(NULL, 0);
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire_bytes before, after;
    quire_artifact a;
    int flags;

    tenants_put(q, "a", "x");
    quire_close(q);
    tenants_sql("PRAGMA user_version=99");
    before = test_read_file(catalogue_file());
    o.title = bytes_str("t");
    for (flags = 0; flags <= QUIRE_READ_ONLY; flags += QUIRE_READ_ONLY) {
        q = tenants_open(NULL, (unsigned)flags);
        IS(QUIRE_INVALID,
           quire_artifact_stat(q, NULL, "a", NULL, &a, &test_err));
        HAS(test_err.what, "newer Quire (format 99");
        HAS(test_err.next, "version");
        IS(QUIRE_INVALID, quire_artifact_put(q, NULL, "a", bytes_str("y"), NULL,
                                             &a, &test_err));
        IS(QUIRE_INVALID, quire_memory_add(q, NULL, &o, NULL, &test_err));
        IS(QUIRE_INVALID,
           quire_pad_append(q, "", bytes_str("x"), NULL, &test_err));
        quire_close(q);
    }
    after = test_read_file(catalogue_file());
    SAME(before, after);
}

/* ---- damaged ------------------------------------------------------------ */

enum { FILES = 60 };

static void content(int i, char *out, size_t len)
{
    test_prose((uint64_t)i, out, len);
}

/* A home with pages of every kind: tables, indexes, words, long texts. */
static void make_varied(void)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire *q = tenants_open(NULL, 0);
    char path[32], *text = test_alloc(60000);
    quire_artifact a;
    int i;

    for (i = 0; i < FILES; i++) {
        size_t len = i % 20 == 19 ? 60000 : 3000;

        snprintf(path, sizeof path, "f%d", i);
        content(i, text, len);
        if (i % 20 == 19) /* it lies in a chain of pages */
            test_noise((uint64_t)i, text, len / 2);
        OK(quire_artifact_put(q, NULL, path, bytes_of(text, len), NULL, &a,
                              &test_err));
        o.title = bytes_str(path);
        o.content = bytes_of(text, 500);
        if (i % 20 != 19)
            OK(quire_memory_add(q, NULL, &o, NULL, &test_err));
    }
    OK(quire_pad_append(q, "", bytes_str("a note"), NULL, &test_err));
    tenants_session(q, "s");
    quire_close(q);
}

static quire_status ignore_artifact(void *ctx, const quire_artifact *a,
                                    quire_error *err)
{
    (void)ctx;
    (void)a;
    (void)err;
    return QUIRE_OK;
}

static quire_status ignore_hit(void *ctx, const quire_hit *h, quire_error *err)
{
    (void)ctx;
    (void)h;
    (void)err;
    return QUIRE_OK;
}

static quire_status ignore_memory(void *ctx, const quire_memory *m,
                                  quire_error *err)
{
    (void)ctx;
    (void)m;
    (void)err;
    return QUIRE_OK;
}

static quire_status add_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

/* An answer that a damaged catalogue may give. What it does not find it says,
 * and a flipped version may be a newer one. */
static bool may_say(quire_status st)
{
    if (st != QUIRE_OK && !test_err.what[0])
        return false;
    return st == QUIRE_OK || st == QUIRE_DAMAGED || st == QUIRE_IO ||
           st == QUIRE_NOT_FOUND || st == QUIRE_EXISTS || st == QUIRE_INVALID ||
           st == QUIRE_QUOTA;
}

/* Whether what is read is what was put. */
static bool reads_right(quire *q, int i, char *text)
{
    size_t len = i % 20 == 19 ? 60000 : 3000;
    struct buf got = BUF_INIT(1 << 20);
    quire_status st;
    char path[32];
    bool good = true;

    snprintf(path, sizeof path, "f%d", i);
    content(i, text, len);
    if (i % 20 == 19)
        test_noise((uint64_t)i, text, len / 2);
    st = quire_artifact_get(q, NULL, path, NULL, add_bytes, &got, NULL,
                            &test_err);
    if (!st)
        good = bytes_equal(bytes_of(text, len), buf_bytes(&got));
    buf_release(&got);
    return good && may_say(st);
}

#define TRY(call)                                                          \
    do {                                                                   \
        quire_status said;                                                 \
                                                                           \
        test_err.what[0] = '\0';                                           \
        said = (call);                                                     \
        if (!may_say(said)) {                                              \
            fprintf(stderr, "%s: %s %s\n", #call, quire_status_name(said), \
                    test_err.what);                                        \
            return 1;                                                      \
        }                                                                  \
    } while (0)

/* Everything once, in a process that may die of it. */
static int use_damaged(unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char *text = malloc(60000);
    quire *q;
    int i;

    alarm(20);
    o.home = test_path("home");
    o.tenant = "default";
    o.busy_ms = 1000;
    o.flags = flags;
    if (!text || quire_open(&o, &q, &test_err))
        return 2;
    for (i = 0; i < FILES; i += 7) {
        if (!reads_right(q, i, text)) {
            fprintf(stderr, "f%d reads wrong: %s\n", i, test_err.what);
            return 1;
        }
    }
    TRY(quire_artifact_list(q, NULL, NULL, ignore_artifact, NULL, &test_err));
    TRY(quire_artifact_search(q, NULL, "session", NULL, ignore_hit, NULL, NULL,
                              &test_err));
    TRY(quire_memory_search(q, bytes_str("session build"), NULL, ignore_memory,
                            NULL, NULL, &test_err));
    TRY(quire_memory_list(q, NULL, ignore_memory, NULL, &test_err));
    if (!flags) {
        TRY(quire_artifact_put(q, NULL, "f1", bytes_str("new"), NULL, NULL,
                               &test_err));
        TRY(quire_artifact_put(q, NULL, "new", bytes_str("new"), NULL, NULL,
                               &test_err));
        TRY(quire_artifact_remove(q, NULL, "f2", 0, &test_err));
        TRY(quire_memory_invalidate(q, 3, 0, &test_err));
        TRY(quire_pad_append(q, "", bytes_str("more"), NULL, &test_err));
        TRY(quire_artifact_recount(q, NULL, &test_err));
    }
    quire_close(q);
    free(text);
    return 0;
}

static void survives(const char *how, long page, long at)
{
    unsigned flags = (unsigned)(page + at) % 3 == 0 ? QUIRE_READ_ONLY : 0;
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(use_damaged(flags));
    waitpid(child, &status, 0);
    if (status)
        fprintf(stderr, "%s, page %ld, at %ld: status %x\n", how, page, at,
                (unsigned)status);
    EQ(0, status);
}

/* Some bytes of a page become others: at its head, where its cells are named,
 * and where they lie. */
TEST(a_catalogue_damaged_in_any_page_is_told_and_gives_nothing_wrong)
{
    enum { PAGE = 16384 };
    static const long spots[] = {0, 5, 9, 40, 3000, 9000, PAGE - 200};
    const char *db;
    quire_bytes whole;
    uint64_t seed = 11;
    long page, pages;
    size_t i, from, many;

    make_varied();
    catalogue_copy(test_path("home"), test_path("ground"));
    whole = test_read_file(catalogue_file());
    pages = (long)(whole.len / PAGE);
    YES(pages > 30);
    many = catalogue_long() ? sizeof spots / sizeof *spots : 1;
    for (page = 0; page < pages; page++) {
        from = catalogue_long() ? 0
                                : (size_t)page % (sizeof spots / sizeof *spots);
        for (i = from; i < from + many; i++) {
            char *copy = test_alloc(whole.len);
            long at = spots[i] + (page == 0 && spots[i] < 100 ? 100 : 0);
            size_t k;

            memcpy(copy, whole.data, whole.len);
            for (k = 0; k < (i < 3 ? 1 : 20); k++)
                copy[page * PAGE + at + (long)k] ^=
                    (char)(1 + slow_random(&seed, 255));
            catalogue_copy(test_path("ground"), test_path("home"));
            db = catalogue_file();
            test_write_file(db, bytes_of(copy, whole.len));
            survives("flipped", page, at);
        }
    }
}

TEST(a_catalogue_that_was_cut_is_told_and_gives_nothing_wrong)
{
    static const size_t cuts[] = {1, 50, 100, 512, 16383, 16384, 16385, 200000};
    quire_bytes whole;
    size_t i;

    make_varied();
    catalogue_copy(test_path("home"), test_path("ground"));
    whole = test_read_file(catalogue_file());
    for (i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        catalogue_copy(test_path("ground"), test_path("home"));
        test_write_file(catalogue_file(), bytes_of(whole.data, cuts[i]));
        survives("cut", 0, (long)cuts[i]);
    }
    for (i = 1; i < 6; i++) { /* pages at the end */
        catalogue_copy(test_path("ground"), test_path("home"));
        test_write_file(catalogue_file(),
                        bytes_of(whole.data, whole.len - i * 16384 + 7));
        survives("cut at the end", 0, (long)i);
    }
}

TEST(a_catalogue_that_is_a_text_is_refused_and_left_as_it_is)
{
    quire_bytes text = bytes_str("Dear diary, this is no database at all.\n");
    quire *q = tenants_open(NULL, 0);
    quire_artifact a;

    tenants_put(q, "a", "x");
    quire_close(q);
    test_write_file(catalogue_file(), text);
    q = tenants_open(NULL, 0);
    IS(QUIRE_DAMAGED,
       quire_artifact_put(q, NULL, "a", bytes_str("y"), NULL, &a, &test_err));
    HAS(test_err.what, "quire.db");
    YES(test_err.next[0]);
    IS(QUIRE_DAMAGED, quire_artifact_stat(q, NULL, "a", NULL, &a, &test_err));
    IS(QUIRE_DAMAGED,
       quire_memory_list(q, NULL, ignore_memory, NULL, &test_err));
    quire_close(q);
    SAME(text, test_read_file(catalogue_file()));
}

TEST(an_empty_catalogue_is_one_that_was_never_begun)
{
    quire *q = tenants_open(NULL, 0);

    tenants_put(q, "a", "x");
    quire_close(q);
    test_write_file(catalogue_file(), bytes_of("", 0));
    q = tenants_open(NULL, 0);
    tenants_put(q, "b", "y");
    SAME_TEXT("y", tenants_read(q, "b"));
    quire_close(q);
    catalogue_sound();
}

/* ---- in use ------------------------------------------------------------- */

TEST(a_catalogue_that_another_does_not_let_go_is_busy_and_can_be_read)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire *q = open_patiently(60);
    char token[QUIRE_TOKEN_SIZE];
    int ready[2] = {-1, -1}, hold[2] = {-1, -1}, status;
    const char *before;
    quire_artifact a;
    pid_t child;
    char byte;

    tenants_put(q, "a", "walrus");
    before = catalogue_dump();
    o.title = bytes_str("t");
    YES(pipe(ready) == 0 && pipe(hold) == 0);
    child = fork();
    if (child == 0) {
        struct db *db = catalogue_open();

        close(hold[1]);
        if (db_begin(db, DB_SOON, DB_ALL_TENANTS, &test_err) ||
            write(ready[1], "", 1) != 1)
            _exit(1);
        _exit(read(hold[0], &byte, 1) != 0);
    }
    close(hold[0]);
    EQ(1, read(ready[0], &byte, 1));
    IS(QUIRE_BUSY,
       quire_artifact_put(q, NULL, "b", bytes_str("y"), NULL, &a, &test_err));
    HAS(test_err.what, "another process");
    HAS(test_err.next, "try again");
    IS(QUIRE_BUSY, quire_artifact_remove(q, NULL, "a", 0, &test_err));
    IS(QUIRE_BUSY, quire_memory_add(q, NULL, &o, NULL, &test_err));
    IS(QUIRE_BUSY, quire_pad_append(q, "", bytes_str("x"), NULL, &test_err));
    IS(QUIRE_BUSY, quire_config_set(q, "quota.file", "9", &test_err));
    IS(QUIRE_BUSY, quire_tenant_add(q, "t", token, NULL, &test_err));
    SAME_TEXT("walrus", tenants_read(q, "a")); /* it is not counted */
    OK(quire_artifact_search(q, NULL, "walrus", NULL, ignore_hit, NULL, NULL,
                             &test_err));
    SAME_TEXT(before, catalogue_dump());
    close(hold[1]);
    waitpid(child, &status, 0);
    EQ(0, status);
    tenants_put(q, "b", "y");
    OK(quire_memory_add(q, NULL, &o, NULL, &test_err));
    quire_close(q);
    close(ready[0]);
    close(ready[1]);
    catalogue_sound();
}

/* ---- no room ------------------------------------------------------------ */

/* Files may not become larger than they are: what is refused has changed
 * nothing, says why, and the same handle goes on when there is room. */
TEST(puts_that_would_make_a_file_too_large_change_nothing)
{
    struct rlimit was, tight;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    quire *q = tenants_open(NULL, 0);
    char *noise = test_alloc(400000), path[32];
    int i, refused = 0;

    test_noise(5, noise, 400000);
    EQ(0, getrlimit(RLIMIT_FSIZE, &was));
    tenants_put(q, "a", "before");
    for (i = 0; i < 12; i++) {
        size_t len = i % 3 ? 50000 : 200000; /* a row, a file */
        const char *before = catalogue_dump();
        quire_artifact a;
        quire_status st;

        tight = was;
        tight.rlim_cur = 20000 + (rlim_t)i * 30000;
        snprintf(path, sizeof path, "f%d", i);
        EQ(0, setrlimit(RLIMIT_FSIZE, &tight));
        st = quire_artifact_put(q, NULL, path, bytes_of(noise + i, len), NULL,
                                &a, &test_err);
        EQ(0, setrlimit(RLIMIT_FSIZE, &was));
        if (st) {
            refused++;
            IS(QUIRE_IO, st);
            YES(strstr(test_err.what, "quire.db") ||
                strstr(test_err.what, "blobs"));
            YES(test_err.next[0]);
            SAME_TEXT(before, catalogue_dump());
        }
        OK(quire_artifact_put(q, NULL, path, bytes_of(noise + i, len), NULL, &a,
                              &test_err));
    }
    YES(refused > 3);
    SAME_TEXT("before", tenants_read(q, "a"));
    quire_close(q);
    signal(SIGXFSZ, handler);
    EQ(0, tenants_recount());
    catalogue_sound();
}

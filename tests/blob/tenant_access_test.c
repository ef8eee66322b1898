/* Whose a blob is: what a tenant did not put is not there for it. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "store/db.h"
#include "store/sql.h"
#include "support/catalog.h"
#include "support/gc.h"
#include "support/older.h"
#include "support/tenants.h"

static quire_digest put(quire *q, const char *text, int existed)
{
    quire_blob_info info;

    OK(quire_blob_put(q, bytes_str(text), 0, &info, &test_err));
    EQ(existed, info.existed);
    return info.digest;
}

static quire_status count(void *ctx, quire_bytes piece, quire_error *err)
{
    (void)err;
    *(size_t *)ctx += piece.len;
    return QUIRE_OK;
}

/* All doors say the same. */
static void is(quire *q, const quire_digest *d, quire_status status)
{
    quire_check_hooks hooks = QUIRE_CHECK_HOOKS_INIT;
    quire_blob_info info;
    quire_bytes bytes;
    size_t n = 0;

    IS(status, quire_blob_stat(q, d, &info, &test_err));
    IS(status, quire_blob_get(q, d, &bytes, &test_err));
    IS(status, quire_blob_read(q, d, 0, UINT64_MAX, count, &n, &test_err));
    IS(status, quire_blob_check(q, d, &hooks, &test_err));
    YES((status == QUIRE_OK) == (n > 0));
}

static int64_t rows(void)
{
    struct db *db;
    int64_t n;

    db = catalogue_open();
    OK(sql_number(db, "SELECT count(*) FROM blob_tenant", &n, &test_err));
    db_close(db);
    return n;
}

TEST(a_blob_is_there_for_who_put_it_and_for_the_home)
{
    quire *home, *ann, *bob;
    quire_digest d, large;
    char *text = test_alloc(3 << 20);

    tenants_add("ann");
    tenants_add("bob");
    home = tenants_open(NULL, 0);
    ann = tenants_open("ann", 0);
    bob = tenants_open("bob", 0);
    d = put(ann, "of ann", 0);
    is(ann, &d, QUIRE_OK);
    is(bob, &d, QUIRE_NOT_FOUND);
    is(home, &d, QUIRE_OK);
    put(home, "of ann", 1);
    put(bob, "of ann", 0);
    put(bob, "of ann", 1);
    is(bob, &d, QUIRE_OK);
    d = put(home, "of the home", 0);
    is(ann, &d, QUIRE_NOT_FOUND);
    memset(text, 'x', (3 << 20) - 1);
    text[(3 << 20) - 1] = '\0';
    large = put(ann, text, 0);
    is(bob, &large, QUIRE_NOT_FOUND);
    put(bob, text, 0);
    is(bob, &large, QUIRE_OK);
    EQ(4, rows());
    quire_close(home);
    quire_close(ann);
    quire_close(bob);
}

/* The file of a blob, as stat(2) shows it. */
static struct stat file_of(const quire_digest *d)
{
    char hex[65], name[128];
    struct stat st;

    hex_encode(d->byte, sizeof d->byte, hex);
    snprintf(name, sizeof name, "home/blobs/%.2s/%.2s/%s.blob.gz", hex, hex + 2,
             hex + 4);
    EQ(0, stat(test_path(name), &st));
    return st;
}

TEST(content_of_another_tenant_is_written_as_if_it_were_new)
{
    quire *home, *ann, *bob;
    char *text = test_alloc(300001);
    struct stat first, second;
    quire_digest d;
    unsigned i;

    for (i = 0; i < 300000; i++)
        text[i] = (char)('!' + (i * i * 2654435761u >> 16) % 90);
    tenants_add("ann");
    tenants_add("bob");
    home = tenants_open(NULL, 0);
    ann = tenants_open("ann", 0);
    bob = tenants_open("bob", 0);
    d = put(ann, text, 0);
    first = file_of(&d);
    put(ann, text, 1);
    second = file_of(&d);
    YES(first.st_ino == second.st_ino);
    put(bob, text, 0);
    second = file_of(&d);
    YES(first.st_ino != second.st_ino ||
        first.st_ctim.tv_nsec != second.st_ctim.tv_nsec);
    put(bob, text, 1);
    is(ann, &d, QUIRE_OK);
    is(bob, &d, QUIRE_OK);
    is(home, &d, QUIRE_OK);
    EQ(2, rows());
    quire_close(home);
    quire_close(ann);
    quire_close(bob);
}

TEST(a_batch_that_is_undone_gives_nobody_anything)
{
    quire *ann, *bob;
    quire_digest d;

    tenants_add("ann");
    tenants_add("bob");
    ann = tenants_open("ann", 0);
    bob = tenants_open("bob", 0);
    put(ann, "text", 0);
    OK(quire_begin(bob, &test_err));
    d = put(bob, "text", 0);
    quire_rollback(bob);
    is(bob, &d, QUIRE_NOT_FOUND);
    OK(quire_begin(bob, &test_err));
    put(bob, "text", 0);
    OK(quire_commit(bob, &test_err));
    is(bob, &d, QUIRE_OK);
    quire_close(ann);
    quire_close(bob);
}

TEST(blob_table_go_with_their_blob_and_with_their_tenant)
{
    quire_collect_report report;
    quire *home, *ann;

    tenants_add("ann");
    ann = tenants_open("ann", 0);
    put(ann, "loose", 0);
    tenants_put(ann, "kept", "kept");
    EQ(2, rows());
    home = tenants_open(NULL, 0);
    OK(collect_run(home, 0, 0, &report));
    OK(collect_run(home, 0, 0, &report));
    EQ(1, rows());
    SAME_TEXT("kept", tenants_read(ann, "kept"));
    quire_close(ann);
    OK(quire_tenant_remove(home, "ann", 1, &test_err));
    EQ(0, rows());
    quire_close(home);
}

TEST(of_an_older_home_a_tenant_has_its_artifacts)
{
    quire *ann, *bob;
    quire_artifact a;
    quire_digest d;

    tenants_add("ann");
    tenants_add("bob");
    ann = tenants_open("ann", 0);
    tenants_put(ann, "a", "first");
    a = tenants_put(ann, "a", "second");
    d = put(ann, "by itself", 0);
    quire_close(ann);
    test_undo_steps(16);
    /* Who reads it as it is cannot be told whose it is. */
    bob = tenants_open("bob", QUIRE_READ_ONLY);
    is(bob, &d, QUIRE_OK);
    quire_close(bob);
    ann = tenants_open("ann", 0);
    bob = tenants_open("bob", 0);
    put(bob, "of bob", 0);
    EQ(3, rows());
    is(ann, &a.digest, QUIRE_OK);
    is(bob, &a.digest, QUIRE_NOT_FOUND);
    is(ann, &d, QUIRE_NOT_FOUND);
    quire_close(ann);
    quire_close(bob);
}

static quire_status look(void *ctx, const quire_entry *e, quire_error *err)
{
    (void)err;
    *(bool *)ctx |= memmem(e->json.data, e->json.len, "blob:sha256:", 12) !=
                    NULL;
    return QUIRE_OK;
}

/* Whether the images of a session stay references. */
static bool stays(quire *q, const char *path)
{
    quire_session *s;
    bool any = false;

    OK(quire_session_open(q, path, NULL, &s, &test_err));
    OK(quire_session_entries(s, QUIRE_HYDRATE, look, &any, &test_err));
    quire_session_close(s);
    return any;
}

TEST(an_image_is_its_tenants_and_a_name_of_it_gives_nothing)
{
    quire *ann, *bob;
    char path[4096], other[4096];
    quire_session *s;
    struct buf entry = BUF_INIT(4096);

    tenants_add("ann");
    tenants_add("bob");
    ann = tenants_open("ann", 0);
    bob = tenants_open("bob", 0);
    OK(collect_session(ann, 1, path));
    is(ann, collect_digest(1), QUIRE_OK);
    is(bob, collect_digest(1), QUIRE_NOT_FOUND);
    YES(!stays(ann, path));
    OK(collect_session(bob, 2, other));
    OK(quire_session_open(bob, other, NULL, &s, &test_err));
    buf_addf(
        &entry,
        "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":["
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"%s\"}]}}",
        collect_ref(1));
    OK(quire_session_append(s, buf_bytes(&entry), NULL, NULL, &test_err));
    quire_session_close(s);
    YES(stays(bob, other));
    buf_release(&entry);
    quire_close(ann);
    quire_close(bob);
}

struct writer {
    const char *name;
    pthread_t thread;
};

enum { PUTS = 40 };

static void *write_artifacts(void *ctx)
{
    const struct writer *w = ctx;
    quire *q = tenants_open(w->name, 0);
    char text[64];
    int i;

    for (i = 0; i < PUTS; i++) {
        snprintf(text, sizeof text, "%s%d", w->name, i);
        tenants_put(q, text, text);
    }
    quire_close(q);
    return NULL;
}

/* Puts at the same time share a transaction, which one of them makes. */
TEST(what_tenants_put_together_is_each_ones_own)
{
    struct writer w[] = {{.name = "ann"}, {.name = "bob"}, {.name = "cid"}};
    quire_artifact a;
    size_t i, j;

    for (i = 0; i < 3; i++)
        tenants_add(w[i].name);
    for (i = 0; i < 3; i++)
        YES(!pthread_create(&w[i].thread, NULL, write_artifacts, &w[i]));
    for (i = 0; i < 3; i++)
        pthread_join(w[i].thread, NULL);
    EQ(3 * PUTS, rows());
    for (i = 0; i < 3; i++) {
        quire *own = tenants_open(w[i].name, 0);
        char path[64];

        snprintf(path, sizeof path, "%s7", w[i].name);
        OK(quire_artifact_stat(own, NULL, path, NULL, &a, &test_err));
        for (j = 0; j < 3; j++) {
            quire *q = tenants_open(w[j].name, 0);

            is(q, &a.digest, i == j ? QUIRE_OK : QUIRE_NOT_FOUND);
            quire_close(q);
        }
        quire_close(own);
    }
}

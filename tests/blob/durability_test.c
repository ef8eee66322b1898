/* What a put has acknowledged is where a power cut cannot take it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "blob/priv.h"
#include "support/durability.h"
#include "support/store.h"

static const quire_layout layouts[] = {QUIRE_LAYOUT_PACKED, QUIRE_LAYOUT_LOOSE,
                                       QUIRE_LAYOUT_FLAT};

static void is_safe(void)
{
    EQ(0, lasting_marked());
    EQ(0, lasting_breaches());
}

TEST(what_put_acknowledges_is_synced_before_it_is_named_and_after)
{
    char *noise = test_alloc(1100000);
    size_t l;
    int i;

    test_noise(1, noise, 1100000);
    for (l = 0; l < 3; l++) {
        struct fix f;

        fix_open(&f, layouts[l], true);
        lasting_watch(true);
        for (i = 0; i < 20; i++) {
            memcpy(noise, &i, sizeof i);
            fix_put(&f, bytes_of(noise, i % 5 ? 90000 : 1100000));
            is_safe();
        }
        lasting_watch(false);
        fix_close(&f);
        test_forget_dir();
    }
}

TEST(what_a_batch_acknowledges_is_synced_by_its_commit)
{
    char *noise = test_alloc(90000);
    size_t l;
    int n, i;

    test_noise(2, noise, 90000);
    for (l = 0; l < 3; l++) {
        for (n = 1; n < 300; n = n * 4 + 1) {
            struct fix f;

            fix_open(&f, layouts[l], true);
            lasting_watch(true);
            OK(blobs_begin(f.blobs, DB_ALL_TENANTS, &test_err));
            for (i = 0; i < n; i++) {
                memcpy(noise, &i, sizeof i);
                fix_put(&f, bytes_of(noise, 90000));
            }
            OK(blobs_commit(f.blobs, &test_err));
            is_safe();
            lasting_watch(false);
            fix_close(&f);
            test_forget_dir();
        }
    }
}

/* Another program wrote the file and did not wait for the disk. */
static void write_carelessly(const char *path, quire_bytes bytes)
{
    char dir[700];
    int fd = open(path, O_WRONLY | O_CREAT, 0600);

    YES(fd >= 0);
    EQ(0, fs_write_all(fd, bytes));
    lasting_mark(fd);
    close(fd);
    snprintf(dir, sizeof dir, "%s", path);
    *strrchr(dir, '/') = '\0';
    fd = open(dir, O_RDONLY | O_DIRECTORY);
    lasting_mark(fd);
    close(fd);
}

TEST(content_that_someone_else_wrote_is_synced_before_it_is_relied_on)
{
    int batch;

    for (batch = 0; batch < 2; batch++) {
        quire_bytes content = bytes_str("written by another program");
        quire_blob_info info;
        quire_digest d;
        struct fix f;

        fix_open(&f, QUIRE_LAYOUT_FLAT, true);
        fix_put(&f, bytes_str("so that the directory is there"));
        hash_bytes(content, &d);
        lasting_watch(true);
        write_carelessly(fix_file(&f, &d), content);
        YES(lasting_marked() > 0);
        if (batch)
            OK(blobs_begin(f.blobs, DB_ALL_TENANTS, &test_err));
        OK(blob_put(blob_view_all(f.blobs), content, 0, &info, &test_err));
        EQ(1, info.existed);
        if (batch)
            OK(blobs_commit(f.blobs, &test_err));
        is_safe();
        lasting_watch(false);
        fix_close(&f);
        test_forget_dir();
    }
}

/* Synced once is enough, until somebody changes it. */
TEST(what_this_handle_has_synced_is_synced_again_when_it_has_changed)
{
    quire_bytes content = bytes_str("put again and again");
    struct fix f;
    char file[700];
    int fd;

    fix_open(&f, QUIRE_LAYOUT_FLAT, true);
    snprintf(file, sizeof file, "%s",
             fix_file(&f, &(quire_digest[1]){fix_put(&f, content)}[0]));
    fix_put(&f, content);
    lasting_watch(true);
    fd = open(file, O_WRONLY);
    lasting_mark(fd);
    test_now_s += 2;
    fix_put(&f, content); /* unchanged, as far as anyone can tell */
    EQ(1, lasting_marked());
    usleep(20000); /* the kernel's clock ticks */
    EQ(0, fs_write_all(fd, bytes_of("p", 1)));
    close(fd);
    test_now_s += 2;
    fix_put(&f, content);
    EQ(0, lasting_marked());
    fix_close(&f);
}

TEST(a_file_without_its_row_is_synced_before_it_is_adopted)
{
    char *noise = test_alloc(90000);
    quire_bytes content = bytes_of(noise, 90000), file;
    quire_blob_info info;
    quire_digest d;
    struct fix f;

    test_noise(3, noise, 90000);
    fix_open(&f, QUIRE_LAYOUT_PACKED, true);
    d = fix_put(&f, content);
    file = test_read_file(fix_file(&f, &d));
    OK(db_exec(f.db, "DELETE FROM blob", &test_err));
    unlink(fix_file(&f, &d));
    lasting_watch(true);
    write_carelessly(fix_file(&f, &d), file);
    OK(blob_put(blob_view_all(f.blobs), content, 0, &info, &test_err));
    EQ(1, info.existed);
    is_safe();
    fix_close(&f);
}

TEST(replacing_and_appending_last_too)
{
    struct log_draft *d;
    struct store *s;
    struct log *l;
    int dir;

    OK(fs_open_dir(test_dir(), false, &dir, &test_err));
    lasting_watch(true);
    OK(fs_replace(dir, "a/b/c", bytes_str("one"), &test_err));
    is_safe();
    OK(fs_replace(dir, "a/b/c", bytes_str("two"), &test_err));
    is_safe();
    OK(store_files_open(test_path("s"), false, &s, &test_err));
    OK(log_create(s->logs, "log", &d, &test_err));
    OK(log_write(d, bytes_str("line\n"), &test_err));
    OK(log_publish(d, "x/log", false, &l, &test_err));
    is_safe();
    OK(log_append(l, LOG_NO_EPOCH, 5, bytes_str("line\n"), &test_err));
    OK(log_sync(l, &test_err));
    is_safe();
    log_close(l);
    store_free(s);
    close(dir);
}

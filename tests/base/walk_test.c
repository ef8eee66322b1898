/* Lists of all files below a directory, one by one and with threads. */
#include "base/walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/test.h"

static void add_line(struct buf *out, const char *name, uint64_t ino,
                     uint64_t size, struct timespec at)
{
    buf_addf(out, "%s %llu %llu %lld.%ld\n", name, (unsigned long long)ino,
             (unsigned long long)size, (long long)at.tv_sec, at.tv_nsec);
}

static quire_status add_file(void *ctx, const char *name, const struct stat *st,
                             quire_error *err)
{
    (void)err;
    add_line(ctx, name, st->st_ino, (uint64_t)st->st_size, st->st_mtim);
    return QUIRE_OK;
}

static quire_status add_seen(void *ctx, quire_bytes name,
                             const struct walk_stat *st, quire_error *err)
{
    (void)err;
    YES(S_ISREG(st->mode));
    EQ(strlen(name.data), name.len);
    add_line(ctx, name.data, st->ino, (uint64_t)st->size, st->modified);
    return QUIRE_OK;
}

/* `n` files, each as large as its number, and a directory among them. */
static int make_files(const char *at, int n)
{
    int dir, i, fd;
    char name[32];

    EQ(0, mkdir(test_path(at), 0700));
    dir = open(test_path(at), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    EQ(0, mkdirat(dir, "f5", 0700));
    for (i = 0; i < n; i++) {
        snprintf(name, sizeof name, i % 10 ? "f%d" : "f5/%d", i + 10);
        fd = openat(dir, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        YES(fd >= 0);
        EQ(0, ftruncate(fd, i));
        close(fd);
    }
    EQ(0, symlinkat("f11", dir, "link"));
    EQ(0, mkfifoat(dir, "pipe", 0600));
    return dir;
}

static void same_lists(const char *at, int n)
{
    struct buf one = BUF_INIT(1 << 20), many = BUF_INIT(1 << 20);
    int dir = make_files(at, n), lines = 0;
    size_t i;

    OK(walk_files(dir, at, "", add_file, &one, &test_err));
    OK(walk_stats(dir, at, add_seen, &many, &test_err));
    SAME(buf_bytes(&one), buf_bytes(&many));
    for (i = 0; i < one.len; i++)
        lines += ((const char *)one.data)[i] == '\n';
    EQ(n, lines);
    buf_release(&one);
    buf_release(&many);
    close(dir);
}

TEST(files_are_listed_in_order_and_with_threads_in_the_same)
{
    same_lists("few", 20);
    same_lists("many", 3000);
}

static quire_status refuse(void *ctx, quire_bytes name,
                           const struct walk_stat *st, quire_error *err)
{
    (void)name;
    (void)st;
    (void)err;
    return ++*(int *)ctx == 3 ? QUIRE_STOPPED : QUIRE_OK;
}

TEST(a_list_ends_where_the_caller_ends_it)
{
    int dir = make_files("all", 600), n = 0;

    EQ(QUIRE_STOPPED, walk_stats(dir, "all", refuse, &n, &test_err));
    EQ(3, n);
    close(dir);
}

static quire_status add_closed(void *ctx, quire_bytes name,
                               const struct walk_stat *st, quire_error *err)
{
    (void)err;
    if (S_ISDIR(st->mode))
        buf_add(ctx, name.data, name.len);
    return QUIRE_OK;
}

TEST(a_directory_that_may_not_be_listed_is_passed_as_one)
{
    struct buf closed = BUF_INIT(4096);
    int dir = make_files("some", 20);
    bool root = geteuid() == 0;

    EQ(0, fchmod(dir, 0755));
    EQ(0, fchmodat(dir, "f5", 0, 0));
    if (root) /* permissions do not bind it */
        EQ(0, seteuid(65534));
    OK(walk_stats(dir, "some", add_closed, &closed, &test_err));
    if (root)
        EQ(0, seteuid(0));
    EQ(0, fchmodat(dir, "f5", 0700, 0));
    SAME(bytes_str("f5/"), buf_bytes(&closed));
    buf_release(&closed);
    close(dir);
}

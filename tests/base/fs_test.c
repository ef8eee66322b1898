#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/test.h"

static int open_test_dir(void)
{
    int fd = open(test_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    YES(fd >= 0);
    return fd;
}

static int beneath_errno(int dir, const char *name)
{
    int fd = fs_open_beneath(dir, name, O_RDONLY, 0);

    if (fd >= 0) {
        close(fd);
        return 0;
    }
    return errno;
}

/* Names that lead out or along links, and what becomes of them. */
static void nothing_leads_outside(void)
{
    int dir;

    mkdir(test_path("in"), 0700);
    mkdir(test_path("in/sub"), 0700);
    test_write_file(test_path("secret"), bytes_str("s"));
    test_write_file(test_path("in/plain"), bytes_str("p"));
    YES(symlink("../secret", test_path("in/link")) == 0);
    YES(symlink("..", test_path("in/up")) == 0);
    YES(symlink("sub", test_path("in/side")) == 0);
    dir = open(test_path("in"), O_RDONLY | O_DIRECTORY);
    EQ(0, beneath_errno(dir, "plain"));
    YES(beneath_errno(dir, "../secret") != 0);
    YES(beneath_errno(dir, "sub/../../secret") != 0);
    YES(beneath_errno(dir, "/etc/passwd") != 0);
    YES(beneath_errno(dir, "link") != 0);
    YES(beneath_errno(dir, "up/secret") != 0);
    YES(beneath_errno(dir, "side/x") != 0);
    YES(beneath_errno(dir, "") != 0);
    close(dir);
}

TEST(no_name_and_no_link_leads_outside)
{
    nothing_leads_outside();
}

/* The n-th system call says that openat2 does not exist, each in turn; the
 * walk by components must refuse the same things. */
TEST(without_openat2_the_walk_is_as_strict)
{
    static const char *const bad[] = {"../secret",
                                      "sub/../../secret",
                                      "/etc/passwd",
                                      "link",
                                      "up/secret",
                                      "side/x",
                                      "",
                                      "sub//x"};
    int dir, fd;
    size_t i;

    nothing_leads_outside();
    dir = open(test_path("in"), O_RDONLY | O_DIRECTORY);
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        fault_arm(1, ENOSYS, false);
        fd = fs_open_beneath(dir, bad[i], O_RDONLY, 0);
        YES(fault_disarm());
        EQ(-1, fd);
    }
    fault_arm(1, ENOSYS, false);
    fd = fs_open_beneath(dir, "plain", O_RDONLY, 0);
    fault_disarm();
    YES(fd >= 0);
    close(fd);
    fault_arm(1, ENOSYS, false);
    fd = fs_open_beneath(dir, "sub/new", O_WRONLY | O_CREAT, 0600);
    fault_disarm();
    YES(fd >= 0);
    close(fd);
    close(dir);
}

TEST(replacing_a_file_is_all_or_nothing_at_every_failure)
{
    int dir = open_test_dir();
    long n;

    OK(fs_replace(dir, "a/b/file", bytes_str("old"), &test_err));
    for (n = 1;; n++) {
        quire_status st;
        quire_bytes now;

        fault_arm(n, EIO, false);
        st = fs_replace(dir, "a/b/file", bytes_str("new!"), &test_err);
        if (!fault_disarm()) {
            OK(st);
            break;
        }
        now = test_read_file(test_path("a/b/file"));
        YES(bytes_is(now, "old") || bytes_is(now, "new!"));
        EQ(1, test_count_files(test_dir()));
        if (st == QUIRE_OK) /* a close, or a courtesy, that failed */
            SAME(bytes_str("new!"), now);
        OK(fs_replace(dir, "a/b/file", bytes_str("old"), &test_err));
    }
    YES(n > 6);
    SAME(bytes_str("new!"), test_read_file(test_path("a/b/file")));
    close(dir);
}

TEST(a_new_file_is_private)
{
    int dir = open_test_dir();
    struct stat st;

    OK(fs_replace(dir, "d/f", bytes_str("x"), &test_err));
    stat(test_path("d/f"), &st);
    EQ(0600, st.st_mode & 0777);
    stat(test_path("d"), &st);
    EQ(0700, st.st_mode & 0777);
    close(dir);
}

TEST(a_temporary_file_works_without_o_tmpfile)
{
    struct fs_temp t;
    int dir = open_test_dir();

    fault_arm(1, EOPNOTSUPP, false);
    EQ(0, fs_temp_open(&t, dir));
    YES(fault_disarm());
    YES(t.name[0] != 0);
    EQ(0, fs_write_all(t.fd, bytes_str("named")));
    EQ(0, fs_temp_publish(&t, dir, "final", false));
    fs_temp_release(&t);
    SAME(bytes_str("named"), test_read_file(test_path("final")));

    fault_arm(1, EOPNOTSUPP, false);
    EQ(0, fs_temp_open(&t, dir));
    fault_disarm();
    EQ(-1, fs_temp_publish(&t, dir, "final", false));
    EQ(EEXIST, errno);
    EQ(0, fs_temp_publish(&t, dir, "final", true));
    fs_temp_release(&t);
    SAME(bytes_str(""), test_read_file(test_path("final")));

    fault_arm(1, EOPNOTSUPP, false);
    EQ(0, fs_temp_open(&t, dir));
    fault_disarm();
    fs_temp_release(&t);
    EQ(1, test_count_files(test_dir()));
    close(dir);
}

TEST(a_line_that_does_not_fit_leaves_no_half)
{
    const char *path = test_path("log");
    off_t size;
    int fd;

    test_write_file(path, bytes_str("one\n"));
    fd = open(path, O_RDWR);
    fault_arm(2, ENOSPC, false); /* lseek, then write */
    EQ(-1, fs_append(fd, bytes_str("two\n"), &size));
    YES(fault_disarm());
    EQ(ENOSPC, errno);
    EQ(4, size);
    SAME(bytes_str("one\n"), test_read_file(path));
    EQ(0, fs_append(fd, bytes_str("two\n"), &size));
    EQ(8, size);
    SAME(bytes_str("one\ntwo\n"), test_read_file(path));
    close(fd);
}

/* In a process of its own, whose files may not grow past 64 KiB: the kernel
 * takes a part of the line and refuses the rest. */
static int append_within_limit(const char *path, quire_bytes line)
{
    struct rlimit limit = {65536, 65536};
    off_t size;
    int fd = open(path, O_RDWR);

    signal(SIGXFSZ, SIG_IGN);
    if (fd < 0 || setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 2;
    return fs_append(fd, line, &size) == -1 && errno == EFBIG ? 0 : 1;
}

TEST(a_line_cut_by_the_kernel_is_taken_back)
{
    const char *path = test_path("log");
    char *line = test_alloc(70000);
    int status;
    pid_t child;

    memset(line, 'x', 69999);
    line[69999] = '\n';
    test_write_file(path, bytes_str("one\n"));
    child = fork();
    if (child == 0)
        _exit(append_within_limit(path, bytes_of(line, 70000)));
    waitpid(child, &status, 0);
    YES(WIFEXITED(status));
    EQ(0, WEXITSTATUS(status));
    SAME(bytes_str("one\n"), test_read_file(path));
}

TEST(an_exclusive_lock_keeps_others_out_and_a_shared_one_does_not)
{
    int kinds[2][2];
    int k;

    kinds[0][0] = open_test_dir();
    kinds[0][1] = open_test_dir();
    test_write_file(test_path("lock"), bytes_str(""));
    kinds[1][0] = open(test_path("lock"), O_RDWR);
    kinds[1][1] = open(test_path("lock"), O_RDWR);
    for (k = 0; k < 2; k++) {
        int a = kinds[k][0], b = kinds[k][1];

        OK(fs_lock(a, FS_SHARED, 0, &test_err));
        OK(fs_lock(b, FS_SHARED, 0, &test_err));
        IS(QUIRE_BUSY, fs_lock(b, FS_EXCLUSIVE, 20, &test_err));
        OK(fs_lock(a, FS_UNLOCK, 0, &test_err));
        OK(fs_lock(b, FS_EXCLUSIVE, 0, &test_err));
        IS(QUIRE_BUSY, fs_lock(a, FS_SHARED, 0, &test_err));
        close(b); /* closing lets go */
        OK(fs_lock(a, FS_EXCLUSIVE, 0, &test_err));
        close(a);
    }
}

TEST(removing_a_tree_takes_everything_below_and_nothing_beside)
{
    int dir = open_test_dir();
    char path[600];
    int i;

    snprintf(path, sizeof path, "%s", test_path("tree"));
    mkdir(path, 0700);
    for (i = 0; i < 60; i++) {
        test_write_file(strcat(strcpy(test_alloc(900), path), "/f"),
                        bytes_str("x"));
        strcat(path, "/d");
        mkdir(path, 0700);
    }
    test_write_file(test_path("outside"), bytes_str("keep"));
    YES(symlink(test_path("outside"), test_path("tree/link")) == 0);
    YES(symlink(test_dir(), test_path("tree/up")) == 0);
    EQ(0, fs_remove_tree(dir, "tree"));
    NO(test_exists(test_path("tree")));
    SAME(bytes_str("keep"), test_read_file(test_path("outside")));
    EQ(0, fs_remove_tree(dir, "tree")); /* absent is fine */
    EQ(0, fs_remove_tree(dir, "outside"));
    NO(test_exists(test_path("outside")));
    YES(fs_remove_tree(dir, "../anything") != 0);
    close(dir);
}

TEST(removing_a_tree_that_is_too_deep_fails_without_harm)
{
    int dir = open_test_dir(), at = dup(dir), i;

    for (i = 0; i < 140; i++) {
        int next;

        YES(mkdirat(at, "d", 0700) == 0);
        next = openat(at, "d", O_RDONLY | O_DIRECTORY);
        close(at);
        at = next;
    }
    close(at);
    EQ(-1, fs_remove_tree(dir, "d"));
    EQ(ELOOP, errno);
    YES(test_exists(test_path("d/d/d")));
    EQ(0, system(strcat(strcpy(test_alloc(700), "rm -rf "), test_path("d"))));
    close(dir);
}

TEST(a_directory_that_is_a_file_is_said_to_be_one)
{
    int fd;

    test_write_file(test_path("file"), bytes_str(""));
    IS(QUIRE_INVALID, fs_open_dir(test_path("file"), true, &fd, &test_err));
    HAS(test_err.what, "is not a directory");
    IS(QUIRE_NOT_FOUND, fs_open_dir(test_path("no"), false, &fd, &test_err));
    OK(fs_open_dir(test_path("a/b/c/d"), true, &fd, &test_err));
    close(fd);
}

#include "base/tree_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/test.h"

/* A watch of test_path("tree"), and its last number. */
struct fix {
    struct tree_watch *w;
    uint64_t seen;
};

static void watches(struct fix *f, size_t dirs_max)
{
    OK(tree_watch_new(test_path("tree"), dirs_max, &f->w, &test_err));
    f->seen = tree_watch_generation(f->w);
}

static struct fix begin(void)
{
    struct fix f;

    mkdir(test_path("tree"), 0700);
    mkdir(test_path("tree/sub"), 0700);
    test_write_file(test_path("tree/sub/old"), bytes_str("old"));
    watches(&f, TREE_WATCH_DIRS_MAX);
    NO(tree_watch_is_blind(f.w));
    return f;
}

static bool has_changed(struct fix *f)
{
    uint64_t now = tree_watch_generation(f->w);
    bool changed = now != f->seen;

    YES(now >= f->seen);
    f->seen = now;
    return changed;
}

/* It has, and the next call finds nothing more. */
static bool changed_once(struct fix *f)
{
    return has_changed(f) && !has_changed(f) && !tree_watch_is_blind(f->w);
}

/* A file in a directory that may be new is noticed. */
static bool sees_below(struct fix *f, const char *dir)
{
    char name[200];

    snprintf(name, sizeof name, "%s/written", dir);
    test_write_file(test_path(name), bytes_str("x"));
    return changed_once(f);
}

static void makes(const char *name)
{
    EQ(0, mkdir(test_path(name), 0700));
}

static void moves(const char *from, const char *to)
{
    EQ(0, rename(test_path(from), test_path(to)));
}

/* Remove a tree of this test. */
static void removes(const char *name)
{
    char command[600];

    snprintf(command, sizeof command, "rm -r '%s'", test_path(name));
    EQ(0, system(command));
}

TEST(a_tree_without_changes_keeps_its_generation)
{
    struct fix f = begin();
    struct stat st;
    int i;

    for (i = 0; i < 100; i++)
        NO(has_changed(&f));
    SAME_TEXT("old",
              (const char *)test_read_file(test_path("tree/sub/old")).data);
    EQ(0, stat(test_path("tree/sub/old"), &st));
    EQ(1, test_count_files(test_dir()));
    NO(has_changed(&f));
    tree_watch_free(f.w);
    tree_watch_free(NULL);
}

TEST(each_kind_of_change_of_a_file_is_noticed_at_once)
{
    struct fix f = begin();
    struct timespec times[2] = {{1, 0}, {2, 0}};
    int fd;

    fd = open(test_path("tree/sub/new"), O_CREAT | O_WRONLY, 0600);
    YES(changed_once(&f));
    EQ(1, write(fd, "x", 1));
    YES(changed_once(&f));
    EQ(0, ftruncate(fd, 0));
    YES(changed_once(&f));
    EQ(0, posix_fallocate(fd, 0, 10));
    YES(changed_once(&f));
    close(fd);
    YES(changed_once(&f));
    EQ(0, chmod(test_path("tree/sub/new"), 0640));
    YES(changed_once(&f));
    EQ(0, utimensat(AT_FDCWD, test_path("tree/sub/new"), times, 0));
    YES(changed_once(&f));
    EQ(0, link(test_path("tree/sub/new"), test_path("tree/other")));
    YES(changed_once(&f));
    moves("tree/sub/new", "tree/sub/moved");
    YES(changed_once(&f));
    moves("tree/sub/moved", "outside");
    YES(changed_once(&f));
    moves("outside", "tree/inside");
    YES(changed_once(&f));
    EQ(0, unlink(test_path("tree/inside")));
    YES(changed_once(&f));
    EQ(0, symlink("nowhere", test_path("tree/link")));
    YES(changed_once(&f));
    tree_watch_free(f.w);
}

TEST(a_file_that_gets_its_name_while_it_is_open_is_noticed_when_it_is_written)
{
    struct fix f = begin();
    char link_of[64];
    int fd = open(test_path("tree/sub"), O_TMPFILE | O_WRONLY, 0600);

    if (fd < 0) {
        tree_watch_free(f.w);
        SKIP("no O_TMPFILE here");
    }
    has_changed(&f);
    snprintf(link_of, sizeof link_of, "/proc/self/fd/%d", fd);
    EQ(0, linkat(AT_FDCWD, link_of, AT_FDCWD, test_path("tree/sub/named"),
                 AT_SYMLINK_FOLLOW));
    YES(changed_once(&f));
    EQ(1, write(fd, "x", 1));
    YES(changed_once(&f));
    close(fd);
    tree_watch_free(f.w);
}

TEST(a_file_that_is_written_through_a_mapping_is_noticed_when_it_is_closed)
{
    struct fix f = begin();
    int fd = open(test_path("tree/sub/old"), O_RDWR);

    NO(has_changed(&f));
    close(fd);
    YES(changed_once(&f));
    tree_watch_free(f.w);
}

TEST(directories_that_are_made_in_quick_succession_are_watched)
{
    struct fix f = begin();
    char command[600];
    int i;

    snprintf(command, sizeof command, "mkdir -p '%s' && echo x >'%s'",
             test_path("tree/a/b/c/d"), test_path("tree/a/b/c/d/file"));
    EQ(0, system(command));
    YES(changed_once(&f));
    YES(sees_below(&f, "tree/a/b/c/d"));
    YES(sees_below(&f, "tree/a/b"));
    for (i = 0; i < 200; i++) {
        char name[64];

        snprintf(name, sizeof name, "tree/a/n%d", i);
        makes(name);
        YES(has_changed(&f));
        YES(sees_below(&f, name));
    }
    tree_watch_free(f.w);
}

TEST(a_directory_that_is_made_while_a_watch_is_added_is_watched)
{
    struct fix f = begin();
    int depth;

    /* Each call finds the directories of before its watch by the scan. */
    for (depth = 0; depth < 20; depth++) {
        char name[256] = "tree";
        int i;

        for (i = 0; i <= depth; i++)
            strcat(name, "/d");
        makes(name);
        if (depth % 3 == 0)
            YES(has_changed(&f));
    }
    has_changed(&f);
    YES(sees_below(&f, "tree/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d"));
    tree_watch_free(f.w);
}

TEST(a_directory_keeps_its_watch_when_it_is_moved_within_the_tree)
{
    struct fix f = begin();

    makes("tree/sub/deep");
    has_changed(&f);
    moves("tree/sub", "tree/moved");
    YES(has_changed(&f));
    has_changed(&f);
    YES(sees_below(&f, "tree/moved/deep"));
    makes("tree/moved/deep/new");
    YES(has_changed(&f));
    YES(sees_below(&f, "tree/moved/deep/new"));
    /* Another one under its old name. */
    makes("tree/sub");
    YES(has_changed(&f));
    YES(sees_below(&f, "tree/sub"));
    YES(sees_below(&f, "tree/moved"));
    tree_watch_free(f.w);
}

TEST(a_directory_that_is_moved_away_is_no_longer_part_of_the_tree)
{
    struct fix f = begin();

    makes("tree/sub/deep");
    has_changed(&f);
    moves("tree/sub", "away");
    YES(has_changed(&f));
    has_changed(&f);
    test_write_file(test_path("away/deep/file"), bytes_str("x"));
    makes("away/deep/new");
    NO(has_changed(&f));
    moves("away", "tree/back");
    YES(has_changed(&f));
    YES(sees_below(&f, "tree/back/deep/new"));
    removes("tree/back");
    YES(has_changed(&f));
    has_changed(&f);
    NO(has_changed(&f));
    tree_watch_free(f.w);
}

/* Moves to and fro, with new directories in between, before each call. */
TEST(no_directory_loses_its_watch_however_directories_are_moved)
{
    static const char *const names[] = {"tree/a",   "tree/b", "tree/a/c",
                                        "tree/b/d", "away",   "tree/b/d/e"};
    enum { N = sizeof names / sizeof *names };
    struct fix f = begin();
    struct stat st;
    unsigned noise[4000];
    size_t i, k;

    test_noise(1, noise, sizeof noise);
    for (i = 0; i + 2 < sizeof noise / sizeof *noise; i += 3) {
        const char *from = names[noise[i] % N], *to = names[noise[i + 1] % N];

        if (noise[i + 2] % 3)
            (void)!rename(test_path(from), test_path(to));
        else
            (void)!mkdir(test_path(from), 0700);
        if (noise[i + 2] % 7)
            continue;
        has_changed(&f);
        for (k = 0; k < N; k++) {
            if (!strcmp(names[k], "away") || stat(test_path(names[k]), &st))
                continue;
            chmod(test_path(names[k]), 0700);
            YES(has_changed(&f));
        }
        NO(has_changed(&f));
    }
    NO(tree_watch_is_blind(f.w));
    tree_watch_free(f.w);
}

TEST(more_moves_than_are_worth_following_begin_anew)
{
    struct fix f = begin();
    int i;

    for (i = 0; i < 1000; i++) {
        moves("tree/sub", "tree/bus");
        moves("tree/bus", "tree/sub");
    }
    YES(has_changed(&f));
    has_changed(&f);
    YES(sees_below(&f, "tree/sub"));
    tree_watch_free(f.w);
}

TEST(links_are_not_followed)
{
    struct fix f = begin();

    makes("outside");
    EQ(0, symlink("../outside", test_path("tree/link")));
    YES(changed_once(&f));
    test_write_file(test_path("outside/file"), bytes_str("x"));
    NO(has_changed(&f));
    tree_watch_free(f.w);
}

TEST(a_tree_is_blind_until_its_directory_exists)
{
    struct fix f;

    watches(&f, TREE_WATCH_DIRS_MAX);
    YES(tree_watch_is_blind(f.w));
    YES(has_changed(&f));
    YES(has_changed(&f));
    test_write_file(test_path("tree"), bytes_str("a file"));
    YES(has_changed(&f));
    YES(tree_watch_is_blind(f.w));
    EQ(0, unlink(test_path("tree")));
    makes("tree");
    makes("tree/sub");
    YES(changed_once(&f));
    YES(sees_below(&f, "tree/sub"));
    tree_watch_free(f.w);
}

TEST(a_tree_whose_parent_is_moved_is_watched_anew)
{
    struct fix f;

    makes("home");
    makes("home/tree");
    OK(tree_watch_new(test_path("home/tree"), 10, &f.w, &test_err));
    f.seen = tree_watch_generation(f.w);
    NO(has_changed(&f));
    moves("home", "old");
    YES(has_changed(&f));
    YES(tree_watch_is_blind(f.w));
    makes("home");
    EQ(0, symlink("../old/tree", test_path("home/tree")));
    YES(changed_once(&f));
    YES(sees_below(&f, "old/tree"));
    tree_watch_free(f.w);
}

TEST(a_tree_that_is_removed_moved_or_replaced_is_watched_anew)
{
    struct fix f = begin();

    removes("tree");
    YES(has_changed(&f));
    YES(tree_watch_is_blind(f.w));
    YES(has_changed(&f));
    makes("tree");
    YES(changed_once(&f));
    moves("tree", "away");
    makes("tree");
    makes("tree/sub");
    YES(changed_once(&f));
    test_write_file(test_path("away/file"), bytes_str("x"));
    NO(has_changed(&f));
    YES(sees_below(&f, "tree/sub"));
    tree_watch_free(f.w);
}

static int max_queued_events(void)
{
    FILE *in = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
    int n = 0;

    if (in && fscanf(in, "%d", &n) != 1)
        n = 0;
    if (in)
        fclose(in);
    return n;
}

TEST(a_tree_is_watched_anew_when_the_kernel_has_dropped_events)
{
    struct fix f = begin();
    int n = max_queued_events(), i;

    if (n <= 0 || n > 200000) {
        tree_watch_free(f.w);
        SKIP("too many events fit into the queue");
    }
    for (i = 0; i < n / 2 + 100; i++) {
        EQ(0, chmod(test_path("tree/sub/old"), 0600));
        EQ(0, chmod(test_path("tree/sub"), 0700));
    }
    makes("tree/sub/dropped");
    YES(has_changed(&f));
    NO(has_changed(&f));
    NO(tree_watch_is_blind(f.w));
    YES(sees_below(&f, "tree/sub/dropped"));
    tree_watch_free(f.w);
}

TEST(more_directories_than_allowed_make_it_blind_for_good)
{
    struct fix f = begin();

    tree_watch_free(f.w);
    watches(&f, 3); /* tree, sub and one more */
    NO(tree_watch_is_blind(f.w));
    makes("tree/third");
    YES(changed_once(&f));
    EQ(0, rmdir(test_path("tree/third")));
    YES(has_changed(&f));
    makes("tree/third");
    YES(has_changed(&f));
    YES(sees_below(&f, "tree/third"));
    makes("tree/fourth");
    YES(has_changed(&f));
    YES(tree_watch_is_blind(f.w));
    EQ(0, rmdir(test_path("tree/fourth")));
    YES(has_changed(&f));
    YES(has_changed(&f));
    tree_watch_free(f.w);
    makes("tree/fourth");
    watches(&f, 3);
    YES(tree_watch_is_blind(f.w));
    tree_watch_free(f.w);
}

TEST(a_file_system_that_is_not_local_makes_it_blind)
{
    struct fix f;

    OK(tree_watch_new("/proc/self", 1000, &f.w, &test_err));
    f.seen = tree_watch_generation(f.w);
    YES(tree_watch_is_blind(f.w));
    YES(has_changed(&f));
    tree_watch_free(f.w);
}

/* ---- failing calls ------------------------------------------------------- */

static int open_descriptors(void)
{
    int fd = dup(0), n = 0, i;

    close(fd);
    for (i = 0; i < 1024; i++)
        n += fcntl(i, F_GETFD) >= 0;
    return n;
}

/* Whatever fails, a change after it has another number. */
TEST(a_change_is_noticed_whichever_call_has_failed)
{
    struct fix f = begin();
    int before;
    long n;
    bool struck = true;

    tree_watch_free(f.w);
    makes("tree/sub/deep");
    before = open_descriptors();
    for (n = 1; struck; n++) {
        quire_status st;

        fault_arm(n, n % 2 ? ENOMEM : EMFILE, false);
        st = tree_watch_new(test_path("tree"), 1000, &f.w, &test_err);
        struck = fault_disarm();
        if (st) {
            IS(QUIRE_NO_MEMORY, st);
            continue;
        }
        f.seen = tree_watch_generation(f.w);
        YES(struck || !tree_watch_is_blind(f.w));
        chmod(test_path("tree/sub/deep"), 0700);
        YES(has_changed(&f));
        tree_watch_free(f.w);
    }
    YES(n > 10);
    EQ(before, open_descriptors());
}

TEST(a_change_is_noticed_whichever_call_has_failed_while_events_were_read)
{
    struct fix f = begin();
    bool struck = true;
    int before;
    long n;

    tree_watch_free(f.w);
    before = open_descriptors();
    for (n = 1; struck; n++) {
        watches(&f, 1000);
        makes("tree/new");
        makes("tree/new/deep");
        moves("tree/new/deep", "tree/deep");
        fault_arm(n, n % 2 ? ENOMEM : EIO, false);
        YES(has_changed(&f));
        struck = fault_disarm();
        has_changed(&f);
        chmod(test_path("tree/deep"), 0700);
        YES(has_changed(&f));
        YES(struck || !tree_watch_is_blind(f.w));
        tree_watch_free(f.w);
        removes("tree/new");
        removes("tree/deep");
    }
    YES(n > 5);
    EQ(before, open_descriptors());
}

/* ---- threads ------------------------------------------------------------- */

enum { ASKERS = 4, CHANGES = 2000 };

struct shared {
    struct tree_watch *w;
    char file[512];
    atomic_int written;
    atomic_bool missed, done;
};

/* Keeps what it knows of the file, and looks only when the number differs. */
static void *asks(void *ctx)
{
    struct shared *s = ctx;
    uint64_t seen = 0;
    int known = -1;

    while (!atomic_load(&s->done)) {
        int before = atomic_load(&s->written);
        uint64_t now = tree_watch_generation(s->w);
        char text[16] = "";
        int fd;

        if (now != seen) {
            fd = open(s->file, O_RDONLY | O_CLOEXEC);
            if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
                known = atoi(text);
            close(fd);
            seen = now;
        }
        if (known < before)
            atomic_store(&s->missed, true);
        sched_yield();
    }
    return NULL;
}

TEST(threads_that_share_a_tree_watch_miss_no_change)
{
    struct fix f = begin();
    struct shared s = {.w = f.w};
    pthread_t threads[ASKERS];
    int i, fd = open(test_path("tree/sub/old"), O_WRONLY | O_CLOEXEC);

    snprintf(s.file, sizeof s.file, "%s", test_path("tree/sub/old"));
    EQ(8, pwrite(fd, "00000000", 8, 0));
    for (i = 0; i < ASKERS; i++)
        EQ(0, pthread_create(&threads[i], NULL, asks, &s));
    for (i = 1; i <= CHANGES; i++) {
        char text[16], name[64];

        snprintf(text, sizeof text, "%08d", i);
        EQ(8, pwrite(fd, text, 8, 0));
        atomic_store(&s.written, i);
        if (i % 100 == 0) {
            snprintf(name, sizeof name, "tree/sub/d%d", i);
            makes(name);
        }
    }
    usleep(20000);
    atomic_store(&s.done, true);
    for (i = 0; i < ASKERS; i++)
        pthread_join(threads[i], NULL);
    NO(atomic_load(&s.missed));
    close(fd);
    tree_watch_free(f.w);
}

static char named[4096];

static void note_name(void *ctx, const char *name)
{
    size_t n = strlen(named);

    (void)ctx;
    snprintf(named + n, sizeof named - n, "%s%s", n ? " " : "", name);
}

static const char *names_since(struct fix *f, uint64_t since, bool *all)
{
    named[0] = '\0';
    *all = tree_watch_changed(f->w, since, note_name, NULL);
    return named;
}

TEST(the_files_that_have_changed_are_named_until_there_are_too_many)
{
    struct fix f = begin();
    uint64_t first = tree_watch_generation(f.w), second;
    char name[64];
    bool all;
    int i;

    SAME_TEXT("", names_since(&f, first, &all));
    YES(all);
    test_write_file(test_path("tree/sub/old"), bytes_str("x"));
    second = tree_watch_generation(f.w);
    SAME_TEXT("sub/old", names_since(&f, first, &all));
    YES(all);
    test_write_file(test_path("tree/one"), bytes_str("x"));
    tree_watch_generation(f.w);
    SAME_TEXT("sub/old one", names_since(&f, first, &all));
    YES(all);
    SAME_TEXT("one", names_since(&f, second, &all));
    YES(all);
    for (i = 0; i < TREE_WATCH_NAMES; i++) {
        snprintf(name, sizeof name, "tree/n%d", i);
        test_write_file(test_path(name), bytes_str("x"));
    }
    tree_watch_generation(f.w);
    names_since(&f, second, &all);
    NO(all); /* "one" is gone from the list */
    makes("tree/new");
    second = tree_watch_generation(f.w);
    names_since(&f, second - 1, &all);
    NO(all); /* there may be files in a new directory */
    names_since(&f, second, &all);
    YES(all);
    tree_watch_free(f.w);
}

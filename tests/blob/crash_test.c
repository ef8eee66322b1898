/*
 * Many processes, and processes that die.
 *
 * Bounded in count and time: eight writers of some hundred puts, and two
 * dozen kills a layout.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/test.h"

static const quire_layout layouts[] = {QUIRE_LAYOUT_PACKED, QUIRE_LAYOUT_LOOSE,
                                       QUIRE_LAYOUT_FLAT};

static quire *open_store(const char *dir, quire_layout layout)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q = NULL;

    o.blobs = dir;
    o.layout = layout;
    o.busy_ms = 20000;
    if (quire_open(&o, &q, &test_err) != QUIRE_OK)
        return NULL;
    return q;
}

/* Content number i: mostly small, some too dense for a row, a few streams. */
static quire_bytes content(int i, char *buf)
{
    size_t len = i % 10 == 9  ? 1200000
                 : i % 5 == 4 ? 90000
                              : (size_t)(i * 131 % 7000);

    if (i % 10 == 9)
        memset(buf, i, len);
    else if (i % 5 == 4)
        test_noise((uint64_t)i, buf, len);
    else
        test_prose((uint64_t)i, buf, len);
    return bytes_of(buf, len);
}

struct session_usage {
    int blobs, problems;
};

static quire_status count_blob(void *ctx, const quire_blob_info *info,
                               quire_error *err)
{
    (void)info;
    (void)err;
    ((struct session_usage *)ctx)->blobs++;
    return QUIRE_OK;
}

static quire_status count_problem(void *ctx, const quire_problem *p,
                                  quire_error *err)
{
    (void)err;
    fprintf(stderr, "%s: %s\n", p->where, p->what);
    ((struct session_usage *)ctx)->problems++;
    return QUIRE_OK;
}

static struct session_usage take_stock(const char *dir, quire_layout layout)
{
    struct session_usage t = {0};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = count_problem,
                               .ctx = &t};
    quire *q = open_store(dir, layout);

    YES(q != NULL);
    OK(quire_blob_list(q, count_blob, &t, &test_err));
    OK(quire_blob_check(q, NULL, &hooks, &test_err));
    quire_close(q);
    return t;
}

enum { WRITERS = 8, POOL = 60, PUTS = 90 };

static int write_many(const char *dir, quire_layout layout, int who)
{
    char *buf = malloc(1200000);
    quire *q = open_store(dir, layout);
    unsigned at = (unsigned)who * 7919u;
    int i;

    if (!q || !buf)
        return 1;
    for (i = 0; i < PUTS; i++) {
        quire_bytes c, out;
        quire_blob_info info;

        at = at * 1103515245u + 12345u;
        c = content((int)(at >> 8) % POOL, buf);
        if (quire_blob_put(q, c, 0, &info, &test_err) ||
            quire_blob_get(q, &info.digest, &out, &test_err) ||
            !bytes_equal(c, out)) {
            fprintf(stderr, "writer %d: %s\n", who, test_err.what);
            return 1;
        }
    }
    /* And the whole pool once, in batches, so that all of it is there. */
    for (i = 0; i < POOL; i++) {
        if (i % 20 == 0 && quire_begin(q, &test_err))
            return 1;
        if (quire_blob_put(q, content(i, buf), 0, NULL, &test_err))
            return 1;
        if (i % 20 == 19 && quire_commit(q, &test_err))
            return 1;
    }
    quire_close(q);
    free(buf);
    return 0;
}

TEST(eight_processes_put_overlapping_content)
{
    size_t l;

    for (l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        pid_t child[WRITERS];
        const char *dir = test_path("blobs");
        struct session_usage t;
        int i, status;

        for (i = 0; i < WRITERS; i++) {
            child[i] = fork();
            if (child[i] == 0)
                _exit(write_many(dir, layouts[l], i));
        }
        for (i = 0; i < WRITERS; i++) {
            waitpid(child[i], &status, 0);
            EQ(0, status);
        }
        t = take_stock(dir, layouts[l]);
        EQ(POOL, t.blobs);
        EQ(0, t.problems);
        NO(test_litter(dir));
        test_forget_dir();
    }
}

/* Put until killed; each acknowledged digest goes down the pipe. */
static void put_until_killed(const char *dir, quire_layout layout, int round,
                             int pipe_fd)
{
    char *buf = malloc(1200000);
    quire *q = open_store(dir, layout);
    int i;

    if (!q || !buf)
        _exit(1);
    for (i = round * 1000;; i++) {
        quire_blob_info info;

        if (quire_blob_put(q, content(i, buf), 0, &info, &test_err)) {
            fprintf(stderr, "put %d: %s\n", i, test_err.what);
            _exit(1);
        }
        if (write(pipe_fd, info.digest.byte, 32) != 32)
            _exit(1);
    }
}

TEST(after_kill_9_every_acknowledged_blob_is_there_and_every_blob_is_whole)
{
    size_t l;

    for (l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        const char *dir = test_path("blobs");
        int round, acked = 0;

        /* On a busy machine more rounds, until there is something to look at. */
        for (round = 0; round < 24 || (acked <= 20 && round < 240); round++) {
            struct timespec nap = {.tv_nsec = (2 + round * 3) * 1000000};
            quire_digest d;
            quire_bytes out;
            int fd[2], status;
            pid_t child;
            quire *q;

            YES(pipe(fd) == 0);
            child = fork();
            if (child == 0) {
                close(fd[0]);
                put_until_killed(dir, layouts[l], round, fd[1]);
            }
            close(fd[1]);
            nanosleep(&nap, NULL);
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            YES(WIFSIGNALED(status));
            q = open_store(dir, layouts[l]);
            while (read(fd[0], d.byte, 32) == 32) {
                OK(quire_blob_get(q, &d, &out, &test_err));
                acked++;
            }
            quire_close(q);
            close(fd[0]);
        }
        YES(acked > 20);
        EQ(0, take_stock(dir, layouts[l]).problems);
        NO(test_litter(dir));
        test_forget_dir();
    }
}

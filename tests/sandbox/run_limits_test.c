/*
 * run_limits_test.c - how a run ends: at its limits, by its caller, by a call
 * that fails; see box.h
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/box.h"

/* ---- ending --------------------------------------------------------------- */

/* The command's descendants hold the write end of a pipe as their input. */
struct held {
    int fd[2];
};

static void hold(struct box *b, struct held *h)
{
    EQ(0, pipe2(h->fd, O_CLOEXEC));
    b->spec.stdin_fd = h->fd[1];
}

static void nobody_holds(struct held *h)
{
    struct pollfd p = {.fd = h->fd[0], .events = POLLIN};
    char c;

    close(h->fd[1]);
    EQ(1, poll(&p, 1, 3000));
    EQ(0, read(h->fd[0], &c, 1));
    close(h->fd[0]);
}

static void end_in_time(int how)
{
    struct box *b = box_open(how);
    struct held h;

    hold(b, &h);
    b->spec.limits.wall_ms = 300;
    b->spec.limits.grace_ms = 100;
    RUNS(b, "trap '' TERM; (setsid sh -c '(setsid sleep 60 <&0 & ); sleep 60'"
            " <&0 &); echo before; while :; do sleep 60; done");
    YES(b->r.timed_out);
    EQ(RUN_HIT_TIME, b->r.hit);
    EQ(9, b->r.signal);
    SAME_TEXT("before\n", b->out);
    YES(b->r.duration_us < 5000000);
    nobody_holds(&h);
    box_close(b);
}

TEST(run_time_limit_ends_everyone)
{
    box_each_way(end_in_time);
}

static void end_politely(int how)
{
    struct box *b = box_open(how);

    b->spec.limits.wall_ms = 300;
    b->spec.limits.grace_ms = 5000;
    RUNS(b, "trap 'echo bye; exit 3' TERM; sleep 60 & wait");
    YES(b->r.timed_out);
    EQ(3, b->r.exit);
    SAME_TEXT("bye\n", b->out);
    YES(b->r.duration_us < 4000000);
    box_close(b);
}

/* As it can unconfined, and without user namespaces where Landlock is older. */
static void stop_reaper(int how)
{
    static const char *const scripts[] = {
        "kill -STOP $PPID; echo stopped; sleep 60",
        "trap '' TERM; (setsid sh -c 'sleep 60' <&0 &); echo stopped;"
        "while :; do kill -STOP $PPID; done",
    };
    struct held h;
    size_t i;

    for (i = 0; i < 2; i++) {
        struct box *b = box_open(how);

        hold(b, &h);
        b->spec.wanted = RUN_UNCONFINED;
        b->spec.limits.wall_ms = 200;
        b->spec.limits.grace_ms = 100;
        RUNS(b, scripts[i]);
        SAME_TEXT("stopped\n", b->out);
        YES(b->r.timed_out);
        NO(b->r.strays);
        YES(b->r.duration_us < 5000000);
        nobody_holds(&h);
        box_close(b);
    }
}

TEST(run_time_limit_holds_when_the_reaper_is_stopped)
{
    box_each_user(stop_reaper);
}

static void stop_and_end(int how)
{
    struct box *b = box_open(how);

    b->spec.wanted = RUN_UNCONFINED;
    b->spec.limits = (struct run_limits){.wall_ms = 0};
    RUNS(b, "kill -STOP $PPID; exit 3");
    EQ(3, b->r.exit);
    box_close(b);
}

TEST(run_ends_with_the_command_when_the_reaper_is_stopped)
{
    box_each_user(stop_and_end);
}

TEST(run_time_limit_asks_first)
{
    box_each_way(end_politely);
}

static void end_left_behind(int how)
{
    struct box *b = box_open(how);
    struct held h;

    hold(b, &h);
    RUNS(b, "(setsid sleep 60 <&0 &); sleep 60 <&0 & echo done");
    SAME_TEXT("done\n", b->out);
    EQ(0, b->r.exit);
    NO(b->r.timed_out);
    NO(b->r.strays);
    YES(b->r.duration_us < 5000000);
    nobody_holds(&h);
    box_close(b);
}

TEST(run_ends_what_the_command_left_behind)
{
    box_each_way(end_left_behind);
}

/* The caller dies without a word. */
static void end_with_caller(int how)
{
    static const char *const argv[] = {"/bin/sh", "-c",
                                       "(setsid sleep 60 <&0 &); echo up; "
                                       "trap '' TERM; sleep 60",
                                       NULL};
    struct box *b = box_open(how);
    struct held h;
    int status, i;
    pid_t pid;

    hold(b, &h);
    b->spec.argv = argv;
    b->spec.output = box_collect;
    b->spec.output_ctx = b;
    pid = fork();
    if (pid == 0) {
        if (how & NOBODY)
            box_become_nobody();
        box_lack(how);
        run_command(&b->spec, &b->r, &b->err);
        _exit(0);
    }
    for (i = 0; i < 500 && b->n_out == 0; i++)
        usleep(10000);
    SAME_TEXT("up\n", b->out);
    EQ(0, kill(pid, SIGKILL));
    EQ(pid, waitpid(pid, &status, 0));
    nobody_holds(&h);
    box_close(b);
}

TEST(run_ends_with_its_caller)
{
    box_each_way(end_with_caller);
}

static void end_output(int how)
{
    struct box *b = box_open(how);

    b->spec.limits.output_bytes = 1000;
    RUNS(b, "yes");
    EQ(RUN_HIT_OUTPUT, b->r.hit);
    EQ(1000, b->n_out);
    YES(b->r.duration_us < 5000000);
    b->spec.limits.drain = true;
    RUNS(b, "head -c 300000 /dev/zero; exit 5");
    EQ(RUN_HIT_OUTPUT, b->r.hit);
    EQ(5, b->r.exit);
    EQ(1000, b->n_out);
    EQ(300000, b->r.out_bytes);
    b->spec.limits.output_bytes = 4;
    RUNS(b, "printf four");
    EQ(0, b->r.hit);
    SAME_TEXT("four", b->out);
    box_close(b);
}

TEST(run_output_limit_stops_or_drains)
{
    box_each_way(end_output);
}

static quire_status enough(void *ctx, int stream, quire_bytes bytes,
                           quire_error *err)
{
    (void)ctx;
    (void)stream;
    (void)bytes;
    (void)err;
    return QUIRE_STOPPED;
}

static void end_on_request(int how)
{
    struct box *b = box_open(how);
    int fd[2];

    b->spec.output = enough;
    box_script(b, "echo x; sleep 60");
    EQ(QUIRE_STOPPED, b->st);
    b->spec.output = NULL;
    EQ(0, pipe(fd));
    b->spec.stop_fd = fd[0];
    close(fd[1]);
    RUNS(b, "sleep 60");
    YES(b->r.stopped);
    EQ(15, b->r.signal);
    close(fd[0]);
    box_close(b);
}

TEST(run_ends_when_the_caller_has_enough)
{
    box_each_user(end_on_request);
}

/* ---- limits --------------------------------------------------------------- */

static void limit_processes(int how)
{
    struct box *b = box_open(how);

    b->spec.limits.processes = 20;
    RUNS(b, "n=0; while [ $n -lt 100 ]; do sleep 20 & n=$((n+1)); done;"
            "sleep 1; echo all");
    NO(strstr(b->out, "all") != NULL);
    YES(b->r.hit & RUN_HIT_PROCESSES || strstr(b->err_out, "fork"));
    RUNS(b, "sleep 0.1 & sleep 0.1 & wait; echo few");
    SAME_TEXT("few\n", b->out);
    box_close(b);
}

TEST(run_processes_are_limited_for_root_too)
{
    box_each_way(limit_processes);
}

static void limit_memory(int how)
{
    struct box *b = box_open(how);

    b->spec.limits.memory_bytes = 64 << 20;
    RUNS(b, "perl -e '$x = \"a\" x (200 << 20); print \"got it\"'");
    SAME_TEXT("", b->out);
    NO(b->r.exit == 0);
    RUNS(b, "perl -e '$x = \"a\" x (2 << 20); print \"got it\"'");
    SAME_TEXT("got it", b->out);
    box_close(b);
}

TEST(run_memory_is_limited)
{
    box_each_way(limit_memory);
}

/* Memory that belongs to no process. */
static void limit_unowned(int how)
{
    struct box *b = box_open(how);

    b->spec.limits.memory_bytes = 64 << 20;
    RUNS(b,
         "perl -e '$n = \"x\"; print \"memfd\\n\" if syscall(319, $n, 0) >= 0;"
         "print \"shm\\n\" if syscall(29, 0, 1 << 20, 01600) >= 0;"
         "print \"large\\n\" if syscall(29, 0, 1 << 40, 01600) >= 0;"
         "print \"sem\\n\" if syscall(64, 0, 1000, 01600) >= 0;"
         "print \"msg\\n\" if syscall(68, 0, 01600) >= 0;'");
    SAME_TEXT("", b->out);
    if (!(b->r.held & RUN_IPC))
        SKIP("no namespace for these");
    RUNS(b, "perl -e 'print \"shm\\n\" if syscall(29, 0, 56, 01600) >= 0;"
            "print \"sem\\n\" if syscall(64, 0, 17, 01600) >= 0;'");
    SAME_TEXT("shm\nsem\n", b->out);
    b->spec.limits.memory_bytes = 0;
    RUNS(
        b,
        "perl -e '$n = \"x\"; print \"memfd\\n\" if syscall(319, $n, 0) >= 0'");
    SAME_TEXT("memfd\n", b->out);
    box_close(b);
}

#ifdef __x86_64__
TEST(run_memory_of_no_process_is_limited)
{
    box_each_user(limit_unowned);
}
#endif

static void limit_many_files(int how)
{
    struct box *b = box_open(how);

    box_make_file(box_place("agent/old"), "x", how);
    b->spec.limits.disk_files = 100;
    RUNS(b, "n=0; while [ $n -lt 99 ]; do : >f$n; n=$((n+1)); done; echo few");
    EQ(0, b->r.hit);
    RUNS(b, "mkdir d; n=0; while [ $n -lt 100 ]; do : >d/$n; n=$((n+1)); done");
    EQ(RUN_HIT_FILES, b->r.hit);
    RUNS(b, "n=0; while [ $n -lt 10000 ]; do mkdir e$n; n=$((n+1));"
            "[ $((n % 50)) != 0 ] || sleep 0.1; done; echo all");
    EQ(RUN_HIT_FILES, b->r.hit);
    SAME_TEXT("", b->out);
    box_close(b);
}

TEST(run_number_of_files_is_limited)
{
    box_each_way(limit_many_files);
}

static void overrun_disk(int how)
{
    struct box *b = box_open(how);
    struct stat st;

    b->spec.limits.disk_bytes = 10 << 20;
    RUNS(b, "head -c 500000000 /dev/zero >big; sleep 1");
    EQ(RUN_HIT_DISK, b->r.hit);
    EQ(0, stat(box_place("agent/big"), &st));
    YES(st.st_size < 250000000);
    /* What a run removes counts for it: however far the first came, the second
     * begins without it. */
    EQ(0, unlink(box_place("agent/big")));
    RUNS(b, "fallocate -l 70000000 big || head -c 70000000 /dev/zero >big");
    EQ(RUN_HIT_DISK, b->r.hit); /* also if it has ended by then */
    box_close(b);
}

TEST(run_disk_limit_is_seen_however_fast_the_command_is)
{
    box_each_user(overrun_disk);
}

static void limit_files(int how)
{
    struct box *b = box_open(how);
    struct stat st;

    b->spec.limits.file_bytes = 100000;
    RUNS(b, "head -c 300000 /dev/zero >big");
    EQ(0, stat(box_place("agent/big"), &st));
    EQ(100000, st.st_size);
    b->spec.limits = (struct run_limits){.disk_bytes = 3 << 20};
    RUNS(b, "n=0; while [ $n -lt 200 ]; do head -c 1000000 /dev/zero >f$n;"
            "n=$((n+1)); sleep 0.05; done; echo all");
    EQ(RUN_HIT_DISK, b->r.hit);
    SAME_TEXT("", b->out);
    box_close(b);
}

TEST(run_files_and_disk_are_limited)
{
    box_each_way(limit_files);
}

static void limit_tmp(int how)
{
    struct box *b = box_open(how);

    b->spec.limits.tmp_bytes = 1 << 20;
    RUNS(b, "head -c 600000 /dev/zero >/tmp/a && head -c 600000 /dev/zero "
            ">/var/tmp/b || echo full; touch $HOME/x && echo home");
    SAME_TEXT("full\nhome\n", b->out);
    RUNS(b, "ls /tmp /var/tmp /dev/shm | grep -c '^[ab]$'");
    SAME_TEXT("0\n", b->out);
    box_close(b);
}

TEST(run_private_tmp_is_limited_and_gone_afterwards)
{
    box_each_user(limit_tmp);
}

/* ---- many at once, and bad luck --------------------------------------------- */

static void *run_some(void *arg)
{
    static const char *const argv[] = {"/bin/sh", "-c",
                                       "echo $SESSION_ID; sleep 0.02 &", NULL};
    struct box *b = arg;
    int i;

    b->spec.argv = argv;
    b->spec.output = box_collect;
    b->spec.output_ctx = b;
    for (i = 0; i < 6 && b->st == QUIRE_OK; i++)
        b->st = run_command(&b->spec, &b->r, &b->err);
    return NULL;
}

static void run_together(int how)
{
    static const char *const ids[] = {"a", "b", "c", "d"};
    static const char *const want[] = {"a\na\na\na\na\na\n",
                                       "b\nb\nb\nb\nb\nb\n",
                                       "c\nc\nc\nc\nc\nc\n",
                                       "d\nd\nd\nd\nd\nd\n"};
    int fds = test_count_files("/proc/self/fd");
    struct box *b[4];
    pthread_t thread[4];
    int i;

    b[0] = box_open(how);
    for (i = 1; i < 4; i++) {
        b[i] = mmap(NULL, sizeof *b[i], PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        YES(b[i] != MAP_FAILED);
        b[i]->spec = b[0]->spec;
    }
    b[3]->spec.wanted = RUN_UNCONFINED;
    for (i = 0; i < 4; i++) {
        b[i]->spec.session = ids[i];
        EQ(0, pthread_create(&thread[i], NULL, run_some, b[i]));
    }
    for (i = 0; i < 4; i++) {
        EQ(0, pthread_join(thread[i], NULL));
        test_err = b[i]->err;
        OK(b[i]->st);
        SAME_TEXT(want[i], b[i]->out);
        box_close(b[i]);
    }
    EQ(fds, test_count_files("/proc/self/fd"));
}

TEST(run_calls_do_not_mix_in_one_process)
{
    box_need_all();
    run_together(0);
}

/* Each call made to fail in turn: an error with words, or a run all the same.
 * Gives what went wrong, NULL for nothing. */
static const char *sweep(struct box *b)
{
    static const char *const argv[] = {"/bin/true", NULL};
    int fds = test_count_files("/proc/self/fd");
    bool struck = true;
    quire_status st;
    long n;

    b->spec.argv = argv;
    for (n = 1; struck; n++) {
        fault_arm(n, EIO, false);
        b->err.what[0] = '\0';
        st = run_command(&b->spec, &b->r, &b->err);
        struck = fault_disarm();
        if (st != QUIRE_OK && b->err.what[0] == '\0')
            return "an error without words";
        if (n > 2000)
            return "it never ends";
    }
    if (st != QUIRE_OK || b->r.exit != 0)
        return "it fails without a fault";
    if (fds != test_count_files("/proc/self/fd"))
        return "descriptors are left";
    if (waitpid(-1, NULL, WNOHANG | __WALL) >= 0)
        return "children are left";
    return NULL;
}

static void fail_each(int how)
{
    struct box *b = box_open(how);
    const char *wrong;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        box_lack(how);
        wrong = sweep(b);
        snprintf(b->out, sizeof b->out, "%s", wrong ? wrong : "");
        _exit(0);
    }
    EQ(pid, waitpid(pid, &status, 0));
    EQ(0, status);
    SAME_TEXT("", b->out);
    box_close(b);
}

TEST(run_fails_whole_whatever_call_fails)
{
    box_need_all();
    fail_each(0);
    fail_each(NO_SPACES);
}

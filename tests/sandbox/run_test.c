/*
 * run_test.c - a command that cannot get out
 *
 * A run happens in a child of the test, which can first become another user or
 * lose what a machine may lack: what it saw comes back in shared memory. Where
 * the test is root everything is done twice, once as an ordinary user.
 */
#include "sandbox/run.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

enum {
    NOBODY = 1,      /* not as root                                     */
    NO_SPACES = 2,   /* as in a container: no new user namespace        */
    NO_LANDLOCK = 4, /* as in an old kernel                             */
};

struct box {
    struct run_spec spec;
    int how;

    quire_status st;
    struct run_result r;
    quire_error err;
    size_t n_out, n_err;
    char out[1 << 16], err_out[1 << 16];
};

/* ---- lacking -------------------------------------------------------------- */

static void lack(int how)
{
    struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, how & NO_LANDLOCK
                                      ? SECCOMP_RET_ERRNO | EOPNOTSUPP
                                      : SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, how & NO_SPACES ? SECCOMP_RET_ERRNO | EPERM
                                                  : SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, how & NO_SPACES ? SECCOMP_RET_ERRNO | EPERM
                                                  : SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = {sizeof f / sizeof *f, f};

    if (!(how & (NO_SPACES | NO_LANDLOCK)))
        return;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
        _exit(99);
}

/* A process that changed its user cannot be looked at, nor look at itself. */
static void become_nobody(void)
{
    if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
        setresuid(65534, 65534, 65534) < 0 ||
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        _exit(98);
}

/* ---- a box ---------------------------------------------------------------- */

static const char *place(const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "home/%s", name);
    return test_path(path);
}

static void make_dir(const char *path, int how)
{
    YES(mkdir(path, 0700) == 0 || errno == EEXIST);
    if (how & NOBODY)
        EQ(0, chown(path, 65534, 65534));
}

static void make_file(const char *path, const char *text, int how)
{
    test_write_file(path, (quire_bytes){text, strlen(text)});
    if (how & NOBODY)
        EQ(0, chown(path, 65534, 65534));
}

static const char *kept(const char *text)
{
    char *copy = test_alloc(strlen(text) + 1);

    return strcpy(copy, text);
}

/* Fresh directories, and a database that is none of the command's business. */
static struct box *box_open(int how)
{
    struct box *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    YES(b != MAP_FAILED);
    b->spec = (struct run_spec)RUN_SPEC_INIT;
    b->how = how;
    test_forget_dir();
    EQ(0, chmod(test_dir(), 0755));
    make_dir(test_path("home"), how);
    make_dir(place("agent"), how);
    make_dir(place("scratch"), how);
    make_dir(place("docs"), how);
    make_file(place("docs/guide"), "read me\n", how);
    make_file(place("quire.db"), "canary\n", how);
    b->spec.agent = kept(place("agent"));
    b->spec.scratch = kept(place("scratch"));
    b->spec.home = kept(test_path("home"));
    b->spec.session = "s1";
    make_dir(test_path("tmp"), how);
    b->spec.tmp = kept(test_path("tmp"));
    if (how & NO_SPACES)
        b->spec.wanted = RUN_FILES;
    return b;
}

static void box_close(struct box *b)
{
    munmap(b, sizeof *b);
}

static quire_status collect(void *ctx, int stream, quire_bytes bytes,
                            quire_error *err)
{
    struct box *b = ctx;
    char *to = stream == 1 ? b->out : b->err_out;
    size_t *n = stream == 1 ? &b->n_out : &b->n_err;

    (void)err;
    if (bytes.len > sizeof b->out - 1 - *n)
        bytes.len = sizeof b->out - 1 - *n;
    memcpy(to + *n, bytes.data, bytes.len);
    *n += bytes.len;
    to[*n] = '\0';
    return QUIRE_OK;
}

static void box_argv(struct box *b, const char *const *argv)
{
    int status;
    pid_t pid;

    b->spec.argv = argv;
    if (!b->spec.output) {
        b->spec.output = collect;
        b->spec.output_ctx = b;
    }
    b->n_out = b->n_err = 0;
    b->out[0] = b->err_out[0] = '\0';
    pid = fork();
    if (pid == 0) {
        if (b->how & NOBODY)
            become_nobody();
        lack(b->how);
        b->st = run_command(&b->spec, &b->r, &b->err);
        _exit(0);
    }
    EQ(pid, waitpid(pid, &status, 0));
    EQ(0, status);
}

/* The status, and words if it should not be that. */
static void box_script(struct box *b, const char *script)
{
    const char *argv[] = {"/bin/sh", "-c", script, NULL};

    box_argv(b, argv);
    test_err = b->err;
}

#define RUNS(b, script)        \
    do {                       \
        box_script(b, script); \
        OK((b)->st);           \
    } while (0)

/* A machine that lacks the layers proves nothing about them. */
static bool has_all(void)
{
    struct run_probe probe;

    run_probe(&probe);
    return probe.best == RUN_FULL;
}

/* As who we are and, if that is root, as somebody else. */
static void each_user(void (*body)(int how))
{
    if (!has_all())
        return;
    body(0);
    if (geteuid() == 0)
        body(NOBODY);
}

/* With every way to confine a command. */
static void each_way(void (*body)(int how))
{
    each_user(body);
    if (!has_all())
        return;
    body(NO_SPACES);
    if (geteuid() == 0)
        body(NOBODY | NO_SPACES);
}

/* ---- what it is given ----------------------------------------------------- */

static void see_environment(int how)
{
    static const char *const more[] = {"MINE=a b", "TERM=vt100", NULL};
    static const char *const argv[] = {"env", NULL};
    struct box *b = box_open(how);
    char want[2048];

    setenv("SECRET_TOKEN", "s3cret", 1);
    b->spec.env = more;
    box_argv(b, argv);
    test_err = b->err;
    OK(b->st);
    snprintf(want, sizeof want,
             "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:"
             "/bin\nHOME=/tmp/home\nLANG=C.UTF-8\nTERM=vt100\nSESSION_ID=s1\n"
             "QUIRE_DATA_DIR=%s\nLOOM_DATA_DIR=%s\nSESSION_ARTIFACT_DIR=%s\n"
             "SESSION_SCRATCHPAD_DIR=%s\nMINE=a b\n",
             b->spec.home, b->spec.home, b->spec.agent, b->spec.scratch);
    SAME_TEXT(want, b->out);
    unsetenv("SECRET_TOKEN");
    box_close(b);
}

TEST(run_environment_is_the_named_variables_and_no_other)
{
    each_user(see_environment);
}

TEST(run_environment_cannot_be_made_to_lie)
{
    static const char *const lie[] = {"SESSION_ID=s2", NULL};
    static const char *const bad[] = {"=x", NULL};
    struct box *b = box_open(0);

    b->spec.env = lie;
    box_script(b, "true");
    EQ(QUIRE_INVALID, b->st);
    HAS(b->err.what, "SESSION_ID");
    b->spec.env = bad;
    box_script(b, "true");
    EQ(QUIRE_INVALID, b->st);
    box_close(b);
}

static void see_descriptors(int how)
{
    struct box *b = box_open(how);
    int fd = open("/dev/null", O_RDWR);

    YES(fd > 2);
    RUNS(b, "ls /proc/self/fd | tr '\\n' ' '");
    SAME_TEXT("0 1 2 3 ", b->out);
    close(fd);
    box_close(b);
}

TEST(run_descriptors_are_three)
{
    each_user(see_descriptors);
}

static void see_cwd(int how)
{
    struct box *b = box_open(how);
    char want[512];

    RUNS(b, "mkdir sub; pwd; pwd -P");
    snprintf(want, sizeof want, "%s\n%s\n", b->spec.agent, b->spec.agent);
    SAME_TEXT(want, b->out);
    b->spec.cwd = kept(place("agent/sub"));
    RUNS(b, "pwd -P");
    snprintf(want, sizeof want, "%s/sub\n", b->spec.agent);
    SAME_TEXT(want, b->out);
    b->spec.cwd = b->spec.scratch;
    RUNS(b, "pwd -P");
    snprintf(want, sizeof want, "%s\n", b->spec.scratch);
    SAME_TEXT(want, b->out);
    b->spec.cwd = b->spec.home;
    box_script(b, "pwd");
    EQ(QUIRE_INVALID, b->st);
    b->spec.cwd = kept(place("agent/../docs"));
    box_script(b, "pwd");
    NO(b->st == QUIRE_OK);
    b->spec.cwd = kept(place("agent/none"));
    box_script(b, "pwd");
    EQ(QUIRE_NOT_FOUND, b->st);
    box_close(b);
}

TEST(run_starts_in_the_session_and_nowhere_else)
{
    each_way(see_cwd);
}

static void give_stdin(int how)
{
    struct box *b = box_open(how);
    int fd[2];

    RUNS(b, "cat; echo end");
    SAME_TEXT("end\n", b->out);
    EQ(0, pipe(fd));
    EQ(5, write(fd[1], "piped", 5));
    close(fd[1]);
    b->spec.stdin_fd = fd[0];
    RUNS(b, "cat");
    SAME_TEXT("piped", b->out);
    close(fd[0]);
    box_close(b);
}

TEST(run_stdin_is_what_was_given_or_nothing)
{
    each_user(give_stdin);
}

static void see_status(int how)
{
    struct box *b = box_open(how);

    RUNS(b, "exit 7");
    EQ(7, b->r.exit);
    EQ(0, b->r.signal);
    RUNS(b, "kill -TERM $$");
    EQ(-1, b->r.exit);
    EQ(15, b->r.signal);
    RUNS(b, "echo out; echo err >&2");
    SAME_TEXT("out\n", b->out);
    SAME_TEXT("err\n", b->err_out);
    EQ(4, b->r.out_bytes);
    EQ(4, b->r.err_bytes);
    EQ(0, b->r.hit);
    box_close(b);
}

TEST(run_passes_on_how_the_command_ended)
{
    each_way(see_status);
}

/* ---- walls ---------------------------------------------------------------- */

static void try_files(int how)
{
    struct box *b = box_open(how);
    struct stat st;

    RUNS(b, "echo made >here; mkdir d; echo x >$SESSION_SCRATCHPAD_DIR/there;"
            "cp here d/; mv d/here d/two; rm d/two; rmdir d; cat here");
    SAME_TEXT("made\n", b->out);
    SAME_TEXT("", b->err_out);
    EQ(0, stat(place("agent/here"), &st));
    EQ(0600, st.st_mode & 0777);
    YES(test_exists(place("scratch/there")));

    RUNS(b, "cat $QUIRE_DATA_DIR/quire.db; cat ../quire.db;"
            "ln -s $QUIRE_DATA_DIR/quire.db l; cat l; echo x >>l;"
            "ln $QUIRE_DATA_DIR/quire.db h; cat h;"
            "echo x >$QUIRE_DATA_DIR/new; rm -f $QUIRE_DATA_DIR/quire.db;"
            "rm -rf $QUIRE_DATA_DIR/docs; truncate -s 0 ../quire.db");
    SAME_TEXT("", b->out);
    SAME_TEXT("canary\n", (const char *)test_read_file(place("quire.db")).data);
    NO(test_exists(place("new")));
    YES(test_exists(place("docs/guide")));

    /* The same command reaches it where nothing confines it. */
    b->spec.wanted = RUN_UNCONFINED;
    RUNS(b, "cat $QUIRE_DATA_DIR/quire.db");
    SAME_TEXT("canary\n", b->out);
    box_close(b);
}

TEST(run_files_of_the_home_are_out_of_reach)
{
    each_way(try_files);
}

static void try_readable(int how)
{
    struct box *b = box_open(how);
    const char *const trees[] = {kept(place("docs")), kept(place("none")),
                                 NULL};

    b->spec.readable = trees;
    RUNS(b, "cat ../docs/guide; echo x >../docs/new; echo x >../docs/guide;"
            "rm -f ../docs/guide; cat ../quire.db");
    SAME_TEXT("read me\n", b->out);
    NO(test_exists(place("docs/new")));
    YES(test_exists(place("docs/guide")));
    box_close(b);
}

TEST(run_readable_trees_are_never_writable)
{
    each_way(try_readable);
}

/* All sessions, of which ours is one. */
static void try_nested(int how)
{
    struct box *b = box_open(how);
    const char *const trees[] = {b->spec.home, NULL};

    b->spec.readable = trees;
    RUNS(b, "cat ../quire.db; echo x >../new; echo mine >mine; cat mine");
    SAME_TEXT("canary\nmine\n", b->out);
    NO(test_exists(place("new")));
    box_close(b);
}

TEST(run_its_own_directory_is_writable_within_a_readable_tree)
{
    each_way(try_nested);
}

static void try_system(int how)
{
    struct box *b = box_open(how);

    RUNS(b, "for f in /x /usr/x /etc/x /dev/x /proc/x /bin/x; do"
            " echo x >$f; done 2>/dev/null;"
            "cat /etc/shadow /etc/ssh/* /root/.* 2>/dev/null;"
            "ls /home /root /srv /sys /boot /var/lib 2>/dev/null; true");
    SAME_TEXT("", b->out);
    RUNS(b, "ls /; hostname; id -u");
    YES(strncmp("bin\ndev\netc\n", b->out, 12) == 0);
    HAS(b->out, "quire\n1000\n");
    RUNS(b, "grep -cE '^Cap(Inh|Prm|Eff|Bnd|Amb):.0*$' /proc/self/status;"
            "grep NoNewPrivs /proc/self/status");
    SAME_TEXT("5\nNoNewPrivs:\t1\n", b->out);
    box_close(b);
}

TEST(run_system_is_read_only_and_without_secrets)
{
    each_user(try_system);
}

static void try_proc(int how)
{
    struct box *b = box_open(how);

    setenv("SECRET_TOKEN", "s3cret", 1);
    RUNS(b, "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c SECRET;"
            "cat /proc/[0-9]*/comm | sort | uniq | tr '\\n' ' ';"
            "echo x >/proc/sys/kernel/core_pattern;"
            "echo 1 >/proc/sysrq-trigger; ls /proc/1/root/root /proc/1/cwd/..");
    unsetenv("SECRET_TOKEN");
    HAS(b->out, "0\n");
    HAS(b->out, "cat sh ");
    NO(strstr(b->out, "unit") != NULL);
    box_close(b);
}

TEST(run_proc_shows_its_own_processes_and_no_environment_of_ours)
{
    each_user(try_proc);
}

static void try_signals(int how)
{
    struct box *b = box_open(how);
    char script[128];

    snprintf(script, sizeof script,
             "kill -KILL %d; kill -0 1; kill -KILL -1; "
             "echo on",
             (int)getpid());
    RUNS(b, script);
    HAS(b->out, "on\n");
    box_close(b);
}

TEST(run_signals_reach_nobody_outside)
{
    each_way(try_signals);
}

static int listen_here(int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    YES(fd >= 0);
    EQ(0, bind(fd, (struct sockaddr *)&at, sizeof at));
    EQ(0, listen(fd, 5));
    EQ(0, getsockname(fd, (struct sockaddr *)&at, &len));
    *port = ntohs(at.sin_port);
    return fd;
}

static void try_network(int how)
{
    struct box *b = box_open(how);
    char script[256];
    int port;
    int fd = listen_here(&port);

    snprintf(script, sizeof script,
             "bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d && echo in' 2>/dev/null;"
             "bash -c 'echo x >/dev/udp/127.0.0.1/%d && echo sent' 2>/dev/null;"
             "true",
             port, port);
    RUNS(b, script);
    SAME_TEXT("", b->out);
    EQ(how & NO_SPACES ? 0 : RUN_NET, b->r.held & RUN_NET);
    b->spec.net = true;
    RUNS(b, script);
    SAME_TEXT("in\nsent\n", b->out);
    EQ(0, b->r.held & RUN_NET);
    close(fd);
    box_close(b);
}

TEST(run_network_is_there_only_when_asked_for)
{
    each_way(try_network);
}

static void try_calls(int how)
{
    struct box *b = box_open(how);

    RUNS(b, "unshare -U true && echo userns; unshare -m true && echo mnt;"
            "mount -t tmpfs x /tmp && echo mounted; chroot / true && echo chr;"
            "perl -e 'print \"ptrace\\n\" if syscall(101,0,0,0,0) >= 0;"
            "print \"keyctl\\n\" if syscall(250,0,-3,1) >= 0;"
            "print \"uring\\n\" if syscall(425,1,0) >= 0;"
            "print \"clone3 $!{ENOSYS}\\n\" if syscall(435,0,0) >= 0;"
            "print \"bpf\\n\" if syscall(321,0,0,0) >= 0'");
    SAME_TEXT("", b->out);
    box_close(b);
}

#ifdef __x86_64__
TEST(run_calls_around_the_walls_are_refused)
{
    each_way(try_calls);
}
#endif

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
    each_way(end_in_time);
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

TEST(run_time_limit_asks_first)
{
    each_way(end_politely);
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
    each_way(end_left_behind);
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
    b->spec.output = collect;
    b->spec.output_ctx = b;
    pid = fork();
    if (pid == 0) {
        if (how & NOBODY)
            become_nobody();
        lack(how);
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
    each_way(end_with_caller);
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
    each_way(end_output);
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
    each_user(end_on_request);
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
    each_way(limit_processes);
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
    each_way(limit_memory);
}

static void limit_files(int how)
{
    struct box *b = box_open(how);
    struct stat st;

    b->spec.limits.file_bytes = 100000;
    RUNS(b, "head -c 300000 /dev/zero >big");
    EQ(0, stat(place("agent/big"), &st));
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
    each_way(limit_files);
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
    each_user(limit_tmp);
}

/* ---- words ---------------------------------------------------------------- */

static void say_why(int how)
{
    static const char *const none[] = {"no-such-command", NULL};
    struct box *b = box_open(how);
    const char *const plain[] = {kept(place("agent/plain")), NULL};
    const char *const rubbish[] = {kept(place("agent/rubbish")), NULL};

    box_argv(b, none);
    EQ(QUIRE_NOT_FOUND, b->st);
    HAS(b->err.what, "cannot run no-such-command: not found");
    HAS(b->err.next, "/usr/bin");
    make_file(plain[0], "x", how);
    box_argv(b, plain);
    EQ(QUIRE_INVALID, b->st);
    HAS(b->err.what, "not permitted");
    make_file(rubbish[0], "\001\002", how);
    EQ(0, chmod(rubbish[0], 0700));
    box_argv(b, rubbish);
    EQ(QUIRE_INVALID, b->st);
    HAS(b->err.what, "not a program");
    box_close(b);
}

TEST(run_says_why_a_command_did_not_start)
{
    each_way(say_why);
}

TEST(run_refuses_directories_it_cannot_use)
{
    struct box *b = box_open(0);

    b->spec.stdin_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    box_script(b, "true");
    EQ(QUIRE_INVALID, b->st);
    close(b->spec.stdin_fd);
    b->spec.stdin_fd = -1;
    b->spec.agent = "relative";
    box_script(b, "true");
    EQ(QUIRE_INVALID, b->st);
    b->spec.agent = kept(place("nothing"));
    box_script(b, "true");
    EQ(QUIRE_NOT_FOUND, b->st);
    EQ(0, symlink(place("docs"), place("link")));
    b->spec.agent = kept(place("link"));
    box_script(b, "true");
    NO(b->st == QUIRE_OK);
    b->spec.agent = "/usr/share";
    box_script(b, "true");
    EQ(QUIRE_INVALID, b->st);
    HAS(b->err.what, "every command can read");
    box_close(b);
}

/* ---- what a machine may lack ---------------------------------------------- */

#define SPACES \
    (RUN_USER | RUN_MOUNT | RUN_PID | RUN_NET | RUN_IPC | RUN_UTS | RUN_CGROUP)

static void hold_all(int how)
{
    struct box *b = box_open(how);

    RUNS(b, "true");
    EQ(SPACES | RUN_PROC | RUN_LANDLOCK | RUN_SECCOMP | RUN_RLIMITS |
           RUN_NO_NEW_PRIVS | RUN_NO_CAPS,
       b->r.held);
    b->spec.wanted = RUN_UNCONFINED;
    RUNS(b, "true");
    EQ(RUN_RLIMITS, b->r.held);
    box_close(b);
}

TEST(run_tells_what_held)
{
    each_user(hold_all);
}

static void lack_spaces(int how)
{
    struct box *b = box_open(how | NO_SPACES);

    RUNS(b, "true");
    EQ(RUN_LANDLOCK | RUN_SECCOMP | RUN_RLIMITS | RUN_NO_NEW_PRIVS |
           RUN_NO_CAPS,
       b->r.held);
    RUNS(b, "echo $TMPDIR; touch $TMPDIR/x $HOME/y && echo ok");
    HAS(b->out, "/tmp/quire-run-");
    HAS(b->out, b->spec.tmp);
    HAS(b->out, "ok\n");
    b->out[strcspn(b->out, "\n")] = '\0';
    NO(test_exists(b->out));
    b->spec.wanted = RUN_FULL;
    box_script(b, "echo ran");
    EQ(QUIRE_IO, b->st);
    HAS(b->err.what, "no user namespaces");
    NO(strstr(b->err.what, "Landlock") != NULL);
    HAS(b->err.next, "--unconfined");
    SAME_TEXT("", b->out);
    box_close(b);
}

TEST(run_without_user_namespaces_uses_landlock_if_that_is_enough)
{
    each_user(lack_spaces);
}

static void lack_landlock(int how)
{
    struct box *b = box_open(how | NO_LANDLOCK);

    box_script(b, "echo ran");
    EQ(QUIRE_IO, b->st);
    HAS(b->err.what, "no Landlock");
    b->spec.wanted = RUN_FILES;
    RUNS(b, "cat ../quire.db; echo x >/usr/x; echo ran");
    SAME_TEXT("ran\n", b->out);
    EQ(SPACES | RUN_PROC, b->r.held & (SPACES | RUN_PROC | RUN_LANDLOCK));
    box_close(b);
}

TEST(run_without_landlock_uses_namespaces_if_that_is_enough)
{
    each_user(lack_landlock);
}

static void lack_both(int how)
{
    struct box *b = box_open(how | NO_LANDLOCK | NO_SPACES);

    box_script(b, "echo ran");
    EQ(QUIRE_IO, b->st);
    HAS(b->err.what, "no user namespaces");
    HAS(b->err.what, "no Landlock");
    HAS(b->err.next, "--unconfined");
    SAME_TEXT("", b->out);
    b->spec.wanted = RUN_UNCONFINED;
    RUNS(b, "echo ran");
    SAME_TEXT("ran\n", b->out);
    box_close(b);
}

TEST(run_refuses_where_files_cannot_be_isolated)
{
    each_user(lack_both);
}

TEST(run_probe_tells_the_most_there_is)
{
    struct run_probe probe;

    run_probe(&probe);
    SAME_TEXT("user", probe.layer[0].name);
    SAME_TEXT("no_caps", probe.layer[RUN_N_LAYERS - 1].name);
    if (probe.best == RUN_FULL)
        HAS(probe.layer[8].why, "version");
    SAME_TEXT("", run_layer_name(RUN_N_LAYERS));
}

/* ---- many at once, and bad luck --------------------------------------------- */

static void *run_some(void *arg)
{
    static const char *const argv[] = {"/bin/sh", "-c",
                                       "echo $SESSION_ID; sleep 0.02 &", NULL};
    struct box *b = arg;
    int i;

    b->spec.argv = argv;
    b->spec.output = collect;
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
    if (has_all())
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
        lack(how);
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
    if (!has_all())
        return;
    fail_each(0);
    fail_each(NO_SPACES);
}

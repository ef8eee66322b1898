/*
 * run_test.c - a command that cannot get out: what it is given, what walls it
 * meets, and what holds where a machine lacks some of them; see box.h
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/box.h"

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
    box_each_user(see_environment);
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
    box_each_user(see_descriptors);
}

static void see_cwd(int how)
{
    struct box *b = box_open(how);
    char want[512];

    RUNS(b, "mkdir sub; pwd; pwd -P");
    snprintf(want, sizeof want, "%s\n%s\n", b->spec.agent, b->spec.agent);
    SAME_TEXT(want, b->out);
    b->spec.cwd = box_kept(box_place("agent/sub"));
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
    b->spec.cwd = box_kept(box_place("agent/../docs"));
    box_script(b, "pwd");
    NO(b->st == QUIRE_OK);
    b->spec.cwd = box_kept(box_place("agent/none"));
    box_script(b, "pwd");
    EQ(QUIRE_NOT_FOUND, b->st);
    box_close(b);
}

TEST(run_starts_in_the_session_and_nowhere_else)
{
    box_each_way(see_cwd);
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
    box_each_user(give_stdin);
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
    box_each_way(see_status);
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
    EQ(0, stat(box_place("agent/here"), &st));
    EQ(0600, st.st_mode & 0777);
    YES(test_exists(box_place("scratch/there")));

    RUNS(b, "cat $QUIRE_DATA_DIR/quire.db; cat ../quire.db;"
            "ln -s $QUIRE_DATA_DIR/quire.db l; cat l; echo x >>l;"
            "ln $QUIRE_DATA_DIR/quire.db h; cat h;"
            "echo x >$QUIRE_DATA_DIR/new; rm -f $QUIRE_DATA_DIR/quire.db;"
            "rm -rf $QUIRE_DATA_DIR/docs; truncate -s 0 ../quire.db");
    SAME_TEXT("", b->out);
    SAME_TEXT("canary\n",
              (const char *)test_read_file(box_place("quire.db")).data);
    NO(test_exists(box_place("new")));
    YES(test_exists(box_place("docs/guide")));

    /* The same command reaches it where nothing confines it. */
    b->spec.wanted = RUN_UNCONFINED;
    RUNS(b, "cat $QUIRE_DATA_DIR/quire.db");
    SAME_TEXT("canary\n", b->out);
    box_close(b);
}

TEST(run_files_of_the_home_are_out_of_reach)
{
    box_each_way(try_files);
}

/* In a home beneath /tmp: the command has a /tmp of its own, where it would seem
 * to succeed. */
static void try_write_home(int how)
{
    struct box *b = box_open(how);

    RUNS(b, "for f in new artifacts/new deep/er/new; do"
            " mkdir -p $QUIRE_DATA_DIR/${f%/*} || echo no;"
            " echo x >$QUIRE_DATA_DIR/$f || echo refused; done 2>/dev/null;"
            "echo x >mine && echo x >$SESSION_SCRATCHPAD_DIR/mine &&"
            " echo x >${TMPDIR:-/tmp}/mine && cat mine");
    HAS(b->out, "refused\nno\nrefused\nno\nrefused\nx\n");
    box_close(b);
}

TEST(run_writes_to_the_home_are_refused_also_beneath_tmp)
{
    if (strncmp(test_dir(), "/tmp/", 5) != 0 &&
        strncmp(test_dir(), "/dev/shm/", 9) != 0)
        SKIP("the test's directory is not in /tmp or /dev/shm");
    box_each_way(try_write_home);
}

static void try_readable(int how)
{
    struct box *b = box_open(how);
    const char *const trees[] = {box_kept(box_place("docs")),
                                 box_kept(box_place("none")), NULL};

    b->spec.readable = trees;
    RUNS(b, "cat ../docs/guide; echo x >../docs/new; echo x >../docs/guide;"
            "rm -f ../docs/guide; cat ../quire.db");
    SAME_TEXT("read me\n", b->out);
    NO(test_exists(box_place("docs/new")));
    YES(test_exists(box_place("docs/guide")));
    box_close(b);
}

TEST(run_readable_trees_are_never_writable)
{
    box_each_way(try_readable);
}

/* All sessions, of which ours is one. */
static void try_nested(int how)
{
    struct box *b = box_open(how);
    const char *const trees[] = {b->spec.home, NULL};

    b->spec.readable = trees;
    RUNS(b, "cat ../quire.db; echo x >../new; echo mine >mine; cat mine");
    SAME_TEXT("canary\nmine\n", b->out);
    NO(test_exists(box_place("new")));
    box_close(b);
}

TEST(run_its_own_directory_is_writable_within_a_readable_tree)
{
    box_each_way(try_nested);
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
    box_each_user(try_system);
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
    box_each_user(try_proc);
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
    box_each_way(try_signals);
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
    box_each_way(try_network);
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
    box_each_way(try_calls);
}
#endif

/* ---- words ---------------------------------------------------------------- */

static void say_why(int how)
{
    static const char *const none[] = {"no-such-command", NULL};
    struct box *b = box_open(how);
    const char *const plain[] = {box_kept(box_place("agent/plain")), NULL};
    const char *const rubbish[] = {box_kept(box_place("agent/rubbish")), NULL};

    box_argv(b, none);
    EQ(QUIRE_NOT_FOUND, b->st);
    HAS(b->err.what, "cannot run no-such-command: not found");
    HAS(b->err.next, "/usr/bin");
    box_make_file(plain[0], "x", how);
    box_argv(b, plain);
    EQ(QUIRE_INVALID, b->st);
    HAS(b->err.what, "not permitted");
    box_make_file(rubbish[0], "\001\002", how);
    EQ(0, chmod(rubbish[0], 0700));
    box_argv(b, rubbish);
    EQ(QUIRE_INVALID, b->st);
    HAS(b->err.what, "not a program");
    box_close(b);
}

TEST(run_says_why_a_command_did_not_start)
{
    box_each_way(say_why);
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
    b->spec.agent = box_kept(box_place("nothing"));
    box_script(b, "true");
    EQ(QUIRE_NOT_FOUND, b->st);
    EQ(0, symlink(box_place("docs"), box_place("link")));
    b->spec.agent = box_kept(box_place("link"));
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
    box_each_user(hold_all);
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
    box_each_user(lack_spaces);
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
    box_each_user(lack_landlock);
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
    box_each_user(lack_both);
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

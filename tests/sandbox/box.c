/* box.c - see box.h */
#include "sandbox/box.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- lacking -------------------------------------------------------------- */

void box_lack(int how)
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
void box_become_nobody(void)
{
    if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
        setresuid(65534, 65534, 65534) < 0 ||
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        _exit(98);
}

/* ---- a box ---------------------------------------------------------------- */

const char *box_place(const char *name)
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

void box_make_file(const char *path, const char *text, int how)
{
    test_write_file(path, (quire_bytes){text, strlen(text)});
    if (how & NOBODY)
        EQ(0, chown(path, 65534, 65534));
}

const char *box_kept(const char *text)
{
    char *copy = test_alloc(strlen(text) + 1);

    return strcpy(copy, text);
}

struct box *box_open(int how)
{
    struct box *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    YES(b != MAP_FAILED);
    b->spec = (struct run_spec)RUN_SPEC_INIT;
    b->how = how;
    test_forget_dir();
    EQ(0, chmod(test_dir(), 0755));
    make_dir(test_path("home"), how);
    make_dir(box_place("agent"), how);
    make_dir(box_place("scratch"), how);
    make_dir(box_place("docs"), how);
    box_make_file(box_place("docs/guide"), "read me\n", how);
    box_make_file(box_place("quire.db"), "canary\n", how);
    b->spec.agent = box_kept(box_place("agent"));
    b->spec.scratch = box_kept(box_place("scratch"));
    b->spec.home = box_kept(test_path("home"));
    b->spec.session = "s1";
    make_dir(test_path("tmp"), how);
    b->spec.tmp = box_kept(test_path("tmp"));
    if (how & NO_SPACES)
        b->spec.wanted = RUN_FILES;
    return b;
}

void box_close(struct box *b)
{
    munmap(b, sizeof *b);
}

quire_status box_collect(void *ctx, int stream, quire_bytes bytes,
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

void box_argv(struct box *b, const char *const *argv)
{
    int status;
    pid_t pid;

    b->spec.argv = argv;
    if (!b->spec.output) {
        b->spec.output = box_collect;
        b->spec.output_ctx = b;
    }
    b->n_out = b->n_err = 0;
    b->out[0] = b->err_out[0] = '\0';
    pid = fork();
    if (pid == 0) {
        if (b->how & NOBODY)
            box_become_nobody();
        box_lack(b->how);
        b->st = run_command(&b->spec, &b->r, &b->err);
        _exit(0);
    }
    EQ(pid, waitpid(pid, &status, 0));
    EQ(0, status);
}

void box_script(struct box *b, const char *script)
{
    const char *argv[] = {"/bin/sh", "-c", script, NULL};

    box_argv(b, argv);
    test_err = b->err;
}

void box_need_all(void)
{
    struct run_probe probe;

    run_probe(&probe);
    if (probe.best != RUN_FULL)
        SKIP("this machine lacks a layer of confinement");
}

void box_each_user(void (*body)(int how))
{
    box_need_all();
    body(0);
    if (geteuid() == 0)
        body(NOBODY);
}

void box_each_way(void (*body)(int how))
{
    box_each_user(body);
    body(NO_SPACES);
    if (geteuid() == 0)
        body(NOBODY | NO_SPACES);
}

/*
 * bare.c - run a program where user namespaces are forbidden
 *
 *     bare COMMAND...
 *
 * As many containers are: unshare and clone with CLONE_NEWUSER fail with EPERM,
 * clone3, whose flags a filter cannot see, is not there. Root is not exempt:
 * nobody gets a new namespace of any kind.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEW_SPACES                                               \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | \
     CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(op, k, yes, no) BPF_JUMP(BPF_JMP | (op) | BPF_K, (k), (yes), (no))
#define RETURN(v)          BPF_STMT(BPF_RET | BPF_K, (v))

int main(int argc, char **argv)
{
    struct sock_filter steps[] = {
        LOAD(nr),
        IF(BPF_JEQ, SYS_clone3, 4, 0),
        IF(BPF_JEQ, SYS_unshare, 1, 0),
        IF(BPF_JEQ, SYS_clone, 0, 4),
        LOAD(args[0]),
        IF(BPF_JSET, NEW_SPACES, 1, 2),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
        RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};

    if (argc < 2)
        return 2;
    /* no_new_privs is one of the walls under test: only who must, has it. */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0 &&
        (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)) {
        perror("bare: cannot filter");
        return 125;
    }
    execvp(argv[1], argv + 1);
    perror("bare: cannot run");
    return 127;
}

/*
 * box.h - a command that cannot get out, and what it says it saw
 *
 * A run happens in a child of the test, which can first become another user or
 * lose what a machine may lack: what it saw comes back in shared memory. Where
 * the test is root everything is done twice, once as an ordinary user.
 */
#ifndef TESTS_BOX_H
#define TESTS_BOX_H

#include "sandbox/run.h"
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

/* In a child: lose what `how` says is not there, for good. */
void box_lack(int how);
void box_become_nobody(void);

/* A path of the home, on loan; a file there; and text that stays. */
const char *box_place(const char *name);
void box_make_file(const char *path, const char *text, int how);
const char *box_kept(const char *text);

/* Fresh directories, and a database that is none of the command's business. */
struct box *box_open(int how);
void box_close(struct box *b);

/* A run_spec's output, into the box that is its ctx. */
quire_status box_collect(void *ctx, int stream, quire_bytes bytes,
                         quire_error *err);

/* Run it; how that went is in the box, and for a script in test_err, too. */
void box_argv(struct box *b, const char *const *argv);
void box_script(struct box *b, const char *script);

#define RUNS(b, script)        \
    do {                       \
        box_script(b, script); \
        OK((b)->st);           \
    } while (0)

/* Skip the test on a machine that lacks a layer: it proves nothing there. */
void box_need_all(void);

/* As who we are and, if that is root, as somebody else. */
void box_each_user(void (*body)(int how));

/* With every way to confine a command. */
void box_each_way(void (*body)(int how));

#endif

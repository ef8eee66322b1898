/* session.h - one session or conversation, looked at by one thread */
#ifndef CHECK_SESSION_H
#define CHECK_SESSION_H

#include "base/parallel.h"
#include "check/check.h"
#include "api/gc_sources.h"
#include "store/preloaded.h"

/* A file, and what was learnt of it beside what is wrong. */
struct looked {
    const char *label; /* as in struct gc_source */
    bool session;
    bool counts; /* it is one of those that are counted        */
    uint64_t references;
    char *id; /* owned; the header's; NULL: it has none     */
};

/* The tenant of the file. */
int64_t looked_tenant(const struct looked *is);

/* A finding, emitted through parallel_run(). */
struct finding {
    struct parallel_result note;
    quire_problem problem; /* `where` lives as long as the label */
    struct mending mending;
};

/* What one thread has to itself. */
struct file_check {
    const struct checks *c;
    struct gc_source_reader reader;
    struct db *db; /* NULL: it is not needed                         */
    bool own;      /* home and database are the caller's              */
    struct stmt *tally;
    struct preloaded whole;
    char *
        piece; /* for references in a file that is too large for that; NULL: not
                    needed yet */

    /* The file it is at: */
    struct looked *is;
    struct parallel_chunk *turn;
    struct store *store;
    const char *name;
    struct log *log; /* both owned, or in `whole` */
    struct object *file;
    struct object_info info;
    quire_status said; /* result of a hook that ends the check */
};

/* The caller's, and one for a thread. Release it whatever the status. */
quire_status file_check_init(struct file_check *l, struct checks *c,
                             quire_error *err);
void file_check_release(struct file_check *l);
quire_status file_check_open(struct checks *c, struct file_check **out,
                             quire_error *err);
void file_check_close(struct file_check *l);

/* Look at a file. What cannot be read is a finding. */
quire_status file_check_run(struct file_check *l, struct looked *is,
                            struct parallel_chunk *turn, quire_error *err);

#endif

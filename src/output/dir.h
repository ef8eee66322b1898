/*
 * dir.h - the directory where the outputs of one session stand
 *
 *     <n>.<tool>.log               artifact://<n>
 *     <index>-<name>.md            agent://<index>-<name>
 *     <parent>.<index>-<name>.md   agent://<parent>.<index>-<name>
 *
 * Numbers go up and are never given twice, whoever else is numbering: see
 * shelf.c. What stands here is complete, and is not written to again.
 */
#ifndef OUTPUT_DIR_H
#define OUTPUT_DIR_H

#include <stdbool.h>

#include "base/arena.h"
#include "quire.h"
#include "store/object.h"

struct output_dir {
    struct object_store *store; /* NULL until it is needed                  */
    const char *dir;            /* in the store; "": all of it              */
    const char *owner;          /* the session's file: without it nothing is
                                   put here any more. NULL: nobody's        */
    int busy_ms;

    /* Open the store, which is NULL: nobody has asked for it before. It is
     * never freed from here. */
    quire_status (*open)(void *ctx, struct output_dir *s, quire_error *err);

    /* The owner is not where it was: see whether it has moved, and set `dir`
     * and `owner`. False: it is gone. NULL: it cannot move. */
    bool (*follow)(void *ctx, struct output_dir *s);
    void *ctx;
};

/* A new file for the shelf, without a number yet. A store that has something
 * else where we expect a directory is QUIRE_IO here and below: what was asked
 * for was in order. */
quire_status output_dir_draft(struct output_dir *s, struct draft **out,
                              quire_error *err);

/* A name that is fit for a file: letters, digits, "_" and "-", at most 64. */
#define OUTPUT_DIR_NAME_SIZE 65
void output_dir_clean_name(const char *text, const char *otherwise,
                           char out[OUTPUT_DIR_NAME_SIZE]);

/* Give the draft the next number, and its place here; lasting. The draft is
 * gone afterwards, whatever the status. *name is the file's in the store, *id
 * what an address has, both in `keep`.
 *
 * QUIRE_NOT_FOUND  the session is gone
 * QUIRE_BUSY       somebody else is numbering, and does not come to an end */
quire_status output_dir_put_log(struct output_dir *s, struct draft *d,
                                const char *tool, struct arena *keep,
                                const char **name, const char **id,
                                quire_error *err);

/* The same for a report below `parent` (NULL: none). QUIRE_INVALID. */
quire_status output_dir_put_report(struct output_dir *s, struct draft *d,
                                   const char *report, const char *parent,
                                   struct arena *keep, const char **name,
                                   const char **id, quire_error *err);

/* Whether an id can have others below it. Words if not. */
quire_status output_dir_check_parent(const char *parent, quire_error *err);

/* The file of a number, of a report, and of the JSON beside a report; in
 * `keep`. QUIRE_NOT_FOUND without words. */
quire_status output_dir_find_log(struct output_dir *s, const char *id,
                                 struct arena *keep, const char **name,
                                 quire_error *err);
quire_status output_dir_find_report(struct output_dir *s, const char *id,
                                    const char *suffix, struct arena *keep,
                                    const char **name, quire_error *err);

/* Whether the last component of a name is that of an output, or of the JSON
 * beside a report. In a directory that may be anybody's, what is called
 * otherwise is not ours. */
bool output_dir_is_output(const char *base);

/* What stands here, in order: logs by number, then reports by id. */
struct output_dir_item {
    const char *name; /* in the store           */
    const char *id;
    const char *tool; /* "": a report           */
    struct object_info info;
};

quire_status output_dir_list(struct output_dir *s, struct arena *keep,
                             struct output_dir_item **items, size_t *n,
                             quire_error *err);

#endif

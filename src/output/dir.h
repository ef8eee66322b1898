/*
 * dir.h - the output directory of one session
 *
 *     <n>.<tool>.log               artifact://<n>
 *     <index>-<name>.md            agent://<index>-<name>
 *     <parent>.<index>-<name>.md   agent://<parent>.<index>-<name>
 *
 * Numbers increase and are never reused, also between processes and after a
 * removal: see dir.c. A file here is complete, and is not written to again.
 */
#ifndef OUTPUT_DIR_H
#define OUTPUT_DIR_H

#include <stdbool.h>

#include "base/arena.h"
#include "quire.h"
#include "store/store.h"

struct output_dir {
    struct store *store; /* NULL until it is needed                  */
    const char *dir;     /* in the store; "": all of it              */
    const char *owner;   /* the session's file: without it nothing is
                                 * stored here any more. NULL: no owner */
    int busy_ms;

    /* Open the store, if it is NULL. It is never freed from here. */
    quire_status (*open)(void *ctx, struct output_dir *s, quire_error *err);

    /* The owner is not where it was: if it has moved, set `dir` and `owner`.
     * False: it is gone. NULL: it cannot move. */
    bool (*follow)(void *ctx, struct output_dir *s);
    void *ctx;
};

/* A new file, without a number yet. If something else is in the place of a
 * directory, that is QUIRE_IO here and below: the request was valid. */
quire_status output_dir_draft(struct output_dir *s, struct draft **out,
                              quire_error *err);

/* A name valid for a file: letters, digits, "_" and "-", at most 64. */
#define OUTPUT_DIR_NAME_SIZE 65
void output_dir_clean_name(const char *text, const char *otherwise,
                           char out[OUTPUT_DIR_NAME_SIZE]);

/* Give the draft the next number, and its name here; durable. The draft is gone
 * afterwards, whatever the status. *name is the file's in the store, *id the
 * one in an address, both in `keep`.
 *
 * QUIRE_NOT_FOUND  the session is gone
 * QUIRE_BUSY       another process holds the directory lock */
quire_status output_dir_put_log(struct output_dir *s, struct draft *d,
                                const char *tool, struct arena *keep,
                                const char **name, const char **id,
                                quire_error *err);

/* The same for a report below `parent` (NULL: none). QUIRE_INVALID. */
quire_status output_dir_put_report(struct output_dir *s, struct draft *d,
                                   const char *report, const char *parent,
                                   struct arena *keep, const char **name,
                                   const char **id, quire_error *err);

/* Whether an id can have others below it; sets the message if not. */
quire_status output_dir_check_parent(const char *parent, quire_error *err);

/* The file of a number, of a report, and of the JSON beside a report; in
 * `keep`. QUIRE_NOT_FOUND without a message. */
quire_status output_dir_find_log(struct output_dir *s, const char *id,
                                 struct arena *keep, const char **name,
                                 quire_error *err);
quire_status output_dir_find_report(struct output_dir *s, const char *id,
                                    const char *suffix, struct arena *keep,
                                    const char **name, quire_error *err);

/* Whether the last component of a name is that of an output, or of the JSON
 * beside a report. Other names in a shared directory are not ours. */
bool output_dir_is_output(const char *base);

/* Whether it is the name that keeps the number of a removed output taken. */
bool output_dir_is_removed(const char *base);

/* Remove the log with a number, or the report with an id and the JSON beside it;
 * reports below it stay. Durable. QUIRE_NOT_FOUND without a message: there is
 * none; with one: the session is gone. */
quire_status output_dir_remove(struct output_dir *s, const char *id,
                               bool report, struct arena *keep,
                               quire_error *err);

/* The outputs in order: logs by number, then reports by id. */
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

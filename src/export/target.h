/*
 * target.h - a format that sessions are exported to
 *
 * One file a target. It writes into x->out: begin() what stands before the first
 * message, message() one message, end() what stands behind the last. What it
 * cannot hold it passes to export_drop().
 */
#ifndef EXPORT_TARGET_H
#define EXPORT_TARGET_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "export/message.h"

/* What is known of the session before its messages. Text is decoded, never
 * NULL; "" is unknown. */
struct export_session {
    const char *id, *cwd, *title;
    const char *agent;            /* that it was imported from */
    const char *source;           /* path of the file that was imported */
    const char *leaf;             /* where the path ends */
    const char *model, *provider; /* of the last answer */
    quire_bytes header;           /* JSON */
    int64_t created_ms, updated_ms;
    size_t n_entries; /* on the path */
};

enum { EXPORT_UUID_SIZE = 37 };

struct export
{
    const struct export_target *target;
    struct export_session session;
    struct buf out;
    quire_write_fn write; /* takes what is in `out` */
    void *write_ctx;
    struct json_writer w;        /* into `out` */
    struct arena keep, tmp;      /* of the export; of one message */
    void *state;                 /* of the target, in `keep` */
    char uuid[EXPORT_UUID_SIZE]; /* of the session, there */
    uint64_t n;                  /* messages so far */
    bool install;                /* the file goes where the agent reads it */
    int64_t now_ms;              /* with `install` */
    struct export_usage total;   /* of the messages so far */

    struct export_drop {
        const char *kind;
        uint64_t n;
    } * drops;
    size_t n_drops, cap_drops;
};

/* Where an agent keeps a session. */
struct export_place {
    const char *dir;  /* absolute                                          */
    const char *name; /* path of the file below it                         */
    const char *mark; /* if not NULL: a file in the same directory whose name
                          ends so is the same session                       */
};

struct export_target {
    const char *name, *title, *suffix, *mime_type;
    bool is_lines;
    bool for_agent; /* messages in the order of the model's context: a summary
                       stands before what it keeps                          */
    bool context_only; /* its format cannot say that a compaction replaced what
                       came before, or that the context begins anew: that is left
                       out                                                  */
    bool staged;    /* its place is where the command to resume it finds it: the
                       agent does not look there                            */
    bool as_stored; /* entry() gets every entry on the path instead         */
    size_t state_size;

    quire_status (*begin)(struct export *x, quire_error *err);
    quire_status (*message)(struct export *x, const struct export_message *m,
                            quire_error *err);
    quire_status (*entry)(struct export *x, quire_bytes json, quire_error *err);
    quire_status (*end)(struct export *x, quire_error *err);

    void (*release)(struct export *x); /* what the state owns; NULL: nothing */

    /* The name of the file, in x->keep; NULL: the session's id and the suffix. */
    const char *(*file_name)(struct export *x);

    /* The id of the session there; NULL: x->uuid. */
    const char *(*session_id)(struct export *x);

    /* Where it goes; NULL: it has no place. A NULL in *out: no memory, or
     * without HOME. */
    void (*place)(struct export *x, struct export_place *out);

    /* argv[0 .. 7], ended by NULL. NULL: it cannot continue a session. */
    void (*resume)(struct export *x, const char *id, const char *path,
                   const char **argv);
};

/* Count something that the target cannot hold; `detail` may be empty. */
void export_drop(struct export *x, const char *kind, quire_bytes detail);
void export_drop_n(struct export *x, const char *kind, quire_bytes detail,
                   uint64_t n);

/* Pass on what is in x->out, from `least` bytes on. Targets need not: it is done
 * after each message. */
quire_status export_flush(struct export *x, size_t least, quire_error *err);

/* What is written at once. */
#define EXPORT_PIECE ((size_t)64 * 1024)

/* ---- ids; ids.c ---------------------------------------------------------- */

enum { EXPORT_HASH = 32 };

/* The hash of the target, the session, `id` and `part`. */
void export_hash(const struct export *x, quire_bytes id, unsigned part,
                 uint8_t out[EXPORT_HASH]);

/* A UUID of it: as of version 4, or with a time of version 7. */
void export_uuid(const struct export *x, quire_bytes id, unsigned part,
                 char out[EXPORT_UUID_SIZE]);
void export_uuid_at(const struct export *x, quire_bytes id, unsigned part,
                    int64_t ms, char out[EXPORT_UUID_SIZE]);

/* `n` characters of its hash, in hex; at most 64. */
void export_hex(const struct export *x, quire_bytes id, unsigned part, size_t n,
                char *out);

/* ---- helpers; write.c ---------------------------------------------------- */

/* "2026-02-16T10:20:30.000Z" as a member. */
void export_put_time(struct export *x, const char *key, int64_t ms);
const char *export_time(int64_t ms, char out[TIMESTAMP_SIZE]);

/* JSON of a session, on one line. */
void export_raw(struct export *x, quire_bytes json);
void export_put_raw(struct export *x, const char *key, quire_bytes json);

/* The texts of blocks in x->keep or x->tmp, a blank line between them; images
 * and other blocks become notes in brackets if `notes`, and nothing else. */
quire_bytes export_text_of(struct export *x, const struct export_blocks *b,
                           bool notes);

/* The text that a model reads for a message that is not a user's or a model's: a
 * summary, a note of a program, a missing call's result. In x->tmp. */
quire_bytes export_plain(struct export *x, const struct export_message *m);

/* End a line of JSON Lines. */
void export_line(struct export *x);

/* Whether opaque data of the message's provider means something to `provider`,
 * whose agent is `agent`. */
bool export_same_provider(const struct export *x,
                          const struct export_message *m, const char *provider);

/* Count the opaque data of blocks, which the target cannot read. */
void export_drop_opaque(struct export *x, const struct export_block *b);

/* The title, with where it came from; "": none. */
const char *export_title(struct export *x);

/* A program's message that means something to the agent it comes from only:
 * counted as dropped. */
bool export_drop_note(struct export *x, const struct export_message *m);

/* A name or id as APIs take it: letters, digits, '_' and '-', at most 64. Others
 * become '_'; a text that is too long a hash. In x->tmp. */
quire_bytes export_plain_id(struct export *x, quire_bytes id);

/* An image that every model takes: PNG, JPEG, GIF or WebP, in base64. Others are
 * counted as dropped. */
bool export_is_image(struct export *x, const struct export_block *b);

bool export_has(const struct export_blocks *b, enum export_block_kind kind);

/* An absolute path in the environment, else `otherwise` below HOME; NULL. */
const char *export_root(struct export *x, const char *variable,
                        const char *otherwise);

/* The session's directory with each character but letters, digits (and '-')
 * made '-'. */
const char *export_dashed(struct export *x, const char *path);

#endif

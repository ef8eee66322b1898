/* priv.h - shared by the files of the jp module */
#ifndef JP_PRIV_H
#define JP_PRIV_H

#include "base/json.h"
#include "base/map.h"
#include "base/timestamp.h"
#include "jp/jp.h"

static inline bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* How a payload is written. */
enum form {
    FORM_ANSWER, /* a bare string that a tool answered: base64, or text      */
    FORM_STRING, /* a bare string that is the text                           */
    FORM_TEXT, /* {"text": …}                                              */
    FORM_BASE64, /* {"blob": …}, or the string under `blob`                  */
    FORM_REF, /* {"$blob": …, "size": n}                                  */
    FORM_ODD, /* something else, that is left alone                       */
};

struct payload {
    enum form form;
    quire_bytes key;    /* of the member, a slice of the text               */
    quire_bytes value;  /* its value, all of it                             */
    quire_bytes string; /* the string in it, or itself                      */
    bool rename;        /* the key is `text` or `blob`, of the form before
                            there was a `content`                            */
    bool answer;        /* it is all that a tool answered                   */
    quire_bytes block_key; /* such an answer is the one block of an array:   */
    quire_bytes block;     /* the member of the event, and that array        */
    bool others;         /* the object has members that we do not know       */
    bool encoding;       /* one of them is called `encoding`                 */
    bool binary;         /* of a reference: it was base64                    */
    quire_digest digest; /* of a reference                                   */
    uint64_t size;
    const char *odd; /* what is wrong                                        */
};

typedef quire_status (*payload_fn)(void *ctx, const struct payload *p,
                                   quire_error *err);

/* Every payload in an array of events, in order. */
quire_status payloads_each(quire_bytes json, payload_fn each, void *ctx,
                           quire_error *err);

/* Those of one event. */
quire_status payloads_of_event(quire_bytes event, payload_fn each, void *ctx,
                               quire_error *err);

/* Those of a block of a tool's answer, or of a `resource` itself. */
quire_status payloads_of_block(quire_bytes block, bool resource,
                               payload_fn each, void *ctx, quire_error *err);

/* The content of a payload that is not a reference, in one of the two buffers.
 * NULL, or what is wrong with it. */
const char *payload_content(const struct payload *p, struct buf *text,
                            struct buf *raw, quire_bytes *content);

/* Why a blob of `size` bytes (UINT64_MAX: more than was counted) is not what
 * the reference says. */
void describe_size(const struct payload *p, uint64_t size, char *out,
                   size_t cap);

/* The content of a reference, on loan from `blobs`. A fault is in *bad, to be
 * reported as a problem; the status is QUIRE_OK then. A wrong size alone does
 * not withhold content that its digest proves, unless it has more than
 * payload_limit() bytes.
 *
 * QUIRE_TOO_LARGE, without a message: it has more than `room` bytes. */
struct ref_problem {
    const char *kind; /* NULL: nothing is wrong       */
    bool lost;        /* there is no content          */
    char what[200];
};
quire_status payload_fetch(const struct payload *p, struct blob_view blobs,
                           uint64_t room, quire_bytes *content,
                           struct ref_problem *bad, quire_error *err);

/* How many bytes a reference may turn out to have: four times its size, for one
 * that counted characters, and 1 MiB, for one that was edited. A file from
 * elsewhere is not unpacked further than that. */
uint64_t payload_limit(const struct payload *p);

/* Report a problem with the value at `at`, a position in `text` at or after the
 * one reported last. */
quire_status report_problem(struct problem_sink *h, quire_bytes text,
                            const void *at, const char *kind, const char *what,
                            quire_error *err);

/* "2026-11-16 10:20:30.123", as JP writes times. */
void event_time_text(int64_t us, char out[TIMESTAMP_SIZE]);

/* The same, in microseconds since 1970. */
bool event_time(quire_bytes value, int64_t *us);

/* The member of a reference that says that its content was base64, also where
 * it is UTF-8: {"$blob": …, "size": n, "encoding": "base64"}. */
#define ENCODING "encoding"

/* ---- tool_names.c ------------------------------------------------------- */

/* The tools of calls by the id of the call: a response has the id alone. */
struct tool_names {
    struct map by_id;   /* the id as it is spelled -> place in the list */
    quire_bytes *names; /* decoded                                      */
    size_t n, cap;
    struct arena keep;
};

/* {0} can be released, too. */
quire_status tool_names_init(struct tool_names *t, quire_error *err);
void tool_names_release(struct tool_names *t);

/* Add a call; `id` and `name` are JSON values that outlive the list. Others
 * than strings are left out. */
quire_status tool_names_add(struct tool_names *t, quire_bytes id,
                            quire_bytes name, quire_error *err);

/* Empty: unknown. */
quire_bytes tool_names_get(const struct tool_names *t, quire_bytes id);

/* ---- create.c ----------------------------------------------------------- */

/* Directories in `conversations` that are not complete, or not any more. */
#define NEW_PREFIX ".quire-new-"
#define RM_PREFIX  ".quire-rm-"

/* A directory of conversations, locked against other processes of Quire. */
struct conversations {
    const char *path;
    int fd;
    struct store *store;
    struct arena keep;
};

/* With `make` the directory is created. To be closed also on failure. */
quire_status conversations_open(struct conversations *c, const char *location,
                                bool make, int wait_ms, quire_error *err);
void conversations_close(struct conversations *c);

/* A new name that begins with one of the prefixes above. */
quire_status conversations_temp(struct conversations *c, const char *prefix,
                                const char **out, quire_error *err);

/* ---- spell.c ------------------------------------------------------------ */

/* How a text is laid out around a member. */
struct json_style {
    quire_bytes before; /* the line break and indentation in front of it, or
                           the white space behind a comma                   */
    quire_bytes colon;  /* from its key to its value                        */
    quire_bytes unit;   /* one level of indentation                         */
    bool lines;         /* a member a line                                  */
};

quire_bytes json_style_indent(quire_bytes text);
struct json_style json_style_of(quire_bytes text, quire_bytes unit,
                                quire_bytes key, quire_bytes value);

/* An object of one or two members; values are spelled already. */
struct pair {
    const char *key;
    quire_bytes value;
};
void write_object(struct buf *out, const struct json_style *m,
                  const struct pair *pairs, size_t n);

/* The same as the content of a text block, the only one in an array. */
void write_block(struct buf *out, const struct json_style *m,
                 const struct pair *pairs, size_t n);

#endif

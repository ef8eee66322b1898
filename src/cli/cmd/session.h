/*
 * session.h - what the verbs of `session` share
 */
#ifndef CLI_CMD_SESSION_H
#define CLI_CMD_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"
#include "quire.h"

struct args;
struct cli;

/* ---- the session named; session.c --------------------------------------- */

/* The session named: the first argument, else --session. Reports EXIT_USAGE if
 * neither was given. */
int session_named(struct cli *cli, const struct args *args, const char **which);

/* The session to work on: --session; else the last one of the current directory;
 * else, for a command that writes, a new one; else NULL. session_default.c. */
int session_default(struct cli *cli, const struct args *args, bool writes,
                    const char **out);

/* Open the session named. `flags` are QUIRE_SESSION_READ or 0. */
int open_session(struct cli *cli, const struct args *args, unsigned flags,
                 quire_session **out);

/* Call `run` for each session named: the arguments, else --session. Of several,
 * all must exist before the first call, and each is called once, by its path.
 * Returns the worst exit status. */
int each_session(struct cli *cli, const struct args *args,
                 int (*run)(struct cli *cli, const char *which));

/* Report an error of a call with a session's name. A name of no session, or of
 * several, exits with 1. */
int session_fail(struct cli *cli, const quire_error *err);

/* ---- results and warnings; session.c ------------------------------------ */

/* Print {"id","path"} of `s` once it is durable, and close it. */
int session_print(struct cli *cli, quire_session *s);

/* Print a path, or {"path"}; session_file.c. */
void session_print_path(struct cli *cli, const char *path);

/* Add {"id","parentId"} to `line`, "existed" where it did, and "session" where `s` is
 * the one in which an imported session goes on. */
void session_entry_json(struct buf *line, quire_session *s,
                        const quire_appended *entry);

/* Warn that it is. */
void session_continued(struct cli *cli, quire_session *s);

/* Print a warning on standard error, unless --quiet. `kind` is for programs. */
void session_warn(struct cli *cli, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- untrusted text on a terminal; core/term.c --------------------------- */

/* Line drawing characters that the locale has. */
struct marks {
    const char *rail;  /* beside a branch                  */
    const char *side;  /* where a branch begins            */
    const char *dots;  /* for text that was cut            */
    const char *arrow; /* in front of a tool call          */
    const char *here;  /* behind the current leaf          */
    const char *on;    /* in front of what is on the path  */
    const char *off;   /* and of what is not               */
};

const struct marks *term_marks(void);

/* The width of the screen; 80 if unknown. Call it before printing: a pager may
 * replace standard output. */
size_t term_width(void);

/* Add `text` so that it can be shown: escape sequences, control characters
 * but newline and tab, and signs that turn the direction of writing are left
 * out, damaged UTF-8 becomes U+FFFD. With `one_line` every run of white space
 * is one blank. */
void term_add(struct buf *out, quire_bytes text, bool one_line);

/* The same for the content of a JSON string, of its first `max_units` UTF-16
 * units (SIZE_MAX: all). Other values are shown as they are spelled. True if
 * something was left out. */
bool term_add_json(struct buf *out, quire_bytes value, size_t max_units,
                   bool one_line);

/* The columns that term_add() text takes on the screen. */
size_t term_columns(quire_bytes text);

/* Add one line of such text, cut to `columns` with dots if it is longer. */
void term_add_cut(struct buf *out, quire_bytes text, size_t columns);

/* The same, filled up with blanks. */
void term_add_cell(struct buf *out, quire_bytes text, size_t columns);

/* ---- an entry in one line; session_entry.c ------------------------------ */

/* The kind of an entry: the role of a message, else its type. */
void entry_add_kind(struct buf *out, const quire_entry *entry);

/* A change of model, mode and the like, in a few words: "model openai/gpt-4o".
 * False, and nothing added, if it is none of these. */
bool entry_add_note(struct buf *out, const quire_entry *entry);

/* The beginning of its text, in one line; may be empty. */
void entry_add_snippet(struct buf *out, const quire_entry *entry);

/* ---- JSON to standard output; core/term.c -------------------------------- */

/* Prints stored JSON in pieces, on one line: line breaks between values are
 * dropped. On a terminal control characters are escaped: \u009b. */
struct json_out {
    struct cli *cli;
    bool guard;    /* it is a terminal                        */
    bool after_c2; /* the last byte may begin such a character */
};

void json_out_init(struct json_out *o, struct cli *cli);
void json_out_add(struct json_out *o, quire_bytes json);
void json_out_end(struct json_out *o); /* ends the line */

#endif

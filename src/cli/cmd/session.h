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
struct cmd;

extern const struct cmd cmd_session_append, cmd_session_show, cmd_session_tree,
    cmd_session_context, cmd_session_fork, cmd_session_extract,
    cmd_session_move, cmd_session_ls, cmd_session_recent, cmd_session_files,
    cmd_session_export, cmd_session_check, cmd_session_repair,
    cmd_session_migrate, cmd_session_archive, cmd_session_unarchive,
    cmd_session_rm;

/* ---- naming one; cmd_session.c ------------------------------------------ */

/* The session the user means: the first word, else --session. EXIT_USAGE,
 * with words, when there is neither. */
int session_named(struct cli *cli, const struct args *args, const char **which);

/* Name it and open it. `flags` are QUIRE_SESSION_READ or 0. */
int open_session(struct cli *cli, const struct args *args, unsigned flags,
                 quire_session **out);

/* Report an error of a call that was given a session's name. A name that
 * means no session, or several, is the answer "no". */
int session_fail(struct cli *cli, const quire_error *err);

/* ---- saying what was done; cmd_session.c -------------------------------- */

/* Print {"id","path"} of `s` once it is durable, and close it. */
int session_print(struct cli *cli, quire_session *s);

/* Add {"id","parentId"} to `line`, and "existed" where it did. */
void session_entry_json(struct buf *line, const quire_appended *entry);

/* Something that is worth a word on standard error and fails nothing; silent
 * with --quiet. `kind` is for programs. */
void session_warn(struct cli *cli, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- text of strangers; cmd_session_text.c ------------------------------ */

/* Signs for the screen, in characters that its locale has. */
struct marks {
    const char *rail;  /* beside a branch                  */
    const char *side;  /* where a branch begins            */
    const char *dots;  /* here something was left out      */
    const char *arrow; /* in front of a tool call          */
    const char *here;  /* behind the current leaf          */
    const char *on;    /* in front of what is on the path  */
    const char *off;   /* and of what is not               */
};

const struct marks *term_marks(void);

/* How wide the screen is; 80 when that is not known. Ask before anything is
 * printed: a pager may come between. */
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

/* ---- entries in a line; cmd_session_entry.c ----------------------------- */

/* What an entry is, in a word: the role of a message, else its type. */
void entry_add_kind(struct buf *out, const quire_entry *entry);

/* A change of model, mode and the like, in a few words: "model openai/gpt-4o".
 * False, and nothing added, if it is none of these. */
bool entry_add_note(struct buf *out, const quire_entry *entry);

/* The beginning of what it says, in one line; maybe nothing. */
void entry_add_snippet(struct buf *out, const quire_entry *entry);

/* ---- JSON to standard output; cmd_session_text.c ------------------------ */

/* Stored JSON on its way out, in pieces, on one line: line breaks between its
 * values are dropped. On a terminal what could steer it is spelled \u009b. */
struct json_out {
    struct cli *cli;
    bool guard;    /* it is a terminal                        */
    bool after_c2; /* the last byte may begin such a character */
};

void json_out_init(struct json_out *o, struct cli *cli);
void json_out_add(struct json_out *o, quire_bytes json);
void json_out_end(struct json_out *o); /* ends the line */

#endif

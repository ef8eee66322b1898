/*
 * cli.h - the command table
 *
 * A verb is a `struct cmd`: name, arguments, description, options, function.
 * Parsing (opt.c), --help (help.c), man pages (man.c) and the completions of
 * three shells (completion.c) are derived from it. A new command is its entry
 * and its function, in the file of its noun, and a line in cmd/commands.c.
 *
 * Results go to standard output, messages to standard error; see out.h.
 */
#ifndef CLI_CORE_CLI_H
#define CLI_CORE_CLI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/core/opt.h"
#include "cli/core/out.h"
#include "cli/core/row.h"
#include "quire.h"

/* Scripts rely on these; they are in every man page. */
enum {
    EXIT_DONE = 0,
    EXIT_NO = 1,      /* no match, or refused                      */
    EXIT_USAGE = 2,   /* wrong command line                        */
    EXIT_FAILED = 3,  /* an error of the system, or a lock timeout */
    EXIT_DAMAGED = 4, /* stored bytes fail their own check         */
};

enum store_access {
    STORE_NONE, /* cli->q is NULL                                    */
    STORE_READ, /* opened read-only; an absent store is empty        */
    STORE_WRITE,
    STORE_EITHER, /* for writing, where the home can be written */
};

struct cli {
    struct out out;
    const struct args *args;
    quire *q;
    bool json;
    bool quiet;            /* results and errors only */
    char session[4096];    /* see session_default(); "": none           */
    atomic_uint n_secrets; /* found in what the command has stored   */
};

struct cmd {
    const char *name;    /* "blob put"; one word: a command without a noun */
    const char *args;    /* "[FILE...]"; see opt.h                         */
    const char *summary; /* one line, no capital, no full stop             */
    const char *about;   /* paragraphs, an empty line between them         */
    void (*add_about)(struct buf *out); /* a last paragraph; NULL: none */
    const struct opt *opts;
    const char *examples; /* a shell command a line; they are run as tests */
    enum store_access store;
    bool paged; /* its output may be longer than a screen */
    bool stays; /* it runs until it is ended */
    int (*run)(struct cli *cli, const struct args *args);
};

struct noun {
    const char *name;
    const char *alias; /* another name that is accepted; NULL: none */
    const char *summary;
    const char *about;
    const struct cmd *const *verbs; /* NULL-terminated */
    bool all_tenants; /* they work on all tenants: none has to be admitted */
};

/* All nouns, and commands without a noun; cmd/commands.c. NULL-terminated. */
extern const struct noun *const cli_nouns[];
extern const struct cmd *const cli_plain[];

/* Commands for scripts, in no list and no help; cmd/commands.c. */
extern const struct cmd *const cli_hidden[];

/* The options of every command; globals.c. */
extern const struct opt cli_globals[];

const struct noun *cli_noun(const char *name);
const struct cmd *cli_verb(const struct noun *noun, const char *verb);
const struct cmd *cli_plain_cmd(const char *name);

/* "put" of "blob put", "doctor" of "doctor". */
const char *cmd_verb(const struct cmd *cmd);

/* What there is to say about a command, in paragraphs; nothing for some. */
void cmd_about(const struct cmd *cmd, struct buf *out);

/* Every command in turn, those of nouns first; NULL past the end. */
const struct cmd *cli_cmd_at(size_t index);

/* The options that choose the store, from the command line and the
 * environment. Ignores cmd->store. */
void cli_store_options(const struct args *args, quire_options *options);

/* Report on standard error that the home does not exist yet, if so. */
void cli_warn_absent(struct cli *cli);

#endif

/* setup.h - what `quire setup` adds, and whether it works */
#ifndef CLI_CMD_SETUP_H
#define CLI_CMD_SETUP_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

/* How settings name a server: {"command","args"}; the same with a type; with an empty env; one
 * list of words; a table of TOML. */
enum setup_form { FORM_COMMAND, FORM_STDIO, FORM_ENV, FORM_LIST, FORM_TOML };

enum setup_part { PART_SERVER, PART_HOOK };

struct setup_agent {
    const char *name;
    const char *env;  /* names its directory; NULL: no variable does      */
    const char *path; /* of its settings, below the home directory        */
    const char
        *below_env;     /* the same below the directory of `env`            */
    const char *object; /* the member that has the servers; NULL: TOML      */
    enum setup_form form;
    const char
        *imports; /* its name for `quire import`; NULL: has no sessions */
};

enum { SETUP_ARGS_MAX = 12 };

struct setup {
    const struct setup_agent *agent;
    const char *argv[SETUP_ARGS_MAX]; /* the command of the server */
    size_t n_argv;
    bool undo, dry_run;
};

/* Start the server as the client will, greet it, and wait for its answer. */
quire_status setup_check(const struct setup *s, quire_error *err);

#endif

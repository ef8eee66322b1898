/*
 * opt.h - the command line parser
 *
 * Options are declared in tables (`struct opt`, ended by an entry without a
 * name) and looked up by name. Looking up a name that no table has is a bug,
 * and asserts.
 *
 * Arguments are declared as text, the same that help and man pages show: "REF",
 * "[FILE...]", "[NOUN [VERB]]". Outside brackets they are required, "..." takes
 * any number, and "bash|zsh|fish", in lower case, is a choice.
 */
#ifndef CLI_CORE_OPT_H
#define CLI_CORE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

struct cli;
struct cmd;
struct noun;

enum opt_kind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_PATH,   /* text that is a file name: never empty, completed     */
    OPT_LIST,   /* text, may be given again                             */
    OPT_NUMBER, /* 0 and up                                             */
    OPT_SIZE,   /* 4096, 64K, 64KiB (1024 each), 64kB (1000 each)       */
    OPT_TIME,   /* 500ms, 2s, 5m, 24h, 7d; a plain number is seconds    */
    OPT_CHOICE, /* one of the words in `value`                          */
};

struct opt {
    const char *name; /* "output" is given as --output              */
    char letter;      /* 'o' is given as -o; 0: none                */
    enum opt_kind kind;
    bool hidden;       /* for the build and tests, not in help       */
    const char *value; /* "FILE"; of a choice "packed|loose|flat"    */
    const char *help;  /* one sentence, no capital, no full stop     */
    const char *env;   /* a variable that replaces an absent option  */
};

struct opt_value {
    const struct opt *opt;
    const char *text;
    uint64_t number; /* of a number, size (bytes), time (ms), choice (index) */
    bool from_env;
};

struct args {
    const struct noun *noun;  /* NULL: none, or a plain command */
    const struct cmd *cmd;    /* NULL: not given                */
    const char *const *words; /* arguments that are not options */
    size_t n_words;
    struct opt_value *values; /* in the order given             */
    size_t n_values;
    struct arena arena;
};

/* Parse the command line and the environment. Reports errors and returns the
 * exit status; 0: no error. Without --help it also checks the number of
 * arguments. Release `args` in both cases. */
int args_parse(struct cli *cli, int argc, const char *const *argv,
               struct args *args);
void args_release(struct args *args);

bool args_flag(const struct args *args, const char *name);

/* Whether --version was given and is the global one: a command may have its
 * own. */
bool args_ask_version(const struct args *args);

/* NULL when it was not given. */
const char *args_text(const struct args *args, const char *name);

/* A number, a size in bytes or a time in milliseconds. */
uint64_t args_number(const struct args *args, const char *name,
                     uint64_t otherwise);

/* --limit: `otherwise` unless given, UINT64_MAX for 0, which means all. */
uint64_t args_limit(const struct args *args, uint64_t otherwise);

/* The `index`-th value of a list; NULL past the end. */
const char *args_list(const struct args *args, const char *name, size_t index);

/* The environment variable its value was read from; NULL if none was. */
const char *args_env(const struct args *args, const char *name);

/* The entry called `name`, or NULL; `table` may be NULL. */
const struct opt *opt_find(const struct opt *table, const char *name);

/* "-o, --output FILE" and "--output FILE". */
void opt_spell(const struct opt *opt, bool with_letter, struct buf *out);

/* The `index`-th word of "a|b|c"; false past the end. */
bool opt_word(const char *choices, size_t index, char *out, size_t cap);

/* Whether a command's argument is a choice: "bash|zsh|fish". */
bool opt_is_choice(const char *args);

#endif

/*
 * each_word.h - a command that takes several arguments of one kind
 */
#ifndef CLI_CORE_EACH_WORD_H
#define CLI_CORE_EACH_WORD_H

struct args;
struct cli;

/* Call `run` for each argument; it returns an exit status. Several are one
 * transaction: if one fails, nothing is changed. For calls that work in a
 * transaction, and print nothing. */
int each_word(struct cli *cli, const struct args *args,
              int (*run)(struct cli *cli, const struct args *args,
                         const char *word));

#endif

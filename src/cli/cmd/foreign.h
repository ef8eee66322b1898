/*
 * foreign.h - sessions of other agents, read where they are
 */
#ifndef CLI_CMD_FOREIGN_H
#define CLI_CMD_FOREIGN_H

#include "quire.h"

struct args;
struct cli;

/* Before the store is opened. If the home is one of another agent, or a command that
 * reads a session names a file of one, and the command only reads: import them into a
 * home in Quire's cache directory, and let `options`, and the words of `args`, name
 * that. Returns an exit status. */
int foreign_use(struct cli *cli, struct args *args, quire_options *options);

#endif

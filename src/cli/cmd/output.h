/* output.h - what the verbs of `output` share */
#ifndef CLI_CMD_OUTPUT_H
#define CLI_CMD_OUTPUT_H

#include "quire.h"

struct args;
struct cli;

/* The outputs of the session that session_default() chooses; without one, those
 * in a temporary directory. */
int open_outputs(struct cli *cli, const struct args *args, quire_outputs **out);

#endif

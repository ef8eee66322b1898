/* output.h - what the verbs of `output` share */
#ifndef CLI_CMD_OUTPUT_H
#define CLI_CMD_OUTPUT_H

#include "quire.h"

struct args;
struct cli;
struct cmd;

extern const struct cmd cmd_output_sink, cmd_output_read;

/* The outputs of --session, or of no session. */
int open_outputs(struct cli *cli, const struct args *args, quire_outputs **out);

#endif

/* secrets.h - secrets that a command finds in what it stores */
#ifndef CLI_CORE_SECRETS_H
#define CLI_CORE_SECRETS_H

#include "cli/core/cli.h"

/* A quire_secret_fn: a line on standard error for each of the first twenty. Several
 * threads may call it. */
void cli_note_secret(void *cli, const quire_secret *secret);

/* How many there were beyond those. */
void cli_count_secrets(struct cli *cli);

#endif

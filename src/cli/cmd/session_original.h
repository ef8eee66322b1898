/* session_original.h - the original of an imported session */
#ifndef CLI_CMD_SESSION_ORIGINAL_H
#define CLI_CMD_SESSION_ORIGINAL_H

#include "cli/core/cli.h"

/* Write the bytes that the session with this id was imported from to the file `to`
 * (NULL and "-": standard output); if it has several files, below the directory
 * `to`. Returns the exit status. */
int session_export_original(struct cli *cli, const char *session,
                            const char *to);

#endif

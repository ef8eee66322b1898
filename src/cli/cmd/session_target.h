/* session_target.h - `session export --to TARGET`; `resume` */
#ifndef CLI_CMD_SESSION_TARGET_H
#define CLI_CMD_SESSION_TARGET_H

struct args;
struct cli;

/* Export the sessions named to the target of --to. */
int session_export_target(struct cli *cli, const struct args *args);

#endif

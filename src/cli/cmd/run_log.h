/*
 * run_log.h - `quire run --log`
 */
#ifndef CLI_CMD_RUN_LOG_H
#define CLI_CMD_RUN_LOG_H

struct args;
struct cli;

/* List the records of past runs, or with --clear delete them. */
int run_log(struct cli *cli, const struct args *args);

#endif

/*
 * home.h - a home that was named and does not exist: often its name is mistyped
 */
#ifndef CLI_CORE_HOME_H
#define CLI_CORE_HOME_H

#include <stdbool.h>

struct args;
struct cli;

/* Before the store is opened. A command that reads reports on standard error that
 * the home named by --home does not exist, and goes on: it is empty. One that
 * writes is refused if the directory above it does not exist either. *report: the
 * home was named by --home, and home_report_created() is to be called. Returns an
 * exit status. */
int home_check(struct cli *cli, const struct args *args, bool *report);

/* After the command: report on standard error that the home was created, if so. */
void home_report_created(struct cli *cli);

#endif

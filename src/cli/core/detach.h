/* detach.h - run a quire command in the background */
#ifndef CLI_CORE_DETACH_H
#define CLI_CORE_DETACH_H

#include <stdbool.h>

/* Run this program with `argv`, ended by NULL, detached: init reaps it; it has its own
 * session, so that the terminal's signals do not reach it; it inherits no descriptor,
 * so that our pipes close when we end. Its priority is lowered by `niceness`. False:
 * it could not be started; that it fails later is not reported. */
bool detach_run(char *const argv[], int niceness);

#endif
